// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks in shared memory, and the asynchronous copies that fill them.
//
// A copy moves a run of 4, 8 or 16 bytes of a thread's elements. If a mask is true for only the
// first elements of the run, the copy reads these and writes zeros for the rest: the number of
// bytes to read is an operand of the instruction. So a mask that is the same for whole runs, or
// true for a prefix of each run, costs one number for each run, and no branch. Elements whose runs
// are shorter than 4 bytes are not copied asynchronously: a thread loads all of them into
// registers, and then stores them to shared memory.
#include "compiler/layout/Placement.h"
#include "compiler/lowering/CopyRuns.h"
#include "compiler/lowering/gpu/GpuLowering.h"
#include "compiler/lowering/gpu/Masks.h"
#include "compiler/lowering/gpu/Staging.h"
#include "compiler/lowering/gpu/ThreadAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <map>
#include <vector>

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

constexpr int64_t minBytes = CopyAsyncOp::minBytes, maxBytes = CopyAsyncOp::maxBytes;

/// Emits the number of bytes that a copy reads of each run, as an i32. The rest of the run in
/// shared memory becomes zero. Null means that the whole run is read.
class RunBytes {
public:
  RunBytes(ImplicitLocOpBuilder &b, CopyAsyncOp copy, Fragments masks, Value condition,
           int64_t bytesOfElement, unsigned run)
      : b(b), masks(std::move(masks)), condition(condition), bytesOfElement(bytesOfElement),
        run(run), isUniform(copy.getUniformRuns()) {}

  Value of(unsigned first) {
    if (masks.empty() && !condition)
      return {};
    if (masks.empty())
      return select(condition, run * bytesOfElement);
    // Runs with the same masks share one computation of the number.
    std::vector<const void *> ofRun;
    for (Value mask : ArrayRef<Value>(masks).slice(first, run))
      ofRun.push_back(mask.getAsOpaquePointer());
    Value &bytes = known[ofRun];
    if (!bytes)
      bytes = emit(first);
    return bytes;
  }

private:
  Value number(int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); }

  Value select(Value mask, int64_t bytes) {
    return b.create<arith::SelectOp>(mask, number(bytes), number(0));
  }

  Value emit(unsigned first) {
    Value sum;
    if (isUniform) {
      sum = select(masks[first], run * bytesOfElement);
    } else {
      for (unsigned i = first; i < first + run; ++i) {
        Value bytes = select(masks[i], bytesOfElement);
        sum = sum ? b.create<arith::AddIOp>(sum, bytes).getResult() : bytes;
      }
    }
    return condition ? b.create<arith::SelectOp>(condition, sum, number(0)).getResult() : sum;
  }

  ImplicitLocOpBuilder &b;
  Fragments masks;
  Value condition;
  int64_t bytesOfElement;
  unsigned run;
  bool isUniform;
  std::map<std::vector<const void *>, Value> known;
};

/// Emits a copy that fills `bytes` bytes of shared memory: the first `read` bytes are copied, or
/// all if `read` is null, and the others become zero. Copies of 16 bytes bypass the L1 cache.
void emitCopy(ImplicitLocOpBuilder &b, Value to, Value from, int64_t bytes, Value read) {
  std::string name = std::string("llvm.nvvm.cp.async.") + (bytes == maxBytes ? "cg" : "ca") +
                     ".shared.global." + std::to_string(bytes);
  SmallVector<Value> operands = {to, from};
  if (read) {
    name += ".s";
    operands.push_back(read);
  }
  b.create<LLVM::CallIntrinsicOp>(TypeRange(), StringRef(name), operands);
}

} // namespace

Value GpuLowering::slotOf(ImplicitLocOpBuilder &b, Value shared, Value slot) {
  auto type = cast<SharedType>(shared.getType());
  Value bytes = b.create<arith::MulIOp>(
      scalarOf(slot), b.create<arith::ConstantIntOp>(int64_t(type.getSlotBytes()), 32));
  Value start = scalarOf(shared);
  return b.create<LLVM::GEPOp>(start.getType(), b.getI8Type(), start, LLVM::GEPArg(bytes));
}

Staging GpuLowering::readerOf(ImplicitLocOpBuilder &b, ReadSharedOp read) {
  const LinearLayout order = *layoutOf(read.getShared().getType().getBlock());
  LinearLayout wanted = placesOf(read.getType());
  return Staging(shared, wanted, wanted, order, getElementTypeOrSelf(read.getType()),
                 slotOf(b, read.getShared(), read.getSlot()));
}

