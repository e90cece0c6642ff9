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

/// The bytes of a sector, the unit in which a GPU moves memory.
constexpr int64_t sectorBytes = 32;

/// The number of sectors or accesses up to which memory traffic is cheap: to save some of them is
/// not worth staging through shared memory.
constexpr int64_t cheapTraffic = 8;

/// Returns the operation at which a search outwards for the other access begins. Usually this is
/// `access` itself. If a loop around both accesses stores nothing that it loads, this is the
/// operation around that loop: the two accesses can only meet if the whole loop is executed again.
Operation *whereTheyMayMeet(Operation *access, Operation *other) {
  for (Operation *around = access->getParentOp(); around; around = around->getParentOp())
    if (areStoresApart(around) && around->isProperAncestor(other))
      return around->getParentOp();
  return access;
}

/// Returns true if one program may execute both operations, and they may access the same memory.
bool mayBothRun(Operation *load, Operation *store, Operation *function) {
  for (Operation *around = whereTheyMayMeet(load, store); around && around != function;
       around = around->getParentOp()) {
    if (isa<LoopLikeOpInterface>(around) && around->isProperAncestor(store))
      return true;
    Operation *other = around->getBlock()->findAncestorOpInBlock(*store);
    if (other && other != around)
      return true;
  }
  return false;
}

