// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowerings of buffers, which are blocks in memory, for both targets. A buffer is an array of the
// fragments of its block, in the frame of the program on the stack (on a GPU, in local memory).
#include "compiler/lowering/FragmentLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

/// The address of fragment number `fragment` in tile number `step`. Each tile has `fragmentsOfPart`
/// fragments.
Value fragmentAddress(ImplicitLocOpBuilder &b, Value buffer, Type fragmentType, Value step,
                      unsigned fragmentsOfPart, unsigned fragment) {
  auto constant = [&](int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); };
  Value first = b.create<arith::MulIOp>(step, constant(fragmentsOfPart));
  Value number = b.create<arith::AddIOp>(first, constant(fragment));
  return b.create<LLVM::GEPOp>(buffer.getType(), fragmentType, buffer, ArrayRef<Value>{number});
}

void lowerBuffer(FragmentLowering &lowering, ImplicitLocOpBuilder &b, BufferOp op) {
  RankedTensorType block = op.getType().getBlock();
  Value count = b.create<arith::ConstantIntOp>(lowering.numFragments(block), 32);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  lowering.setFragments(op,
                        {b.create<LLVM::AllocaOp>(pointer, lowering.fragmentTypeOf(block), count)});
}

void lowerBufferWrite(FragmentLowering &lowering, ImplicitLocOpBuilder &b, BufferWriteOp op) {
  Fragments values(lowering.fragmentsOf(op.getPart()));
  Value buffer = lowering.scalarOf(op.getBuffer()), step = lowering.scalarOf(op.getStep());
  for (auto [fragment, value] : llvm::enumerate(values))
    b.create<LLVM::StoreOp>(value, fragmentAddress(b, buffer, value.getType(), step, values.size(),
                                                   unsigned(fragment)));
}

} // namespace

LogicalResult lowerBufferRead(FragmentLowering &lowering, ImplicitLocOpBuilder &b,
                              BufferReadOp op) {
  if (op.getElements())
    return op.emitOpError("of elements that move has no lowering for a GPU");
  Type type = lowering.fragmentTypeOf(op.getType());
  const unsigned count = lowering.numFragments(op.getType());
  Value buffer = lowering.scalarOf(op.getBuffer()), step = lowering.scalarOf(op.getStep());
  Fragments values;
  for (unsigned fragment = 0; fragment < count; ++fragment)
    values.push_back(
        b.create<LLVM::LoadOp>(type, fragmentAddress(b, buffer, type, step, count, fragment)));
  lowering.setFragments(op, std::move(values));
  return success();
}

void populateBufferLowerings(LoweringTable &table) {
  table.add(lowerBuffer);
  table.add(lowerBufferWrite);
  table.add(lowerBufferRead);
}

} // namespace eft
