// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread's elements lie at constant distances from its first one. So whether base + k < n can be
// told by one comparison of n - base with the constant k, without the sum.
//
// ptxas would find that the loads' masks are those of the stores, and keep each of them in a
// register of its own over all that is computed between: as many registers as the thread has
// elements, and three instructions for each. It sees no connection between n - base > k and base -
// n < -k, so the phases between barriers take turns with these two forms.
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/gpu/ElementMasks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace eft {

#define GEN_PASS_DEF_MASKDISTANCES
#include "compiler/lowering/Passes.h.inc"

namespace {

/// A distance takes two instructions, and saves one for each mask.
constexpr unsigned leastMasks = 4;

/// LLVM looks at all comparisons of one number with constants for each of them. More of them than
/// these would take too long.
constexpr unsigned mostMasks = 1024;

/// True if each iteration of a loop has a bound of its own, and would compute a distance to it.
bool isInLoop(Value bound) {
  Operation *around = bound.getParentRegion()->getParentOp();
  return isa<LoopLikeOpInterface>(around) || around->getParentOfType<LoopLikeOpInterface>();
}

class Measurer {
public:
  explicit Measurer(func::FuncOp kernel) {
    kernel.walk([&](arith::CmpIOp compared) {
      std::optional<ElementMask> mask = ElementMask::of(compared);
      if (!mask || isInLoop(mask->bound))
        return;
      masks[compared] = *mask;
      ++counts[{mask->base, mask->bound}];
    });
  }

  void run(Block &block) {
    llvm::DenseMap<Value, Value> made; // new masks for old ones, in this block and phase
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<NVVM::Barrier0Op>(op)) {
        isBelow = !isBelow;
        made.clear();
      }
      ImplicitLocOpBuilder b(op.getLoc(), &op);
      for (OpOperand &operand : op.getOpOperands()) {
        auto found = masks.find(operand.get());
        if (found == masks.end() || !isWorthwhile(found->second))
          continue;
        Value &mask = made[operand.get()];
        if (!mask)
          mask = compute(b, found->second);
        operand.set(mask);
      }
      const bool before = isBelow;
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          run(inner);
      if (isBelow != before)
        made.clear();
    }
  }

private:
  bool isWorthwhile(const ElementMask &mask) const {
    const unsigned count = counts.lookup({mask.base, mask.bound});
    return count >= leastMasks && count <= mostMasks;
  }

  /// Whether the distance, which does not overflow if the bound is at least zero, tells that the
  /// element lies inside.
  Value compute(ImplicitLocOpBuilder &b, const ElementMask &mask) const {
    auto constant = [&](int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); };
    Value bound = b.create<arith::MaxSIOp>(mask.bound, constant(0));
    const auto nsw = arith::IntegerOverflowFlags::nsw;
    if (isBelow)
      return b.create<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                     b.create<arith::SubIOp>(mask.base, bound, nsw),
                                     constant(-mask.offset));
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::sgt,
                                   b.create<arith::SubIOp>(bound, mask.base, nsw),
                                   constant(mask.offset));
  }

  llvm::DenseMap<Value, ElementMask> masks;
  llvm::DenseMap<std::pair<Value, Value>, unsigned> counts;
  bool isBelow = false; // which of the two forms this phase has
};

struct MaskDistancesPass : impl::MaskDistancesBase<MaskDistancesPass> {
  using MaskDistancesBase::MaskDistancesBase;

  void runOnOperation() override {
    Measurer measurer(getOperation());
    for (Block &block : getOperation().getBody())
      measurer.run(block);
  }
};

} // namespace

} // namespace eft
