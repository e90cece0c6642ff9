// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-place: gives every block a layout, and every access the notes that the lowerings need.
// PlacingPlan.h describes how layouts are chosen.
#include "compiler/analysis/PrefixMask.h"
#include "compiler/analysis/ProgramDependence.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/placing/DotPlacing.h"
#include "compiler/placing/LoadPlacing.h"
#include "compiler/placing/NarrowConversions.h"
#include "compiler/placing/Passes.h"
#include "compiler/placing/PlacingPlan.h"
#include "compiler/placing/StoresInPlace.h"
#include "compiler/target/Capabilities.h"
#include "compiler/transforms/Passes.h"
#include "eft/Compiler.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_PLACE
#include "compiler/placing/Passes.h.inc"

namespace {

//===--- Notes on accesses --------------------------------------------------------------------===//

/// Returns true if the mask is a block of rank 1 that is known to be true up to some index and
/// false from there on.
bool isPrefix(const AxisInfos &infos, Value mask) {
  auto type = mask ? dyn_cast<RankedTensorType>(mask.getType()) : RankedTensorType();
  return type && type.getRank() == 1 && prefixRun(infos, mask, 0) >= type.getDimSize(0);
}

template <typename Access>
void noteAccess(Access access, const AxisInfos &infos, const ProgramDependence &dependence,
                const PlacementTarget &target) {
  auto type = dyn_cast<RankedTensorType>(access.getPointer().getType());
  if (!type)
    return;
  const AccessRun run = accessRun(infos, access, type, target);
  access.setRun(run.length);
  access.setHeadless(run.isHeadless);
  access.setPrefix(isPrefix(infos, access.getMask()));
  access.setUniformRuns(false);
  access.setPrefixRuns(false);
  access.setCutsAll(false);
  if (target.kind != PlacementTarget::Kind::Gpu || !access.getMask())
    return;
  const bool isUniform = infos.of(access.getMask()).constancy(run.dim) >= run.length;
  // With `prefix`, each thread tests once whether the mask is true for all of its elements. That is
  // best if the mask is false for elements of few programs only. A mask that is the same in all
  // programs, such as one of a row's columns, fails the test in many threads of every program.
  const bool cutsAll = access.getPrefix() && (isUniform || !run.isHeadless) &&
                       !dependence.mayDiffer(access.getMask());
  if (!cutsAll && (access.getPrefix() || run.length == 1))
    return;
  access.setPrefix(false);
  access.setUniformRuns(isUniform);
  access.setPrefixRuns(!isUniform && prefixRun(infos, access.getMask(), run.dim) >= run.length);
  access.setCutsAll(cutsAll && access.getPrefixRuns());
}

/// Notes on an atomic operation the number of neighbours on which one instruction may work.
void noteAtomic(AtomicRMWOp atomic, const AxisInfos &infos, const PlacementTarget &target) {
  auto type = dyn_cast<RankedTensorType>(atomic.getPointer().getType());
  if (type && target.kind == PlacementTarget::Kind::Gpu)
    atomic.setRun(accessRun(infos, atomic, type, target).length);
}

/// Moves the bits of a tree that number the lanes of a CPU's vectors behind the others.
void foldLanesLast(std::vector<int32_t> &tree, const LinearLayout &layout, unsigned axis) {
  int64_t ofLanes = 0;
  for (unsigned bit = 0; bit < layout.placeBits(place::lane); ++bit)
    ofLanes |= layout.basis(place::lane, bit)[axis];
  std::vector<int32_t> steps, lanes;
  for (int32_t bit : tree)
    ((bit & ofLanes) != 0 ? lanes : steps).push_back(bit);
  llvm::append_range(steps, lanes);
  tree = std::move(steps);
}

/// Gives an order to a reduction that has none because it is free of order. On a CPU, this is the
/// usual order of reductions with the lanes' bits last, since each lane bit of a vector costs a
/// shuffle. On a GPU, it is the usual order if the sources have the layout `reductionLayout`, else
/// the cheapest order for their layout.
void noteOrder(ReduceOp reduce, const PlacementTarget &target) {
  if (reduce.getSteps())
    return;
  auto type = cast<RankedTensorType>(reduce.getSources().front().getType());
  const std::vector<int64_t> shape(type.getShape());
  const int64_t bits = type.getElementTypeBitWidth();
  const unsigned axis = reduce.getAxis();
  LinearLayout layout = *layoutOf(type);
  const bool isForCpu = target.kind == PlacementTarget::Kind::Cpu;
  const bool isUsual = isForCpu || layout == reductionLayout(shape, bits, target.numWarps);
  ReductionOrder order =
      isUsual ? reductionOrder(shape, axis, bits, target.numWarps) : cheapestOrder(layout, axis);
  if (isForCpu)
    foldLanesLast(order.tree, layout, axis);
  setOrder(reduce, order);
}

/// Sets the flag `nsw` on the sum of a number and a range that begins at 0, if the number is known
/// to be a multiple of the range's length. The range then changes only low bits of the number that
/// are 0, so the sums don't wrap around. The flag lets addresses be computed in parts.
void noteSum(arith::AddIOp sum, const AxisInfos &infos) {
  auto type = dyn_cast<RankedTensorType>(sum.getType());
  if (!type || type.getRank() != 1 || infos.of(sum.getResult()).alignedRun(0) < type.getDimSize(0))
    return;
  auto isRange = [](Value value) {
    auto range = value.getDefiningOp<ArangeOp>();
    return range && range.getStart() == 0;
  };
  Value left = sum.getLhs(), right = sum.getRhs();
  if ((left.getDefiningOp<SplatOp>() && isRange(right)) ||
      (right.getDefiningOp<SplatOp>() && isRange(left)))
    sum.setOverflowFlags(sum.getOverflowFlags() | arith::IntegerOverflowFlags::nsw);
}

/// The number of neighbouring elements that a thread holds and that are known to be the same in all
/// of the blocks, which have one layout.
int64_t sameNeighbours(ValueRange blocks, const AxisInfos &infos) {
  auto type = cast<RankedTensorType>(blocks.front().getType());
  const unsigned last = type.getRank() - 1;
  int64_t run = layoutOf(type)->contiguousAlong(place::registers, last);
  for (Value block : blocks)
    run = std::min(run, infos.of(block).constancy(last));
  return run;
}

/// Notes on an operation that gives a block how many neighbouring elements of a thread have the
/// same result.
void setConstancy(Operation *op, int64_t run) {
  if (run > 1)
    op->setAttr(EftDialect::constancyName,
                IntegerAttr::get(IntegerType::get(op->getContext(), 32), run));
}

/// Notes on an integer operation the number of neighbouring elements of a thread that have the same
/// result. For example, if the length of a row is a multiple of 16, neighbouring columns of a
/// thread are all inside or all outside of the row, and one comparison is enough for them. Of
/// operations that keep neighbours apart, such as sums, none is noted.
void noteConstancy(Operation *op, const AxisInfos &infos, const PlacementTarget &target) {
  if (target.kind == PlacementTarget::Kind::Gpu &&
      isa<RankedTensorType>(op->getResult(0).getType()))
    setConstancy(op, sameNeighbours(op->getResults(), infos));
}

/// Notes on a load the number of neighbouring elements of a thread that come from one address.
void noteConstancy(LoadOp load, const AxisInfos &infos, const PlacementTarget &target) {
  if (target.kind != PlacementTarget::Kind::Gpu || !isa<RankedTensorType>(load.getType()) ||
      load.getRun() != 1 || load.getIsVolatile() || (load.getMask() && !load.getUniformRuns()))
    return;
  SmallVector<Value> blocks = {load.getPointer()};
  for (Value block : {load.getMask(), load.getOther()})
    if (block)
      blocks.push_back(block);
  setConstancy(load, sameNeighbours(blocks, infos));
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
    orderReductions(function, target.numWarps);
    ProductBlocks products(function);
    DefaultLayouts defaults(function, infos, products, target);
    PlacingRules rules(defaults, products, target);
    PlacingPlan plan(function, rules, infos, target);
    if (failed(plan.make()))
      return failure();
    plan.apply();
    if (target.kind == PlacementTarget::Kind::Gpu)
      orderLoads(function, rules);
  }
  if (target.kind == PlacementTarget::Kind::Gpu)
    narrowConversions(function);
  if (failed(checkAllPlaced(function)))
    return failure();
  if (target.kind == PlacementTarget::Kind::Gpu)
    storeInPlace(function);
  // The analysis from above does not know the clones and conversions that placing has made.
  AxisInfos infos(function);
  const ProgramDependence dependence(function);
  function.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      noteAccess(load, infos, dependence, target);
      noteConstancy(load, infos, target);
    } else if (auto store = dyn_cast<StoreOp>(op))
      noteAccess(store, infos, dependence, target);
    else if (auto atomic = dyn_cast<AtomicRMWOp>(op))
      noteAtomic(atomic, infos, target);
    else if (auto reduce = dyn_cast<ReduceOp>(op))
      noteOrder(reduce, target);
    else if (auto sum = dyn_cast<arith::AddIOp>(op))
      noteSum(sum, infos);
    else if (isa<arith::CmpIOp, arith::DivSIOp, arith::DivUIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
      noteConstancy(op, infos, target);
    else if (auto dot = dyn_cast<DotOp>(op))
      dot.setWarpgroups(isForWarpgroups(dot, target));
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
    machine.numStages = numStages;
    auto complain = [&](const Twine &what) {
      return emitError(getOperation()->getLoc()) << "eft-place: " << what;
    };
    Expected<Target> parsed = Target::parse(target.getValue());
    if (!parsed.ok())
      return complain(parsed.error().message);
    if (std::string fault = validateNumWarps(numWarps); !fault.empty())
      return complain("num-warps " + fault);
    if (!llvm::isPowerOf2_32(vectorBits) || vectorBits < 64)
      return complain("vector-bits must be a power of two of at least 64, got " +
                      Twine(vectorBits));
    bool isGpu = parsed->kind == Target::Kind::Cuda;
    machine.kind = isGpu ? PlacementTarget::Kind::Gpu : PlacementTarget::Kind::Cpu;
    machine.hasWarpgroups = hasWarpgroups(*parsed);
    machine.hasVectorAtomics = hasVectorAtomics(*parsed);
    return machine;
  }
};

} // namespace

} // namespace eft
