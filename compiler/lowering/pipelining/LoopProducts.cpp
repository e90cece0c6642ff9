// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/pipelining/LoopProducts.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/lowering/pipelining/FactorSource.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {

namespace {

/// True if an operation can run in another iteration than the rest of the body.
bool isMovable(Operation *op) { return isMemoryEffectFree(op) && op->getNumRegions() == 0; }

/// The number of bits that keeping a value until the next iteration takes.
int64_t bitsOf(Value value) {
  constexpr int64_t bitsOfScalar = 64;
  auto block = dyn_cast<RankedTensorType>(value.getType());
  return block && block.getElementType().isIntOrFloat()
             ? block.getNumElements() * block.getElementTypeBitWidth()
             : bitsOfScalar;
}

/// The number of registers that a thread needs for its part of a block; 0 if the block has no
/// layout.
int64_t registersOf(RankedTensorType type) {
  if (!layoutOf(type))
    return 0;
  const LinearLayout layout = withPlaces(*layoutOf(type), gpuPlaces);
  const int64_t bits = type.getElementTypeBitWidth();
  return ((int64_t(1) << layout.placeBits(place::registers)) * bits + 31) / 32;
}

int64_t registersOf(Value value) { return registersOf(cast<RankedTensorType>(value.getType())); }

} // namespace

LoopProducts::LoopProducts(scf::ForOp loop, const LoopOperands &operands)
    : loop(loop), operands(operands) {
  for (DotOp dot : loop.getBody()->getOps<DotOp>()) {
    const LoopOperand *first = operands.rewritten(dot.getAMutable()),
                      *second = operands.rewritten(dot.getBMutable());
    if (!dot.getWarpgroups() || !(second || operands.of(dot.getBMutable())))
      continue;
    products.push_back(dot);
    for (const LoopOperand *operand : {first, second})
      if (operand)
        rewrittenOperands.insert(operand);
  }
  if (!rewrittenOperands.empty() && !canOverlapIterations()) {
    rewrittenOperands.clear();
    llvm::erase_if(products, [&](DotOp dot) { return !operands.of(dot.getBMutable()); });
  }
  for (BlockArgument argument : loop.getRegionIterArgs())
    addLate(argument);
  addWhatLateOnesUse();
  for (DotOp dot : products)
    if (!isLate(dot) && beginsAtOnce(dot))
      atOnce.push_back(dot);
}

bool LoopProducts::canOverlapIterations() const {
  return !products.empty() &&
         llvm::all_of(products, [&](DotOp dot) { return overlapsIterations(dot); });
}

uint64_t LoopProducts::rewrittenBytes() const {
  uint64_t bytes = 0;
  for (const LoopOperand *operand : rewritten())
    bytes += bytesOf(operand->rewritten);
  return bytes;
}

bool LoopProducts::hasFirstFactorFromBefore(DotOp dot) const {
  return !operands.of(dot.getAMutable()) && loop.isDefinedOutsideOfLoop(dot.getA()) &&
         FactorSource(dot.getA(), 1).isPlaced();
}

int64_t LoopProducts::registers(bool keepsFirstFactors, bool hasLate) const {
  // The registers for addresses, counters, and the values of each row of a block, such as maxima.
  constexpr int64_t others = 44;
  int64_t result = others + operands.registersForElements();
  int64_t forRewriting = 0;
  for (const LoopOperand *operand : rewritten())
    forRewriting = std::max(forRewriting, registersOf(operand->read));
  result += forRewriting;
  for (DotOp dot : products) {
    result += registersOf(dot);
    if (!isInSlot(dot.getAMutable()) && (keepsFirstFactors || !hasFirstFactorFromBefore(dot)))
      result += registersOf(dot.getA());
  }
  if (hasLate)
    for (Operation *conversion : conversions)
      result += registersOf(conversion->getOperand(0));
  return result;
}

bool LoopProducts::isInSlot(OpOperand &factor) const {
  return operands.of(factor) || rewrittenOperands.contains(operands.rewritten(factor));
}

bool LoopProducts::overlapsIterations(DotOp dot) const {
  if (!isInSlot(dot.getAMutable()) && !hasFirstFactorFromBefore(dot))
    return false;
  auto acc = dyn_cast<BlockArgument>(dot.getAcc());
  return acc && acc.getOwner() == loop.getBody() && acc.hasOneUse() && dot->hasOneUse() &&
         loop.getTiedLoopYieldedValue(acc)->get() == dot;
}

bool LoopProducts::beginsAtOnce(DotOp dot) const {
  return loop.isDefinedOutsideOfLoop(dot.getAcc()) &&
         (operands.of(dot.getAMutable()) || hasFirstFactorFromBefore(dot));
}

/// Adds to the late operations all those that an iteration computes from `accumulator`, if each of
/// them can run an iteration later, and the last of them is a product that gives the accumulator
/// its next value. A late product stays under way after it begins, so only a further product may
/// use its result.
void LoopProducts::addLate(BlockArgument accumulator) {
  OpOperand *next = loop.getTiedLoopYieldedValue(accumulator);
  // Late operations run one iteration later, when the other arguments of the loop have other
  // values. So they must not use other arguments.
  auto isOtherArgument = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument != accumulator && argument.getOwner() == loop.getBody();
  };
  llvm::SetVector<Operation *> users;
  SmallVector<Operation *> narrowing;
  SmallVector<Value> pending = {accumulator};
  bool hasProduct = false;
  while (!pending.empty()) {
    const Value value = pending.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (&use == next)
        continue;
      if (value.getDefiningOp<DotOp>() && !isa<DotOp>(user))
        return;
      if (user->getBlock() != loop.getBody() || isa<scf::YieldOp>(user) || !isMovable(user) ||
          llvm::any_of(user->getOperands(), isOtherArgument))
        return;
      if (auto dot = dyn_cast<DotOp>(user)) {
        if (!llvm::is_contained(products, dot) || &use != &dot.getAccMutable())
          return;
        hasProduct = true;
        if (Operation *conversion = conversionFor(dot))
          narrowing.push_back(conversion);
        else if (!operands.of(dot.getAMutable()) && !hasFirstFactorFromBefore(dot))
          return;
      }
      if (users.insert(user))
        llvm::append_range(pending, user->getResults());
    }
  }
  if (!hasProduct || !users.contains(next->get().getDefiningOp<DotOp>()))
    return;
  accumulators.push_back(accumulator);
  llvm::append_range(conversions, narrowing);
  late.insert(users.begin(), users.end());
  late.insert(narrowing.begin(), narrowing.end());
}

Operation *LoopProducts::conversionFor(DotOp dot) const {
  Operation *op = dot.getA().getDefiningOp();
  if (!isa_and_nonnull<arith::TruncFOp, arith::TruncIOp>(op) || op->getBlock() != loop.getBody() ||
      !op->hasOneUse())
    return nullptr;
  Operation *source = op->getOperand(0).getDefiningOp();
  const unsigned bits = getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth();
  return source && source->getBlock() == loop.getBody() && bits == 32 ? op : nullptr;
}

/// Adds to the late operations those whose results are larger than their operands and are used only
/// by late operations, such as broadcasts. The loop then keeps the smaller operands for an
/// iteration instead of the results.
void LoopProducts::addWhatLateOnesUse() {
  for (Operation &op : llvm::reverse(*loop.getBody())) {
    if (isLate(&op) || !isMovable(&op) || isa<DotOp>(op) || op.getNumResults() != 1 ||
        op.use_empty() || llvm::any_of(op.getOperands(), llvm::IsaPred<BlockArgument>))
      continue;
    int64_t bits = 0;
    for (Value operand : op.getOperands())
      if (!loop.isDefinedOutsideOfLoop(operand))
        bits += bitsOf(operand);
    if (bits < bitsOf(op.getResult(0)) &&
        llvm::all_of(op.getUsers(), [&](Operation *user) { return isLate(user); }))
      late.insert(&op);
  }
}

} // namespace eft
