// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products that warpgroups of a GPU compute while the program goes on.

#ifndef EFT_OPS_WARPGROUPS
#define EFT_OPS_WARPGROUPS

include "compiler/ir/ops/Float8.td"
include "compiler/ir/ops/Shared.td"

def Eft_DotAsyncOp : Eft_Op<"dot_async", [AllTypesMatch<["acc", "result"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Begins a matrix product, added to an accumulator";
  let description = [{
    Begins the product of `eft.dot`, for factors of f16, bf16, i8 (integers, or 8-bit floats if there are
    `formats`), or f32 with precision `tf32`. `b` is in a slot of shared memory. `a` is in another slot or
    in registers. `transposed` after a slot says that the slot holds the factor with its two dimensions
    exchanged. All threads must already see the contents of the slots, as after `eft.wait_copies`. The bits
    of an f32 that tf32 lacks are ignored: the number is truncated, not rounded.

    Each product is a group of its own, and groups are done in order. Until the `eft.wait_dots` that
    waits for the product, its result may only be used as the accumulator of another product, and the
    slots and the registers of `a` must not change.

    ```mlir
    %d = eft.dot_async %a[%i], %b[%j] transposed, %c
        : !eft.shared<3, tensor<64x32xf16, #a>>, !eft.shared<3, tensor<128x32xf16, #b>>
        -> tensor<64x128xf32, #c>
    ```
  }];
  let arguments = (ins Eft_Block:$acc, AnyTypeOf<[Eft_Block, Eft_Shared]>:$a,
                       Optional<I32>:$slotOfA, Eft_Shared:$b, I32:$slotOfB,
                       OptionalAttr<Eft_Float8>:$formatOfA, OptionalAttr<Eft_Float8>:$formatOfB,
                       UnitAttr:$transposedA, UnitAttr:$transposedB);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = [{
    $a (`[` $slotOfA^ `]`)? (`transposed` $transposedA^)? `,`
    $b `[` $slotOfB `]` (`transposed` $transposedB^)? `,` $acc
    (`formats` $formatOfA^ `,` $formatOfB)? attr-dict
    `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Eft_ProductBlock : Type<And<[Eft_Block.predicate, Or<[
    CPred<"::mlir::getElementTypeOrSelf($_self).isF32()">,
    CPred<"::mlir::getElementTypeOrSelf($_self).isInteger(32)">]>]>, "block of f32 or i32">;

def Eft_WaitDotsOp : Eft_Op<"wait_dots", [MemoryEffects<[MemRead, MemWrite]>,
    RangedTypesMatchWith<"results like the operands", "products", "results", "$_self">]> {
  let summary = "Waits until at most `pending` products are under way";
  let description = [{
    The operands are results of `eft.dot_async`. Their products must be done after the wait: none of them
    may be among the `pending` latest products. The results are the operands.

    ```mlir
    %r = eft.wait_dots %d pending 0 : tensor<64x128xf32, #c>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending,
                       Variadic<Eft_ProductBlock>:$products);
  let results = (outs Variadic<Eft_ProductBlock>:$results);
  let assemblyFormat = "$products `pending` $pending attr-dict (`:` type($products)^)?";
}

#endif
