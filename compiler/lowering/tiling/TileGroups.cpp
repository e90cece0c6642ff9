// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/tiling/TileGroups.h"

#include "compiler/ir/Accesses.h"
#include "compiler/lowering/buffers/WholeBuffers.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {

namespace {

RankedTensorType placedBlock(Value value) {
  auto block = dyn_cast<RankedTensorType>(value.getType());
  return block && layoutOf(block) ? block : RankedTensorType();
}

/// The bits of the tiled dimension that number the parts which a reduction combines one after the
/// other. Nothing if these parts are not numbered by consecutive bits of that dimension.
std::optional<ReductionSteps> stepsOfReduction(ReduceOp reduce, StringRef dimension) {
  LinearLayout layout = *layoutOf(reduce.getSources().front().getType());
  int64_t steps = reduce.getSteps().value_or(1);
  ReductionSteps result;
  if (steps == 1)
    return result;
  int64_t extent = layout.shape()[reduce.getAxis()];
  for (unsigned bit = 0; bit < layout.placeBits(dimension.str()); ++bit) {
    Coordinates basis = layout.basis(dimension.str(), bit);
    if (basis[reduce.getAxis()] < extent / steps)
      continue;
    if (result.bits == 0)
      result.firstBit = bit;
    if (bit != result.firstBit + result.bits || basis[reduce.getAxis()] != (extent / steps)
                                                                               << result.bits)
      return std::nullopt;
    ++result.bits;
  }
  return int64_t(1) << result.bits == steps ? std::optional(result) : std::nullopt;
}

/// Finds groups from the first operation to the last.
class GroupFinder {
public:
  GroupFinder(StringRef dimension, bool withReductions)
      : dimension(dimension), withReductions(withReductions) {}

  std::vector<TileGroup> find(Block &block) {
    for (Operation &op : block)
      if (RankedTensorType type = itemBlock(&op, withReductions); type && isWorthy(&op))
        addItem(&op, type);
      else
        passBy(&op);
    return std::move(groups);
  }

private:
  /// A reduction is tiled only if its steps are bits of the tiled dimension.
  bool isWorthy(Operation *op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    return !reduce || stepsOfReduction(reduce, dimension).has_value();
  }

  void addItem(Operation *op, RankedTensorType type) {
    auto reduce = dyn_cast<ReduceOp>(op);
    std::optional<ReductionSteps> steps =
        reduce ? stepsOfReduction(reduce, dimension) : std::nullopt;
    if (!isOpen || layoutOf(groups.back().block())->source() != layoutOf(type)->source() ||
        uses(op, afterReductions) ||
        (steps && groups.back().hasReductions && groups.back().reductionSteps != *steps))
      open();
    TileGroup &group = groups.back();
    group.items.push_back(op);
    if (auto write = dyn_cast<BufferWriteOp>(op))
      written.insert(write.getBuffer());
    if (steps) {
      group.hasReductions = true;
      group.reductionSteps = *steps;
      afterReductions.insert(op->result_begin(), op->result_end());
    }
    computed.insert(op->result_begin(), op->result_end());
  }

  void passBy(Operation *op) {
    if (!isOpen)
      return;
    // An iteration of a tiled loop reads all its buffers before it writes any. So a read of a
    // buffer that the group has written ends the group.
    if (auto read = dyn_cast<BufferReadOp>(op)) {
      isOpen = isWhole(read) && !written.contains(read.getBuffer());
      return;
    }
    // A buffer must be complete before a group gathers from it.
    if (auto pick = dyn_cast<BufferGatherOp>(op))
      isOpen = !written.contains(pick.getBuffer());
    // An operation that reads whole blocks has to come after the loop that computes them.
    const bool readsWhole = !canTile(op) && uses(op, computed);
    if ((!isMemoryEffectFree(op) && !isa<BufferGatherOp>(op)) || readsWhole)
      isOpen = false;
    for (auto *values : {&computed, &afterReductions})
      if (uses(op, *values))
        values->insert(op->result_begin(), op->result_end());
  }

  void open() {
    groups.emplace_back();
    isOpen = true;
    computed.clear();
    afterReductions.clear();
    written.clear();
  }

  static bool uses(Operation *op, const DenseSet<Value> &values) {
    if (values.empty())
      return false;
    return op
        ->walk([&](Operation *nested) {
          return llvm::any_of(nested->getOperands(), [&](Value v) { return values.contains(v); })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  StringRef dimension;
  bool withReductions;
  std::vector<TileGroup> groups;
  bool isOpen = false;
  DenseSet<Value> computed;        // values computed from loads and reductions of the open group
  DenseSet<Value> afterReductions; // values computed from its reductions
  DenseSet<Value> written;         // the buffers that the group writes
};

} // namespace

RankedTensorType itemBlock(Operation *op, bool withReductions) {
  if (Value pointer = pointerOf(op))
    return placedBlock(pointer);
  if (!withReductions)
    return {};
  if (auto write = dyn_cast<BufferWriteOp>(op))
    return isWhole(write) ? placedBlock(write.getPart()) : RankedTensorType();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getSteps() ? placedBlock(reduce.getSources().front()) : RankedTensorType();
  return {};
}

RankedTensorType TileGroup::block() const { return itemBlock(items.front(), true); }

bool TileGroup::hasLoop() const {
  return isSplit && (!bufferWrites.empty() || !llvm::all_of(items, llvm::IsaPred<LoadOp>));
}

std::vector<TileGroup> findTileGroups(Block &block, StringRef dimension, bool withReductions) {
  return GroupFinder(dimension, withReductions).find(block);
}

void walkTree(Operation *op, function_ref<bool(Value)> descend) {
  SmallVector<Value> pending(op->getOperands());
  DenseSet<Value> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
      continue;
    if (descend(value))
      llvm::append_range(pending, value.getDefiningOp()->getOperands());
  }
}

} // namespace eft
