// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/Renaming.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/layout/Shuffle.h"

using namespace mlir;

namespace eft {

bool isRenaming(ElementMoveOpInterface op) {
  std::optional<LinearLayout> from = layoutOf(op->getOperand(0).getType());
  return from && op->getNumOperands() == 1 && llvm::all_of(op->getResults(), [&](OpResult result) {
           std::optional<LinearLayout> wanted = layoutOf(result.getType());
           if (!wanted)
             return false;
           ElementMove move = op.getElementMove(result.getResultNumber());
           auto plan = planShuffle(withPlaces(*from, gpuPlaces),
                                   *withPlaces(*wanted, gpuPlaces).then(move.map), move.flipped);
           return plan && plan->isRenaming();
         });
}

} // namespace eft
