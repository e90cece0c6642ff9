// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that have a form which works on buffers.
#include "compiler/lowering/buffers/BufferKeeper.h"

#include "compiler/lowering/cpu/CpuScan.h"
#include "compiler/lowering/cpu/StackMatrix.h"

using namespace mlir;

namespace eft {

namespace {

bool hasStrides(Value value) {
  std::optional<LinearLayout> layout = layoutOf(value.getType());
  return layout && plainStrides(*layout);
}

/// True if the loops of a product can read its operands from buffers: they lie in row-major or
/// column-major order, and the factors have the accumulator's element type.
bool canMultiplyInBuffers(DotOp dot) {
  return llvm::all_of(dot->getOperands(), hasStrides) &&
         getElementTypeOrSelf(dot.getA()) == getElementTypeOrSelf(dot.getType());
}

} // namespace

/// The buffer of a block that an operation only reads, such as a factor. It is filled where the
/// block is made, so that the operations that make the block can be tiled. If the block is made
/// outside of the loop that reads it, the buffer is filled once.
Value BufferKeeper::factorBuffer(Value factor) {
  Value &buffer = factors[factor];
  if (!buffer) {
    OpBuilder b(factor.getContext());
    b.setInsertionPointAfterValue(factor);
    Operation *inside = factor.getParentBlock()->getParentOp();
    buffer = makeBuffer(inside, cast<RankedTensorType>(factor.getType()));
    writeWhole(b, factor.getLoc(), factor, buffer);
    destinations.try_emplace(factor, buffer);
  }
  return buffer;
}

void BufferKeeper::keepDot(DotOp dot) {
  if (!canMultiplyInBuffers(dot))
    return;
  Value acc = bufferFor(dot);
  writeFor(dot, dot.getAcc(), acc);
  Value a = factorBuffer(dot.getA()), other = factorBuffer(dot.getB());
  OpBuilder(dot).create<DotIntoOp>(dot.getLoc(), a, other, acc);
  replaceByRead(dot, acc, dot);
  erase(dot);
}

/// A scan of few vectors stays in registers.
void BufferKeeper::keepScan(ScanOp scan) {
  auto canScan = [&](Type type) { return canScanInBuffers(type, scan.getAxis()); };
  if (!chooseCarried(scan.getResultTypes()).all() || !llvm::all_of(scan.getResultTypes(), canScan))
    return;
  SmallVector<Value> buffers;
  for (auto [source, result] : llvm::zip_equal(scan.getSources(), scan.getResults())) {
    buffers.push_back(bufferFor(result));
    writeFor(scan, source, buffers.back());
  }
  OpBuilder b(scan);
  auto into =
      b.create<ScanIntoOp>(scan.getLoc(), buffers, scan.getAxisAttr(), scan.getReverseAttr());
  into.getCombine().takeBody(scan.getCombine());
  for (auto [result, buffer] : llvm::zip_equal(scan.getResults(), buffers))
    replaceByRead(result, buffer, scan);
  erase(scan);
}

void BufferKeeper::keepSort(SortOp sort) {
  if (!canScanInBuffers(sort.getType(), sort.getAxis()))
    return;
  Value buffer = bufferFor(sort);
  writeFor(sort, sort.getSource(), buffer);
  OpBuilder(sort).create<SortIntoOp>(sort.getLoc(), buffer, sort.getAxis(), sort.getFirst(),
                                     sort.getLast(), sort.getDescending(), sort.getIsUnsigned());
  replaceByRead(sort, buffer, sort);
  erase(sort);
}

void BufferKeeper::keepHistogram(HistogramOp histogram) {
  if (!canScanInBuffers(histogram.getSource().getType(), 0) ||
      !canScanInBuffers(histogram.getType(), 0))
    return;
  Value buffer = bufferFor(histogram), source = factorBuffer(histogram.getSource());
  OpBuilder(histogram).create<HistogramIntoOp>(histogram.getLoc(), source, buffer);
  replaceByRead(histogram, buffer, histogram);
  erase(histogram);
}

} // namespace eft
