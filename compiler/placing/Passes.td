// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that gives blocks their layouts.

#ifndef EFT_PLACING_PASSES
#define EFT_PLACING_PASSES

include "mlir/Pass/PassBase.td"

def Place : Pass<"eft-place"> {
  let summary = "Gives every block a layout, and every access its notes";
  let description = [{
    Every block's type gets an `#eft.layout`. Blocks of one shape share a default layout, which suits
    the accesses to memory in that shape. On a GPU, each thread holds as many neighbours as the widest of
    these accesses may move: 16 bytes, or less where alignment or contiguity is not known. The next
    elements lie in the other lanes, and then in the other warps. If the block is larger, the threads hold
    the rest in further registers, in the same order. If blocks of the shape are reduced, the default
    layout may be one in which reductions are cheap instead. On a CPU, the lanes hold as many elements as a
    vector register holds of the widest element type in memory. The dimension `step` numbers the vectors.

    The operands of an operation are required in the layouts that follow from the layout of its result.
    `eft.expand_dims`, `eft.broadcast`, `eft.reshape`, `eft.trans`, `eft.join` and `eft.split` require
    their sources in the layout in which no element moves to another place. If the uses of a block require
    two layouts, the operation that makes the block is done once for each layout, if that is cheap.
    Otherwise the operation is done in one layout, and `eft.convert_layout` is inserted after it.

    `eft.convert_layout` is also inserted after a load that is made in another layout than the required
    one. There are four reasons:

    - A load in the required layout would cause much more memory traffic, as for a transposed block.
      (Exception: on a CPU, if all lanes of each vector hold the same element in the required layout, the
      load is made in that layout. Loading one element into all lanes costs no more than loading a
      vector.)
    - The program may also store to a block of the load's shape. A load and a store of one element are
      ordered only if the same thread does both. So the load must have the layout of the store, which is the
      default layout, or barriers must separate the load and the store.
    - On a GPU, the load is in a loop, and loads a factor of a matrix product on tensor cores. Either
      warpgroups compute this product, or asynchronous copies to shared memory can replace the load. In both
      cases the factor goes through shared memory anyway, so the load gets the layout that suits global
      memory.
    - On a GPU, the load is beside products on tensor cores in a loop, and in the required layout several
      threads hold the same element, such as a number for each column of a product. If asynchronous copies
      can replace the load, it gets the layout that suits global memory. An iteration must compute neither
      addresses nor factors of products from the block.

    On a GPU, `eft.convert_layout` is also inserted after some joins: those of blocks that take many
    operations to compute, if the required layout puts neighbours of the result into different lanes. In
    that layout each lane would compute an element of both blocks, and use only one of the two elements.
    So the join is done in a layout without this waste, and its result is converted.

    On a GPU, a block with at most one element for each thread is stored in the layout in which it is
    computed, if a thread then has at most four of its elements. An example is one number for each row. This
    is done only if all accesses to blocks of this shape are stores, and all of these stores get the same
    layout. If several threads hold an element of such a block, its stores get the attribute
    `eft.meets_no_load`, even if their layout stays, and need no barrier.

    If a range that begins at 0 is added to a number that is a multiple of the range's length, the sum
    gets the flag `nsw`: only bits of the number that are 0 change, so the sum does not wrap around. On a
    GPU, comparisons, divisions and right shifts of integers, and loads of single elements, get the attribute
    `eft.constancy`: the number of neighbouring elements of one thread that are known to have the same result.

    Every reduction without an order gets the order of `eft-order-reductions`, unless it is `order_free`. On
    a GPU such a reduction gets the order that is cheapest for the layout of its sources. On a CPU it
    combines whole vectors before the lanes of one.

    Loads and stores get notes, which `eft.load` defines:

    - `run` is the number of neighbours in memory that one access may move.
    - `headless` says that the first element of each run may lie elsewhere in memory.
    - `prefix` says that the mask of the whole block is a prefix.
    - On a GPU, `uniformRuns` and `prefixRuns` describe the mask in each run.
    - On a GPU, `cutsAll` is added to `prefixRuns` if the mask is a prefix and the same in all programs.

    On a GPU, `prefix` makes each thread test whether the mask is true for all of its elements. If the mask
    is the same in all programs, such as the mask of a row's columns, this test fails in some threads of
    every program. So the access gets `uniformRuns` or `prefixRuns` instead of `prefix`. It keeps `prefix`
    only if its runs are headless and the mask is not uniform in each run.

    On a GPU, `eft.atomic_rmw` gets one note: `run`.

    ```mlir
    %0 = eft.arange 0 to 256 : tensor<256xi32>
    ```
    becomes, with one warp and vectors of four,
    ```mlir
    #layout = #eft.layout<register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = []>
    %0 = eft.arange 0 to 256 : tensor<256xi32, #layout>
    ```

    Limits: calls must be inlined before this pass, because it rejects functions that take or return
    blocks.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"gpu\"", "the machine: gpu, sm_90, cpu, …">,
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program">,
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256",
           "cpu: bits of a vector register">,
    Option<"numStages", "num-stages", "unsigned", /*default=*/"3", "gpu: stages of pipelined loops">
  ];
  let dependentDialects = ["::eft::EftDialect"];
}

#endif
