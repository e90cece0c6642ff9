// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program tells about itself.

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

def Eft_PrintOp : Eft_Op<"print", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Prints a line for each element";
  let description = [{
    A line has the program's position, the element's index, the text, and the value: as a signed
    number, or without a sign, or as so many hexadecimal digits, which a pointer always is. Without
    a value it is one line. A line is not torn apart by others; on a CPU a program's lines come in
    order, and a block may be printed from a buffer.

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

def Eft_AssertOp : Eft_Op<"assert", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Ends the program unless a condition holds everywhere";
  let description = [{
    Where the condition is false for some element, the program ends, and the launch fails with the
    program's position, the operation's place in the source and the message.

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
    What the lowering of `eft.assert` leaves for `eft-lower-to-llvm`, which makes a return of it: only
    there control flow has a form in which one can leave at once.

    ```mlir
    eft.stop
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
