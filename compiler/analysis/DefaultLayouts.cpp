// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of a shape, from the accesses to memory in that shape.
#include "compiler/analysis/DefaultLayouts.h"

#include "compiler/ir/Accesses.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/layout/ReductionOrder.h"

using namespace mlir;
using namespace eft;

/// The widest access of the GPUs that Eft knows.
static constexpr int64_t gpuAccessBytes = 16;

/// Contiguity beyond a few cache lines makes no dimension more attractive.
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

/// The elements that one access may move along the dimension, whatever the layout.
static int64_t widestAccess(const AxisInfo &pointer, unsigned dim, int64_t elementBytes) {
  return std::min(pointer.alignedRun(dim), gpuAccessBytes / elementBytes);
}

DefaultLayouts::DefaultLayouts(func::FuncOp function, const AxisInfos &infos,
                               PlacementTarget target)
    : target(target) {
  function.walk([&](Operation *op) {
    if (Value pointer = pointerOf(op))
      add(pointer, infos, /*isWide=*/!isAtomic(op));
    else if (auto reduce = dyn_cast<ReduceOp>(op))
      add(reduce);
  });
}

void DefaultLayouts::add(ReduceOp reduce) {
  auto type = cast<RankedTensorType>(reduce.getSources().front().getType());
  Accesses &shape = accesses[shapeOf(type)];
  shape.contiguity.resize(type.getRank(), 0);
  shape.width.resize(type.getRank(), 1);
  shape.reducedBits = std::max<int64_t>(shape.reducedBits, type.getElementTypeBitWidth());
}

void DefaultLayouts::add(Value pointer, const AxisInfos &infos, bool isWide) {
  auto type = dyn_cast<RankedTensorType>(pointer.getType());
  if (!type)
    return;
  Accesses &shape = accesses[shapeOf(type)];
  shape.contiguity.resize(type.getRank(), 0);
  shape.width.resize(type.getRank(), 1);
  const int64_t bits = bitsInMemory(type);
  shape.widestBits = std::max(shape.widestBits, bits);
  AxisInfo info = infos.of(pointer);
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    shape.contiguity[dim] += std::min(info.contiguity(dim), enoughContiguity);
    if (isWide)
      shape.width[dim] = std::max(shape.width[dim], widestAccess(info, dim, bits / 8));
  }
}

LayoutAttr DefaultLayouts::choose(RankedTensorType type) const {
  std::vector<int64_t> shape = shapeOf(type);
  std::vector<unsigned> order = rowMajorOrder(shape.size());
  const bool isGpu = target.kind == PlacementTarget::Kind::Gpu;
  int64_t width = 1, widestBits = 32, reducedBits = 0;
  if (auto found = accesses.find(shape); found != accesses.end()) {
    const Accesses &all = found->second;
    // The dimension along which memory runs most; of several, the last.
    auto fastest = llvm::max_element(order, [&](unsigned left, unsigned right) {
      return all.contiguity[left] < all.contiguity[right];
    });
    std::rotate(order.begin(), fastest, fastest + 1);
    width = all.width[order.front()];
    widestBits = all.widestBits != 0 ? all.widestBits : widestBits;
    reducedBits = all.reducedBits;
  }
  if (isGpu && reducedBits != 0 && order == rowMajorOrder(shape.size()))
    return toAttribute(type.getContext(), reductionLayout(shape, reducedBits, target.numWarps));
  return toAttribute(type.getContext(),
                     isGpu ? placeOnGpu(shape, order, width, target.numWarps)
                           : placeOnCpu(shape, order, simdLanes(target.vectorBits, widestBits)));
}

LayoutAttr DefaultLayouts::of(RankedTensorType type) {
  LayoutAttr &layout = chosen[shapeOf(type)];
  if (!layout)
    layout = choose(type);
  return layout;
}

int64_t eft::accessRun(const AxisInfo &pointer, RankedTensorType pointerType,
                       const PlacementTarget &target) {
  std::optional<LinearLayout> layout = layoutOf(pointerType);
  if (!layout)
    return 1;
  int64_t run = 1;
  for (unsigned dim = 0; dim < pointerType.getRank(); ++dim) {
    const int64_t neighbours = target.kind == PlacementTarget::Kind::Gpu
                                   ? widestAccess(pointer, dim, bitsInMemory(pointerType) / 8)
                                   : pointer.contiguity(dim);
    run = std::max(
        run, std::min(neighbours, layout->contiguousAlong(target.accessDimension().str(), dim)));
  }
  return run;
}
