// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/pipelining/LoopOperands.h"

#include "compiler/ir/Accesses.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/MatrixLoad.h"
#include "compiler/layout/Placement.h"
#include "compiler/layout/WarpgroupLayouts.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {

namespace {

constexpr int64_t minCopy = CopyAsyncOp::minBytes, widestAccess = CopyAsyncOp::maxBytes;

/// The most registers of a thread for the results of products and for factors in short runs. A
/// thread has 255 registers; the other values of the loop need the rest.
constexpr int64_t maxRegisters = 208;

/// The most scalars that are loaded ahead. Each takes a register for every iteration under way.
constexpr size_t maxScalars = 4;

/// The order of the elements in a slot that is written in the layout `from` and read by `dot`.
/// Warps that multiply on their own read the slot in the layout `wanted`; warpgroups do not use
/// `wanted`. `k` is the dimension of the slot along which the product sums.
LinearLayout slotOrder(DotOp dot, const LinearLayout &from, const LinearLayout &wanted,
                       int64_t bytes, unsigned k) {
  if (!dot.getWarpgroups())
    return chooseSharedOrder(from, wanted, unsigned(bytes)).layout.order(from, place::offset);
  return warpgroupOrder(from.shape(), rowsForWarpgroups(from, bytes, k), bytes);
}

/// True if copies can replace `load`: the copies move whole runs, or with a mask the beginnings of
/// runs, and write zeros for the other elements.
bool isCopyable(LoadOp load) {
  auto block = dyn_cast<RankedTensorType>(load.getType());
  if (!block)
    return false;
  Type element = block.getElementType();
  const bool cutsRuns = load.getMask() && load.getRun().value_or(1) > 1 && !load.getUniformRuns() &&
                        !load.getPrefixRuns();
  std::optional<LinearLayout> layout = layoutOf(block);
  return isPlain(load) && !cutsRuns && element.isIntOrFloat() &&
         element.getIntOrFloatBitWidth() >= 8 && layout &&
         withPlaces(*layout, gpuPlaces).isSurjective();
}

/// The type of one slot for the block of `load`, in the order `order`; null if the runs of its
/// copies have less than `minBytes` bytes.
SharedType slotsInOrder(LoadOp load, const LinearLayout &order, int64_t minBytes) {
  auto block = cast<RankedTensorType>(load.getType());
  const LinearLayout from = withPlaces(*layoutOf(block), gpuPlaces);
  const int64_t bytes = block.getElementTypeBitWidth() / 8;
  const int64_t run =
      SharedLayout::ofOrder(order, from, unsigned(bytes))
          .runOfFragments(from, std::min<int64_t>(load.getRun().value_or(1), widestAccess / bytes));
  if (run * bytes < minBytes)
    return {};
  auto plain = RankedTensorType::get(block.getShape(), block.getElementType());
  return SharedType::get(load.getContext(), 1, withLayout(plain, order));
}

/// The type of one slot for the block that `load` loads and `dot` takes through `convert`; null if
/// there is none. `k` is the dimension of the slot along which the product sums. `minBytes` is the
/// least length of the copies' runs for a product of warpgroups.
SharedType slotsForProduct(LoadOp load, ConvertLayoutOp convert, DotOp dot, unsigned k,
                           int64_t minBytes) {
  auto block = cast<RankedTensorType>(load.getType());
  std::optional<LinearLayout> needed = layoutOf(convert.getType());
  if (!needed)
    return {};
  const LinearLayout from = withPlaces(*layoutOf(block), gpuPlaces),
                     wanted = withPlaces(*needed, gpuPlaces);
  if (!wanted.isSurjective())
    return {};
  return slotsInOrder(load, slotOrder(dot, from, wanted, block.getElementTypeBitWidth() / 8, k),
                      dot.getWarpgroups() ? minBytes : minCopy);
}

/// A use of a loaded block by a product, through a conversion and perhaps transpositions.
struct ProductUse {
  ConvertLayoutOp convert;
  OpOperand *operand;

