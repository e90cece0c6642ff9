// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/tiling/ApartGroups.h"

using namespace mlir;

namespace eft {

namespace {

/// Each value has an *origin*: the one group from whose items it is computed. It is null for values
/// that are computed from scalars alone, and `elsewhere` for all other values.
class GroupSeparator {
public:
  explicit GroupSeparator(const GroupOwners &owners) : owners(owners) {}

  /// Leaves groups whole if a value passes between groups at `op`. `user` is the group of `op`;
  /// null if it has none.
  void check(Operation *op, TileGroup *user) {
    TileGroup *origin = originOf(op);
    if (!origin || origin == user)
      return;
    if (user)
      user->isSplit = false;
    joinGroupsBehind(op);
  }

private:
  TileGroup *ownerOf(Value value) const { return owners.lookup(value.getDefiningOp()); }

  /// True if a value is the result of an operation that can be tiled and is not an item.
  bool hasTree(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && !owners.contains(op) && canTile(op);
  }

  /// Finds the origin of operands before that of their users. An explicit stack replaces recursion,
  /// because chains of operations may be long.
  TileGroup *originOf(Operation *op) {
    SmallVector<Value> pending = unknownOperands(op);
    while (!pending.empty()) {
      Value value = pending.back();
      if (!hasTree(value)) {
        TileGroup *owner = ownerOf(value);
        origins.try_emplace(value, owner ? owner : &elsewhere);
      } else if (auto unknown = unknownOperands(value.getDefiningOp()); !unknown.empty()) {
        llvm::append_range(pending, unknown);
        continue;
      } else
        origins.try_emplace(value, commonOrigin(value.getDefiningOp()));
      pending.pop_back();
    }
    return commonOrigin(op);
  }

  SmallVector<Value> unknownOperands(Operation *op) const {
    auto isUnknown = [&](Value operand) {
      return isa<RankedTensorType>(operand.getType()) && !origins.contains(operand);
    };
    return llvm::to_vector(llvm::make_filter_range(op->getOperands(), isUnknown));
  }

  TileGroup *commonOrigin(Operation *op) {
    TileGroup *common = nullptr;
    for (Value operand : op->getOperands())
      if (TileGroup *origin = origins.lookup(operand); origin && origin != common)
        common = common ? &elsewhere : origin;
    return common;
  }

  /// Leaves the groups whole that compute values for `op`.
  void joinGroupsBehind(Operation *op) {
    walkTree(op, [&](Value value) {
      if (TileGroup *owner = ownerOf(value))
        owner->isSplit = false;
      return hasTree(value) && joined.insert(value).second;
    });
  }

  const GroupOwners &owners;
  TileGroup elsewhere;
  DenseMap<Value, TileGroup *> origins;
  DenseSet<Value> joined;
};

} // namespace

void keepGroupsApart(Block &block, const GroupOwners &owners) {
  GroupSeparator separator(owners);
  for (Operation &op : block)
    if (TileGroup *owner = owners.lookup(&op))
      separator.check(&op, owner);
    else if (!canTile(&op))
      op.walk([&](Operation *nested) { separator.check(nested, nullptr); });
}

} // namespace eft
