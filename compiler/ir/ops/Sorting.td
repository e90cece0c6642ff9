// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting.

#ifndef EFT_OPS_SORTING
#define EFT_OPS_SORTING

include "compiler/ir/ops/Buffers.td"

def Eft_SortOp : Eft_Op<"sort", [Pure, Eft_Anchored, AllTypesMatch<["source", "result"]>]> {
  let summary = "Sorts runs of a block along an axis";
  let description = [{
    Stages of a bitonic network. Stage s finds runs of 2^s elements, each of which rises and then
    falls, or is a rotation of such a run, and sorts them: every second run falls, the others rise;
    with `descending` the other way around. So stages 1 to log2(extent) sort all of the axis. Integers
    are signed, or with `unsigned` unsigned. If the elements are in another order before a
    stage, their order behind it is unspecified.

    ```mlir
    %1 = eft.sort %0 axis 0 stages 1 to 10 : tensor<1024xi32>
    %2 = eft.sort %0 axis 0 stages 4 to 4 descending unsigned : tensor<1024xi32>
    ```

    `eft-expand-sort` expands it into compare-exchange stages, except for large blocks.
  }];
  let arguments = (ins Eft_IntBlock:$source, I32Attr:$axis, I32Attr:$first, I32Attr:$last,
                       UnitAttr:$descending, UnitAttr:$isUnsigned);
  let results = (outs Eft_IntBlock:$result);
  let assemblyFormat = [{
    $source `axis` $axis `stages` $first `to` $last (`descending` $descending^)?
    (`unsigned` $isUnsigned^)? attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

def Eft_SortIntoOp : Eft_Op<"sort_into", []> {
  let summary = "Sorts runs of a buffer along an axis";
  let description = [{
    `eft.sort` of a block in a buffer, in place.

    ```mlir
    eft.sort_into %x axis 0 stages 1 to 10 : !eft.buffer<tensor<1024xi32, #layout>>
    ```
  }];
  let arguments = (ins Arg<Eft_Buffer, "", [MemRead, MemWrite]>:$buffer, I32Attr:$axis,
                       I32Attr:$first, I32Attr:$last, UnitAttr:$descending, UnitAttr:$isUnsigned);
  let assemblyFormat = [{
    $buffer `axis` $axis `stages` $first `to` $last (`descending` $descending^)?
    (`unsigned` $isUnsigned^)? attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
}

#endif