  DotOp dot() const { return cast<DotOp>(operand->getOwner()); }
};

/// Adds to `uses` the uses of `value`, which is the result of `convert` or a transposition of it.
/// Returns false if a use is not a factor of a product on tensor cores in the same block of
/// operations.
bool addUses(ConvertLayoutOp convert, Value value, SmallVector<ProductUse> &uses) {
  for (OpOperand &use : value.getUses()) {
    if (use.getOwner()->getBlock() != convert->getBlock())
      return false;
    if (auto trans = dyn_cast<TransOp>(use.getOwner())) {
      if (!addUses(convert, trans.getResult(), uses))
        return false;
      continue;
    }
    auto dot = dyn_cast<DotOp>(use.getOwner());
    if (!dot || !dot.usesTensorCores() || &use == &dot.getAccMutable())
      return false;
    uses.push_back({convert, &use});
  }
  return true;
}

/// The uses of a loaded block by products; empty if the block has other uses.
SmallVector<ProductUse> productUses(LoadOp load) {
  SmallVector<ProductUse> uses;
  for (Operation *user : load->getUsers()) {
    auto convert = dyn_cast<ConvertLayoutOp>(user);
    if (!convert || convert->getBlock() != load->getBlock() ||
        !addUses(convert, convert.getResult(), uses))
      return {};
  }
  return uses;
}

/// The number of elements of a block that one thread holds; 0 if the block has no layout.
int64_t elementsOfThread(RankedTensorType block) {
  std::optional<LinearLayout> layout = layoutOf(block);
  return layout ? int64_t(1) << withPlaces(*layout, gpuPlaces).placeBits(place::registers) : 0;
}

bool isTransposedFor(OpOperand &use) {
  Value value = use.get();
  bool isTransposed = false;
  for (auto trans = value.getDefiningOp<TransOp>(); trans; trans = value.getDefiningOp<TransOp>()) {
    isTransposed ^= trans.getOrder().front() != 0;
    value = trans.getSource();
  }
  return isTransposed;
}

/// The dimension of the loaded block along which the product sums.
unsigned dimensionK(const ProductUse &use) {
  const bool isFirst = use.operand == &use.dot().getAMutable();
  return isFirst != isTransposedFor(*use.operand) ? 1 : 0;
}

/// The type of one slot for all uses of a loaded block by products. Null if no slot suits all
/// products: warpgroups and single warps need other orders.
SharedType slotsFor(LoadOp load, ArrayRef<ProductUse> uses, int64_t minBytes) {
  SharedType slots;
  for (const ProductUse &use : uses) {
    SharedType own = slotsForProduct(load, use.convert, use.dot(), dimensionK(use), minBytes);
    if (!own || (slots && own != slots))
      return {};
    slots = own;
  }
  return slots;
}

/// The operand for a factor that copies bring in the order of global memory, and that threads
/// rewrite for warpgroups' products. Nothing if threads can't rewrite it, or need not: copies in
/// runs of the same length can bring the factor in the order that products read.
std::optional<LoopOperand> asRewritten(LoadOp load, ArrayRef<ProductUse> uses) {
  auto block = cast<RankedTensorType>(load.getType());
  const int64_t bytes = block.getElementTypeBitWidth() / 8;
  const unsigned k = dimensionK(uses.front());
  if ((bytes != 1 && bytes != 4) || slotsFor(load, uses, widestAccess) ||
      llvm::any_of(uses, [&](const ProductUse &use) {
        return !use.dot().getWarpgroups() || dimensionK(use) != k;
      }))
    return std::nullopt;
  const LinearLayout from = withPlaces(*layoutOf(block), gpuPlaces);
  const std::optional<LinearLayout> places =
      rewritingPlaces(from.shape(), k, bytes, int64_t(1) << from.placeBits(place::warp));
  if (!places)
    return std::nullopt;
  // An order that is chosen for more elements than a thread reads at once might allow wider reads,
  // but only shorter copies.
  const LinearLayout order = SharedLayout::choose(from, readAtOnce(*places, k), unsigned(bytes))
                                 .order(from, place::offset);
  for (int64_t run = widestAccess; run >= minCopy; run /= 2) {
    if (run < widestAccess && slotsFor(load, uses, run))
      return std::nullopt;
    if (SharedType slots = slotsInOrder(load, order, run)) {
      auto plain = RankedTensorType::get(block.getShape(), block.getElementType());
      auto inOrder = withLayout(plain, warpgroupOrder(from.shape(), k, bytes));
      return LoopOperand{load, slots, withLayout(plain, *places),
                         SharedType::get(load.getContext(), 1, inOrder)};
    }
  }
  return std::nullopt;
}

/// True if a factor of a warpgroups' product is computed from the block, element by element: the
/// block is converted, scaled or unpacked. Products of single warps do not count: their factors are
/// in registers, where several warps hold the same elements.
bool isForFactor(LoadOp load) {
  llvm::SetVector<Operation *> pending;
  pending.insert(load);
  for (size_t next = 0; next < pending.size(); ++next)
    for (OpOperand &use : pending[next]->getUses()) {
      Operation *user = use.getOwner();
      if (user->getBlock() != load->getBlock())
        continue;
      if (auto dot = dyn_cast<DotOp>(user)) {
        if (dot.getWarpgroups() && &use != &dot.getAccMutable())
          return true;
      } else if (OpTrait::hasElementwiseMappableTraits(user) || isa<ElementMoveOpInterface>(user)) {
        pending.insert(user);
      }
    }
  return false;
}

/// The block that the loop computes with: the loaded block, or the block to which all its uses
/// convert it.
RankedTensorType usedBlock(LoadOp load) {
  auto loaded = cast<RankedTensorType>(load.getType());
  RankedTensorType used;
  for (Operation *user : load->getUsers()) {
    auto convert = dyn_cast<ConvertLayoutOp>(user);
    if (!convert || convert->getBlock() != load->getBlock() || (used && convert.getType() != used))
      return loaded;
    used = convert.getType();
  }
  return used ? used : loaded;
}

/// The number of registers of a thread for a factor of which copies can't move at least 4 bytes at
/// a time: one for each element, and one for its address. 0 for other factors.
int64_t elementRegisters(LoadOp load, ArrayRef<ProductUse> uses) {
  return slotsFor(load, uses, minCopy)
             ? 0
             : 2 * elementsOfThread(cast<RankedTensorType>(load.getType()));
}

} // namespace

