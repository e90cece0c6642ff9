// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/placing/PlacingPlan.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/placing/DotPlacing.h"
#include "compiler/placing/JoinPlacing.h"
#include "compiler/placing/LoadPlacing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace eft {

namespace {

/// The largest number of layouts in which an operation is done, unless it is a load or computes
/// from scalars alone. If the uses of its result require more layouts, the operation is done in one
/// layout, and the result is converted to the others.
constexpr unsigned maxCopies = 2;

/// The cost of moving a block through shared memory, in instructions per element. It includes the
/// time for which threads wait for each other.
constexpr int64_t instructionsToMove = 16;

/// A computation of more than this many operations always counts as more expensive than a move.
/// This bounds the time for the search.
constexpr size_t manyOperations = 256;

bool isBlockValue(Value value) { return isa<TensorType>(value.getType()); }

/// Returns true if an elementwise operation computes the second factor of a product by warpgroups,
/// which read this factor from shared memory.
bool computesFactor(Operation *op, const PlacementTarget &target) {
  auto isFactor = [&](OpOperand &use) {
    auto dot = dyn_cast<DotOp>(use.getOwner());
    return dot && &use == &dot.getBMutable() && isForWarpgroups(dot, target);
  };
  auto isForFactor = [&](OpOperand &use) {
    auto trans = dyn_cast<TransOp>(use.getOwner());
    return trans ? llvm::all_of(trans->getUses(), isFactor) : isFactor(use);
  };
  return OpTrait::hasElementwiseMappableTraits(op) && llvm::all_of(op->getUses(), isForFactor);
}

/// Returns roughly the number of GPU instructions that the operation takes for each element.
int64_t instructionsOf(Operation *op) {
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::RemFOp, math::SqrtOp, math::RsqrtOp, UniformDivOp>(op))
    return 10;
  return OpTrait::hasElementwiseMappableTraits(op) ? 1 : 0;
}

unsigned depthOf(Operation *op) {
  unsigned depth = 0;
  for (Operation *around = op->getParentOp(); around; around = around->getParentOp())
    ++depth;
  return depth;
}

} // namespace

//===--- Tied values --------------------------------------------------------------------------===//

void PlacingPlan::findTies() {
  llvm::EquivalenceClasses<void *> classes;
  for (Value target : flow.targets())
    if (isBlockValue(target))
      for (OpOperand *source : flow.sourcesOf(target))
        for (Value other : flow.targetsOf(*source))
          classes.unionSets(target.getAsOpaquePointer(), other.getAsOpaquePointer());
  DenseMap<void *, unsigned> numbers;
  for (Value target : flow.targets()) {
    if (!isBlockValue(target))
      continue;
    void *leader = classes.getLeaderValue(target.getAsOpaquePointer());
    auto [entry, isNew] = numbers.try_emplace(leader, ties.size());
    if (isNew)
      ties.push_back({{}, rules.defaultOf(target)});
    ties[entry->second].values.push_back(target);
    tieOf[target] = entry->second;
  }
}

/// Returns the anchor of an operation from whose result one of the tied values is computed; null if
/// there is none. The operations in between must have no memory effects, and all blocks must be of
/// the same shape.
LayoutAttr PlacingPlan::anchorBehind(const TiedValues &tied) {
  auto shape = cast<RankedTensorType>(tied.values.front().getType()).getShape();
  SmallVector<Value> pending;
  for (Value value : tied.values)
    for (OpOperand *source : flow.sourcesOf(value))
      pending.push_back(source->get());
  DenseSet<Value> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    auto block = dyn_cast<RankedTensorType>(value.getType());
    Operation *op = value.getDefiningOp();
    if (!block || block.getShape() != shape || !op || tieOf.contains(value) ||
        !seen.insert(value).second)
      continue;
    if (LayoutAttr anchor = rules.anchorOf(op))
      return anchor;
    // The search ends at an access to memory: the layout of its result does not depend on the
    // layouts of the values from which its operands are computed.
    if (isMemoryEffectFree(op))
      llvm::append_range(pending, op->getOperands());
  }
  return {};
}

LayoutAttr PlacingPlan::innermostRequired(const TiedValues &tied) {
  LayoutAttr wanted = tied.layout;
  unsigned deepest = 0;
  for (Value value : tied.values)
    for (OpOperand &use : value.getUses()) {
      Layouts required;
      requiredBy(use, required);
      required.remove(tied.layout);
      if (required.empty() || depthOf(use.getOwner()) <= deepest)
        continue;
      deepest = depthOf(use.getOwner());
      wanted = required.front();
    }
  return wanted;
}

