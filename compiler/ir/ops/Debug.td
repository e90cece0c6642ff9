// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages of a program: printing and assertions.

#ifndef EFT_OPS_DEBUG
#define EFT_OPS_DEBUG

include "compiler/ir/ops/Buffers.td"

def Eft_PrintableValue : Type<And<[Eft_Value.predicate, Or<[
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(64)">,
    CPred<"::mlir::getElementTypeOrSelf($_self).isF64()">,
    CPred<"::llvm::isa<::eft::PointerType>(::mlir::getElementTypeOrSelf($_self))">]>]>>;
def Eft_Printable : Type<Or<[Eft_PrintableValue.predicate, And<[Eft_Buffer.predicate,
    SubstLeaves<"$_self", "::llvm::cast<::eft::BufferType>($_self).getBlock()",
                Eft_PrintableValue.predicate>]>]>,
    "i64, f64, a pointer, or a block or buffer of these">;

def Eft_PrintOp : Eft_Op<"print", [Eft_Placed, Eft_MayCall, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Prints a line for each element";
  let description = [{
    Each line has the program's position in the grid, the index of the element, the text and the
    value of the element. A scalar gives one line, with an empty index. Without a value, the operation
    prints one line, with the position and the text alone. No other output appears inside a line.

    Integers are printed as signed decimal numbers, or as unsigned ones with `unsigned`. With `hex`,
    integers are printed as hexadecimal numbers of at least the given number of digits. Pointers are always
    hexadecimal.

    On a CPU, a program prints its lines in the order of its operations, and the elements of a block in
    row-major order. Only on a CPU may the value be a buffer.

    ```mlir
    eft.print " x: " %x : tensor<64xi64>
    eft.print " bits: " %x hex 8 : tensor<64xi64>
    eft.print " here"
    ```
    prints

        pid (2, 0, 0) idx (17) x: -1
  }];
  let arguments = (ins StrAttr:$text, Optional<Eft_Printable>:$value,
                       OptionalAttr<I32Attr>:$hexDigits, UnitAttr:$isUnsigned);
  let assemblyFormat = [{
    $text ($value^ (`hex` $hexDigits^)? (`unsigned` $isUnsigned^)? `:` type($value))? attr-dict
  }];
  let hasVerifier = 1;
}

def Eft_AssertOp : Eft_Op<"assert", [Eft_Placed, Eft_MayCall, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Ends the program unless a condition holds everywhere";
  let description = [{
    If the condition is false for any element, the program ends and the launch fails. The launch's error
    names the program's position in the grid, the operation's location in the source, and the message.

    ```mlir
    eft.assert %inside, "an index lies outside"
    ```
  }];
  let arguments = (ins Eft_MaskLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

def Eft_StopOp : Eft_Op<"stop", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Ends the program";
  let description = [{
    The passes of the lowering make this operation where a program may end early, for example in place of
    an `eft.assert`. `eft-lower-to-llvm` turns it into a return. The passes before `eft-lower-to-llvm` can't
    return from the middle of a function, because the function still has structured control flow.

    ```mlir
    eft.stop
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
