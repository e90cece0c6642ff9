// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-limit-programs: bounds the number of programs, so that the numbers of elements don't wrap
// around.
//
// A quotient or a remainder that rounds toward zero is regular only where its dividends are not
// negative. The dividends that matter here are computed from a program's number by products and
// sums. If these may wrap around for a large number of programs, then the analysis of axes does not
// know the sign. It does know it for `fewPrograms`. So the pass analyses the function twice. If the
// second analysis knows the sign of more dividends, then each product and sum on the way to them
// has an upper bound, and the numbers of programs get the largest limit for which all these bounds
// fit into their types.
#include "compiler/analysis/AxisInfo.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <numeric>
#include <optional>

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_LIMITPROGRAMS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// The numbers of programs for which the sign of a dividend is worth knowing. A lower limit would
/// often be exceeded, and the kernel would have to be compiled again.
constexpr MaxPrograms fewPrograms = {32768, 32768, 32768};

/// The grids of CUDA have at most these extents.
constexpr MaxPrograms maxProgramsOfGpu = {INT32_MAX, 65535, 65535};

void setMaxPrograms(ModuleOp module, const MaxPrograms &programs) {
  module->setAttr(EftDialect::maxProgramsName,
                  DenseI64ArrayAttr::get(module.getContext(), programs));
}

/// The dividends of those divisions of blocks that round toward zero.
SmallVector<Value> signedDividends(func::FuncOp function) {
  SmallVector<Value> dividends;
  function.walk([&](Operation *op) {
    if (isa<arith::DivSIOp, arith::RemSIOp>(op) && isBlock(op->getResult(0).getType()))
      dividends.push_back(op->getOperand(0));
  });
  return dividends;
}

/// Lowers the limits so that numbers up to the bound fit into `type`. If the bound depends on
/// several axes, these get the same limit.
void lowerLimits(MaxPrograms &limits, const UpperBound &bound, Type type) {
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (bound.isNone() || !element || element.getWidth() > 63)
    return;
  const int64_t most = (int64_t(1) << (element.getWidth() - 1)) - 1 - bound.rest;
  const int64_t perProgram =
      std::accumulate(bound.perProgram.begin(), bound.perProgram.end(), int64_t(0));
  for (auto [limit, factor] : llvm::zip_equal(limits, bound.perProgram))
    if (factor != 0)
      limit = std::min(limit, most / perProgram);
}

/// Lowers the limits so that the sums and products from which the value is computed don't wrap
/// around. `infos` is the analysis for `fewPrograms`.
void lowerLimitsFor(MaxPrograms &limits, Value value, const AxisInfos &infos) {
  SetVector<Operation *> sources;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  getBackwardSlice(value, &sources, options);
  for (Operation *source : sources)
    if (isa<arith::AddIOp, arith::MulIOp>(source))
      if (const std::optional<UpperBound> bound = infos.of(source->getResult(0)).getBound())
        lowerLimits(limits, *bound, source->getResult(0).getType());
}

/// Lowers the limits for the divisions of a function. Leaves them as they are if that would not
/// make one more dividend non-negative.
void lowerLimitsFor(MaxPrograms &limits, func::FuncOp function, ArrayRef<Value> dividends) {
  auto module = function->getParentOfType<ModuleOp>();
  auto analyse = [&](const MaxPrograms &programs) {
    setMaxPrograms(module, programs);
    return std::make_unique<AxisInfos>(function);
  };
  const auto usual = analyse(limits), few = analyse(fewPrograms);
  SmallVector<Value> gained;
  MaxPrograms lowered = limits;
  for (Value dividend : dividends)
    if (!usual->of(dividend).isNonNegative() && few->of(dividend).isNonNegative()) {
      gained.push_back(dividend);
      lowerLimitsFor(lowered, dividend, *few);
    }
  if (gained.empty() || lowered == limits)
    return;
  const auto final = analyse(lowered);
  if (llvm::any_of(gained, [&](Value dividend) { return final->of(dividend).isNonNegative(); }))
    limits = lowered;
}

struct LimitProgramsPass : impl::LimitProgramsBase<LimitProgramsPass> {
  using LimitProgramsBase::LimitProgramsBase;
  void runOnOperation() override { limitPrograms(getOperation(), isGpu, allGrids); }
};

} // namespace

void limitPrograms(ModuleOp module, bool isGpu, bool allGrids) {
  module->removeAttr(EftDialect::maxProgramsName);
  MaxPrograms limits = isGpu ? maxProgramsOfGpu : maxProgramsOfAll;
  bool hasDividends = false;
  for (auto function : module.getOps<func::FuncOp>()) {
    const SmallVector<Value> dividends = signedDividends(function);
    hasDividends |= !dividends.empty();
    if (!dividends.empty() && !allGrids)
      lowerLimitsFor(limits, function, dividends);
  }
  if (hasDividends)
    setMaxPrograms(module, limits);
  else
    module->removeAttr(EftDialect::maxProgramsName);
}

} // namespace eft