/// Returns true if one program may execute the load after the store, and they may access the same
/// memory.
bool mayRunAfter(Operation *load, Operation *store, Operation *function) {
  for (Operation *around = whereTheyMayMeet(load, store); around && around != function;
       around = around->getParentOp()) {
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

/// Returns true if the operation is a store or an atomic operation on blocks of the load's shape.
bool storesShapeOf(LoadOp load, Operation *op) {
  if (!isa<StoreOp>(op) && !isAtomic(op))
    return false;
  auto type = dyn_cast<RankedTensorType>(pointerOf(op).getType());
  return type && type.getShape() == cast<RankedTensorType>(load.getType()).getShape();
}

/// Returns true if `mayMeet` is true for the load and some operation for which `storesShapeOf` is
/// true.
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

/// Adds the products of which `value`, or a transposition of it, is a factor. Returns false if one
/// of the products is in another basic block than `block`, or if `value` has any other use.
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

/// Returns a product in an `scf.for` for which the load, in the same loop, loads a factor. Returns
/// null if there is no such product, or if the load has other uses.
DotOp productInLoop(LoadOp load) {
  SmallVector<DotOp> products;
  if (!isa<scf::ForOp>(load->getParentOp()) ||
      !addProducts(load.getResult(), load->getBlock(), products) || products.empty())
    return {};
  return products.front();
}

bool isInSameLoop(Operation *load, Operation *store, Operation *) {
  return load->getParentOp()->isAncestor(store) && !areStoresApart(load->getParentOp());
}

/// Returns true if the load may be made in another layout than the default layout of its shape,
/// which is possible only on a GPU. The load must stay ordered with stores to blocks of this shape.
/// This holds if no program executes both the load and a store to a block of this shape. It also
/// holds if the load loads a factor of a product on tensor cores in a loop, and all stores to
/// blocks of this shape are outside of the loop: barriers then order the load and the stores.
bool canLeaveStandard(LoadOp load, DotOp product, const PlacementTarget &target) {
  if (target.kind == PlacementTarget::Kind::Cpu)
    return false;
  return !meetsStore(load, mayBothRun) ||
         (product && product.usesTensorCores() && !meetsStore(load, isInSameLoop));
}

/// Returns the dimension along which the elements of lane 1 lie beside those of lane 0. Memory is
/// accessed along this dimension. Returns nothing if the two lanes hold the same elements.
std::optional<unsigned> dimensionOfLanes(Type block, LayoutAttr layoutAttr) {
  const Coordinates next = layoutOf(placed(block, layoutAttr))->basis(place::lane, 0);
  auto found = llvm::find_if(next, [](int64_t coordinate) { return coordinate != 0; });
  return found == next.end() ? std::nullopt : std::optional(unsigned(found - next.begin()));
}

/// Returns true if a barrier after the load lets the load leave the standard layout: the target is
/// a GPU, the load is in no loop, no store to blocks of its shape comes before it, and the best
/// layout accesses memory along another dimension than the standard layout.
bool mayStandBeforeBarrier(LoadOp load, LoadLayouts layouts, const PlacementTarget &target) {
  return target.kind == PlacementTarget::Kind::Gpu &&
         !load->getParentOfType<LoopLikeOpInterface>() && !meetsStore(load, mayRunAfter) &&
         dimensionOfLanes(load.getType(), layouts.best) !=
             dimensionOfLanes(load.getType(), layouts.standard);
}

/// Returns the number of sectors that the lanes of a warp touch if each lane accesses `run`
/// elements once. The coordinate along `fastest` is rounded down to whole sectors, or to whole runs
/// if these are longer. The lanes' bases then span 2^rank different starts.
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

/// Returns true if, on a CPU, all lanes of each vector hold the same element. Loading one element
/// into all lanes costs no more than loading a vector, and a loop over the vectors can load the
/// elements one by one.
bool isOneElementAVector(LayoutAttr layoutAttr, Type block, const PlacementTarget &target) {
  LinearLayout layout = *layoutOf(placed(block, layoutAttr));
  auto lanes = [&](unsigned bit) { return layout.basis(place::lane, bit); };
  auto isZero = [](int64_t coordinate) { return coordinate == 0; };
  return target.kind == PlacementTarget::Kind::Cpu &&
         llvm::all_of(llvm::seq(layout.placeBits(place::lane)),
                      [&](unsigned bit) { return llvm::all_of(lanes(bit), isZero); });
}

/// Returns the memory traffic of the load in this layout: on a GPU, the number of sectors that one
/// warp touches in all its accesses; on a CPU, the number of accesses.
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

/// For each region around the load, adds the first operation after the load, or after the operation
/// that contains the load, that stores blocks of the load's shape or contains such a store.
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

/// Returns true if asynchronous copies to shared memory may replace the load, which is in a loop.
/// Such copies begin in earlier iterations, so nothing in the loop may write what it loads, and
/// the load may not be volatile. A run must be long enough for a copy.
static bool mayBeCopied(LoadOp load, LayoutAttr layout, const AxisInfos &infos,
                        const PlacementTarget &target) {
  const RankedTensorType type = placed(load.getPointer().getType(), layout);
  const int64_t bytes = getElementTypeOrSelf(load.getType()).getIntOrFloatBitWidth() / 8;
  return !load.readsAnew() && !writesMemory(load->getParentOp()) &&
         accessRun(infos, load, type, target).length * bytes >= CopyAsyncOp::minBytes;
}

/// Returns true if only elementwise operations, moves of elements and the loop's yield use the
/// block within one iteration. Then no load and no product of the same iteration depends on it.
static bool isForResults(LoadOp load) {
  llvm::SetVector<Operation *> pending;
  pending.insert(load);
  for (size_t next = 0; next < pending.size(); ++next)
    for (Operation *user : pending[next]->getUsers()) {
      if (isa<scf::YieldOp>(user))
        continue;
      if (user->getBlock() != load->getBlock() || !isMemoryEffectFree(user) ||
          !(OpTrait::hasElementwiseMappableTraits(user) || isa<ElementMoveOpInterface>(user)))
        return false;
      pending.insert(user);
    }
  return true;
}

/// Returns true if the load is beside products in a loop that may have copies, and in this layout
/// several threads hold the same element, such as a number for each column of a product.
static bool isSharedBesideProducts(LoadOp load, LayoutAttr layout, const PlacementTarget &target) {
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  return loop && ownStages(loop).value_or(target.numStages) > 1 &&
         llvm::any_of(loop.getBody()->getOps<DotOp>(),
                      [](DotOp dot) { return dot.usesTensorCores(); }) &&
         isForResults(load) && isHeldBySeveralThreads(placed(load.getType(), layout));
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
  // A copy in the other layout would be begun by few threads, each of which would copy many
  // elements.
  const bool isCopiedForThreads = target.kind == PlacementTarget::Kind::Gpu && !product &&
                                  isPlain(load) && isSharedBesideProducts(load, layout, target) &&
                                  mayBeCopied(load, own, infos, target);
  if (layout == own || isCopied || isCopiedForThreads)
    return own;
  // If a store to blocks of this shape may also run, only the standard layout is allowed besides
  // `own`: it is the layout of the store, so each thread does both accesses to an element in their
  // order.
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
