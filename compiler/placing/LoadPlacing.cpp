// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/placing/LoadPlacing.h"

#include "compiler/ir/Accesses.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/placing/DotPlacing.h"
#include "compiler/placing/PlacingRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

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

/// True if one run of the program may execute the load after the store.
bool mayRunAfter(Operation *load, Operation *store, Operation *function) {
  for (Operation *around = load; around && around != function; around = around->getParentOp()) {
    if (isa<LoopLikeOpInterface>(around) && around->isProperAncestor(store))
      return true;
    Operation *other = around->getBlock()->findAncestorOpInBlock(*store);
    if (other && other != around && other->isBeforeInBlock(around))
      return true;
  }
  return false;
}

bool mayRunBefore(Operation *load, Operation *store, Operation *function) {
  return mayRunAfter(store, load, function);
}

/// True if the operation writes memory, in blocks of the load's shape.
bool storesShapeOf(LoadOp load, Operation *op) {
  if (!isa<StoreOp>(op) && !isAtomic(op))
    return false;
  auto type = dyn_cast<RankedTensorType>(pointerOf(op).getType());
  return type && type.getShape() == cast<RankedTensorType>(load.getType()).getShape();
}

/// True if there is a store to blocks of the load's shape for which this is true.
bool meetsStore(LoadOp load,
                bool (*mayMeet)(Operation *load, Operation *store, Operation *function)) {
  auto function = load->getParentOfType<func::FuncOp>();
  return function
      .walk([&](Operation *op) {
        return storesShapeOf(load, op) && mayMeet(load, op, function) ? WalkResult::interrupt()
                                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Adds the products of which a value, or a transposition of it, is a factor. Fails if one is in
/// another block than `block`, or the value has another use.
bool addProducts(Value value, Block *block, SmallVector<DotOp> &products) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (auto trans = dyn_cast<TransOp>(use.getOwner()))
      return addProducts(trans.getResult(), block, products);
    auto dot = dyn_cast<DotOp>(use.getOwner());
    if (!dot || dot->getBlock() != block || dot.getAcc() == value)
      return false;
    products.push_back(dot);
    return true;
  });
}

/// A product of which a loop loads a factor. If the load has other uses than products, null.
DotOp productInLoop(LoadOp load) {
  SmallVector<DotOp> products;
  if (!isa<scf::ForOp>(load->getParentOp()) ||
      !addProducts(load.getResult(), load->getBlock(), products) || products.empty())
    return {};
  return products.front();
}

bool isInSameLoop(Operation *load, Operation *store, Operation *) {
  return load->getParentOp()->isAncestor(store);
}

/// Whether the load may be made in another layout than its shape's, and then be converted. It must
/// stay ordered with stores: with those around the loop of a product, by barriers.
bool canLeaveStandard(LoadOp load, DotOp product, const PlacementTarget &target) {
  if (target.kind == PlacementTarget::Kind::Cpu)
    return false;
  return !meetsStore(load, mayBothRun) ||
         (product && product.usesTensorCores() && !meetsStore(load, isInSameLoop));
}

/// The dimension along which the next lane's elements lie: that along which memory is accessed.
std::optional<unsigned> dimensionOfLanes(Type block, LayoutAttr layoutAttr) {
  const Coordinates next = layoutOf(placed(block, layoutAttr))->basis(place::lane, 0);
  auto found = llvm::find_if(next, [](int64_t coordinate) { return coordinate != 0; });
  return found == next.end() ? std::nullopt : std::optional(unsigned(found - next.begin()));
}

