// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of PieceLowering that keeps blocks in memory of their own. A buffer is an array of the
// pieces of its block, in a frame of the program's stack (on a GPU, local memory).
#include "compiler/lowering/PieceLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

/// The address of piece number `piece` of the part that `step` says.
Value pieceAddress(ImplicitLocOpBuilder &b, Value buffer, Type pieceType, Value step,
                   unsigned piecesOfPart, unsigned piece) {
  auto constant = [&](int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); };
  Value first = b.create<arith::MulIOp>(step, constant(piecesOfPart));
  Value number = b.create<arith::AddIOp>(first, constant(piece));
  return b.create<LLVM::GEPOp>(buffer.getType(), pieceType, buffer, ArrayRef<Value>{number});
}

} // namespace

void PieceLowering::lowerBuffer(ImplicitLocOpBuilder &b, BufferOp op) {
  RankedTensorType block = op.getType().getBlock();
  Value count = b.create<arith::ConstantIntOp>(numPieces(block), 32);
  auto pointer = LLVM::LLVMPointerType::get(context);
  setPieces(op, {b.create<LLVM::AllocaOp>(pointer, pieceTypeOf(block), count)});
}

void PieceLowering::lowerPut(ImplicitLocOpBuilder &b, PutOp op) {
  Pieces values(piecesOf(op.getPart()));
  Value buffer = scalarOf(op.getBuffer()), step = scalarOf(op.getStep());
  for (auto [piece, value] : llvm::enumerate(values))
    b.create<LLVM::StoreOp>(
        value, pieceAddress(b, buffer, value.getType(), step, values.size(), unsigned(piece)));
}

void PieceLowering::lowerTake(ImplicitLocOpBuilder &b, TakeOp op) {
  Type type = pieceTypeOf(op.getType());
  const unsigned count = numPieces(op.getType());
  Value buffer = scalarOf(op.getBuffer()), step = scalarOf(op.getStep());
  Pieces values;
  for (unsigned piece = 0; piece < count; ++piece)
    values.push_back(
        b.create<LLVM::LoadOp>(type, pieceAddress(b, buffer, type, step, count, piece)));
  setPieces(op, std::move(values));
}

} // namespace eft
