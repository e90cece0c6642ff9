// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations of a GPU's threads.
//
// An atomic operation on a block becomes atomic operations of its threads, or loops around such
// operations where a GPU has no instruction. Additions to several neighbouring elements in memory
// are one operation where the GPU has an instruction for this.
//
// If several threads hold an element, one of them does the operation. A scalar is an element that
// all threads hold. Barriers order the accesses of the other threads as if these threads had done
// the operation, too: their earlier accesses precede a release, and their later accesses follow an
// acquire. The other threads get the result through shared memory.
#include "compiler/ir/Accesses.h"
#include "compiler/lowering/gpu/GpuLowering.h"
#include "compiler/transforms/math/NarrowFormats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

constexpr unsigned globalMemory = 1; // LLVM's number of this address space
constexpr unsigned bytesPerResult = 8;

MemoryOrder orderOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, MemoryOrder>(op)
      .Case<AtomicRMWOp, AtomicCASOp, AtomicLoadOp, AtomicStoreOp>(
          [](auto atomic) { return atomic.getOrder(); });
}

MemoryScope scopeOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, MemoryScope>(op)
      .Case<AtomicRMWOp, AtomicCASOp, AtomicLoadOp, AtomicStoreOp>(
          [](auto atomic) { return atomic.getScope(); });
}

bool acquires(MemoryOrder order) {
  return order == MemoryOrder::Acquire || order == MemoryOrder::AcqRel;
}

bool releases(MemoryOrder order) {
  return order == MemoryOrder::Release || order == MemoryOrder::AcqRel;
}

/// One thread's operation on one element, or its additions to several neighbouring elements.
class ThreadAtomic {
public:
  ThreadAtomic(ImplicitLocOpBuilder &b, Operation *op, MemoryOrder order, bool addsBf16)
      : b(b), op(op), element(getElementTypeOrSelf(pointeeLike(pointerOf(op).getType()))),
        bits(b.getIntegerType(element.getIntOrFloatBitWidth())), order(order), addsBf16(addsBf16) {}

  /// Emits the operation under `condition`; null means always. `operands` are the operation's
  /// operands after the pointer. Returns the value that memory held before, or zero where the
  /// condition is false; null for a store. If the operation is a sum, its operand may be a vector,
  /// whose elements are added to neighbouring elements in memory.
  Value apply(Value condition, Value address, ArrayRef<Value> operands) {
    auto pointerType = LLVM::LLVMPointerType::get(b.getContext(), globalMemory);
    Value pointer = b.create<LLVM::IntToPtrOp>(pointerType, address);
    if (auto store = dyn_cast<AtomicStoreOp>(op)) {
      b.create<ThreadAtomicStoreOp>(order, store.getScope(), pointer, as(bits, operands.front()),
                                    condition);
      return {};
    }
    if (auto load = dyn_cast<AtomicLoadOp>(op))
      return as(element,
                b.create<ThreadAtomicLoadOp>(bits, order, load.getScope(), pointer, condition));
    if (isa<AtomicCASOp>(op))
      return as(element, compareAndSwap(condition, pointer, operands[0], operands[1]));
    auto rmw = cast<AtomicRMWOp>(op);
    Value value = operands.front();
    if (!isa<VectorType>(value.getType()) && !isInstruction(rmw.getKind()))
      return as(element, changeInLoop(condition, pointer, value, rmw.getKind()));
    const bool isSum = rmw.getKind() == AtomicKind::FAdd;
    Value old = b.create<ThreadAtomicRMWOp>(rmw.getKind(), order, rmw.getScope(), pointer,
                                            isSum ? value : as(bits, value), condition);
    return isSum ? old : as(element, old);
  }

private:
  /// True if the GPU has an instruction for the computation. For 16 bits a GPU has only sums of
  /// floats.
  bool isInstruction(AtomicKind kind) const {
    return bits.getIntOrFloatBitWidth() != 16 ||
           (kind == AtomicKind::FAdd && (element.isF16() || addsBf16));
  }

  Value as(Type type, Value value) {
    return value.getType() == type ? value : b.create<LLVM::BitcastOp>(type, value).getResult();
  }

  Value compareAndSwap(Value condition, Value pointer, Value expected, Value value) {
    return b.create<ThreadAtomicCASOp>(order, scopeOf(op), pointer, as(bits, expected),
                                       as(bits, value), condition);
  }

