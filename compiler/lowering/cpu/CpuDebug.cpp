// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing and asserting on the host: calls of functions that the runtime offers the code.
#include "compiler/lowering/DebugCode.h"
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/cpu/CpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace eft {

/// A program is one thread, which does things in order; between positions of a block, too, if
/// nothing is moved across.
void CpuLowering::lowerBarrier(ImplicitLocOpBuilder &b) {
  b.create<LLVM::FenceOp>(LLVM::AtomicOrdering::acq_rel, "singlethread");
}

LogicalResult CpuLowering::lowerPrint(ImplicitLocOpBuilder &b, PrintOp print) {
  Value format = emitText(b, printFormat(print));
  SmallVector<Value> position = {program[0], program[1], program[2]};
  auto block = print.getValue() ? dyn_cast<RankedTensorType>(print.getValue().getType())
                                : RankedTensorType();
  unsigned rank = block ? block.getRank() : 0;
  Value memory = emitValueMemory(b, position.size() + rank + 1);
  if (!block) {
    if (print.getValue())
      position.push_back(scalarOf(print.getValue()));
    emitPrint(b, hostPrintName, format, memory, position);
    return success();
  }
  LinearLayout layout = *layoutOf(block);
  if (layout.redundantBits("lane") || layout.redundantBits("step"))
    return print.emitOpError("must be done once for each element, but the layout has copies, got ")
           << block;
  auto constant = [&](int64_t value) -> Value { return b.create<arith::ConstantIntOp>(value, 32); };
  Value first = constant(0), lanes = constant(int64_t(1) << placeBits(block, "lane"));
  for (auto [step, piece] : llvm::enumerate(Pieces(piecesOf(print.getValue())))) {
    auto loop = b.create<scf::ForOp>(first, lanes, constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> values = position;
    std::vector<int64_t> ofStep = layout.apply(std::array{int64_t(0), int64_t(step)});
    for (unsigned dim = 0; dim < rank; ++dim) {
      Value ofLane = emitLinearMap(b, loop.getInductionVar(), imagesOf(layout, "lane", dim));
      values.push_back(b.create<arith::XOrIOp>(ofLane, constant(ofStep[dim])));
    }
    values.push_back(b.create<LLVM::ExtractElementOp>(piece, loop.getInductionVar()));
    emitPrint(b, hostPrintName, format, memory, values);
  }
  return success();
}

void CpuLowering::lowerAssert(ImplicitLocOpBuilder &b, AssertOp assertion) {
  Pieces pieces(piecesOf(assertion.getCondition()));
  Value holds = pieces.front();
  for (Value piece : ArrayRef(pieces).drop_front())
    holds = b.create<arith::AndIOp>(holds, piece);
  if (isa<VectorType>(holds.getType()))
    holds = b.create<vector::ReductionOp>(vector::CombiningKind::AND, holds);
  Value fails = b.create<arith::XOrIOp>(holds, b.create<arith::ConstantIntOp>(1, 1));
  auto choice = b.create<scf::IfOp>(fails);
  b.setInsertionPointToStart(choice.thenBlock());
  Value text = emitText(b, assertionText(assertion));
  Type i32 = b.getI32Type();
  auto report = declareFunction(b, hostAssertName, LLVM::LLVMVoidType::get(context),
                                {text.getType(), i32, i32, i32});
  b.create<LLVM::CallOp>(report, ValueRange{text, program[0], program[1], program[2]});
  b.create<StopOp>();
}

} // namespace eft
