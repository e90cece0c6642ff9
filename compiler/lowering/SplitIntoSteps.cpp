// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-split-into-steps: finds groups of accesses that can be done a part at a time, and makes loops
// of them. What a part of an operation is, StepTiles knows; how far a prefix mask reaches,
// StepBounds.
#include "compiler/lowering/Passes.h"

#include "compiler/ir/Accesses.h"
#include "compiler/lowering/StepBounds.h"
#include "compiler/lowering/StepTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_SPLITINTOSTEPS
#include "compiler/lowering/Passes.h.inc"

namespace {

/// Accesses to blocks, with nothing between them that touches memory, over the same places.
struct Group {
  SmallVector<Operation *> accesses;
  bool splittable = true;
};

/// The placed block that `op` loads, stores or changes, or null.
RankedTensorType accessedBlock(Operation *op) {
  Value pointer = pointerOf(op);
  auto block = pointer ? dyn_cast<RankedTensorType>(pointer.getType()) : RankedTensorType();
  return block && layoutOf(block) ? block : RankedTensorType();
}

bool haveSamePlaces(Operation *a, Operation *b) {
  return layoutOf(accessedBlock(a))->source() == layoutOf(accessedBlock(b))->source();
}

/// The groups of one straight line of code, in its order.
std::vector<Group> findGroups(Block &block) {
  std::vector<Group> groups;
  bool isOpen = false;
  for (Operation &op : block) {
    if (!accessedBlock(&op)) {
      isOpen &= isMemoryEffectFree(&op);
      continue;
    }
    if (!isOpen || !haveSamePlaces(groups.back().accesses.front(), &op))
      groups.emplace_back();
    isOpen = true;
    groups.back().accesses.push_back(&op);
  }
  return groups;
}

/// Finds out which groups stand for themselves: all that they need is computed from scalars and
/// from their own loads, and nobody else needs what they load.
class GroupChecker {
public:
  explicit GroupChecker(std::vector<Group> &groups) {
    for (Group &group : groups)
      for (Operation *access : group.accesses)
        owners[access] = &group;
  }

  void check(Block &block) {
    for (Operation &op : block) {
      auto owner = owners.find(&op);
      // What reads blocks and is neither an access nor a part of one needs whole blocks.
      if (owner != owners.end())
        checkOperands(&op, owner->second);
      else if (!canTile(&op))
        op.walk([&](Operation *nested) { checkOperands(nested, nullptr); });
    }
  }

private:
  // With a list instead of recursion: chains of operations may be long.
  void checkOperands(Operation *op, Group *user) {
    SmallVector<Value> pending(op->getOperands());
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (!isa<RankedTensorType>(value.getType()) || !seen.insert({value, user}).second)
        continue;
      if (Operation *part = checkValue(value, user))
        llvm::append_range(pending, part->getOperands());
    }
  }

  /// Gives the operation that makes the value, if the group can make it too: then its operands
  /// decide.
  Operation *checkValue(Value value, Group *user) {
    Operation *op = value.getDefiningOp();
    auto owner = op ? owners.find(op) : owners.end();
    if (owner != owners.end()) {
      if (owner->second == user)
        return nullptr;
      owner->second->splittable = false;
    } else if (op && canTile(op)) {
      return op;
    }
    if (user)
      user->splittable = false;
    return nullptr;
  }

  DenseMap<Operation *, Group *> owners;
  DenseSet<std::pair<Value, Group *>> seen;
};

/// Every block that a group computes has tiles.
bool haveTiles(const Group &group, const StepDimension &steps) {
  SmallVector<Value> pending;
  for (Operation *access : group.accesses)
    llvm::append_range(pending, access->getOperands());
  DenseSet<Value> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    auto block = dyn_cast<RankedTensorType>(value.getType());
    if (!block || !seen.insert(value).second)
      continue;
    if (!tileType(block, steps))
      return false;
    llvm::append_range(pending, value.getDefiningOp()->getOperands());
  }
  return true;
}