  /// The bits of the new value of memory, where `old` is the old value: a sum, computed in f32, or
  /// the minimum or maximum of two integers.
  Value computed(AtomicKind kind, Value old, Value value) {
    switch (kind) {
    case AtomicKind::Max:
      return b.create<arith::MaxSIOp>(old, value);
    case AtomicKind::Min:
      return b.create<arith::MinSIOp>(old, value);
    case AtomicKind::UMax:
      return b.create<arith::MaxUIOp>(old, value);
    case AtomicKind::UMin:
      return b.create<arith::MinUIOp>(old, value);
    default:
      NarrowFormats formats({/*f16Arithmetic=*/true, /*bf16Conversions=*/true});
      Number sum = formats.toF32(Number(b, as(element, old))) + formats.toF32(Number(b, value));
      return formats.fromF32(sum, cast<FloatType>(element)).bits();
    }
  }

  /// Emits a change of 16 bits for which the GPU has no instruction: a loop computes the new value
  /// and swaps it in, and repeats this if another thread has changed memory meanwhile. Returns the
  /// bits that memory held before.
  Value changeInLoop(Value condition, Value pointer, Value value, AtomicKind kind) {
    if (!condition)
      condition = b.create<arith::ConstantIntOp>(1, 1);
    auto choice = b.create<scf::IfOp>(bits, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    b.create<scf::YieldOp>(b.create<arith::ConstantOp>(b.getZeroAttr(bits)).getResult());
    b.setInsertionPointToStart(choice.thenBlock());
    Value first = b.create<LLVM::LoadOp>(bits, pointer, /*alignment=*/2, /*isVolatile=*/true);

    auto loop = b.create<scf::WhileOp>(TypeRange{bits}, ValueRange{first});
    b.create<scf::YieldOp>(loop.getResult(0));
    b.createBlock(&loop.getBefore(), {}, {bits}, {b.getLoc()});
    Value old = loop.getBefore().getArgument(0);
    Value found = compareAndSwap(/*condition=*/{}, pointer, old, computed(kind, old, value));
    Value isOther = b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, found, old);
    b.create<scf::ConditionOp>(isOther, ValueRange{found});
    b.createBlock(&loop.getAfter(), {}, {bits}, {b.getLoc()});
    b.create<scf::YieldOp>(loop.getAfter().getArguments());
    return choice.getResult(0);
  }

  ImplicitLocOpBuilder &b;
  Operation *op;
  Type element, bits;
  MemoryOrder order;
  bool addsBf16; // true if the GPU has an instruction that adds bf16
};

/// Passes the results of the threads that do the work to the other threads that hold the same
/// element.
class ResultSharing {
public:
  /// Threads whose numbers differ only in the bits `redundant` hold the same element. The thread
  /// that has zeros in all of these bits does the work.
  ResultSharing(ImplicitLocOpBuilder &b, SharedMemory &memory, unsigned threads, unsigned redundant)
      : b(b), memory(memory), threads(threads), redundant(redundant) {}

  /// Gives every thread the `value` of the thread that did the work, for which `isOwner` is true.
  /// `haveWaited` says that all threads have passed a barrier after the last use of shared memory.
  Value share(Value value, Value isOwner, bool haveWaited) {
    Type bits = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
    Value pointer = place();
    haveWaited ? memory.beginWritingBehindBarrier() : memory.beginWriting(b);
    auto choice = b.create<scf::IfOp>(isOwner);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.thenBlock());
      b.create<LLVM::StoreOp>(b.create<LLVM::BitcastOp>(bits, value), pointer);
    }
    memory.beginReading(b);
    return b.create<LLVM::BitcastOp>(value.getType(), b.create<LLVM::LoadOp>(bits, pointer));
  }

private:
  Value place() {
    Value base = memory.buffer(b, threads * bytesPerResult);
    if (threads == 1)
      return base;
    Value thread = b.create<NVVM::ThreadIdXOp>(b.getI32Type());
    Value owner = b.create<arith::AndIOp>(thread, b.create<arith::ConstantIntOp>(~redundant, 32));
    return b.create<LLVM::GEPOp>(base.getType(), b.getI64Type(), base, ValueRange{owner});
  }

  ImplicitLocOpBuilder &b;
  SharedMemory &memory;
  unsigned threads, redundant;
};

/// True if the program may access memory after the operation.
bool mayAccessAfter(Operation *op) {
  for (; !isa<FunctionOpInterface>(op); op = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(op->getParentOp()))
      return true;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (!isMemoryEffectFree(next))
        return true;
  }
  return false;
}

