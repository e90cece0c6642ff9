// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-mask-distances: a thread's elements are at constant offsets from its first element. So the
// mask base + k < n of an element equals n - base > k: a comparison of one difference, which all
// elements share, with a constant. It needs no sum for each element.
//
// If loads and stores used the same masks, ptxas would keep each mask in a register from the loads
// to the stores. That takes as many registers as the thread has elements, and three instructions
// for each. ptxas sees no connection between n - base > k and base - n < -k. So the code uses these
// two forms in turn: at each barrier, it goes over to the other form.
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

/// The least number of masks of one base and bound for which a distance is computed. A distance
/// costs two instructions, and saves one for each mask.
constexpr unsigned leastMasks = 4;

/// The largest number of masks of one distance. For each comparison of a number with a constant,
/// LLVM looks at all other such comparisons of the number, so that more masks would take too long
/// to compile.
constexpr unsigned mostMasks = 1024;

/// True if the bound is computed in a loop: then each iteration would have to compute a distance.
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
    // The new mask for each old one, in this basic block since its last barrier.
    llvm::DenseMap<Value, Value> made;
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

  /// Computes the mask from the distance. A negative bound is replaced by zero, so that the
  /// distance does not overflow. The mask is false in both cases, because base + k is not negative.
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
  bool isBelow = false; // true if the form base - n < -k is used, up to the next barrier
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
