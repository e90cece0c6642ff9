// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic that arith lacks.

#ifndef EFT_OPS_ARITHMETIC
#define EFT_OPS_ARITHMETIC

include "compiler/ir/ops/Types.td"

def Eft_PhiloxOp : Eft_Op<"philox", [Pure, Eft_Placed,
    AllTypesMatch<["c0", "c1", "c2", "c3", "r0", "r1", "r2", "r3"]>]> {
  let summary = "Four words of the Philox 4x32 generator";
  let description = [{
    The results are the four words that the counter-based generator of Salmon, Moraes, Dror and Shaw
    gives for one counter and one key: "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). The
    counter is `c0` to `c3`. The key's two words are the low and the high half of the seed. The same
    seed and counter give the same words on every target.

    ```mlir
    %w:4 = eft.philox seed %seed counter %i, %zero, %zero, %zero rounds 10
        : i64, tensor<1024xi32>
    ```
  }];
  let arguments = (ins Eft_SeedLike:$seed, Eft_WordLike:$c0, Eft_WordLike:$c1, Eft_WordLike:$c2,
                       Eft_WordLike:$c3, ConfinedAttr<I32Attr, [IntPositive]>:$rounds);
  let results = (outs Eft_WordLike:$r0, Eft_WordLike:$r1, Eft_WordLike:$r2, Eft_WordLike:$r3);
  let assemblyFormat = [{
    `seed` $seed `counter` $c0 `,` $c1 `,` $c2 `,` $c3 `rounds` $rounds attr-dict
    `:` type($seed) `,` type($c0)
  }];
  let hasVerifier = 1;
}

def Eft_UniformDivOp : Eft_Op<"uniform_div", [Pure, Eft_Placed, Eft_ComputesInPlace, Eft_MayCall,
    AllTypesMatch<["dividend", "result"]>, AllTypesMatch<["divisor", "reciprocal"]>]> {
  let summary = "Divides a block by one number, correctly rounded";
  let description = [{
    Divides every element by `divisor`. The quotients have the same bits as those of `arith.divf`.
    `reciprocal` is 1 divided by `divisor`, rounded to nearest. A GPU multiplies by the reciprocal and
    corrects the product, which is faster than a division. A CPU divides, and ignores the reciprocal.

    ```mlir
    %q = eft.uniform_div %x, %d, %r : tensor<1024xf32>, f32
    ```
  }];
  let arguments = (ins Eft_Block:$dividend, AnyFloat:$divisor, AnyFloat:$reciprocal);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = [{
    $dividend `,` $divisor `,` $reciprocal attr-dict `:` type($dividend) `,` type($divisor)
  }];
  let hasVerifier = 1;
}

#endif
