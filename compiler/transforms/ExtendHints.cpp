// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-extend-hints: a hint holds for all later uses of its source.
#include "compiler/transforms/Passes.h"

#include "compiler/ir/EftDialect.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_EXTENDHINTS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Whether the operand belongs to an operation behind the hint in its block, or inside of one.
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
