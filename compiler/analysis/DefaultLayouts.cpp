// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of a shape, from the accesses to memory in that shape.
#include "compiler/analysis/DefaultLayouts.h"

#include "compiler/ir/Accesses.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/layout/ReductionOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace eft;

/// The size in bytes of the widest access on the GPUs that Eft knows.
static constexpr int64_t gpuAccessBytes = 16;

/// Contiguity counts up to this length. Longer runs, beyond a few cache lines, make accesses no
/// faster.
static constexpr int64_t enoughContiguity = 64;

StringRef PlacementTarget::accessDimension() const {
  return kind == Kind::Gpu ? StringRef(place::registers) : StringRef(place::lane);
}

static std::vector<int64_t> shapeOf(RankedTensorType type) {
  return std::vector<int64_t>(type.getShape().begin(), type.getShape().end());
}

static int64_t bitsInMemory(Type pointerLike) {
  return cast<PointerType>(getElementTypeOrSelf(pointerLike)).getPointee().getIntOrFloatBitWidth();
}

int64_t eft::likelyContiguity(Value pointer, unsigned dim, const AxisInfos &infos) {
  const int64_t extent = cast<RankedTensorType>(pointer.getType()).getDimSize(dim);
  auto isConstant = [&](Value value) { return infos.of(value).constancy(dim) >= extent; };
  Value base = pointer;
  auto sum = base.getDefiningOp<AddPtrOp>();
  for (; sum && isConstant(sum.getOffset()); sum = base.getDefiningOp<AddPtrOp>())
    base = sum.getPointer();
  int64_t likely = 1;
  if (sum && isConstant(sum.getPointer())) {
    Value offset = sum.getOffset();
    while (auto extended = offset.getDefiningOp<arith::ExtSIOp>())
      offset = extended.getIn();
    likely = infos.of(offset).contiguity(dim);
  }
  return std::max(likely, infos.of(pointer).contiguity(dim));
}

/// The most neighbours along the dimension that one access of a GPU moves, whatever their
/// alignment. The elements of one atomic operation must have the same mask.
static int64_t mostElements(Operation *access, unsigned dim, const AxisInfos &infos,
                            const PlacementTarget &target) {
  if (!isAtomic(access))
    return gpuAccessBytes * 8 / bitsInMemory(pointerOf(access).getType());
  const int64_t width = atomicWidth(access, target.hasVectorAtomics);
  Value mask = maskOf(access);
  return mask ? std::min(width, infos.of(mask).constancy(dim)) : width;
}

/// The most elements along the dimension that one access may move in any layout.
static int64_t widestAccess(const AxisInfo &pointer, unsigned dim, int64_t most,
                            bool mayBeHeadless) {
  return std::min(mayBeHeadless ? pointer.headlessRun(dim) : pointer.alignedRun(dim), most);
}

/// True if the access may rely on headless runs, whose first element must be checked at run time.
/// Code for a GPU does that check for loads and stores, code for a CPU only for loads. Loads that
/// must read memory anew, such as volatile ones, may touch only the elements that they were asked
/// for.
static bool mayBeHeadless(Operation *access, const PlacementTarget &target) {
  auto load = dyn_cast<LoadOp>(access);
  return load ? !load.readsAnew() : target.kind == PlacementTarget::Kind::Gpu && !isAtomic(access);
}

/// The weight of an access's contiguity in the choice of the layout. On a GPU, a store in a
/// function without loops counts as much as four loads: a load there can be made in another layout
/// than that of its shape, and its result can then be converted.
static int64_t weightOf(Operation *access, bool hasLoops, const PlacementTarget &target) {
  return target.kind == PlacementTarget::Kind::Gpu && !hasLoops && isa<StoreOp>(access) ? 4 : 1;
}

DefaultLayouts::DefaultLayouts(func::FuncOp function, const AxisInfos &infos,
                               const ProductBlocks &products, PlacementTarget target)
    : target(target) {
  const bool hasLoops =
      function.walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
  function.walk([&](Operation *op) {
    Value pointer = pointerOf(op);
    if (auto type = pointer ? dyn_cast<RankedTensorType>(pointer.getType()) : RankedTensorType())
      add(accesses[shapeOf(type)], op, infos, weightOf(op, hasLoops, target));
    else if (auto reduce = dyn_cast<ReduceOp>(op); reduce && !products.productBehind(reduce))
      add(reduce);
  });
}

void DefaultLayouts::add(ReduceOp reduce) {
  auto type = cast<RankedTensorType>(reduce.getSources().front().getType());
  Accesses &shape = accesses[shapeOf(type)];
  shape.contiguity.resize(type.getRank(), 0);
  shape.width.resize(type.getRank(), 1);
  shape.mostNeighbours.resize(type.getRank(), enoughElements);
  int64_t &bits = reduce.getOrderFree() ? shape.freelyReducedBits : shape.reducedBits;
  bits = std::max<int64_t>(bits, type.getElementTypeBitWidth());
}

