// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between f32 and narrower floats.
//
// f32 becomes f16 or bf16 two elements at a time. A GPU has one instruction that converts two
// elements and puts the results side by side in a register, where a store of neighbouring elements
// needs them. LLVM's own conversion takes one element, and LLVM would move a conversion of a
// select's result to the select's operands.
//
// bf16 becomes f32 by a shift of its bits. A load of neighbouring elements leaves two in a
// register. The upper one is there the upper half of the f32, so it only needs a mask. The GPU's
// instruction for this conversion takes an element in a register of its own: ptxas would first move
// the upper element down.
#include "compiler/lowering/gpu/GpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {

namespace {

LogicalResult lowerTruncation(GpuLowering &lowering, ImplicitLocOpBuilder &b,
                              arith::TruncFOp conversion) {
  Type narrow = getElementTypeOrSelf(conversion.getType());
  FragmentLowering::Fragments wide(lowering.fragmentsOf(conversion.getIn())), results;
  if (!getElementTypeOrSelf(conversion.getIn()).isF32() || wide.size() % 2 != 0)
    return lowering.lowerElementwise(b, conversion);
  auto name = b.getStringAttr(narrow.isF16() ? "llvm.nvvm.ff2f16x2.rn" : "llvm.nvvm.ff2bf16x2.rn");
  for (size_t first = 0; first < wide.size(); first += 2) {
    // The first operand becomes the upper half.
    Value pair = b.create<LLVM::CallIntrinsicOp>(VectorType::get(2, narrow), name,
                                                 ValueRange{wide[first + 1], wide[first]})
                     .getResults();
    for (int half : {0, 1})
      results.push_back(
          b.create<LLVM::ExtractElementOp>(pair, b.create<arith::ConstantIntOp>(half, 32)));
  }
  lowering.setFragments(conversion, std::move(results));
  return success();
}

/// Returns the bits of an f32 with the value of `narrow`, a bf16, as an i32.
Value extendedBits(ImplicitLocOpBuilder &b, Value narrow) {
  auto constant = [&](int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); };
  auto extract = narrow.getDefiningOp<LLVM::ExtractElementOp>();
  auto cast = extract ? extract.getVector().getDefiningOp<LLVM::BitcastOp>() : LLVM::BitcastOp();
  llvm::APInt position;
  if (!cast || !getElementTypeOrSelf(cast.getArg()).isInteger(32) ||
      !matchPattern(extract.getPosition(), m_ConstantInt(&position))) {
    Value bits = b.create<arith::BitcastOp>(b.getI16Type(), narrow);
    return b.create<arith::ShLIOp>(b.create<arith::ExtUIOp>(b.getI32Type(), bits), constant(16));
  }
  Value word = cast.getArg();
  if (isa<VectorType>(word.getType()))
    word = b.create<LLVM::ExtractElementOp>(word, constant(position.getZExtValue() / 2));
  if (position[0])
    return b.create<arith::AndIOp>(word, constant(int32_t(0xFFFF0000)));
  return b.create<arith::ShLIOp>(word, constant(16));
}

LogicalResult lowerExtension(GpuLowering &lowering, ImplicitLocOpBuilder &b,
                             arith::ExtFOp conversion) {
  if (!getElementTypeOrSelf(conversion.getIn()).isBF16() ||
      !getElementTypeOrSelf(conversion.getType()).isF32())
    return lowering.lowerElementwise(b, conversion);
  FragmentLowering::Fragments results;
  for (Value narrow : lowering.fragmentsOf(conversion.getIn()))
    results.push_back(b.create<arith::BitcastOp>(b.getF32Type(), extendedBits(b, narrow)));
  lowering.setFragments(conversion, std::move(results));
  return success();
}

} // namespace

void populateGpuConversionLowerings(LoweringTable &table) {
  table.add(lowerTruncation);
  table.add(lowerExtension);
}

} // namespace eft
