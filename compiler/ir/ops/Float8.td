// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 8-bit floats. Block IR has their codes as i8. The operations name the format.

#ifndef EFT_OPS_FLOAT8
#define EFT_OPS_FLOAT8

include "compiler/ir/ops/Elementary.td"

def Eft_Float8 : I32EnumAttr<"Float8", "a format of floats of eight bits", [
    I32EnumAttrCase<"E4M3FN", 0, "e4m3fn">, I32EnumAttrCase<"E5M2", 1, "e5m2">,
    I32EnumAttrCase<"E4M3FNUZ", 2, "e4m3fnuz">, I32EnumAttrCase<"E5M2FNUZ", 3, "e5m2fnuz">,
    I32EnumAttrCase<"E4M3B15", 4, "e4m3b15">]> {
  let cppNamespace = "::eft";
}

// Includes vectors, as the functions of the math dialect take vectors, too.
def Eft_ByteLike : Type<And<[
    Or<[Eft_Value.predicate, CPred<"::llvm::isa<::mlir::VectorType>($_self)">]>,
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(8)">]>, "i8 or block of i8">;

def Eft_ExtendFloat8Op : Eft_Op<"extend_float8",
    !listconcat([Pure], ElementwiseMappable.traits)> {
  let summary = "Converts 8-bit floats to f16 or f32";
  let description = [{
    Each i8 is the code of an 8-bit float. The result has the same value, which f16 and f32 represent
    exactly.

    | format | exponent, fraction | bias | greatest | infinity | NaN |
    |---|---|---|---|---|---|
    | e4m3fn | 4, 3 | 7 | 448 | none | 0x7F, 0xFF |
    | e5m2 | 5, 2 | 15 | 57344 | 0x7C, 0xFC | 0x7D to 0x7F, 0xFD to 0xFF |
    | e4m3fnuz | 4, 3 | 8 | 240 | none | 0x80; there is no −0 |
    | e5m2fnuz | 5, 2 | 16 | 57344 | none | 0x80; there is no −0 |
    | e4m3b15 | 4, 3 | 15 | 1.875 | none | none |

    ```mlir
    %y = eft.extend_float8 %x from e4m3fn : tensor<1024xi8> -> tensor<1024xf32>
    ```
  }];
  let arguments = (ins Eft_ByteLike:$operand, Eft_Float8:$format);
  let results = (outs Eft_FloatLike:$result);
  let assemblyFormat = "$operand `from` $format attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Eft_TruncateFloat8Op : Eft_Op<"truncate_float8",
    !listconcat([Pure], ElementwiseMappable.traits)> {
  let summary = "Converts f16, f32 or f64 to 8-bit floats";
  let description = [{
    Each i8 is the code of the operand's value in the format. The value is rounded once: to nearest
    even, or toward zero with `toward_zero`. A value beyond the greatest finite number, such as an
    infinity, becomes that number with the value's sign. For e4m3b15, the greatest result is 1.75, not
    1.875. NaN becomes 0x7F in e4m3fn and e5m2, and 0x80 in e4m3fnuz and e5m2fnuz. e4m3b15 has no NaN:
    there NaN becomes 1.75.

    ```mlir
    %y = eft.truncate_float8 %x to e4m3fn : tensor<1024xf32> -> tensor<1024xi8>
    %z = eft.truncate_float8 %x to e5m2 toward_zero : tensor<1024xf32> -> tensor<1024xi8>
    ```
  }];
  let arguments = (ins Eft_FloatLike:$operand, Eft_Float8:$format, UnitAttr:$towardZero);
  let results = (outs Eft_ByteLike:$result);
  let assemblyFormat = [{
    $operand `to` $format (`toward_zero` $towardZero^)? attr-dict
    `:` type($operand) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif
