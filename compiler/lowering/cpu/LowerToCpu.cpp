// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-lower-to-cpu: the pass, and what vectors are made of.
#include "compiler/lowering/Passes.h"

#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/cpu/CpuLowering.h"
#include "compiler/lowering/cpu/ProgramLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_LOWERTOCPU
#include "compiler/lowering/Passes.h.inc"

void CpuLowering::addProgramArguments(func::FuncOp kernel) {
  Type i32 = IntegerType::get(context, 32);
  for (unsigned i = 0; i < 6; ++i)
    program.push_back(kernel.getBody().front().addArgument(i32, kernel.getLoc()));
}

/// LLVM's code for x86 takes vectors of bf16 apart, whatever is done with them. All arithmetic on
/// bf16 has been replaced by arithmetic on other types by now; what is left moves bits, and
/// integers have the same.
Type CpuLowering::pieceType(RankedTensorType block, Type element) {
  if (element.isBF16())
    element = IntegerType::get(context, 16);
  return VectorType::get(int64_t(1) << placeBits(block, "lane"), element);
}

Value CpuLowering::splat(ImplicitLocOpBuilder &b, Value scalar, Type piece) {
  Type element = cast<VectorType>(piece).getElementType();
  if (scalar.getType() != element)
    scalar = b.create<arith::BitcastOp>(element, scalar);
  return b.create<vector::SplatOp>(piece, scalar);
}

CpuLowering::Pieces CpuLowering::arange(ImplicitLocOpBuilder &b, RankedTensorType block,
                                        int64_t start) {
  LinearLayout layout = *layoutOf(block);
  auto type = cast<VectorType>(pieceType(block, block.getElementType()));
  Pieces result;
  for (int64_t step = 0; step < int64_t(numPieces(block)); ++step) {
    SmallVector<int32_t> coordinates;
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
      coordinates.push_back(int32_t(start + layout.apply(std::array{lane, step}).front()));
    result.push_back(
        b.create<arith::ConstantOp>(DenseElementsAttr::get(type, ArrayRef(coordinates))));
  }
  return result;
}

/// A CPU divides as fast as it would correct a product, and at no cost beside the memory.
CpuLowering::Pieces CpuLowering::uniformDiv(ImplicitLocOpBuilder &b, UniformDivOp op) {
  Pieces dividends(piecesOf(op.getDividend()));
  Value divisor = splat(b, scalarOf(op.getDivisor()), dividends.front().getType());
  Pieces results;
  for (Value dividend : dividends)
    results.push_back(b.create<arith::DivFOp>(dividend, divisor));
  return results;
}

namespace {

struct LowerToCpuPass : impl::LowerToCpuBase<LowerToCpuPass> {
  void runOnOperation() override {
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (failed(lower(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(func::FuncOp kernel) {
    if (kernel.isExternal())
      return kernel.emitOpError("is declared but not defined");
    if (kernel.getNumResults() != 0)
      return kernel.emitOpError("must have no results, got ") << kernel.getNumResults();
    CpuLowering lowering(&getContext());
    lowering.takeArguments(kernel);
    lowering.addProgramArguments(kernel);
    if (failed(lowering.lower(kernel.getBody())))
      return failure();
    lowering.dropArguments(kernel);
    makeProgramLoop(kernel);
    return success();
  }
};

} // namespace
} // namespace eft
