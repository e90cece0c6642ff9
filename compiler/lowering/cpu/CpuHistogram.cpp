// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms of buffers on a CPU: one loop sets the counts to zero, another one counts.
//
// An addition to a count loads what the previous addition to this count has just stored, and must
// wait for that store. So equal keys that follow each other would wait for one another. Therefore
// consecutive keys are counted in several tables, which are added at the end.
#include "compiler/lowering/CountedLoop.h"
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/PlaceMaps.h"
#include "compiler/lowering/cpu/CpuLowering.h"
#include "compiler/lowering/cpu/StackBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return b.create<arith::ConstantIntOp>(value, 32);
}

/// Returns, for each bit of an index, the number that it adds to an element's number in a buffer.
/// Returns nothing if an element lies in several places, or in none.
std::optional<SmallVector<int64_t>> placesOfElements(const LinearLayout &layout) {
  std::optional<LinearLayout> places = layout.rightInverse();
  if (!places || !layout.isInjective())
    return std::nullopt;
  SmallVector<int64_t> images;
  for (unsigned bit = 0; bit < layout.target().bits(); ++bit)
    images.push_back(int64_t(places->applyPacked(bitNumber(bit))));
  return images;
}

/// The number of tables to count in: 4 if they take little of the first-level cache (32 KiB at
/// most), and have no more counts than there are keys, so that adding them takes little time; else
/// 1.
int64_t numTables(RankedTensorType source, RankedTensorType bins) {
  constexpr int64_t several = 4, mostBytes = 32 * 1024;
  const int64_t counts = several * bins.getNumElements();
  return counts <= source.getNumElements() && counts * 4 <= mostBytes ? several : 1;
}

LogicalResult lowerHistogramInto(CpuLowering &lowering, ImplicitLocOpBuilder &b,
                                 HistogramIntoOp histogram) {
  RankedTensorType source = histogram.getSource().getType().getBlock();
  RankedTensorType bins = histogram.getResult().getType().getBlock();
  std::optional<SmallVector<int64_t>> places = placesOfElements(numbered(*layoutOf(bins)));
  if (!places || !layoutOf(source)->isInjective())
    return histogram.emitOpError("can't count in buffers of this order, got ")
           << source << " and " << bins;

  Value keys = lowering.scalarOf(histogram.getSource());
  Type word = b.getI32Type(), vector = lowering.fragmentType(bins, word);
  SmallVector<Value> tables = {lowering.scalarOf(histogram.getResult())};
  if (const int64_t more = numTables(source, bins) - 1; more != 0) {
    StackBlock others(b, {more, bins.getNumElements()}, word, 1);
    for (int64_t table = 0; table < more; ++table)
      tables.push_back(others.at(b.create<arith::ConstantIntOp>(table * others.stride(0), 64)));
  }
  auto at = [&](Type type, Value table, Value number) -> Value {
    return b.create<LLVM::GEPOp>(table.getType(), type, table, ValueRange{number});
  };
  auto forEachVector = [&](llvm::function_ref<void(Value)> body) {
    emitLoop(b, 0, lowering.numFragments(bins), 1, body);
  };

  Value zeros = b.create<arith::ConstantOp>(b.getZeroAttr(vector));
  forEachVector([&](Value step) {
    for (Value table : tables)
      b.create<LLVM::StoreOp>(zeros, at(vector, table, step));
  });
  emitLoop(b, 0, source.getNumElements(), int64_t(tables.size()), [&](Value first) {
    for (auto [offset, table] : llvm::enumerate(tables)) {
      Value number = b.create<arith::AddIOp>(first, constant(b, int64_t(offset)));
      Value key = b.create<LLVM::LoadOp>(word, at(word, keys, number));
      Value counted = b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, key,
                                              constant(b, bins.getNumElements()));
      auto choice = b.create<scf::IfOp>(counted);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.thenBlock());
      Value place = at(word, table, emitLinearMap(b, key, *places));
      Value count = b.create<LLVM::LoadOp>(word, place);
      b.create<LLVM::StoreOp>(b.create<arith::AddIOp>(count, constant(b, 1)), place);
    }
  });
  if (tables.size() > 1)
    forEachVector([&](Value step) {
      Value sum;
      for (Value table : tables) {
        Value counts = b.create<LLVM::LoadOp>(vector, at(vector, table, step));
        sum = sum ? b.create<arith::AddIOp>(sum, counts).getResult() : counts;
      }
      b.create<LLVM::StoreOp>(sum, at(vector, tables.front(), step));
    });
  return success();
}

} // namespace

void populateCpuHistogramLowerings(LoweringTable &table) { table.add(lowerHistogramInto); }

} // namespace eft