void DefaultLayouts::add(Accesses &shape, Operation *access, const AxisInfos &infos,
                         int64_t weight) const {
  Value pointer = pointerOf(access);
  auto type = cast<RankedTensorType>(pointer.getType());
  const bool isHeadless = mayBeHeadless(access, target);
  shape.contiguity.resize(type.getRank(), 0);
  shape.width.resize(type.getRank(), 1);
  shape.mostNeighbours.resize(type.getRank(), enoughElements);
  const int64_t bits = bitsInMemory(type);
  shape.widestBits = std::max(shape.widestBits, bits);
  AxisInfo info = infos.of(pointer);
  const unsigned last = type.getRank() - 1;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    const int64_t headless = isHeadless ? info.headlessRun(dim) : 1;
    shape.contiguity[dim] +=
        weight *
        std::min(std::max(likelyContiguity(pointer, dim, infos), headless), enoughContiguity);
    const int64_t most = mostElements(access, dim, infos, target);
    const int64_t widest = widestAccess(info, dim, most, isHeadless);
    if (isAtomic(access) && info.contiguity(dim) > 1)
      shape.mostNeighbours[dim] = std::min(shape.mostNeighbours[dim], widest);
    if (isa<StoreOp>(access))
      shape.mostNeighbours[dim] = std::min(shape.mostNeighbours[dim], most);
    // An access that moves one element at a time gains nothing from neighbours in one thread.
    if (most == 1)
      continue;
    shape.width[dim] = std::max(shape.width[dim], widest);
    if (dim == last && info.contiguity(dim) >= std::min(type.getDimSize(dim), lanesPerWarp))
      shape.narrowest = std::min(shape.narrowest, widest);
  }
}

/// The size of the elements for which the layout of a block is good to reduce: its vectors of 16
/// bytes hold elements of this size. It is that of the widest elements that are reduced. If the
/// order of all reductions is free, the vectors of a block that is accessed have as many elements
/// as the narrowest access moves, provided that all threads get one.
int64_t DefaultLayouts::bitsForReductions(ArrayRef<int64_t> shape, const Accesses &accesses) const {
  const int64_t widest = std::max(accesses.reducedBits, accesses.freelyReducedBits);
  if (accesses.reducedBits != 0 || widest == 0 || accesses.widestBits == 0)
    return widest;
  constexpr int64_t bitsOfVector = 128;
  const int64_t perThread =
      ShapedType::getNumElements(shape) / (int64_t(lanesPerWarp) * target.numWarps);
  const int64_t neighbours = std::clamp<int64_t>(perThread, 1, accesses.narrowest);
  return std::min(widest, std::max<int64_t>(8, bitsOfVector / neighbours));
}

LayoutAttr DefaultLayouts::choose(RankedTensorType type, const Accesses *accesses) const {
  std::vector<int64_t> shape = shapeOf(type);
  std::vector<unsigned> order = rowMajorOrder(shape.size());
  const bool isGpu = target.kind == PlacementTarget::Kind::Gpu;
  int64_t width = 1, widestBits = 32, reducedBits = 0;
  if (accesses) {
    const Accesses &all = *accesses;
    // The fastest dimension is the one with the largest sum of contiguity; if there are several,
    // the last of them.
    auto fastest = llvm::max_element(order, [&](unsigned left, unsigned right) {
      return all.contiguity[left] < all.contiguity[right];
    });
    std::rotate(order.begin(), fastest, fastest + 1);
    width = std::min(all.width[order.front()], all.mostNeighbours[order.front()]);
    widestBits = all.widestBits != 0 ? all.widestBits : widestBits;
    reducedBits = bitsForReductions(shape, all);
  }
  if (isGpu && reducedBits != 0 && order == rowMajorOrder(shape.size()))
    return toAttribute(type.getContext(),
                       reductionLayout(shape, reducedBits, target.numWarps, accesses->narrowest));
  return toAttribute(type.getContext(),
                     isGpu ? placeOnGpu(shape, order, width, target.numWarps)
                           : placeOnCpu(shape, order, simdLanes(target.vectorBits, widestBits)));
}

bool DefaultLayouts::isAccessed(RankedTensorType type) const {
  auto found = accesses.find(shapeOf(type));
  return found != accesses.end() && found->second.widestBits != 0;
}

LayoutAttr DefaultLayouts::of(RankedTensorType type) {
  LayoutAttr &layout = chosen[shapeOf(type)];
  if (!layout) {
    auto found = accesses.find(shapeOf(type));
    layout = choose(type, found == accesses.end() ? nullptr : &found->second);
  }
  return layout;
}

LayoutAttr DefaultLayouts::ofReduced(RankedTensorType type) const {
  std::vector<int64_t> shape = shapeOf(type);
  auto found = accesses.find(shape);
  return toAttribute(
      type.getContext(),
      reductionLayout(shape, type.getElementTypeBitWidth(), target.numWarps,
                      found == accesses.end() ? enoughElements : found->second.narrowest));
}

LayoutAttr DefaultLayouts::ofAlone(LoadOp load, int64_t leastNeighbours,
                                   const AxisInfos &infos) const {
  Accesses alone;
  add(alone, load, infos, /*weight=*/1);
  for (int64_t &width : alone.width)
    width = std::max(width, leastNeighbours);
  return choose(cast<RankedTensorType>(load.getType()), &alone);
}

AccessRun eft::accessRun(const AxisInfos &infos, Operation *access, RankedTensorType pointerType,
                         const PlacementTarget &target) {
  std::optional<LinearLayout> layout = layoutOf(pointerType);
  AccessRun run;
  if (!layout)
    return run;
  const bool isGpu = target.kind == PlacementTarget::Kind::Gpu;
  const AxisInfo pointer = infos.of(pointerOf(access));
  for (unsigned dim = 0; dim < pointerType.getRank(); ++dim) {
    const int64_t placed = layout->contiguousAlong(target.accessDimension().str(), dim);
    auto lengthIn = [&](bool headless) {
      const int64_t onCpu =
          std::max(pointer.contiguity(dim), headless ? pointer.headlessRun(dim) : 1);
      const int64_t most = mostElements(access, dim, infos, target);
      return std::min(placed, isGpu ? widestAccess(pointer, dim, most, headless) : onCpu);
    };
    const int64_t length = lengthIn(mayBeHeadless(access, target));
    if (length > run.length)
      run = {length, dim, length > lengthIn(/*headless=*/false)};
  }
  return run;
}