/// On a CPU, returns the layout without bits of `step` that only make copies of vectors. A loop
/// would have to carry all copies, although a use that requires copies gets them from one vector
/// without an instruction. On a GPU, returns `layout`.
LayoutAttr PlacingPlan::withoutVectorCopies(LayoutAttr layout, const TiedValues &tied) const {
  if (target.kind != PlacementTarget::Kind::Cpu)
    return layout;
  RankedTensorType block = placed(tied.values.front().getType(), layout);
  return cast<LayoutAttr>(withoutCopies(block, place::step).getEncoding());
}

/// Gives a better layout to one set of tied values. Each set gets a new layout at most once.
/// Returns true if a layout has changed: the plan must then be made again.
bool PlacingPlan::settleTies() {
  for (TiedValues &tied : ties) {
    if (tied.isSettled)
      continue;
    LayoutAttr wanted = anchorBehind(tied);
    if (!wanted)
      wanted = withoutVectorCopies(innermostRequired(tied), tied);
    if (wanted == tied.layout)
      continue;
    tied.isSettled = true;
    tied.layout = wanted;
    return true;
  }
  return false;
}

//===--- Required layouts ---------------------------------------------------------------------===//

/// Finds the operations that compute blocks from scalars and constants alone, without anchors and
/// memory accesses on the way. Doing them again costs little.
void PlacingPlan::findRepeatable() {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!blockResult(op) || rules.anchorOf(op) || !isMemoryEffectFree(op) ||
        op->getNumRegions() != 0)
      return;
    auto isRepeatable = [&](Value operand) {
      return !isBlockValue(operand) ||
             (operand.getDefiningOp() && repeatable.contains(operand.getDefiningOp()));
    };
    if (llvm::all_of(op->getOperands(), isRepeatable))
      repeatable.insert(op);
  });
}

/// Returns true if doing the operation again costs more than moving its result. The cost includes
/// the operations from which it is computed, up to values that are loaded, tied, repeatable or made
/// by an operation with an anchor. Always false on a CPU, and for `arith.extf` and `arith.extsi`:
/// these extensions are done again, and their narrower operand is moved instead.
bool PlacingPlan::costsMoreThanMoving(Operation *op) {
  if (target.kind != PlacementTarget::Kind::Gpu || isa<arith::ExtFOp, arith::ExtSIOp>(op))
    return false;
  const int64_t elements = cast<RankedTensorType>(blockResult(op).getType()).getNumElements();
  int64_t instructions = 0;
  llvm::SetVector<Operation *> reached;
  reached.insert(op);
  for (size_t next = 0; next < reached.size(); ++next) {
    Value result = blockResult(reached[next]);
    instructions +=
        instructionsOf(reached[next]) * cast<RankedTensorType>(result.getType()).getNumElements();
    if (instructions > instructionsToMove * elements || reached.size() > manyOperations)
      return true;
    for (Value operand : reached[next]->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (isBlockValue(operand) && source && !rules.anchorOf(source) && !isa<LoadOp>(source) &&
          !repeatable.contains(source) && !tieOf.contains(operand) && blockResult(source))
        reached.insert(source);
    }
  }
  return false;
}

/// Adds the layouts in which `use` requires its value.
void PlacingPlan::requiredBy(OpOperand &use, Layouts &required) {
  Operation *owner = use.getOwner();
  if (ArrayRef<Value> targets = flow.targetsOf(use); !targets.empty()) {
    required.insert(ties[tieOf.lookup(targets.front())].layout);
  } else if (auto found = layouts.find(owner); found != layouts.end()) {
    for (LayoutAttr layout : found->second)
      required.insert(rules.requiredOf(use, layout));
  } else {
    required.insert(rules.requiredOf(use, {}));
  }
}

/// Chooses the layouts in which the operation makes `result`, its first block, and its other
/// blocks.
void PlacingPlan::choose(Operation *op, Value result) {
  Layouts &chosen = layouts[op];
  LayoutAttr standard = rules.defaultOf(result);
  if (LayoutAttr anchor = rules.anchorOf(op)) {
    chosen.insert(anchor);
    return;
  }
  Layouts required;
  for (Value each : op->getResults())
    for (OpOperand &use : each.getUses())
      requiredBy(use, required);
  if (auto load = dyn_cast<LoadOp>(op)) {
    const LoadLayouts own = {standard, rules.bestFor(load, leastNeighbours(load, target), infos)};
    for (LayoutAttr layout : required)
      chosen.insert(layoutOfLoad(load, layout, own, infos, target));
  } else if (auto move = dyn_cast<ElementMoveOpInterface>(op);
             move && required.size() == 1 && target.kind == PlacementTarget::Kind::Gpu) {
    chosen.insert(layoutOfJoined(move, required.front()));
  } else if (computesFactor(op, target) &&
             !isHeldBySeveralThreads(placed(result.getType(), standard)) &&
             llvm::any_of(required, [&](LayoutAttr layout) {
               return isHeldBySeveralThreads(placed(result.getType(), layout));
             })) {
    chosen.insert(standard);
  } else if (required.size() <= 1 || repeatable.contains(op) ||
             (required.size() <= maxCopies && !costsMoreThanMoving(op))) {
    chosen.insert(required.begin(), required.end());
  } else {
    chosen.insert(required.contains(standard) ? standard : required.front());
  }
  if (chosen.empty())
    chosen.insert(standard);
}

