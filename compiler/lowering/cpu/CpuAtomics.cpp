// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations on a CPU: one lane after the other.
//
// No CPU has an atomic operation on several addresses at once. A loop goes over the lanes, so that
// the code does not grow with the length of the vector.
#include "compiler/ir/Accesses.h"
#include "compiler/lowering/cpu/CpuLowering.h"
#include "compiler/transforms/math/NarrowFormats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

LLVM::AtomicOrdering orderOf(MemoryOrder order) {
  switch (order) {
  case MemoryOrder::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case MemoryOrder::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case MemoryOrder::Release:
    return LLVM::AtomicOrdering::release;
  case MemoryOrder::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  }
}

/// The memory order that a compare-and-swap has if it fails. It then writes nothing, so this order
/// has no release.
LLVM::AtomicOrdering orderOfFailure(MemoryOrder order) {
  return order == MemoryOrder::Relaxed || order == MemoryOrder::Release
             ? LLVM::AtomicOrdering::monotonic
             : LLVM::AtomicOrdering::acquire;
}

LLVM::AtomicBinOp binaryOf(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add:
    return LLVM::AtomicBinOp::add;
  case AtomicKind::FAdd:
    return LLVM::AtomicBinOp::fadd;
  case AtomicKind::Max:
    return LLVM::AtomicBinOp::max;
  case AtomicKind::Min:
    return LLVM::AtomicBinOp::min;
  case AtomicKind::UMax:
    return LLVM::AtomicBinOp::umax;
  case AtomicKind::UMin:
    return LLVM::AtomicBinOp::umin;
  case AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case AtomicKind::Exchange:
    return LLVM::AtomicBinOp::xchg;
  }
}

/// Emits an atomic operation on one element.
class HostAtomic {
public:
  HostAtomic(ImplicitLocOpBuilder &b, Operation *op)
      : b(b), op(op), element(getElementTypeOrSelf(pointeeLike(pointerOf(op).getType()))) {}

  /// Emits the operation at an address, with its other operands. Returns what memory held before;
  /// for an atomic store, the stored value.
  Value apply(Value address, ArrayRef<Value> operands) {
    Value pointer = b.create<LLVM::IntToPtrOp>(LLVM::LLVMPointerType::get(b.getContext()), address);
    if (auto store = dyn_cast<AtomicStoreOp>(op)) {
      b.create<LLVM::StoreOp>(as(bitsType(), operands.front()), pointer, bytes(),
                              /*isVolatile=*/false, /*isNonTemporal=*/false,
                              orderOf(store.getOrder()));
      return operands.front();
    }
    if (auto load = dyn_cast<AtomicLoadOp>(op))
      return as(element, read(pointer, orderOf(load.getOrder())));
    if (auto cas = dyn_cast<AtomicCASOp>(op))
      return swap(pointer, operands[0], operands[1], cas.getOrder());
    auto rmw = cast<AtomicRMWOp>(op);
    if (rmw.getKind() == AtomicKind::FAdd && element.getIntOrFloatBitWidth() == 16)
      return addNarrow(pointer, operands[0], rmw.getOrder());
    auto kind = binaryOf(rmw.getKind());
    return b.create<LLVM::AtomicRMWOp>(kind, pointer, operands[0], orderOf(rmw.getOrder()));
  }

private:
  Type bitsType() { return b.getIntegerType(element.getIntOrFloatBitWidth()); }
  unsigned bytes() const { return element.getIntOrFloatBitWidth() / 8; }

  /// Emits an atomic load of an element's bits.
  Value read(Value pointer, LLVM::AtomicOrdering order) {
    return b.create<LLVM::LoadOp>(bitsType(), pointer, bytes(), /*isVolatile=*/false,
                                  /*isNonTemporal=*/false, /*isInvariant=*/false, order);
  }

  Value as(Type type, Value value) {
    return value.getType() == type ? value : b.create<arith::BitcastOp>(type, value).getResult();
  }

  /// Emits a compare-and-swap. It compares and swaps the bits of the values, as integers. Returns
  /// the bits that memory held before, in the type of `expected`.
  Value swap(Value pointer, Value expected, Value value, MemoryOrder order) {
    auto pair =
        b.create<LLVM::AtomicCmpXchgOp>(pointer, as(bitsType(), expected), as(bitsType(), value),
                                        orderOf(order), orderOfFailure(order));
    return as(expected.getType(), b.create<LLVM::ExtractValueOp>(pair, 0));
  }

