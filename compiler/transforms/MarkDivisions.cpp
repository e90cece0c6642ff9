// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-mark-divisions: marks divisions whose operands are at least 0, and those whose divisors only
// count.
#include "compiler/analysis/RegionFlow.h"
#include "compiler/analysis/Signs.h"
#include "compiler/ir/EftDialect.h"
#include "compiler/ir/Interfaces.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_MARKDIVISIONS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// True if the block is computed from uniform numbers by sums, differences, conversions and
/// choices, and is not uniform: there is a choice, whose conditions may differ between elements.
bool onlyCounts(Value block, const RegionFlow &flow) {
  SetVector<Value> seen;
  seen.insert(block);
  bool hasChoice = false;
  auto follow = [&](ValueRange operands) {
    seen.insert(operands.begin(), operands.end());
    return true;
  };
  for (size_t next = 0; next < seen.size(); ++next) {
    Value value = seen[next];
    if (!isa<ShapedType>(value.getType()))
      continue; // a number that all elements share
    Operation *op = value.getDefiningOp();
    const bool isFollowed =
        op &&
        TypeSwitch<Operation *, bool>(op)
            .Case([](arith::ConstantOp constant) {
              return isa<SplatElementsAttr>(constant.getValue());
            })
            .Case([&](arith::SelectOp choice) {
              hasChoice |= isa<ShapedType>(choice.getCondition().getType());
              return follow({choice.getTrueValue(), choice.getFalseValue()});
            })
            .Case<arith::AddFOp, arith::SubFOp, arith::AddIOp, arith::SubIOp, arith::SIToFPOp,
                  arith::UIToFPOp, arith::ExtFOp, arith::TruncFOp, SplatOp, ElementMoveOpInterface>(
                [&](Operation *) { return follow(op->getOperands()); })
            .Default(false);
    if (isFollowed)
      continue;
    ArrayRef<OpOperand *> sources = flow.sourcesOf(value);
    if (sources.empty())
      return false;
    for (OpOperand *source : sources)
      seen.insert(source->get());
  }
  return hasChoice;
}

} // namespace

void markDivisions(Operation *top) {
  std::optional<RegionFlow> flow;
  auto mark = [](arith::DivFOp division, StringRef name) {
    division->setAttr(name, UnitAttr::get(division.getContext()));
  };
  top->walk([&](arith::DivFOp division) {
    Type type = division.getType();
    if (!isBlock(type) || !getElementTypeOrSelf(type).isF32())
      return;
    if (isNonNegative(division.getLhs()))
      mark(division, EftDialect::nonNegativeDividendName);
    if (isNonNegative(division.getRhs()))
      mark(division, EftDialect::nonNegativeDivisorName);
    if (!flow)
      flow.emplace(top);
    if (onlyCounts(division.getRhs(), *flow))
      mark(division, EftDialect::countingDivisorName);
  });
}

namespace {

struct MarkDivisionsPass : impl::MarkDivisionsBase<MarkDivisionsPass> {
  void runOnOperation() override { markDivisions(getOperation()); }
};

} // namespace
} // namespace eft