/// Chooses the layouts of all operations in the region, from the end to the beginning: so the
/// layouts that the uses of a value require are known before the value is visited.
void PlacingPlan::requireAll(Region &region) {
  for (Block &block : llvm::reverse(region))
    for (Operation &op : llvm::reverse(block)) {
      for (Region &inner : llvm::reverse(op.getRegions()))
        requireAll(inner);
      Value result = blockResult(&op);
      if (result && !tieOf.contains(result))
        choose(&op, result);
    }
}

LogicalResult PlacingPlan::make() {
  WalkResult checked = function.walk([&](Operation *op) {
    return succeeded(checkCanBePlaced(op, flow)) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (checked.wasInterrupted())
    return failure();
  findTies();
  findRepeatable();
  do {
    layouts.clear();
    requireAll(function.getBody());
  } while (settleTies());
  return success();
}

//===--- Execution of the plan ----------------------------------------------------------------===//

namespace {

void setLayout(Operation *op, LayoutAttr layout) {
  for (Value result : op->getResults())
    if (isBlockValue(result))
      result.setType(placed(result.getType(), layout));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    constant.setValueAttr(
        cast<DenseElementsAttr>(constant.getValue()).reshape(cast<ShapedType>(constant.getType())));
}

LayoutAttr layoutAttrOf(Value value) {
  return cast<LayoutAttr>(cast<RankedTensorType>(value.getType()).getEncoding());
}

} // namespace

/// Returns the layout that `use` requires. There is only one, because the owner of the use has been
/// placed already.
LayoutAttr PlacingPlan::requiredOfPlaced(OpOperand &use) {
  Layouts required;
  requiredBy(use, required);
  return required.front();
}

/// Returns the value in `layout`, if necessary by a conversion directly after the value's
/// definition. Uses that need the same layout share the conversion.
Value PlacingPlan::converted(Value value, LayoutAttr layout) {
  if (layoutAttrOf(value) == layout)
    return value;
  Value &conversion = conversions[{value, layout}];
  if (!conversion) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    conversion =
        builder.create<ConvertLayoutOp>(value.getLoc(), placed(value.getType(), layout), value);
  }
  return conversion;
}

/// Replaces `value` in each use by the value that `find` returns for the layout that the use
/// requires, converted if it has another layout.
void PlacingPlan::connectUses(Value value, function_ref<Value(LayoutAttr)> find) {
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses()))
    if (!isa<ConvertLayoutOp>(use.getOwner())) {
      LayoutAttr demanded = requiredOfPlaced(use);
      use.set(converted(find(demanded), demanded));
    }
}

void PlacingPlan::applyTo(Operation *op) {
  auto found = layouts.find(op);
  if (found == layouts.end())
    return;
  const Layouts all = found->second;
  DenseMap<Attribute, Operation *> made;
  for (LayoutAttr layout : all) {
    Operation *copy = op;
    if (!made.empty()) {
      copy = op->clone();
      op->getBlock()->getOperations().insertAfter(op->getIterator(), copy);
    }
    made[layout] = copy;
    setLayout(copy, layout);
    layouts[copy] = Layouts();
    layouts[copy].insert(layout);
  }
  // If no copy of the operation has the right layout, the result of the copy in the default layout
  // is converted, or that of `op` if there is no such copy.
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    if (!isBlockValue(result))
      continue;
    Operation *standard = made.lookup(rules.defaultOf(result));
    connectUses(result, [&](LayoutAttr layout) {
      Operation *copy = made.lookup(layout);
      return (copy ? copy : standard ? standard : op)->getResult(number);
    });
  }
}

void PlacingPlan::applyTo(Region &region) {
  for (Block &block : llvm::reverse(region))
    // Clones are inserted after their original, so this loop, which goes backwards, does not visit
    // them.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      for (Region &inner : llvm::reverse(op.getRegions()))
        applyTo(inner);
      applyTo(&op);
    }
}

void PlacingPlan::apply() {
  for (TiedValues &tied : ties)
    for (Value value : tied.values)
      value.setType(placed(value.getType(), tied.layout));
  applyTo(function.getBody());
  for (TiedValues &tied : ties)
    for (Value value : tied.values)
      connectUses(value, [&](LayoutAttr) { return value; });
}

} // namespace eft