/// The number of neighbouring elements in memory that one instruction of a thread changes.
unsigned widthOf(Operation *op, size_t fragments, bool hasVectors) {
  auto rmw = dyn_cast<AtomicRMWOp>(op);
  const size_t run = rmw ? rmw.getRun().value_or(1) : 1;
  return std::min({run, fragments, size_t(atomicWidth(op, hasVectors))});
}

Value packed(ImplicitLocOpBuilder &b, ArrayRef<Value> values) {
  if (values.size() == 1)
    return values.front();
  Value vector = b.create<LLVM::UndefOp>(VectorType::get(values.size(), values.front().getType()));
  for (auto [i, value] : llvm::enumerate(values))
    vector = b.create<LLVM::InsertElementOp>(vector, value, b.create<arith::ConstantIntOp>(i, 32));
  return vector;
}

void unpack(ImplicitLocOpBuilder &b, Value value, Fragments &fragments) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return fragments.push_back(value);
  for (unsigned i = 0; i < vector.getNumElements(); ++i)
    fragments.push_back(
        b.create<LLVM::ExtractElementOp>(value, b.create<arith::ConstantIntOp>(i, 32)));
}

/// Emits the atomic operation for the threads in which `isOwner` is true, or for all if it is null.
/// Returns the fragments that memory held before.
///
/// If a thread has several accesses, a release in each of them would wait for the access before,
/// and an acquire in each would invalidate the cache. So one fence before all accesses releases,
/// and one fence after all accesses acquires.
Fragments applyAtomic(GpuLowering &lowering, ImplicitLocOpBuilder &b, Operation *op,
                      Value isOwner) {
  Fragments addresses(lowering.fragmentsOf(pointerOf(op))), results;
  // GPUs of compute capability 9.0 have atomic additions of vectors and of bf16.
  const bool hasVectors = lowering.computeCapability >= 90;
  const unsigned width = widthOf(op, addresses.size(), hasVectors);
  const MemoryOrder order = orderOf(op);
  const bool hasFences = addresses.size() > width && order != MemoryOrder::Relaxed;
  ThreadAtomic atomic(b, op, hasFences ? MemoryOrder::Relaxed : order, /*addsBf16=*/hasVectors);
  Value mask = maskOf(op);
  SmallVector<Value> operands(op->getOperands().drop_front());
  if (mask)
    operands.pop_back();
  if (hasFences && releases(order))
    b.create<ThreadFenceOp>(scopeOf(op));
  for (unsigned first = 0; first < addresses.size(); first += width) {
    SmallVector<Value> ofRun;
    for (Value operand : operands)
      ofRun.push_back(packed(b, lowering.fragmentsOf(operand).slice(first, width)));
    Value condition = isOwner;
    if (mask) {
      condition = lowering.fragmentsOf(mask)[first];
      if (isOwner)
        condition = b.create<arith::AndIOp>(condition, isOwner);
    }
    Value old = atomic.apply(condition, addresses[first], ofRun);
    if (old && !op->use_empty())
      unpack(b, old, results);
  }
  if (hasFences && acquires(order) && mayAccessAfter(op))
    b.create<ThreadFenceOp>(scopeOf(op));
  return results;
}

LogicalResult lowerAtomic(GpuLowering &lowering, ImplicitLocOpBuilder &b, Operation *op) {
  Type type = pointerOf(op).getType();
  std::optional<LinearLayout> layout = layoutOf(type);
  if (layout && !hasPlainCopies(*layout))
    return refuseCopies(op, pointeeLike(type));
  const MemoryOrder order = orderOf(op);
  const bool isUsed = !op->use_empty();
  Value isOwner = storingThread(b, type);
  bool haveWaited = isOwner && (lowering.hasLoads || releases(order));
  if (haveWaited)
    b.create<NVVM::Barrier0Op>();
  Fragments results = applyAtomic(lowering, b, op, isOwner);
  if (isOwner && isUsed) {
    unsigned threads = layout ? 1u << (layout->placeBits("lane") + layout->placeBits("warp")) : 1;
    ResultSharing sharing(b, lowering.shared, threads, layout ? redundantThreadBits(*layout) : 0);
    for (Value &value : results)
      value = sharing.share(value, isOwner, std::exchange(haveWaited, false));
  } else if (isOwner && (lowering.hasLoads || acquires(order))) {
    b.create<NVVM::Barrier0Op>();
  }
  if (isUsed)
    lowering.setFragments(op->getResult(0), std::move(results));
  return success();
}

} // namespace

void populateGpuAtomicLowerings(LoweringTable &table) {
  table.addFor<AtomicRMWOp, AtomicCASOp, AtomicLoadOp, AtomicStoreOp>(lowerAtomic);
}

} // namespace eft