  /// Adds a float of 16 bits: computes the sum in f32, rounds it, and stores it by
  /// compare-and-swap. Repeats this if another thread has changed memory meanwhile.
  Value addNarrow(Value pointer, Value value, MemoryOrder order) {
    auto type = cast<FloatType>(element);
    NarrowFormats formats({}); // without instructions to convert: not every CPU has them
    Number addend = formats.toF32(Number(b, as(type, value)));
    Value first = read(pointer, LLVM::AtomicOrdering::monotonic);
    auto loop = b.create<scf::WhileOp>(TypeRange{bitsType()}, ValueRange{first});
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&loop.getBefore(), {}, {bitsType()}, {b.getLoc()});
    Value old = loop.getBefore().getArgument(0);
    Number sum = formats.toF32(Number(b, as(type, old))) + addend;
    Value found = swap(pointer, old, formats.fromF32(sum, type).bits(), order);
    Value isOther = b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, found, old);
    b.create<scf::ConditionOp>(isOther, ValueRange{found});
    b.createBlock(&loop.getAfter(), {}, {bitsType()}, {b.getLoc()});
    b.create<scf::YieldOp>(loop.getAfter().getArguments());
    b.setInsertionPointAfter(loop);
    return as(value.getType(), loop.getResult(0));
  }

  ImplicitLocOpBuilder &b;
  Operation *op;
  Type element;
};

/// Calls `value` to emit code under a condition. The result is the value that this code computes if
/// the mask is true or null, else zero.
Value underMask(ImplicitLocOpBuilder &b, Value mask, Type type, llvm::function_ref<Value()> value) {
  if (!mask)
    return value();
  auto choice = b.create<scf::IfOp>(type, mask, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  b.create<scf::YieldOp>(value());
  b.setInsertionPointToStart(choice.elseBlock());
  b.create<scf::YieldOp>(b.create<arith::ConstantOp>(b.getZeroAttr(type)).getResult());
  return choice.getResult(0);
}

/// Emits a loop that does the atomic operation for each lane of the vectors `addresses`, `mask`
/// (may be null) and `operands`. Returns the vector of results.
Value lanes(ImplicitLocOpBuilder &b, HostAtomic &atomic, VectorType type, Value addresses,
            Value mask, ArrayRef<Value> operands) {
  auto constant = [&](int64_t value) -> Value { return b.create<arith::ConstantIntOp>(value, 32); };
  Value none = b.create<arith::ConstantOp>(b.getZeroAttr(type));
  auto loop = b.create<scf::ForOp>(constant(0), constant(type.getNumElements()), constant(1),
                                   ValueRange{none});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar();
  auto at = [&](Value vector) -> Value {
    return vector ? b.create<LLVM::ExtractElementOp>(vector, lane).getResult() : Value();
  };
  Value old = underMask(b, at(mask), type.getElementType(), [&] {
    SmallVector<Value> ofLane;
    for (Value operand : operands)
      ofLane.push_back(at(operand));
    return atomic.apply(at(addresses), ofLane);
  });
  Value all = b.create<LLVM::InsertElementOp>(loop.getRegionIterArg(0), old, lane);
  b.create<scf::YieldOp>(all);
  return loop.getResult(0);
}

LogicalResult lowerAtomic(CpuLowering &lowering, ImplicitLocOpBuilder &b, Operation *op) {
  Type type = pointeeLike(pointerOf(op).getType());
  auto block = dyn_cast<RankedTensorType>(type);
  if (block && (layoutOf(block)->redundantBits("lane") || layoutOf(block)->redundantBits("step")))
    return op->emitOpError("must be done once for each element, but the layout has copies, got ")
           << block;
  HostAtomic atomic(b, op);
  Fragments addresses(lowering.fragmentsOf(pointerOf(op))), masks(addresses.size()), results;
  if (Value mask = maskOf(op))
    masks = Fragments(lowering.fragmentsOf(mask));
  SmallVector<Value> operands(op->getOperands().drop_front());
  if (maskOf(op))
    operands.pop_back();
  for (auto [fragment, address] : llvm::enumerate(addresses)) {
    SmallVector<Value> ofFragment;
    for (Value operand : operands)
      ofFragment.push_back(lowering.fragmentsOf(operand)[fragment]);
    if (!block) {
      results.push_back(
          underMask(b, masks[fragment], type, [&] { return atomic.apply(address, ofFragment); }));
      continue;
    }
    auto vector = cast<VectorType>(lowering.fragmentType(block, block.getElementType()));
    results.push_back(lanes(b, atomic, vector, address, masks[fragment], ofFragment));
  }
  if (op->getNumResults() != 0)
    lowering.setFragments(op->getResult(0), std::move(results));
  return success();
}

} // namespace

void populateCpuAtomicLowerings(LoweringTable &table) {
  table.addFor<AtomicRMWOp, AtomicCASOp, AtomicLoadOp, AtomicStoreOp>(lowerAtomic);
}

} // namespace eft