unsigned runOf(Operation *access) {
  auto run = access->getAttrOfType<IntegerAttr>("run");
  return run ? run.getInt() : 1;
}

struct SplitIntoStepsPass : impl::SplitIntoStepsBase<SplitIntoStepsPass> {
  using SplitIntoStepsBase::SplitIntoStepsBase;

  void runOnOperation() override {
    AxisInfos axisInfos(getOperation());
    infos = &axisInfos;
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      splitGroups(*block);
  }

private:
  void splitGroups(Block &block) {
    std::vector<Group> groups = findGroups(block);
    GroupChecker(groups).check(block);
    DenseSet<Operation *> replaced;
    for (Group &group : groups)
      if (group.splittable && split(group))
        replaced.insert(group.accesses.begin(), group.accesses.end());
    eraseReplaced(block, replaced);
  }

  /// The bits of the step dimension that a step keeps: enough for the wanted elements, and for the
  /// wanted number of runs of neighbours.
  StepDimension stepsOf(const Group &group, const LinearLayout &layout) const {
    int64_t lanes = dimension == "step" ? int64_t(1) << layout.placeBits("lane") : 1;
    int64_t kept = std::max<int64_t>(elements / lanes, 1);
    for (Operation *access : group.accesses)
      kept = std::max<int64_t>(kept, vectors * runOf(access) / lanes);
    return {dimension, std::min(llvm::Log2_64(kept), layout.placeBits(dimension))};
  }

  bool split(const Group &group) {
    LinearLayout layout = *layoutOf(accessedBlock(group.accesses.front()));
    StepDimension steps = stepsOf(group, layout);
    unsigned stepBits = layout.placeBits(dimension) - steps.keptBits;
    if (stepBits == 0 || !haveTiles(group, steps))
      return false;
    Operation *last = group.accesses.back();
    ImplicitLocOpBuilder builder(last->getLoc(), last);
    makeLoops(builder, group, steps, int64_t(1) << stepBits);
    return true;
  }

  void makeLoops(ImplicitLocOpBuilder &builder, const Group &group, const StepDimension &steps,
                 int64_t count) {
    Value zero = builder.create<arith::ConstantIntOp>(0, 32);
    Value all = builder.create<arith::ConstantIntOp>(count, 32);
    std::optional<StepBounds> bounds;
    // The end of the prefix is done in the smallest steps: it is little work, and little code.
    StepDimension fine = {steps.name, 0};
    if (splitPrefix && haveTiles(group, fine))
      bounds = emitStepBounds(builder, *infos, group.accesses, steps, fine);
    if (!bounds)
      return makeLoop(builder, group, steps, zero, all, /*dropMasks=*/false);
    makeLoop(builder, group, steps, zero, bounds->inside, /*dropMasks=*/true);
    makeLoop(builder, group, fine, bounds->fineStart, bounds->fineEnd, /*dropMasks=*/false);
  }

  static void makeLoop(ImplicitLocOpBuilder &builder, const Group &group,
                       const StepDimension &steps, Value first, Value end, bool dropMasks) {
    Value one = builder.create<arith::ConstantIntOp>(1, 32);
    auto loop = builder.create<scf::ForOp>(first, end, one);
    OpBuilder body = OpBuilder::atBlockTerminator(loop.getBody());
    StepTiles tiles(body, loop.getInductionVar(), steps);
    for (Operation *access : group.accesses)
      tiles.cloneAccess(access, dropMasks);
  }

  /// Erases what the loops now do: the groups' accesses, and all that nobody needs any more. From
  /// the end, so that an operation's users are gone before it.
  static void eraseReplaced(Block &block, const DenseSet<Operation *> &accesses) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (accesses.contains(&op) || isOpTriviallyDead(&op))
        op.erase();
  }

  const AxisInfos *infos = nullptr;
};

} // namespace
} // namespace eft