uint64_t bytesOf(SharedType slot) { return llvm::alignTo(slot.getBytes(), SharedType::alignment); }

LoopOperands::LoopOperands(scf::ForOp loop, bool mayRewrite, bool mayCompute)
    : loop(loop), mayRewrite(mayRewrite) {
  if (writesMemory(loop))
    return;
  const int64_t minBytes = hasRegistersForShortRuns() ? 1 : minCopy;
  for (LoadOp load : loop.getBody()->getOps<LoadOp>())
    addFactor(load, minBytes);
  for (LoadOp load : loop.getBody()->getOps<LoadOp>())
    if (auto block = dyn_cast<RankedTensorType>(load.getType());
        block && mayCompute && isForFactor(load))
      hasComputed |= addRead(load, block);
  if (operands.empty())
    return;
  for (LoadOp load : loop.getBody()->getOps<LoadOp>())
    addShared(load);
}

const LoopOperand *LoopOperands::of(OpOperand &use) const {
  auto number = numbers.find(&use);
  return number != numbers.end() && operands[number->second].isReadByProducts()
             ? &operands[number->second]
             : nullptr;
}

const LoopOperand *LoopOperands::rewritten(OpOperand &use) const {
  auto number = numbers.find(&use);
  return number != numbers.end() && operands[number->second].rewritten ? &operands[number->second]
                                                                       : nullptr;
}

bool LoopOperands::isTransposed(OpOperand &use) const { return isTransposedFor(use); }

int64_t LoopOperands::registersForElements() const {
  int64_t registers = 0;
  for (const LoopOperand &operand : operands)
    if (operand.isReadByProducts())
      registers += elementRegisters(operand.load, productUses(operand.load));
  return registers;
}

uint64_t LoopOperands::slotBytes() const {
  uint64_t bytes = 0;
  for (const LoopOperand &operand : operands)
    bytes += bytesOf(operand.slots);
  return bytes;
}

uint64_t LoopOperands::rewrittenBytes() const {
  uint64_t bytes = 0;
  for (const LoopOperand &operand : operands)
    bytes += operand.rewritten ? bytesOf(operand.rewritten) : 0;
  return bytes;
}

bool LoopOperands::add(const LoopOperand &operand) {
  LoadOp load = operand.load;
  Slices extended = slices;
  if (!operand.slots || !extend(extended, load.getPointer()) ||
      (load.getMask() && !extend(extended, load.getMask())))
    return false;
  // A load whose result is used for addresses must run further ahead than the copies do. So a copy
  // can't replace it, and its block can't be an operand.
  auto isForAddresses = [&](LoadOp each) { return extended.loads.ops.contains(each); };
  if (isForAddresses(load) ||
      llvm::any_of(operands, [&](const LoopOperand &each) { return isForAddresses(each.load); }))
    return false;
  slices = std::move(extended);
  operands.push_back(operand);
  return true;
}

