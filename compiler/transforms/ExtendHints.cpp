// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-extend-hints: makes a hint hold for all later uses of its source.
#include "compiler/transforms/Passes.h"

#include "compiler/ir/EftDialect.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_EXTENDHINTS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// True if the user of the operand comes after the hint: it is in the hint's basic block, or inside
/// an operation of that block.
bool isBehind(OpOperand &use, HintOp hint) {
  Operation *ancestor = hint->getBlock()->findAncestorOpInBlock(*use.getOwner());
  return ancestor && hint->isBeforeInBlock(ancestor);
}

struct ExtendHintsPass : impl::ExtendHintsBase<ExtendHintsPass> {
  void runOnOperation() override {
    getOperation()->walk([](HintOp hint) {
      hint.getSource().replaceUsesWithIf(hint.getResult(),
                                         [&](OpOperand &use) { return isBehind(use, hint); });
    });
  }
};

} // namespace
} // namespace eft