namespace {

LogicalResult lowerCopy(GpuLowering &lowering, ImplicitLocOpBuilder &b, CopyAsyncOp copy) {
  const LinearLayout from = lowering.placesOf(copy.getPointer().getType());
  const LinearLayout order = *layoutOf(copy.getShared().getType().getBlock());
  Type element = copy.getShared().getType().getBlock().getElementType();
  const int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Staging slot(lowering.shared, from, from, order, element,
               lowering.slotOf(b, copy.getShared(), copy.getSlot()));
  slot.computeWritingThread(b);
  const auto run = unsigned(runOfCopies(copy));

  Fragments addresses(lowering.fragmentsOf(copy.getPointer())), masks;
  if (copy.getMask())
    masks = Fragments(lowering.fragmentsOf(copy.getMask()));
  Value condition = copy.getCondition() ? lowering.scalarOf(copy.getCondition()) : Value();
  OpBuilder::InsertionGuard guard(b);
  // If several threads hold an element, one of them copies it.
  if (Value isCopying = storingThread(b, copy.getPointer().getType()))
    b.setInsertionPointToStart(b.create<scf::IfOp>(isCopying).thenBlock());
  ThreadAccess access(b, element, addresses, run, Qualifiers(std::nullopt, std::nullopt),
                      copy.getHeadless());
  RunBytes runBytes(b, copy, masks, condition, bytes, run);
  const uint64_t copies = from.redundantBits(place::registers);

  auto copyRuns = [&] {
    for (unsigned first = 0; first < addresses.size(); first += run) {
      if (first & copies)
        continue;
      emitCopy(b, slot.placeOf(b, first), access.globalPointer(first), run * bytes,
               runBytes.of(first));
    }
  };
  // All elements are loaded before the first is stored, so that all loads are under way together.
  auto copyElements = [&] {
    Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(element));
    Fragments elements(addresses.size());
    for (unsigned fragment = 0; fragment < addresses.size(); ++fragment) {
      if (fragment & copies)
        continue;
      Value mask = masks.empty() ? condition : masks[fragment];
      if (mask && !masks.empty() && condition)
        mask = b.create<arith::AndIOp>(mask, condition);
      elements[fragment] = access.loadOneUnder(fragment, mask, zero);
    }
    slot.writeRuns(b, elements);
  };
  Value areWhole = access.areWhole();
  if (run * bytes < minBytes) {
    copyElements();
  } else if (!areWhole) {
    copyRuns();
    return success();
  } else {
    auto whole = b.create<scf::IfOp>(expect(b, areWhole, true), /*withElseRegion=*/true);
    b.setInsertionPointToStart(whole.thenBlock());
    copyRuns();
    b.setInsertionPointToStart(whole.elseBlock());
    copyElements();
  }
  if (lowering.hasWarpgroups)
    showToWarpgroups(b);
  return success();
}

LogicalResult lowerAlloc(GpuLowering &lowering, ImplicitLocOpBuilder &b, AllocSharedOp alloc) {
  const uint64_t bytes = alloc.getType().getBytes();
  if (!lowering.shared.canReserve(bytes))
    return alloc.emitOpError("needs ") << bytes << " bytes of shared memory beside others, of at "
                                       << "most " << SharedMemory::maxReserved << " for all";
  // One barrier is enough for slots that are allocated together.
  if (!isa_and_present<AllocSharedOp>(alloc->getPrevNode()))
    lowering.shared.beginWriting(b);
  Value start =
      lowering.shared.at(b, lowering.shared.reserve(unsigned(bytes), SharedType::alignment));
  lowering.setFragments(alloc, {start});
  lowering.allocated.push_back(alloc);
  return success();
}

LogicalResult lowerDealloc(GpuLowering &lowering, ImplicitLocOpBuilder &, DeallocSharedOp dealloc) {
  if (lowering.allocated.empty() || lowering.allocated.back() != dealloc.getShared())
    return dealloc.emitOpError("frees others than the slots that were allocated last");
  lowering.allocated.pop_back();
  lowering.shared.release();
  return success();
}

void lowerCommit(GpuLowering &, ImplicitLocOpBuilder &b, CommitCopiesOp) {
  b.create<NVVM::CpAsyncCommitGroupOp>();
}

void lowerWait(GpuLowering &lowering, ImplicitLocOpBuilder &b, WaitCopiesOp wait) {
  b.create<NVVM::CpAsyncWaitGroupOp>(wait.getPending());
  b.create<NVVM::Barrier0Op>();
}

void lowerWrite(GpuLowering &lowering, ImplicitLocOpBuilder &b, WriteSharedOp write) {
  const LinearLayout from = lowering.placesOf(write.getBlock().getType());
  const LinearLayout order = *layoutOf(write.getShared().getType().getBlock());
  Staging slot(lowering.shared, from, from, order, getElementTypeOrSelf(write.getBlock()),
               lowering.slotOf(b, write.getShared(), write.getSlot()));
  slot.writeToSlot(b, lowering.fragmentsOf(write.getBlock()));
  if (lowering.hasWarpgroups)
    showToWarpgroups(b);
}

void lowerRead(GpuLowering &lowering, ImplicitLocOpBuilder &b, ReadSharedOp read) {
  if (isReadByProduct(read))
    return;
  Staging reader = lowering.readerOf(b, read);
  Fragments fragments;
  for (unsigned fragment = 0; fragment < lowering.numFragments(read.getType()); ++fragment)
    fragments.push_back(reader.read(b, 0, fragment));
  lowering.setFragments(read, std::move(fragments));
}

} // namespace

void populateGpuCopyLowerings(LoweringTable &table) {
  table.add(lowerAlloc);
  table.add(lowerDealloc);
  table.add(lowerCopy);
  table.add(lowerCommit);
  table.add(lowerWait);
  table.add(lowerWrite);
  table.add(lowerRead);
}

} // namespace eft