/// Whether a load that can't leave the standard layout by itself may do so in front of a barrier:
/// it is in no loop, no store to blocks of its shape comes before it, and it runs along another
/// dimension.
bool mayStandBeforeBarrier(LoadOp load, LoadLayouts layouts, const PlacementTarget &target) {
  return target.kind == PlacementTarget::Kind::Gpu &&
         !load->getParentOfType<LoopLikeOpInterface>() && !meetsStore(load, mayRunAfter) &&
         dimensionOfLanes(load.getType(), layouts.best) !=
             dimensionOfLanes(load.getType(), layouts.standard);
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
int64_t traffic(LoadOp load, LayoutAttr layoutAttr, const AxisInfos &infos,
                const PlacementTarget &target) {
  const AxisInfo pointer = infos.of(load.getPointer());
  RankedTensorType type = placed(load.getPointer().getType(), layoutAttr);
  LinearLayout layout = *layoutOf(type);
  const int64_t run = accessRun(infos, load, type, target).length;
  const int64_t bytes = getElementTypeOrSelf(load.getType()).getIntOrFloatBitWidth() / 8;
  const bool isGpu = target.kind == PlacementTarget::Kind::Gpu;
  std::string_view pieces = isGpu ? place::registers : place::step;
  unsigned copies = llvm::popcount(layout.redundantBits(pieces));
  int64_t held = int64_t(1) << (layout.placeBits(pieces) - copies);
  auto reach = [&](unsigned dim) {
    return std::max(likelyContiguity(load.getPointer(), dim, infos),
                    isGpu ? pointer.headlessRun(dim) : 1);
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

int64_t leastNeighbours(LoadOp load, const PlacementTarget &target) {
  const DotOp product = productInLoop(load);
  if (!product || !isForWarpgroups(product, target))
    return 1;
  return getElementTypeOrSelf(load.getType()).getIntOrFloatBitWidth() == 16 ? 2 : 1;
}

/// Adds the operations behind a load that store blocks of its shape, the first of each region
/// around it.
static void addNextStores(LoadOp load, Operation *function, llvm::SetVector<Operation *> &stores) {
  for (Operation *around = load; around != function; around = around->getParentOp())
    for (Operation *op = around->getNextNode(); op; op = op->getNextNode())
      if (op->walk([&](Operation *inner) {
              return storesShapeOf(load, inner) ? WalkResult::interrupt() : WalkResult::advance();
            }).wasInterrupted()) {
        stores.insert(op);
        break;
      }
}

/// Whether copies may bring what a loop loads in this layout to shared memory, iterations ahead.
static bool mayBeCopied(LoadOp load, LayoutAttr layout, const AxisInfos &infos,
                        const PlacementTarget &target) {
  constexpr int64_t leastBytes = 4;
  const RankedTensorType type = placed(load.getPointer().getType(), layout);
  const int64_t bytes = getElementTypeOrSelf(load.getType()).getIntOrFloatBitWidth() / 8;
  return !load.readsAnew() && !writesMemory(load->getParentOp()) &&
         accessRun(infos, load, type, target).length * bytes >= leastBytes;
}

LayoutAttr layoutOfLoad(LoadOp load, LayoutAttr layout, LoadLayouts layouts, const AxisInfos &infos,
                        const PlacementTarget &target) {
  DotOp product = productInLoop(load);
  auto isCostly = [&](LayoutAttr each) {
    const int64_t best = std::max(traffic(load, layouts.best, infos, target), cheapTraffic);
    return traffic(load, each, infos, target) > 2 * best;
  };
  const bool leaves = canLeaveStandard(load, product, target) ||
                      (mayStandBeforeBarrier(load, layouts, target) && isCostly(layouts.standard));
  const LayoutAttr own = leaves ? layouts.best : layouts.standard;
  const bool isCopied = target.kind == PlacementTarget::Kind::Gpu && product &&
                        (isForWarpgroups(product, target) ||
                         (product.usesTensorCores() && mayBeCopied(load, own, infos, target)));
  if (layout == own || isCopied)
    return own;
  // A store in the same layout comes after the load in each thread.
  if (layout != layouts.standard && meetsStore(load, mayBothRun))
    return own;
  if (isOneElementAVector(layout, load.getPointer().getType(), target))
    return layout;
  int64_t best = std::max(traffic(load, own, infos, target), cheapTraffic);
  return traffic(load, layout, infos, target) <= 2 * best ? layout : own;
}

void orderLoads(func::FuncOp function, PlacingRules &rules) {
  llvm::SetVector<Operation *> before, behind;
  function.walk([&](LoadOp load) {
    auto block = dyn_cast<RankedTensorType>(load.getType());
    if (!block || block.getEncoding() == rules.defaultOf(load.getResult()))
      return;
    Operation *loop = load->getParentOp();
    if (!isa<scf::ForOp>(loop)) {
      addNextStores(load, function, before);
      return;
    }
    if (meetsStore(load, mayRunAfter))
      before.insert(loop);
    if (meetsStore(load, mayRunBefore))
      behind.insert(loop);
  });
  OpBuilder builder(function.getContext());
  for (Operation *op : before) {
    builder.setInsertionPoint(op);
    builder.create<BarrierOp>(op->getLoc());
  }
  for (Operation *loop : behind) {
    builder.setInsertionPointAfter(loop);
    builder.create<BarrierOp>(loop->getLoc());
  }
}

} // namespace eft
