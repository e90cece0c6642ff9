// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-allow-approximation: allows the approximation of exponentials and sigmoids whose
// operands depend on sums made by tensor cores.
#include "compiler/analysis/RegionFlow.h"
#include "compiler/ir/EftDialect.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_ALLOWAPPROXIMATION
#include "compiler/transforms/Passes.h.inc"

namespace {

/// True if tensor cores decide the bits of the product: they add floats in an undocumented order.
bool isRoundedByTensorCores(DotOp dot) {
  Type element = getElementTypeOrSelf(dot.getType());
  return dot.usesTensorCores() && isa<FloatType>(element) && !element.isF64();
}

/// All values that are computed from products for which `isRoundedByTensorCores` is true, and these
/// products themselves.
DenseSet<Value> dependentValues(Operation *top) {
  const RegionFlow flow(top);
  DenseSet<Value> values;
  SmallVector<Value> pending;
  auto add = [&](Value value) {
    if (values.insert(value).second)
      pending.push_back(value);
  };
  top->walk([&](DotOp dot) {
    if (isRoundedByTensorCores(dot))
      add(dot);
  });
  while (!pending.empty()) {
    for (OpOperand &use : pending.pop_back_val().getUses()) {
      // The results of a loop or conditional are not computed from its operands directly.
      // `targetsOf` finds the values that an operand or a yielded value becomes.
      if (!isa<RegionBranchOpInterface>(use.getOwner()))
        llvm::for_each(use.getOwner()->getResults(), add);
      llvm::for_each(flow.targetsOf(use), add);
    }
  }
  return values;
}

struct AllowApproximationPass : impl::AllowApproximationBase<AllowApproximationPass> {
  void runOnOperation() override {
    const DenseSet<Value> dependent = dependentValues(getOperation());
    auto flag = arith::FastMathFlagsAttr::get(&getContext(), arith::FastMathFlags::afn);
    getOperation()->walk([&](Operation *op) {
      if (op->getNumOperands() != 1 || !dependent.contains(op->getOperand(0)))
        return;
      if (isa<math::ExpOp, math::Exp2Op>(op))
        op->setAttr("fastmath", flag);
      else if (auto sigmoid = dyn_cast<SigmoidOp>(op))
        sigmoid.setApproximate(true);
    });
  }
};

} // namespace
} // namespace eft
