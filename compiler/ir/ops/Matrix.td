// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product of matrices.

#ifndef EFT_OPS_MATRIX
#define EFT_OPS_MATRIX

include "compiler/ir/ops/Buffers.td"
include "compiler/ir/ops/Float8.td"

def Eft_Precision : I32EnumAttr<"Precision", "the precision of products of f32", [
    I32EnumAttrCase<"Ieee", 0, "ieee">, I32EnumAttrCase<"Tf32", 1, "tf32">,
    I32EnumAttrCase<"Tf32x3", 2, "tf32x3">]> {
  let cppNamespace = "::eft";
}

def Eft_DotOp : Eft_Op<"dot", [Pure, Eft_Anchored, AllTypesMatch<["acc", "result"]>]> {
  let summary = "A matrix product, added to an accumulator";
  let description = [{
    `a` is a block of M × K elements, `b` of K × N, `acc` and the result of M × N. Each extent is at
    least 16. In formulas, result[i, j] = acc[i, j] + Σₖ a[i, k] · b[k, j].

    | elements of `a` and `b` | elements of `acc` | the sum |
    |---|---|---|
    | f16, bf16 | f32 | the products are exact; the sums are rounded, in an order that the target chooses |
    | f32, `ieee` | f32 | fused products and sums, with k ascending, beginning with `acc` |
    | f32, `tf32` | f32 | CPU: as `ieee`; GPU: as f16, with factors reduced to tf32 (11 significant bits) |
    | f32, `tf32x3` | f32 | CPU: as `ieee`; GPU: as f16, with each factor as the sum of two tf32 numbers |
    | f64 | f64 | fused products and sums, in an order that the target chooses |
    | i8 with formats | f32 | as f16 |
    | i8, i32 | i32 | sums wrap around; i8 is signed |

    Only f32 may have a precision other than `ieee`. `formats` says that the elements of the factors are
    8-bit floats in these formats, as in `eft.extend_float8`. The two factors may have different
    formats.

    Placing sets `warpgroups` if warpgroups of the target are to compute the product. The result then
    has a layout of warpgroups, and `eft.dot_async` can replace the operation.

    ```mlir
    %d = eft.dot %a, %b, %c precision tf32
        : tensor<64x32xf32>, tensor<32x128xf32> -> tensor<64x128xf32>
    %e = eft.dot %x, %y, %c precision ieee formats e4m3fn, e5m2
        : tensor<64x32xi8>, tensor<32x128xi8> -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Eft_Block:$a, Eft_Block:$b, Eft_Block:$acc, Eft_Precision:$precision,
                       OptionalAttr<Eft_Float8>:$formatOfA, OptionalAttr<Eft_Float8>:$formatOfB,
                       UnitAttr:$warpgroups);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc `precision` $precision (`formats` $formatOfA^ `,` $formatOfB)? attr-dict
    `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns true if a GPU's tensor cores compute this product. They can multiply neither i32,
    /// nor f32 with precision `ieee`.
    bool usesTensorCores();
  }];
}

def Eft_DotIntoOp : Eft_Op<"dot_into", []> {
  let summary = "A matrix product of buffers, added to a buffer";
  let description = [{
    `eft.dot` on blocks in buffers. The factors have the element type of the accumulator, and the
    precision is `ieee`. The result replaces the accumulator.

    ```mlir
    eft.dot_into %a, %b, %c : <tensor<16x32xf32, #a>>,
        <tensor<32x16xf32, #b>>, <tensor<16x16xf32, #c>>
    ```
  }];
  let arguments = (ins Arg<Eft_Buffer, "", [MemRead]>:$a, Arg<Eft_Buffer, "", [MemRead]>:$b,
                       Arg<Eft_Buffer, "", [MemRead, MemWrite]>:$acc);
  let assemblyFormat = [{
    $a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

#endif
