// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of f32 to f16 and bf16, two elements at a time. A GPU has one instruction that
// converts two elements and puts the results side by side in a register, where a store of
// neighbouring elements needs them. LLVM's own conversion takes one element, and LLVM would move a
// conversion of a select's result to the select's operands.
#include "compiler/lowering/gpu/GpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

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

} // namespace

void populateGpuConversionLowerings(LoweringTable &table) { table.add(lowerTruncation); }

} // namespace eft
