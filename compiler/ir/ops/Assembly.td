// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline assembly of a kernel.

#ifndef EFT_OPS_ASSEMBLY
#define EFT_OPS_ASSEMBLY

include "compiler/ir/ops/Types.td"

def Eft_InlineAsmOp : Eft_Op<"inline_asm", [Eft_Anchored, Eft_ComputesInPlace, Eft_MayCall,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Runs assembly on the elements of blocks";
  let description = [{
    One execution of `code` takes `pack` elements of every operand, and gives the elements of every result
    that have the same indices. The target decides which elements go together. The operands and the results
    have one shape.

    `constraints` are constraints of LLVM's inline assembly: first one for each register of the results,
    then one for each register of the operands, then the clobbers. An element of 32 or 64 bits has a
    register of its own. Narrower elements share registers: each register has as many of the `pack`
    elements as fit into 32 bits, the first in the lowest bits. If the number of elements of a thread is no
    multiple of `pack`, the last execution takes the thread's last element more than once.

    If the operation is `pure`, its results depend on its operands alone: it may be executed more often
    than the program says, or not at all. Without `pure`, the assembly may read and write memory. It is
    then executed in the order of the program, and all threads of a program reach it together.

    Only GPUs support the operation. `code` is PTX, in which `$0` is the first register and `$$` is a
    dollar sign. The constraint of an operand's register is a letter that names the register's type: `r`,
    `h`, `l`, `f`, `d`, `c` or `b`. The constraint of a result's register has `=` before the letter. An
    operand that shares the register of a result has the number of that result as its constraint.

    ```mlir
    %1 = eft.inline_asm "ex2.approx.f32 $0, $1;" constraints "=f,f" pure pack 1 %0
        : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins StrAttr:$code, StrAttr:$constraints, UnitAttr:$pure,
                       ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<1024>]>:$pack,
                       Variadic<Eft_Value>:$operands);
  let results = (outs Variadic<Eft_Value>:$results);
  let assemblyFormat = [{
    $code `constraints` $constraints (`pure` $pure^)? `pack` $pack ($operands^)? attr-dict
    `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

#endif
