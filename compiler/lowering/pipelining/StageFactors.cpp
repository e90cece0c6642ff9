// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-stage-factors: the factors of warpgroups' products that no copies bring to shared memory.
#include "compiler/lowering/Passes.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/layout/Shuffle.h"
#include "compiler/layout/WarpgroupLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_STAGEFACTORS
#include "compiler/lowering/Passes.h.inc"

namespace {

/// A factor as it is before it is transposed and converted for the product.
struct Factor {
  Value block; // to be written to a slot
  unsigned k;  // the block's dimension of that name
  bool isTransposed = false;
  ReadSharedOp present;       // instead, if a slot has it in an order for warpgroups
  bool isInRegisters = false; // as the product takes it

  /// `k` is the factor's dimension of that name.
  Factor(Value value, unsigned k) : block(value), k(k) {
    for (auto trans = block.getDefiningOp<TransOp>(); trans;
         trans = block.getDefiningOp<TransOp>()) {
      isTransposed ^= trans.getOrder().front() != 0;
      block = trans.getSource();
    }
    if (isTransposed)
      this->k = 1 - k;
    if (auto read = block.getDefiningOp<ReadSharedOp>()) {
      RankedTensorType slot = read.getShared().getType().getBlock();
      std::optional<unsigned> rows = rowsOfWarpgroupOrder(*layoutOf(slot), bytesOf(slot));
      if (rows && (bytesOf(slot) == 2 || *rows == this->k))
        present = read;
    } else if (auto convert = block.getDefiningOp<ConvertLayoutOp>()) {
      isInRegisters = isRenaming(convert);
      block = convert.getSource();
    } else {
      isInRegisters = true;
    }
  }

  /// Whether it has a layout, from which the order in a slot follows.
  bool isPlaced() const { return present || layoutOf(block.getType()); }

  /// The slot for it.
  SharedType slotType() {
    if (present)
      return present.getShared().getType();
    auto type = cast<RankedTensorType>(block.getType());
    const LinearLayout layout = places(block);
    const unsigned rows = rowsForWarpgroups(layout, bytesOf(type), k);
    auto plain = RankedTensorType::get(type.getShape(), type.getElementType());
    return SharedType::get(type.getContext(), 1,
                           withLayout(plain, warpgroupOrder(layout.shape(), rows, bytesOf(type))));
  }

  uint64_t bytes() { return present ? 0 : slotType().getBytes(); }

private:
  static int64_t bytesOf(RankedTensorType type) {
    return type.getElementType().getIntOrFloatBitWidth() / 8;
  }
  static LinearLayout places(Value block) {
    return withPlaces(*layoutOf(block.getType()), gpuPlaces);
  }

  /// Whether the conversion leaves each element in its thread.
  static bool isRenaming(ConvertLayoutOp convert) {
    if (!layoutOf(convert.getSource().getType()) || !layoutOf(convert.getType()))
      return false;
    std::optional<ShufflePlan> plan =
        planShuffle(places(convert.getSource()), places(convert.getResult()));
    return plan && plan->isRenaming();
  }
};

/// The bytes of the slots that are in use at `op`.
uint64_t bytesInUse(Operation *op) {
  uint64_t bytes = 0;
  op->getParentOfType<func::FuncOp>().walk([&](DeallocSharedOp dealloc) {
    Operation *alloc = dealloc.getShared().getDefiningOp();
    Operation *around = dealloc->getBlock()->findAncestorOpInBlock(*op);
    if (around && alloc->getBlock() == dealloc->getBlock() && alloc->isBeforeInBlock(around) &&
        around->isBeforeInBlock(dealloc))
      bytes += dealloc.getShared().getType().getBytes();
  });
  return bytes;
}

struct StageFactorsPass : impl::StageFactorsBase<StageFactorsPass> {
  using StageFactorsBase::StageFactorsBase;

  void runOnOperation() override {
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) {
      if (dot.getWarpgroups())
        dots.push_back(dot);
    });
    for (DotOp dot : dots)
      stage(dot);
  }

private:
  void stage(DotOp dot) {
    Factor a(dot.getA(), 1), other(dot.getB(), 0);
    if (!a.isPlaced() || !other.isPlaced())
      return;
    const uint64_t bytes = (a.isInRegisters ? 0 : a.bytes()) + other.bytes();
    if (bytesInUse(dot) + bytes > maxBytes)
      return;
    ImplicitLocOpBuilder b(dot.getLoc(), dot);
    Value zero = b.create<arith::ConstantIntOp>(0, 32);
    SmallVector<Value> allocated;
    // Returns the slots, and the slot that has the factor.
    auto place = [&](Factor &factor) -> std::pair<Value, Value> {
      if (factor.present)
        return {factor.present.getShared(), factor.present.getSlot()};
      allocated.push_back(b.create<AllocSharedOp>(factor.slotType()));
      return {allocated.back(), zero};
    };
    std::pair<Value, Value> ofA = {dot.getA(), Value()};
    if (!a.isInRegisters)
      ofA = place(a);
    const std::pair<Value, Value> ofB = place(other);
    if (!a.isInRegisters && !a.present)
      b.create<WriteSharedOp>(a.block, ofA.first, ofA.second);
    if (!other.present)
      b.create<WriteSharedOp>(other.block, ofB.first, ofB.second);
    if (!allocated.empty())
      b.create<BarrierOp>();
    Value begun =
        b.create<DotAsyncOp>(dot.getType(), dot.getAcc(), ofA.first, ofA.second, ofB.first,
                             ofB.second, !a.isInRegisters && a.isTransposed, other.isTransposed);
    Value result = b.create<WaitDotsOp>(begun.getType(), uint32_t(0), begun).getResult(0);
    for (Value slots : llvm::reverse(allocated))
      b.create<DeallocSharedOp>(slots);
    SmallVector<Value> factors = {dot.getA(), dot.getB()};
    dot.replaceAllUsesWith(result);
    dot.erase();
    for (Value factor : factors)
      eraseUnused(factor);
  }

  /// Erases what made the factor for the product, if nothing else uses it.
  static void eraseUnused(Value value) {
    Operation *op = value.getDefiningOp();
    while (op && op->use_empty() && isa<TransOp, ConvertLayoutOp, ReadSharedOp>(op)) {
      Operation *source = isa<ReadSharedOp>(op) ? nullptr : op->getOperand(0).getDefiningOp();
      op->erase();
      op = source;
    }
  }
};

} // namespace
} // namespace eft
