// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that gives blocks their layouts.

#ifndef EFT_PLACING_PASSES
#define EFT_PLACING_PASSES

include "mlir/Pass/PassBase.td"

def Place : Pass<"eft-place"> {
  let summary = "Gives every block a layout, and every access its run and prefix";
  let description = [{
    Every block's type gets an `#eft.layout`. Blocks of one shape share a default layout, made for the
    accesses to memory in that shape. On a GPU a thread holds as many neighbours as the widest access that
    any of them allows (16 bytes, less where alignment or contiguity are not known); then come the lanes,
    the warps, and upper register bits for the rest. On a CPU come the lanes of a vector register for the
    widest type in memory, and the dimension `step` for the rest.

    The source of `eft.expand_dims`, `eft.broadcast`, `eft.reshape`, `eft.trans`, `eft.join` or
    `eft.split` has the layout in which the operation moves nothing. Where a block is required in two
    layouts, the operation that makes it is done twice if that is cheap. Else `eft.convert_layout` is
    inserted. It is also inserted behind a load that can't be made in the second layout: one of a
    transposed tile, or one whose elements may be stored from another place. On a GPU it is also inserted
    behind joins of blocks that take many operations to compute, if neighbours of the result lie in
    different lanes: each lane would compute both blocks, and need an element of one.

    A number plus a range gets the flag `nsw` if the range begins at a multiple of its length. On a GPU a
    comparison gets `eft.constancy`, if so many neighbours of a thread are known to have one result.

    A reduction that is `order_free` gets an order that suits its sources' layout. One that still has no
    order gets that of `eft-order-reductions`.

    Accesses get notes. `run` is the number of neighbours that one access may move; `headless` says that
    the first of them may lie elsewhere; `prefix`, `uniformRuns`, `prefixRuns` and `cutsAll` say how the
    mask cuts the block, or such runs of it. On a GPU notes on runs take the place of `prefix` if the mask
    is the same in all programs.

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
    Option<"target", "target", "std::string", /*default=*/"\"gpu\"", "the machine: gpu, sm_90, cpu, …">,
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program">,
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256",
           "cpu: bits of a vector register">
  ];
  let dependentDialects = ["::eft::EftDialect"];
}

#endif
