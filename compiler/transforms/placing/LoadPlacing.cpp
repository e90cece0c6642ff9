// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transforms/placing/LoadPlacing.h"

#include "compiler/ir/Accesses.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/transforms/placing/DotPlacing.h"
#include "compiler/transforms/placing/PlacingRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace eft {

namespace {

/// The unit in which memory is moved.
constexpr int64_t sectorBytes = 32;

/// Memory traffic of this many sectors or accesses is no reason for staging through shared memory.
constexpr int64_t cheapTraffic = 8;

/// True if one run of the program may execute both operations.
bool mayBothRun(Operation *load, Operation *store, Operation *function) {
  for (Operation *around = load; around && around != function; around = around->getParentOp()) {
    if (isa<LoopLikeOpInterface>(around) && around->isProperAncestor(store))
      return true;
    Operation *other = around->getBlock()->findAncestorOpInBlock(*store);
    if (other && other != around)
      return true;
  }
  return false;
}

bool meetsStoreOfItsShape(LoadOp load) {
  auto shape = cast<RankedTensorType>(load.getType()).getShape();
  auto function = load->getParentOfType<func::FuncOp>();
  return function
      .walk([&](Operation *store) {
        Value pointer = pointerOf(store);
        if (!pointer || !hasEffect<MemoryEffects::Write>(store, pointer))
          return WalkResult::advance();
        auto type = dyn_cast<RankedTensorType>(pointer.getType());
        return type && type.getShape() == shape && mayBothRun(load, store, function)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if a loop loads a factor for warpgroups: then a copy can bring it to shared memory.
bool isFactorForWarpgroups(LoadOp load, const PlacementTarget &target) {
  if (!isa<scf::ForOp>(load->getParentOp()))
    return false;
  Value value = load.getResult();
  while (value.hasOneUse()) {
    Operation *user = value.use_begin()->getOwner();
    if (auto dot = dyn_cast<DotOp>(user))
      return dot->getBlock() == load->getBlock() && dot.getAcc() != value &&
             isForWarpgroups(dot, target);
    if (!isa<TransOp>(user))
      return false;
    value = user->getResult(0);
  }
  return false;
}

/// The number of sectors that the lanes of a warp touch with one access of `run` elements each. The
/// lane's bits whose images lie inside a sector do not count; the sectors are 2 to the power of the
/// rank of the others.
int64_t sectorsOfLanes(const LinearLayout &layout, unsigned fastest, int64_t sectorElements,
                       int64_t run) {
  std::vector<PlaceBases> bases;
  int64_t outside = ~(std::max(sectorElements, run) - 1);
  PlaceBases lanes{std::string(place::lane), {}};
  for (unsigned bit = 0; bit < layout.placeBits(place::lane); ++bit) {
    Coordinates basis = layout.basis(place::lane, bit);
    basis[fastest] &= outside;
    lanes.bases.push_back(basis);
  }
  std::string error;
  std::optional<LinearLayout> map = LinearLayout::create(std::vector{lanes}, layout.shape(), error);
  int64_t pieces = int64_t(1) << map->rank();
  return pieces * std::max<int64_t>(1, run / sectorElements);
}

/// True if each of a CPU's vectors holds one element. To load it for all lanes costs no more than
/// to load a vector, and a loop over the vectors can load the elements one by one.
bool isOneElementAVector(LayoutAttr layoutAttr, Type block, const PlacementTarget &target) {
  LinearLayout layout = *layoutOf(placed(block, layoutAttr));
  auto lanes = [&](unsigned bit) { return layout.basis(place::lane, bit); };
  auto isZero = [](int64_t coordinate) { return coordinate == 0; };
  return target.kind == PlacementTarget::Kind::Cpu &&
         llvm::all_of(llvm::seq(layout.placeBits(place::lane)),
                      [&](unsigned bit) { return llvm::all_of(lanes(bit), isZero); });
}

/// The number of sectors that a warp touches in all its accesses, or of accesses of a CPU's thread.
int64_t traffic(LoadOp load, LayoutAttr layoutAttr, const AxisInfo &pointer,
                const PlacementTarget &target) {
  RankedTensorType type = placed(load.getPointer().getType(), layoutAttr);
  LinearLayout layout = *layoutOf(type);
  const int64_t run = accessRun(pointer, load, type, target).length;
  const int64_t bytes = getElementTypeOrSelf(load.getType()).getIntOrFloatBitWidth() / 8;
  const bool isGpu = target.kind == PlacementTarget::Kind::Gpu;
  std::string_view pieces = isGpu ? place::registers : place::step;
  unsigned copies = llvm::popcount(layout.redundantBits(pieces));
  int64_t held = int64_t(1) << (layout.placeBits(pieces) - copies);
  auto reach = [&](unsigned dim) {
    return std::max(pointer.contiguity(dim), isGpu ? pointer.headlessRun(dim) : 1);
  };
  unsigned fastest = 0;
  for (int64_t dim = 1; dim < type.getRank(); ++dim)
    if (reach(dim) >= reach(fastest))
      fastest = dim;
  if (!isGpu) {
    int64_t lanes = int64_t(1) << layout.placeBits(place::lane);
    return run >= lanes ? held : held * lanes;
  }
  return std::max<int64_t>(held / run, 1) *
         sectorsOfLanes(layout, fastest, std::max<int64_t>(sectorBytes / bytes, 1), run);
}

} // namespace

bool canLoadIn(LoadOp load, LayoutAttr layout, LayoutAttr standard, const AxisInfos &infos,
               const PlacementTarget &target) {
  if (layout == standard)
    return true;
  if (meetsStoreOfItsShape(load) || isFactorForWarpgroups(load, target))
    return false;
  if (isOneElementAVector(layout, load.getPointer().getType(), target))
    return true;
  AxisInfo pointer = infos.of(load.getPointer());
  int64_t best = std::max(traffic(load, standard, pointer, target), cheapTraffic);
  return traffic(load, layout, pointer, target) <= 2 * best;
}

} // namespace eft
