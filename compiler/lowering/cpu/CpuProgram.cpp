// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vector types of fragments, and the lowerings of ranges, of divisions by a uniform value, and
// of the program's position in the grid.
#include "compiler/lowering/cpu/CpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace eft {

void CpuLowering::addProgramArguments(func::FuncOp kernel) {
  Type i32 = IntegerType::get(context, 32);
  for (unsigned i = 0; i < 6; ++i)
    program.push_back(kernel.getBody().front().addArgument(i32, kernel.getLoc()));
}

Type CpuLowering::fragmentType(RankedTensorType block, Type element) {
  return VectorType::get(int64_t(1) << placeBits(block, "lane"), element);
}

Value CpuLowering::splat(ImplicitLocOpBuilder &b, Value scalar, Type fragment) {
  return b.create<vector::SplatOp>(fragment, scalar);
}

namespace {

using Fragments = FragmentLowering::Fragments;

void lowerArange(CpuLowering &lowering, ImplicitLocOpBuilder &b, ArangeOp op) {
  auto block = cast<RankedTensorType>(op.getType());
  const auto start = int64_t(int32_t(op.getStart()));
  LinearLayout layout = *layoutOf(block);
  // The bits of the packed place for a value of one dimension. A dimension that the layout does not
  // have has no bits.
  auto at = [&](StringRef dimension, uint64_t value) -> uint64_t {
    std::optional<unsigned> number = layout.source().find(std::string_view(dimension));
    return number ? value << layout.source().dims()[*number].offset : 0;
  };
  auto type = cast<VectorType>(lowering.fragmentType(block, block.getElementType()));
  Fragments result;
  for (unsigned step = 0; step < lowering.numFragments(block); ++step) {
    SmallVector<int32_t> coordinates;
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
      coordinates.push_back(
          int32_t(start + int64_t(layout.applyPacked(at("lane", lane) | at("step", step)))));
    result.push_back(
        b.create<arith::ConstantOp>(DenseElementsAttr::get(type, ArrayRef(coordinates))));
  }
  lowering.setFragments(op, std::move(result));
}

/// Emits ordinary divisions. On a CPU, correcting a product with the reciprocal would take as long
/// as the division, which is mostly hidden by waits for memory anyway.
void lowerUniformDiv(CpuLowering &lowering, ImplicitLocOpBuilder &b, UniformDivOp op) {
  Fragments dividends(lowering.fragmentsOf(op.getDividend()));
  Value divisor =
      lowering.splat(b, lowering.scalarOf(op.getDivisor()), dividends.front().getType());
  Fragments results;
  for (Value dividend : dividends)
    results.push_back(b.create<arith::DivFOp>(dividend, divisor));
  lowering.setFragments(op, std::move(results));
}

void lowerProgramId(CpuLowering &lowering, ImplicitLocOpBuilder &, ProgramIdOp op) {
  lowering.setFragments(op, {lowering.program[uint32_t(op.getAxis())]});
}

void lowerNumPrograms(CpuLowering &lowering, ImplicitLocOpBuilder &, NumProgramsOp op) {
  lowering.setFragments(op, {lowering.program[3 + uint32_t(op.getAxis())]});
}

LogicalResult refuseInlineAsm(CpuLowering &, ImplicitLocOpBuilder &, InlineAsmOp op) {
  return op.emitError("inline assembly is for GPUs, and can't run on a CPU");
}

} // namespace

void populateCpuProgramLowerings(LoweringTable &table) {
  table.add(lowerArange);
  table.add(lowerUniformDiv);
  table.add(lowerProgramId);
  table.add(lowerNumPrograms);
  table.add(refuseInlineAsm);
}

} // namespace eft
