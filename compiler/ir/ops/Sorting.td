// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting.

#ifndef EFT_OPS_SORTING
#define EFT_OPS_SORTING

include "compiler/ir/ops/Buffers.td"

def Eft_SortOp : Eft_Op<"sort", [Pure, Eft_Anchored, AllTypesMatch<["source", "result"]>]> {
  let summary = "Sorts runs of a block along an axis";
  let description = [{
    Does the stages `first` to `last` of a bitonic network along `axis`. Stage s sorts each run of 2^s
    elements that begins at a multiple of 2^s. Before the stage, each run must be bitonic: it rises and
    then falls, or is a rotation of such a run. After the stage, the runs rise and fall in turn: the first
    run rises, the second falls, and so on. With `descending`, the first run falls, the second rises, and so
    on. So the stages 1 to log2(extent) sort the whole axis. If a run is not bitonic before a stage, the
    order of its elements after the stage is unspecified.

    Integers are signed, or unsigned with `unsigned`.

    ```mlir
    %1 = eft.sort %0 axis 0 stages 1 to 10 : tensor<1024xi32>
    %2 = eft.sort %0 axis 0 stages 4 to 4 descending unsigned : tensor<1024xi32>
    ```

    `eft-expand-sort` replaces each stage s by s compare-exchanges. Sorts of large blocks stay, and become
    loops later.
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
