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
/// several axes, each gets an equal share.
void lowerLimits(MaxPrograms &limits, const UpperBound &bound, Type type) {
  const unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (bound.isNone() || width > 63)
    return;
  const int64_t axes = llvm::count_if(bound.perProgram, [](int64_t factor) { return factor != 0; });
  const int64_t most = (int64_t(1) << (width - 1)) - 1 - bound.rest;
  for (auto [limit, factor] : llvm::zip_equal(limits, bound.perProgram))
    if (factor != 0)
      limit = std::min(limit, most / axes / factor);
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

struct LimitProgramsPass : impl::LimitProgramsBase<LimitProgramsPass> {
  using LimitProgramsBase::LimitProgramsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    module->removeAttr(EftDialect::maxProgramsName);
    MaxPrograms limits = isGpu ? maxProgramsOfGpu : maxProgramsOfAll;
    for (auto function : module.getOps<func::FuncOp>()) {
      SmallVector<Value> dividends = signedDividends(function);
      if (dividends.empty())
        continue;
      setMaxPrograms(module, limits);
      if (allGrids)
        continue;
      const AxisInfos usual(function);
      setMaxPrograms(module, fewPrograms);
      const AxisInfos few(function);
      for (Value dividend : dividends)
        if (!usual.of(dividend).isNonNegative() && few.of(dividend).isNonNegative())
          lowerLimitsFor(limits, dividend, few);
      setMaxPrograms(module, limits);
    }
  }
};

} // namespace
} // namespace eft
