// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/CopyRuns.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/layout/SharedLayout.h"

using namespace mlir;

int64_t eft::runOfCopies(CopyAsyncOp copy) {
  RankedTensorType slot = copy.getShared().getType().getBlock();
  const LinearLayout from = withPlaces(*layoutOf(copy.getPointer().getType()), gpuPlaces);
  const int64_t bytes = slot.getElementTypeBitWidth() / 8;
  return SharedLayout::ofOrder(*layoutOf(slot), from, unsigned(bytes))
      .runOfFragments(from,
                      std::min<int64_t>(copy.getRun().value_or(1), CopyAsyncOp::maxBytes / bytes));
}
