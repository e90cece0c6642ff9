// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-mark-divisions: marks divisions whose dividends are at least 0.
#include "compiler/analysis/Signs.h"
#include "compiler/ir/EftDialect.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_MARKDIVISIONS
#include "compiler/transforms/Passes.h.inc"

void markDivisions(Operation *top) {
  top->walk([](arith::DivFOp division) {
    Type type = division.getType();
    if (isBlock(type) && getElementTypeOrSelf(type).isF32() && isNonNegative(division.getLhs()))
      division->setAttr(EftDialect::nonNegativeDividendName, UnitAttr::get(division.getContext()));
  });
}

namespace {

struct MarkDivisionsPass : impl::MarkDivisionsBase<MarkDivisionsPass> {
  void runOnOperation() override { markDivisions(getOperation()); }
};

} // namespace
} // namespace eft
