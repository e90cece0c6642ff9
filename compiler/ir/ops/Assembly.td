// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembly of the target's own, which a kernel brings along.

#ifndef EFT_OPS_ASSEMBLY
#define EFT_OPS_ASSEMBLY

include "compiler/ir/ops/Types.td"

def Eft_InlineAsmOp : Eft_Op<"inline_asm", [Eft_Anchored, Eft_ComputesInPlace, Eft_MayCall,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Runs assembly on the elements of blocks";
  let description = [{
    Each run of `code` takes the same `pack` elements of every operand and gives those of every result;
    which elements go together, the target decides. The operands and the results have one shape.

    `constraints` are LLVM's: first a register for each part of the results, then one for each part of
    the operands, then what is clobbered. Elements of less than 32 bits share a register, as many of the
    `pack` elements as it has room for, the first in the lowest bits. Where the elements of a thread are
    no multiple of `pack`, the last run gets some of them more than once.

    The assembly of an operation that is `pure` is a function of its operands: it may be run more often,
    or not at all. Any other one may read and write memory, is run in the order of the program, and is
    reached by all threads of a program together.

    Only GPUs run it. `code` is PTX there, in which `$0` stands for the first register, `$$` for a dollar.
    The registers are `r`, `h`, `l`, `f`, `d`, `c` or `b`, with the number of a result's register for an
    operand that shares it.

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
