// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transforms of the block IR, in the order in which the pipeline runs them.

#ifndef EFT_TRANSFORMS_PASSES
#define EFT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def ExpandPhilox : Pass<"eft-expand-philox"> {
  let summary = "Replaces eft.philox by integer arithmetic";
  let description = [{
    Written out, the constants of the counter fold, words that nobody reads go away, and the key, which
    is usually uniform, is computed once. A round is two products of 32 × 32 bits, whose high and low
    halves are mixed with the other two words and the key.

    `word-bits` is the form of the words. With 32 a product is `arith.mului_extended`'s two halves taken
    from a product of 64 bits, which is what a GPU multiplies. With 64 every word stays in 64 bits, with
    anything at all in its upper half, and a product is one multiplication of the lower halves, which is
    what a SIMD unit of a CPU multiplies.

    ```mlir
    %w:4 = eft.philox seed %seed counter %i, %0, %0, %0 rounds 10 : i64, tensor<1024xi32>
    ```
    becomes, for its first round,
    ```mlir
    %wide = arith.extui %i : tensor<1024xi32> to tensor<1024xi64>
    %product = arith.muli %wide, %m0 : tensor<1024xi64>
    ```
    and so on.
  }];
  let options = [
    Option<"wordBits", "word-bits", "unsigned", /*default=*/"32", "bits of a word's form: 32 or 64">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def HoistUniform : Pass<"eft-hoist-uniform"> {
  let summary = "Computes once what is the same at every index";
  let description = [{
    An elementwise operation whose operands are all splats, or constants with one value, gives a splat:
    it is done on the scalars, and its result is splatted. Divisions of integers stay where they are: on
    a block they may stand under a condition that the scalar would not have.

    ```mlir
    %a = eft.splat %x : f32 -> tensor<1024xf32>
    %b = eft.splat %y : f32 -> tensor<1024xf32>
    %c = arith.addf %a, %b : tensor<1024xf32>
    ```
    becomes
    ```mlir
    %s = arith.addf %x, %y : f32
    %c = eft.splat %s : f32 -> tensor<1024xf32>
    ```
  }];
}

def UniformDivision : Pass<"eft-uniform-division"> {
  let summary = "Takes the reciprocal of a divisor that is the same at every index";
  let description = [{
    The division of a block of f32 or f64 by a splat becomes `eft.uniform_div`, which has the same bits
    and also knows the reciprocal, computed once.

    ```mlir
    %b = eft.splat %d : f32 -> tensor<1024xf32>
    %q = arith.divf %x, %b : tensor<1024xf32>
    ```
    becomes
    ```mlir
    %one = arith.constant 1.000000e+00 : f32
    %r = arith.divf %one, %d : f32
    %q = eft.uniform_div %x, %d, %r : tensor<1024xf32>, f32
    ```
  }];
}

def Place : Pass<"eft-place"> {
  let summary = "Gives every block a layout";
  let description = [{
    Every block's type gets an `#eft.layout`. Blocks of one shape share one, made for the accesses to
    memory in that shape: on a GPU a thread holds as many neighbours as the widest access that any of
    them allows (16 bytes, less where alignment or contiguity are not known), then come the lanes, the
    warps, and as upper register bits the steps; on a CPU the lanes of a vector register for the widest
    type in memory, then the steps.

    The source of `eft.expand_dims` or `eft.broadcast` has what is left of the result's layout. Where a
    block would need two layouts, what makes it is done twice; a block that can't be made twice (it is
    carried through a loop, or read again after a store) is refused.

    Accesses are marked with what was found: `run`, how many neighbours one access may move, and
    `prefix`, that the mask is true up to some index and false from there on.

    ```mlir
    %0 = eft.arange 0 to 256 : tensor<256xi32>
    ```
    becomes, with one warp and vectors of four,
    ```mlir
    #layout = #eft.layout<register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = []>
    %0 = eft.arange 0 to 256 : tensor<256xi32, #layout>
    ```

    Limits: calls must be inlined; blocks don't cross a function's boundary.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"gpu\"", "the machine: gpu or cpu">,
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "gpu: warps of a program">,
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256",
           "cpu: bits of a vector register">
  ];
}

#endif
