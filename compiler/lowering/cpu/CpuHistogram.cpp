// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms of buffers on a CPU: one loop sets the counts to zero, another one counts.
#include "compiler/lowering/CountedLoop.h"
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/PlaceMaps.h"
#include "compiler/lowering/cpu/CpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return b.create<arith::ConstantIntOp>(value, 32);
}

/// The places of a buffer's elements, as what each bit of an index adds; nothing if an element lies
/// in several places, or in none.
std::optional<SmallVector<int64_t>> placesOfElements(const LinearLayout &layout) {
  std::optional<LinearLayout> places = layout.rightInverse();
  if (!places || !layout.isInjective())
    return std::nullopt;
  SmallVector<int64_t> images;
  for (unsigned bit = 0; bit < layout.target().bits(); ++bit)
    images.push_back(int64_t(places->applyPacked(bitNumber(bit))));
  return images;
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
  Value counts = lowering.scalarOf(histogram.getResult());
  Type vector = lowering.fragmentType(bins, bins.getElementType());
  Value zeros = b.create<arith::ConstantOp>(b.getZeroAttr(vector));
  emitLoop(b, 0, lowering.numFragments(bins), 1, [&](Value step) {
    Value place = b.create<LLVM::GEPOp>(counts.getType(), vector, counts, ValueRange{step});
    b.create<LLVM::StoreOp>(zeros, place);
  });
  emitLoop(b, 0, source.getNumElements(), 1, [&](Value number) {
    Type word = b.getI32Type();
    auto at = [&](Value buffer, Value index) -> Value {
      return b.create<LLVM::GEPOp>(buffer.getType(), word, buffer, ValueRange{index});
    };
    Value key = b.create<LLVM::LoadOp>(word, at(keys, number));
    Value counted =
        b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, key, constant(b, bins.getNumElements()));
    auto choice = b.create<scf::IfOp>(counted);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Value place = at(counts, emitLinearMap(b, key, *places));
    Value count = b.create<LLVM::LoadOp>(word, place);
    b.create<LLVM::StoreOp>(b.create<arith::AddIOp>(count, constant(b, 1)), place);
  });
  return success();
}

} // namespace

void populateCpuHistogramLowerings(LoweringTable &table) { table.add(lowerHistogramInto); }

} // namespace eft
