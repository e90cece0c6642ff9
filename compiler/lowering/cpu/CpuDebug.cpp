// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers, printing and asserting on a CPU. Prints and asserts call functions of the runtime.
#include "compiler/lowering/DebugCode.h"
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/PlaceMaps.h"
#include "compiler/lowering/cpu/CpuLowering.h"
#include "compiler/lowering/cpu/StackBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

/// A program is one thread, and runs in the order of its code. So it is enough that LLVM moves no
/// access across the barrier.
void lowerBarrier(CpuLowering &, ImplicitLocOpBuilder &b, BarrierOp) {
  b.create<LLVM::FenceOp>(LLVM::AtomicOrdering::acq_rel, "singlethread");
}

/// Prints a scalar, a text without a value, or a block. A block is written to the stack, and a loop
/// prints its elements in row-major order. Without the loop, the code would have a call for each
/// element.
void printFragments(CpuLowering &lowering, ImplicitLocOpBuilder &b, PrintOp print) {
  Value format = emitText(b, printFormat(print));
  SmallVector<Value> values = {lowering.program[0], lowering.program[1], lowering.program[2]};
  auto block = print.getValue() ? dyn_cast<RankedTensorType>(print.getValue().getType())
                                : RankedTensorType();
  unsigned rank = block ? block.getRank() : 0;
  Value memory = emitValueMemory(b, values.size() + rank + 1);
  if (!block) {
    if (print.getValue())
      values.push_back(lowering.scalarOf(print.getValue()));
    emitPrint(b, hostPrintName, format, memory, values);
    return;
  }
  Fragments fragments(lowering.fragmentsOf(print.getValue()));
  StackBlock elements(b, block.getShape(), getElementTypeOrSelf(fragments.front().getType()),
                      /*fastest=*/rank - 1);
  elements.store(fragments, *layoutOf(block));

  auto constant = [&](int64_t value) -> Value { return b.create<arith::ConstantIntOp>(value, 64); };
  auto loop = b.create<scf::ForOp>(constant(0), constant(block.getNumElements()), constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  for (unsigned dim = 0; dim < rank; ++dim) {
    Value quotient = b.create<arith::DivUIOp>(number, constant(elements.stride(dim)));
    values.push_back(b.create<arith::RemUIOp>(quotient, constant(block.getDimSize(dim))));
  }
  values.push_back(b.create<LLVM::LoadOp>(elements.elementType(), elements.at(number)));
  emitPrint(b, hostPrintName, format, memory, values);
}

/// Prints a block in the same way, from the buffer that holds it already.
void printBuffer(CpuLowering &lowering, ImplicitLocOpBuilder &b, PrintOp print) {
  RankedTensorType block = cast<BufferType>(print.getValue().getType()).getBlock();
  LinearLayout layout = numbered(*layoutOf(block));
  LinearLayout places = *layout.rightInverse();
  SmallVector<int64_t> numbers;
  for (unsigned bit = 0; bit < places.source().bits(); ++bit)
    numbers.push_back(int64_t(places.applyPacked(bitNumber(bit))));
  Value format = emitText(b, printFormat(print));
  SmallVector<Value> values = {lowering.program[0], lowering.program[1], lowering.program[2]};
  Value memory = emitValueMemory(b, values.size() + block.getRank() + 1);

  auto constant = [&](int64_t value) -> Value { return b.create<arith::ConstantIntOp>(value, 32); };
  auto loop = b.create<scf::ForOp>(constant(0), constant(block.getNumElements()), constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value index = loop.getInductionVar(); // packed
  for (const Space::Dim &dim : layout.target().dims()) {
    Value above = b.create<arith::ShRUIOp>(index, constant(dim.offset));
    values.push_back(b.create<arith::AndIOp>(above, constant((int64_t(1) << dim.bits) - 1)));
  }
  Type element = lowering.scalarType(block.getElementType());
  Value buffer = lowering.scalarOf(print.getValue()), number = emitLinearMap(b, index, numbers);
  Value at = b.create<LLVM::GEPOp>(buffer.getType(), element, buffer, ValueRange{number});
  values.push_back(b.create<LLVM::LoadOp>(element, at));
  emitPrint(b, hostPrintName, format, memory, values);
}

void lowerPrint(CpuLowering &lowering, ImplicitLocOpBuilder &b, PrintOp print) {
  const bool isOfBuffer = print.getValue() && isa<BufferType>(print.getValue().getType());
  isOfBuffer ? printBuffer(lowering, b, print) : printFragments(lowering, b, print);
}

void lowerAssert(CpuLowering &lowering, ImplicitLocOpBuilder &b, AssertOp assertion) {
  Fragments fragments(lowering.fragmentsOf(assertion.getCondition()));
  Value holds = fragments.front();
  for (Value fragment : ArrayRef(fragments).drop_front())
    holds = b.create<arith::AndIOp>(holds, fragment);
  if (isa<VectorType>(holds.getType()))
    holds = b.create<vector::ReductionOp>(vector::CombiningKind::AND, holds);
  Value fails = b.create<arith::XOrIOp>(holds, b.create<arith::ConstantIntOp>(1, 1));
  auto choice = b.create<scf::IfOp>(fails);
  b.setInsertionPointToStart(choice.thenBlock());
  Value text = emitText(b, assertionText(assertion));
  Type i32 = b.getI32Type();
  auto report = declareFunction(b, hostAssertName, LLVM::LLVMVoidType::get(b.getContext()),
                                {text.getType(), i32, i32, i32});
  b.create<LLVM::CallOp>(
      report, ValueRange{text, lowering.program[0], lowering.program[1], lowering.program[2]});
  b.create<StopOp>();
}

} // namespace

void populateCpuDebugLowerings(LoweringTable &table) {
  table.add(lowerBarrier);
  table.add(lowerPrint);
  table.add(lowerAssert);
}

} // namespace eft
