// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/pipelining/LoopOperands.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/MatrixLoad.h"
#include "compiler/layout/Placement.h"
#include "compiler/layout/WarpgroupLayouts.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {

namespace {

constexpr int64_t minBytes = 4, widestAccess = 16;

bool isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

/// Whether the loop writes memory, or orders accesses, as a load does that waits for what another
/// program writes: then no load may be done earlier.
bool writesMemory(scf::ForOp loop) {
  return loop
      .walk([&](Operation *op) {
        auto load = dyn_cast<LoadOp>(op);
        const bool isHarmless = op == loop || isMemoryEffectFree(op) ||
                                op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                                hasSingleEffect<MemoryEffects::Read>(op) ||
                                (load && !load.readsAnew());
        return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The order of the elements in a slot that is written in the places `from` and read by `dot`, in
/// the places `wanted` where warps multiply by themselves. `k` is the slot's dimension of that
/// name.
LinearLayout slotOrder(DotOp dot, const LinearLayout &from, const LinearLayout &wanted,
                       int64_t bytes, unsigned k) {
  if (!dot.getWarpgroups())
    return chooseSharedOrder(from, wanted, unsigned(bytes)).layout.order(from, place::offset);
  return warpgroupOrder(from.shape(), rowsForWarpgroups(from, bytes, k), bytes);
}

/// The slots for what `load` loads, if copies can do that: of runs of at least four bytes, of which
/// a mask leaves the beginning.
SharedType slotsFor(LoadOp load, ConvertLayoutOp convert, DotOp dot, unsigned k) {
  auto block = cast<RankedTensorType>(load.getType());
  Type element = block.getElementType();
  const bool hasHints = load.readsAnew() || load.getCache() || load.getEviction();
  const bool cutsRuns = load.getMask() && !load.getUniformRuns() && !load.getPrefixRuns();
  if (hasHints || cutsRuns || (load.getOther() && !isZero(load.getOther())) ||
      !element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
    return {};
  const int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  std::optional<LinearLayout> loaded = layoutOf(block), needed = layoutOf(convert.getType());
  if (!loaded || !needed)
    return {};
  const LinearLayout from = withPlaces(*loaded, gpuPlaces), wanted = withPlaces(*needed, gpuPlaces);
  if (!from.isSurjective() || !wanted.isSurjective())
    return {};
  const LinearLayout order = slotOrder(dot, from, wanted, bytes, k);
  const int64_t run =
      SharedLayout::ofOrder(order, from, unsigned(bytes))
          .runOfFragments(from, std::min<int64_t>(load.getRun().value_or(1), widestAccess / bytes));
  if (run * bytes < minBytes)
    return {};
  auto plain = RankedTensorType::get(block.getShape(), element);
  return SharedType::get(load.getContext(), 1, withLayout(plain, order));
}

} // namespace

LoopOperands::LoopOperands(scf::ForOp loop) : loop(loop) {
  if (writesMemory(loop))
    return;
  for (DotOp dot : loop.getBody()->getOps<DotOp>())
    if (dot.usesTensorCores())
      for (OpOperand *use : {&dot.getAMutable(), &dot.getBMutable()})
        add(dot, *use);
}

const LoopOperand *LoopOperands::of(OpOperand &use) const {
  auto number = numbers.find(&use);
  return number == numbers.end() ? nullptr : &operands[number->second];
}

uint64_t LoopOperands::slotBytes() const {
  uint64_t bytes = 0;
  for (const LoopOperand &operand : operands)
    bytes += SharedType(operand.slots).getBytes();
  return bytes;
}

void LoopOperands::add(DotOp dot, OpOperand &use) {
  Value value = use.get();
  // A transposition stays between the slot and the product.
  bool isTransposed = false;
  for (auto trans = value.getDefiningOp<TransOp>(); trans && trans->hasOneUse();
       trans = value.getDefiningOp<TransOp>()) {
    isTransposed ^= trans.getOrder().front() != 0;
    value = trans.getSource();
  }
  auto convert = value.getDefiningOp<ConvertLayoutOp>();
  auto load = convert ? convert.getSource().getDefiningOp<LoadOp>() : LoadOp();
  const bool isOwn = load && convert->hasOneUse() && load->hasOneUse() &&
                     load->getBlock() == loop.getBody() && convert->getBlock() == loop.getBody();
  const unsigned k = (&use == &dot.getAMutable()) != isTransposed ? 1 : 0;
  SharedType slots = isOwn ? slotsFor(load, convert, dot, k) : SharedType();
  Slice extended = slice;
  if (!slots || !extend(extended, load.getPointer()) ||
      (load.getMask() && !extend(extended, load.getMask())))
    return;
  slice = std::move(extended);
  numbers[&use] = unsigned(operands.size());
  operands.push_back({load, convert, isTransposed, dot, slots});
}

/// Adds all that a value is computed from in the loop; fails where that is more than arithmetic.
bool LoopOperands::extend(Slice &slice, Value value) {
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar() &&
          slice.carried.insert(argument))
        pending.push_back(loop.getTiedLoopYieldedValue(argument)->get());
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (op->getBlock() != loop.getBody() || !slice.ops.insert(op))
      continue;
    if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 || isa<DotOp>(op))
      return false;
    llvm::append_range(pending, op->getOperands());
  }
  return true;
}

} // namespace eft