std::optional<LoopOperand> LoopOperands::rewrittenFactor(LoadOp load) {
  return mayRewrite ? asRewritten(load, productUses(load)) : std::nullopt;
}

/// True if a thread has enough registers for the results of the products and for the factors that
/// have only short runs.
bool LoopOperands::hasRegistersForShortRuns() {
  int64_t registers = 0;
  for (DotOp dot : loop.getBody()->getOps<DotOp>())
    registers += elementsOfThread(dot.getType()) * dot.getType().getElementTypeBitWidth() / 32;
  for (LoadOp load : loop.getBody()->getOps<LoadOp>())
    if (const SmallVector<ProductUse> uses = productUses(load);
        !uses.empty() && isCopyable(load) && !rewrittenFactor(load) &&
        slotsFor(load, uses, /*minBytes=*/1))
      registers += elementRegisters(load, uses);
  return registers <= maxRegisters;
}

/// Adds the block of `load` if only products use it.
void LoopOperands::addFactor(LoadOp load, int64_t minBytes) {
  const SmallVector<ProductUse> uses = productUses(load);
  if (uses.empty() || !isCopyable(load))
    return;
  const std::optional<LoopOperand> rewritten = rewrittenFactor(load);
  if (!add(rewritten ? *rewritten : LoopOperand{load, slotsFor(load, uses, minBytes), {}, {}}))
    return;
  for (const ProductUse &use : uses)
    numbers[use.operand] = unsigned(operands.size()) - 1;
}

/// Adds the block of `load` if several threads need the same element of it.
void LoopOperands::addShared(LoadOp load) {
  if (!isa<RankedTensorType>(load.getType()))
    return;
  if (RankedTensorType used = usedBlock(load); isHeldBySeveralThreads(used))
    addRead(load, used);
  else if (auto loaded = cast<RankedTensorType>(load.getType()); isHeldBySeveralThreads(loaded))
    addRead(load, loaded);
}

/// Adds the block of `load` as one that threads read from its slot as a block of the type `read`.
/// Returns false if the block can't be added.
bool LoopOperands::addRead(LoadOp load, RankedTensorType read) {
  if (!isCopyable(load) ||
      llvm::any_of(operands, [&](const LoopOperand &each) { return each.load == load; }))
    return false;
  const LinearLayout from = withPlaces(*layoutOf(load.getType()), gpuPlaces),
                     to = withPlaces(*layoutOf(read), gpuPlaces);
  const unsigned bytes = read.getElementTypeBitWidth() / 8;
  const LinearLayout order = chooseSharedOrder(from, to, bytes).layout.order(from, place::offset);
  return add({load, slotsInOrder(load, order, minCopy), read, {}});
}

void LoopOperands::addScalars() {
  for (LoadOp load : loop.getBody()->getOps<LoadOp>()) {
    Slices extended = slices;
    // A yielded value must be a result of the second part: after the loop, a result of a part that
    // runs ahead would be that of an iteration that did not run.
    const bool isYielded = llvm::is_contained(loop.getYieldedValues(), load.getResult());
    if (isa<RankedTensorType>(load.getType()) || isYielded || loadedScalars.size() == maxScalars ||
        !extend(extended, load.getResult()))
      continue;
    slices = std::move(extended);
    loadedScalars.push_back(load);
  }
}

/// Adds to `extended` all operations of the loop from which `value` is computed, for addresses or
/// masks. Returns false if these are not only loads and operations without regions and side
/// effects, or if one is a product.
bool LoopOperands::extend(Slices &extended, Value value) {
  // Values to visit, each with the slice to which its operation belongs.
  SmallVector<std::pair<Value, Slice *>> pending = {{value, &extended.addresses}};
  while (!pending.empty()) {
    auto [next, slice] = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar() &&
          slice->carried.insert(argument))
        pending.emplace_back(loop.getTiedLoopYieldedValue(argument)->get(), slice);
      continue;
    }
    Operation *op = next.getDefiningOp();
    auto load = dyn_cast<LoadOp>(op);
    if (load)
      slice = &extended.loads;
    if (op->getBlock() != loop.getBody() || !slice->ops.insert(op))
      continue;
    const bool isHarmless = load ? !load.readsAnew() : isMemoryEffectFree(op);
    if (!isHarmless || op->getNumRegions() != 0 || isa<DotOp>(op))
      return false;
    for (Value operand : op->getOperands())
      pending.emplace_back(operand, slice);
  }
  return true;
}

} // namespace eft
