// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-order-reductions: sets on each reduction the order in which it combines elements.
#include "compiler/analysis/ProductBlocks.h"
#include "compiler/layout/Placement.h"
#include "compiler/layout/ReductionOrder.h"
#include "compiler/transforms/Passes.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_ORDERREDUCTIONS
#include "compiler/transforms/Passes.h.inc"

void orderReductions(Operation *top, int64_t numWarps) {
  ProductBlocks products(top);
  top->walk([&](ReduceOp reduce) {
    if (reduce.getSteps() || reduce.getOrderFree())
      return;
    auto type = cast<RankedTensorType>(reduce.getSources().front().getType());
    const std::vector<int64_t> shape(type.getShape());
    setOrder(reduce, products.productBehind(reduce)
                         ? productReductionOrder(shape, reduce.getAxis(), numWarps)
                         : reductionOrder(shape, reduce.getAxis(), type.getElementTypeBitWidth(),
                                          numWarps));
  });
}

void setOrder(ReduceOp reduce, const ReductionOrder &order) {
  reduce.setSteps(order.steps);
  reduce.setTree(order.tree);
}

namespace {

struct OrderReductionsPass : impl::OrderReductionsBase<OrderReductionsPass> {
  using OrderReductionsBase::OrderReductionsBase;

  void runOnOperation() override {
    if (std::string fault = validateNumWarps(numWarps); !fault.empty()) {
      emitError(getOperation()->getLoc()) << "eft-order-reductions: num-warps " << fault;
      return signalPassFailure();
    }
    orderReductions(getOperation(), numWarps);
  }
};

} // namespace

} // namespace eft
