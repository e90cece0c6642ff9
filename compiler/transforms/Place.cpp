// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-place: gives every block a layout.
//
// The blocks of one shape have one layout, their shape's default, with one exception: the source of
// `eft.expand_dims` or `eft.broadcast` has what is left of the result's layout, so that a place
// that holds (i, j) of the result holds i of the source, and the operation moves nothing. Layouts
// are therefore *demanded*, from the end of the program to its beginning. A store demands its
// shape's default of its operands; any other operation demands, of each operand, what follows from
// the layouts that are demanded of its results. An operation of which several are demanded is made
// several times: it costs a few instructions, where moving the block would cost a trip through
// shared memory.
//
// A block that is carried through regions (the arguments and results of a loop) has one layout
// wherever it appears: such values form a *joint*. A joint begins with its shape's default; if all
// uses that don't come back to it want the same other layout, it gets that.
#include "compiler/analysis/DefaultLayouts.h"
#include "compiler/analysis/PrefixMask.h"
#include "compiler/analysis/RegionFlow.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_PLACE
#include "compiler/transforms/Passes.h.inc"

namespace {

using Layouts = llvm::SmallSetVector<LayoutAttr, 2>;

RankedTensorType placed(Type type, LayoutAttr layout) {
  auto block = cast<RankedTensorType>(type);
  return RankedTensorType::get(block.getShape(), block.getElementType(), layout);
}

/// The first result that is a block, or null.
Value blockResult(Operation *op) {
  for (Value result : op->getResults())
    if (isa<TensorType>(result.getType()))
      return result;
  return {};
}

/// What an operation whose result has this layout demands of its operands that are blocks.
LayoutAttr layoutOfOperands(Operation *op, LayoutAttr resultLayout) {
  if (!isa<ExpandDimsOp, BroadcastOp>(op))
    return resultLayout;
  RankedTensorType result = placed(op->getResult(0).getType(), resultLayout);
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  std::optional<LinearLayout> layout = layoutOf(result);
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return toAttribute(op->getContext(), layout->slice(expand.getAxis()));
  for (unsigned dim = 0; dim < source.getRank(); ++dim)
    if (source.getDimSize(dim) != result.getDimSize(dim))
      layout = layout->collapse(dim);
  return toAttribute(op->getContext(), *layout);
}

//===--- What can be placed -------------------------------------------------------------------===//

/// Whether all blocks that an operation works on have one shape, and it works on each element by
/// itself.
bool isElementwise(Operation *op) {
  if (isa<SplatOp, ArangeOp, AddPtrOp, LoadOp, PhiloxOp, UniformDivOp>(op))
    return true;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<DenseElementsAttr>(constant.getValue());
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(blockResult(op).getType()).getShape();
  auto fits = [&](Type type) {
    auto block = dyn_cast<RankedTensorType>(type);
    return !block || block.getShape() == shape;
  };
  return llvm::all_of(op->getOperandTypes(), fits) && llvm::all_of(op->getResultTypes(), fits);
}

/// Numbers of elements, and of true elements of a mask, fit into an i32 everywhere.
constexpr unsigned mostElementBits = 30;

LogicalResult checkTypes(Operation *op, TypeRange types) {
  for (Type type : types) {
    if (!isa<TensorType>(type))
      continue;
    if (!isBlock(type))
      return op->emitOpError("can't be placed: ") << type << " is not a block";
    unsigned bits = 0;
    for (int64_t extent : cast<RankedTensorType>(type).getShape())
      bits += llvm::Log2_64(extent);
    if (bits > mostElementBits)
      return op->emitOpError("can't be placed: a block must have at most 2^")
             << mostElementBits << " elements, got 2^" << bits;
  }
  return success();
}

/// Refuses what the plan has no rule for.
LogicalResult checkOperation(Operation *op, const RegionFlow &flow) {
  if (failed(checkTypes(op, op->getOperandTypes())) || failed(checkTypes(op, op->getResultTypes())))
    return failure();
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (isa<TensorType>(argument.getType()) && flow.sourcesOf(argument).empty())
        return isa<func::FuncOp>(op)
                   ? op->emitOpError("can't take blocks when it is placed; inline it first")
                   : op->emitOpError("can't be placed: it has no rule for blocks");
  auto isBlockOperand = [](OpOperand &use) { return isa<TensorType>(use.get().getType()); };
  auto flows = [&](OpOperand &use) { return !isBlockOperand(use) || !flow.targetsOf(use).empty(); };
  auto isTarget = [&](Value value) {
    return !isa<TensorType>(value.getType()) || !flow.sourcesOf(value).empty();
  };
  // What only passes blocks into and out of regions.
  if (llvm::all_of(op->getOpOperands(), flows) && llvm::all_of(op->getResults(), isTarget))
    return success();
  if (isa<func::CallOp, func::ReturnOp>(op))
    return op->emitOpError("can't pass blocks when it is placed; inline calls first");
  if (isa<ExpandDimsOp, BroadcastOp, StoreOp>(op) || (blockResult(op) && isElementwise(op)))
    return success();
  return op->emitOpError("can't be placed: it has no rule for blocks");
}

/// Whether a store to blocks of the load's shape may happen before the load.
bool storeMayPrecede(LoadOp load, func::FuncOp function) {
  auto shape = cast<RankedTensorType>(load.getType()).getShape();
  auto precedes = [&](StoreOp store) {
    auto type = dyn_cast<RankedTensorType>(store.getPointer().getType());
    if (!type || type.getShape() != shape)
      return false;
    // Where the two part: before each other in one block, or anyhow in one loop.
    for (Operation *around = load; around && around != function; around = around->getParentOp()) {
      if (isa<LoopLikeOpInterface>(around) && around->isProperAncestor(store))
        return true;
      Operation *other = around->getBlock()->findAncestorOpInBlock(*store);
      if (other && other != around && other->isBeforeInBlock(around))
        return true;
    }
    return false;
  };
  return function
      .walk([&](StoreOp store) {
        return precedes(store) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

//===--- The plan -----------------------------------------------------------------------------===//

class Plan {
public:
  Plan(func::FuncOp function, DefaultLayouts &defaults)
      : function(function), defaults(defaults), flow(function) {}

  /// Decides which layouts every operation and every joint has, or says why that can't be.
  LogicalResult make();

  /// Gives the layouts to the values, making operations several times where the plan says so.
  void apply();

private:
  struct Joint {
    SmallVector<Value> values;
    LayoutAttr layout;
    bool hasChanged = false;
  };

  void findJoints();
  void demandAll(Region &region);
  bool settleJoints(LogicalResult &result);
  LogicalResult checkLoads();
  void applyTo(Region &region);
  void applyTo(Operation *op);

  /// All that the uses of a value demand.
  void demandsOn(Value value, Layouts &demands);
  LayoutAttr defaultOf(Value value) { return defaults.of(cast<RankedTensorType>(value.getType())); }

  func::FuncOp function;
  DefaultLayouts &defaults;
  RegionFlow flow;
  SmallVector<Joint> joints;
  DenseMap<Value, unsigned> jointOf;
  DenseMap<Operation *, Layouts> layouts; // of the blocks that an operation makes
};

void Plan::findJoints() {
  llvm::EquivalenceClasses<void *> classes;
  for (Value target : flow.targets())
    if (isa<TensorType>(target.getType()))
      for (OpOperand *source : flow.sourcesOf(target))
        for (Value other : flow.targetsOf(*source))
          classes.unionSets(target.getAsOpaquePointer(), other.getAsOpaquePointer());
  DenseMap<void *, unsigned> numbers;
  for (Value target : flow.targets()) {
    if (!isa<TensorType>(target.getType()))
      continue;
    void *leader = classes.getLeaderValue(target.getAsOpaquePointer());
    auto [entry, isNew] = numbers.try_emplace(leader, joints.size());
    if (isNew)
      joints.push_back({{}, defaultOf(target)});
    joints[entry->second].values.push_back(target);
    jointOf[target] = entry->second;
  }
}

void Plan::demandsOn(Value value, Layouts &demands) {
  for (OpOperand &use : value.getUses()) {
    Operation *owner = use.getOwner();
    if (ArrayRef<Value> targets = flow.targetsOf(use); !targets.empty()) {
      demands.insert(joints[jointOf.lookup(targets.front())].layout);
    } else if (isa<StoreOp>(owner)) {
      demands.insert(defaultOf(value));
    } else if (auto found = layouts.find(owner); found != layouts.end()) {
      for (LayoutAttr layout : found->second)
        demands.insert(layoutOfOperands(owner, layout));
    }
  }
}

/// Walks from the end to the beginning, so that all uses of a value come before it.
void Plan::demandAll(Region &region) {
  for (Block &block : llvm::reverse(region))
    for (Operation &op : llvm::reverse(block)) {
      for (Region &inner : llvm::reverse(op.getRegions()))
        demandAll(inner);
      Value result = blockResult(&op);
      if (!result || jointOf.contains(result))
        continue;
      Layouts demands;
      for (Value each : op.getResults())
        demandsOn(each, demands);
      if (demands.empty())
        demands.insert(defaultOf(result));
      layouts[&op] = std::move(demands);
    }
}

/// Lets joints take the layout that all their other uses want. True if one did, so that the plan
/// must be made anew.
bool Plan::settleJoints(LogicalResult &result) {
  for (Joint &joint : joints) {
    Layouts wanted;
    for (Value value : joint.values)
      demandsOn(value, wanted);
    wanted.remove(joint.layout);
    if (wanted.empty())
      continue;
    if (joint.hasChanged || wanted.size() > 1) {
      Value value = joint.values.front();
      Operation *op = value.getParentBlock()->getParentOp();
      if (Operation *definition = value.getDefiningOp())
        op = definition;
      op->emitOpError("carries a block that would need two layouts, ")
          << joint.layout << " and " << wanted.front();
      result = failure();
      return false;
    }
    joint.hasChanged = true;
    joint.layout = wanted.front();
    return true;
  }
  return false;
}

/// An element is loaded after it was stored by the same place only if both have one layout.
LogicalResult Plan::checkLoads() {
  WalkResult result = function.walk([&](LoadOp load) {
    auto found = layouts.find(load);
    if (found == layouts.end())
      return WalkResult::advance();
    const LayoutAttr standard = defaultOf(load.getResult());
    for (LayoutAttr layout : found->second)
      if (layout != standard && storeMayPrecede(load, function)) {
        load.emitOpError("follows a store to blocks of its shape and would need another layout, ")
            << layout << " instead of " << standard;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Plan::make() {
  WalkResult checked = function.walk([&](Operation *op) {
    return succeeded(checkOperation(op, flow)) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (checked.wasInterrupted())
    return failure();
  findJoints();
  LogicalResult result = success();
  do {
    layouts.clear();
    demandAll(function.getBody());
  } while (settleJoints(result));
  return failed(result) ? failure() : checkLoads();
}

//===--- Its execution ------------------------------------------------------------------------===//

void setLayout(Operation *op, LayoutAttr layout) {
  for (Value result : op->getResults())
    if (isa<TensorType>(result.getType()))
      result.setType(placed(result.getType(), layout));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    constant.setValueAttr(
        cast<DenseElementsAttr>(constant.getValue()).reshape(cast<ShapedType>(constant.getType())));
}

void Plan::applyTo(Operation *op) {
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
  if (made.size() == 1)
    return;
  // Every user is placed already, and demands one layout.
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
      LayoutAttr demanded;
      if (ArrayRef<Value> targets = flow.targetsOf(use); !targets.empty())
        demanded = joints[jointOf.lookup(targets.front())].layout;
      else if (isa<StoreOp>(use.getOwner()))
        demanded = defaultOf(result);
      else
        demanded = layoutOfOperands(use.getOwner(), layouts[use.getOwner()].front());
      use.set(made.lookup(demanded)->getResult(number));
    }
}

void Plan::applyTo(Region &region) {
  for (Block &block : llvm::reverse(region))
    // A copy is inserted behind its original, where this loop has been.
    for (Operation &op : llvm::reverse(block)) {
      for (Region &inner : llvm::reverse(op.getRegions()))
        applyTo(inner);
      applyTo(&op);
    }
}

void Plan::apply() {
  for (Joint &joint : joints)
    for (Value value : joint.values)
      value.setType(placed(value.getType(), joint.layout));
  applyTo(function.getBody());
}

//===--- What the lowerings want to know of accesses ------------------------------------------===//

/// Whether the mask is true up to some index of its block, and false from there on.
bool isPrefix(const AxisInfos &infos, Value mask) {
  auto type = mask ? dyn_cast<RankedTensorType>(mask.getType()) : RankedTensorType();
  return type && type.getRank() == 1 && prefixRun(infos, mask, 0) >= type.getDimSize(0);
}

template <typename Access>
void noteAccess(Access access, const AxisInfos &infos, const PlacementTarget &target) {
  auto type = dyn_cast<RankedTensorType>(access.getPointer().getType());
  if (!type)
    return;
  access.setRun(accessRun(infos.of(access.getPointer()), type, target));
  access.setPrefix(isPrefix(infos, access.getMask()));
}

LogicalResult checkAllPlaced(func::FuncOp function) {
  auto isPlaced = [](Type type) {
    auto block = dyn_cast<RankedTensorType>(type);
    return !isa<TensorType>(type) || (block && isa_and_present<LayoutAttr>(block.getEncoding()));
  };
  WalkResult result = function.walk([&](Operation *op) {
    bool all = llvm::all_of(op->getResultTypes(), isPlaced);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        all &= llvm::all_of(block.getArgumentTypes(), isPlaced);
    if (!all)
      op->emitOpError("was left without a layout");
    return all ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace

LogicalResult placeBlocks(func::FuncOp function, const PlacementTarget &target) {
  {
    AxisInfos infos(function);
    DefaultLayouts defaults(function, infos, target);
    Plan plan(function, defaults);
    if (failed(plan.make()))
      return failure();
    plan.apply();
  }
  if (failed(checkAllPlaced(function)))
    return failure();
  // Copies are new to the analysis.
  AxisInfos infos(function);
  function.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      noteAccess(load, infos, target);
    else if (auto store = dyn_cast<StoreOp>(op))
      noteAccess(store, infos, target);
  });
  return success();
}

namespace {

struct PlacePass : impl::PlaceBase<PlacePass> {
  using PlaceBase::PlaceBase;

  void runOnOperation() override {
    FailureOr<PlacementTarget> machine = parseTarget();
    if (failed(machine))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](func::FuncOp function) {
      return succeeded(placeBlocks(function, *machine)) ? WalkResult::skip()
                                                        : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  FailureOr<PlacementTarget> parseTarget() {
    PlacementTarget machine;
    machine.numWarps = numWarps;
    machine.vectorBits = vectorBits;
    auto complain = [&](const Twine &what) {
      return emitError(getOperation()->getLoc()) << "eft-place: " << what;
    };
    if (target != "gpu" && target != "cpu")
      return complain("target must be gpu or cpu, got '" + target + "'");
    if (!llvm::isPowerOf2_32(numWarps) || numWarps > 32)
      return complain("num-warps must be a power of two from 1 to 32, got " + Twine(numWarps));
    if (!llvm::isPowerOf2_32(vectorBits) || vectorBits < 64)
      return complain("vector-bits must be a power of two of at least 64, got " +
                      Twine(vectorBits));
    machine.kind = target == "gpu" ? PlacementTarget::Kind::Gpu : PlacementTarget::Kind::Cpu;
    return machine;
  }
};

} // namespace

} // namespace eft
