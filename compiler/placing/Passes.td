// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that gives blocks their layouts.

#ifndef EFT_PLACING_PASSES
#define EFT_PLACING_PASSES

include "mlir/Pass/PassBase.td"

def Place : Pass<"eft-place"> {
  let summary = "Gives every block a layout, and every access its notes";
  let description = [{
    Every block's type gets an `#eft.layout`. Blocks of one shape share a default layout, which suits
    the accesses to memory in that shape. On a GPU, the low register bits hold as many neighbours as the
    widest of these accesses may move: 16 bytes, or less where alignment or contiguity is not known. The
    lanes and the warps follow, and higher register bits hold the rest of the block. On a CPU, the lanes
    hold as many elements as a vector register holds of the widest type in memory. The dimension `step`
    holds the rest.

    The source of `eft.expand_dims`, `eft.broadcast`, `eft.reshape`, `eft.trans`, `eft.join` or
    `eft.split` is required in the layout in which the operation moves no element. If a block is
    required in two layouts, the operation that makes the block is done twice if that is cheap.
    Otherwise `eft.convert_layout` is inserted after the operation.

    A conversion is also inserted

    - after a load that is not to be done in a required layout: the layout may cost much more memory
      traffic, as for a transposed tile, or a store may write the elements from other places;
    - on a GPU, after joins of blocks that take many operations to compute, if neighbours of the result
      lie in different lanes. Without the conversion, each lane would compute an element of both blocks,
      and use only one of them.

    The sum of a number and a range that begins at 0 gets the flag `nsw` if the number is a multiple
    of the range's length. The range then changes only low bits of the number that are 0, so the sum
    does not wrap around. On a GPU, an integer comparison gets `eft.constancy`: the number of
    neighbouring elements of a thread for which it is known to have the same result.

    A reduction that is `order_free` gets an order that suits the layout of its sources. All other
    reductions without an order get the order of `eft-order-reductions`.

    Accesses get notes, which `eft.load` defines. `run` is the number of neighbours that one access
    may move. `headless` says that the first element of a run may lie elsewhere in memory. `prefix`,
    `uniformRuns`, `prefixRuns` and `cutsAll` say where in the block, or where in each run, the mask
    is true. On a GPU, if the mask is the same in all programs, the access gets notes about runs in
    place of `prefix`.

    ```mlir
    %0 = eft.arange 0 to 256 : tensor<256xi32>
    ```
    becomes, with one warp and vectors of four,
    ```mlir
    #layout = #eft.layout<register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = []>
    %0 = eft.arange 0 to 256 : tensor<256xi32, #layout>
    ```

    Limits: calls must be inlined before, because functions can't take or return blocks here.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"gpu\"", "the machine: gpu, sm_90, cpu, …">,
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program">,
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256",
           "cpu: bits of a vector register">
  ];
  let dependentDialects = ["::eft::EftDialect"];
}

#endif
