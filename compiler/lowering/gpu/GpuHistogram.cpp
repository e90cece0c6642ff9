// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms on a GPU. The threads count with atomic additions in shared memory. If the bins do not
// fit there, they are counted in several rounds.
#include "compiler/lowering/gpu/GpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

constexpr unsigned bytesOfCount = 4;

/// Shared memory for the counts of one round's bins, followed by one more count for elements of all
/// other bins.
class SharedCounts {
public:
  SharedCounts(ImplicitLocOpBuilder &b, SharedMemory &shared, unsigned number)
      : b(b), shared(shared), number(number),
        memory(shared.buffer(b, (number + 1) * bytesOfCount)) {}

  /// The largest number of bins that fits in shared memory; a power of two.
  static unsigned most(const SharedMemory &shared) {
    return llvm::bit_floor(shared.available() / bytesOfCount - 1);
  }

  /// Sets the counts to zero; each of `threads` threads sets some of them.
  void clear(unsigned threads) {
    shared.beginWriting(b);
    Value thread = b.create<NVVM::ThreadIdXOp>(b.getI32Type());
    auto loop = b.create<scf::ForOp>(thread, constant(number), constant(threads));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      b.create<LLVM::StoreOp>(constant(0), at(loop.getInductionVar()));
    }
    b.create<NVVM::Barrier0Op>();
  }

  void count(Value bin) {
    b.create<LLVM::AtomicRMWOp>(LLVM::AtomicBinOp::add, at(binOrNone(bin)), constant(1),
                                LLVM::AtomicOrdering::monotonic);
  }

  /// The count of `bin`, which must be one of this round.
  Value read(Value bin) { return b.create<LLVM::LoadOp>(b.getI32Type(), at(bin)); }

  /// The count of `bin`, or `otherwise` if the bin is not one of this round. If `otherwise` is
  /// null, the result for such a bin is arbitrary.
  Value readIfHere(Value bin, Value otherwise) {
    Value count = read(binOrNone(bin));
    if (!otherwise)
      return count;
    Value isHere = b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, bin, constant(number));
    return b.create<arith::SelectOp>(isHere, count, otherwise);
  }

private:
  Value binOrNone(Value bin) { return b.create<arith::MinUIOp>(bin, constant(number)); }

  Value at(Value bin) {
    return b.create<LLVM::GEPOp>(memory.getType(), b.getI32Type(), memory, ValueRange{bin});
  }

  Value constant(int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); }

  ImplicitLocOpBuilder &b;
  SharedMemory &shared;
  unsigned number;
  Value memory;
};

LogicalResult lowerHistogram(GpuLowering &lowering, ImplicitLocOpBuilder &b, HistogramOp op) {
  const LinearLayout layout = lowering.placesOf(op.getSource().getType());
  if (!hasPlainCopies(layout))
    return refuseCopies(op, op.getSource().getType());
  const LinearLayout ofBins = lowering.placesOf(op.getType());
  const unsigned threadBits = layout.source().bits() - layout.source().dims()[0].bits;
  const auto bins = unsigned(op.getType().getDimSize(0));
  const unsigned ofRound = std::min(bins, SharedCounts::most(lowering.shared));
  Fragments results(lowering.numFragments(op.getType()));
  for (unsigned first = 0; first < bins; first += ofRound) {
    auto inRound = [&](Value bin) {
      return first == 0 ? bin
                        : b.create<arith::SubIOp>(bin, b.create<arith::ConstantIntOp>(first, 32))
                              .getResult();
    };
    SharedCounts counts(b, lowering.shared, ofRound);
    counts.clear(1u << threadBits);
    Value counting = storingThread(b, op.getSource().getType());
    {
      OpBuilder::InsertionGuard guard(b);
      if (counting)
        b.setInsertionPointToStart(b.create<scf::IfOp>(counting).thenBlock());
      for (Value key : lowering.fragmentsOf(op.getSource()))
        counts.count(inRound(key));
    }
    lowering.shared.beginReading(b);
    for (auto [fragment, result] : llvm::enumerate(results)) {
      Value bin = inRound(coordinate(b, ofBins, /*dim=*/0, fragment));
      result = ofRound == bins ? counts.read(bin) : counts.readIfHere(bin, result);
    }
  }
  lowering.setFragments(op, results);
  return success();
}

} // namespace

void populateGpuHistogramLowerings(LoweringTable &table) { table.add(lowerHistogram); }

} // namespace eft
