// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of FragmentLowering that keeps blocks in memory of their own. A buffer is an array of
// the fragments of its block, in a frame of the program's stack (on a GPU, local memory).
#include "compiler/lowering/FragmentLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

/// The address of fragment number `fragment` of tile number `step`.
Value fragmentAddress(ImplicitLocOpBuilder &b, Value buffer, Type fragmentType, Value step,
                      unsigned fragmentsOfPart, unsigned fragment) {
  auto constant = [&](int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); };
  Value first = b.create<arith::MulIOp>(step, constant(fragmentsOfPart));
  Value number = b.create<arith::AddIOp>(first, constant(fragment));
  return b.create<LLVM::GEPOp>(buffer.getType(), fragmentType, buffer, ArrayRef<Value>{number});
}

} // namespace

void FragmentLowering::lowerBuffer(ImplicitLocOpBuilder &b, BufferOp op) {
  RankedTensorType block = op.getType().getBlock();
  Value count = b.create<arith::ConstantIntOp>(numFragments(block), 32);
  auto pointer = LLVM::LLVMPointerType::get(context);
  setFragments(op, {b.create<LLVM::AllocaOp>(pointer, fragmentTypeOf(block), count)});
}

void FragmentLowering::lowerBufferWrite(ImplicitLocOpBuilder &b, BufferWriteOp op) {
  Fragments values(fragmentsOf(op.getPart()));
  Value buffer = scalarOf(op.getBuffer()), step = scalarOf(op.getStep());
  for (auto [fragment, value] : llvm::enumerate(values))
    b.create<LLVM::StoreOp>(value, fragmentAddress(b, buffer, value.getType(), step, values.size(),
                                                   unsigned(fragment)));
}

void FragmentLowering::lowerBufferRead(ImplicitLocOpBuilder &b, BufferReadOp op) {
  Type type = fragmentTypeOf(op.getType());
  const unsigned count = numFragments(op.getType());
  Value buffer = scalarOf(op.getBuffer()), step = scalarOf(op.getStep());
  Fragments values;
  for (unsigned fragment = 0; fragment < count; ++fragment)
    values.push_back(
        b.create<LLVM::LoadOp>(type, fragmentAddress(b, buffer, type, step, count, fragment)));
  setFragments(op, std::move(values));
}

} // namespace eft
