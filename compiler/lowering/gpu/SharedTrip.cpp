// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/SharedTrip.h"

#include "compiler/lowering/LinearCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {

namespace {

constexpr uint64_t bitNumber(unsigned bit) { return uint64_t(1) << bit; }

Value constant(ImplicitLocOpBuilder &b, uint64_t value) {
  return b.create<arith::ConstantIntOp>(int64_t(value), 32);
}

Value equals(ImplicitLocOpBuilder &b, Value value, uint64_t number) {
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, value, constant(b, number));
}

} // namespace

SharedTrip::SharedTrip(ImplicitLocOpBuilder &b, SharedMemory &memory, const LinearLayout &from,
                       ArrayRef<Pieces> sources)
    : b(b), memory(memory), from(from), sources(sources) {
  uint64_t reached = 0;
  for (unsigned bit = 0; bit < from.source().bits(); ++bit)
    reached |= from.applyPacked(bitNumber(bit));
  for (unsigned bit = 0; bit < from.target().bits(); ++bit)
    offsetOfIndex.push_back(reached >> bit & 1 ? int64_t(bitNumber(offsetBits++)) : 0);

  uint64_t bytesOfAll = 0;
  for (const Pieces &source : sources) {
    Type element = source.front().getType();
    Type stored = element.isInteger(1) ? b.getI8Type() : element;
    buffers.push_back({element, stored, 0});
    bytesOfAll += stored.getIntOrFloatBitWidth() / 8;
  }
  while (bytesOfAll << (offsetBits - roundBits) > SharedMemory::usualBytes)
    ++roundBits;
  uint64_t start = 0;
  for (Buffer &buffer : buffers) {
    buffer.start = start;
    uint64_t bytes = buffer.stored.getIntOrFloatBitWidth() / 8;
    start += llvm::alignTo(bytes << (offsetBits - roundBits), 16);
  }
}

Value SharedTrip::isInRound(Value offset, uint64_t round) {
  Value upper = b.create<arith::ShRUIOp>(offset, constant(b, offsetBits - roundBits));
  return equals(b, upper, round);
}

Value SharedTrip::pointer(const Buffer &buffer, Value offset) {
  if (roundBits != 0)
    offset = b.create<arith::AndIOp>(offset, constant(b, bitNumber(offsetBits - roundBits) - 1));
  uint64_t bytes = buffer.stored.getIntOrFloatBitWidth() / 8;
  Value start = memory.buffer(b, unsigned(buffer.start + (bytes << (offsetBits - roundBits))));
  Type type = start.getType();
  if (buffer.start != 0)
    start = b.create<LLVM::GEPOp>(type, b.getI8Type(), start, LLVM::GEPArg(int32_t(buffer.start)));
  return b.create<LLVM::GEPOp>(type, buffer.stored, start, ValueRange{offset});
}

void SharedTrip::writePiece(unsigned piece, Value offset) {
  for (auto [buffer, source] : llvm::zip_equal(buffers, sources)) {
    Value value = source[piece];
    if (buffer.stored != buffer.element)
      value = b.create<arith::ExtUIOp>(buffer.stored, value);
    b.create<LLVM::StoreOp>(value, pointer(buffer, offset));
  }
}

/// Every element of the round once: by the place that has all redundant bits zero.
void SharedTrip::write(uint64_t round) {
  OpBuilder::InsertionGuard guard(b);
  const std::vector<Space::Dim> &dims = from.source().dims();
  Value thread = b.create<NVVM::ThreadIdXOp>(b.getI32Type());
  uint64_t redundant = from.redundantBits(dims[1].name) | from.redundantBits(dims[2].name)
                                                              << dims[1].bits;
  if (redundant != 0) {
    Value bits = b.create<arith::AndIOp>(thread, constant(b, redundant));
    auto guarded = b.create<scf::IfOp>(equals(b, bits, 0));
    b.setInsertionPointToStart(guarded.thenBlock());
  }
  auto offsetOf = [&](uint64_t place) {
    int64_t offset = 0;
    for (uint64_t index = from.applyPacked(place); index != 0; index &= index - 1)
      offset ^= offsetOfIndex[llvm::countr_zero(index)];
    return offset;
  };
  SmallVector<int64_t> ofThread;
  for (unsigned bit = dims[1].offset; bit < from.source().bits(); ++bit)
    ofThread.push_back(offsetOf(bitNumber(bit)));
  Value threadOffset = emitLinearMap(b, thread, ofThread);
  for (uint64_t piece = 0; piece < bitNumber(dims[0].bits); ++piece) {
    if ((piece & from.redundantBits(dims[0].name)) != 0)
      continue;
    Value offset = b.create<arith::XOrIOp>(threadOffset, constant(b, offsetOf(piece)));
    OpBuilder::InsertionGuard pieceGuard(b);
    if (roundBits != 0) {
      auto inRound = b.create<scf::IfOp>(isInRound(offset, round));
      b.setInsertionPointToStart(inRound.thenBlock());
    }
    writePiece(unsigned(piece), offset);
  }
}

Value SharedTrip::read(const Buffer &buffer, Value offset) {
  Value value = b.create<LLVM::LoadOp>(buffer.stored, pointer(buffer, offset));
  if (buffer.stored != buffer.element)
    value = b.create<arith::TruncIOp>(buffer.element, value);
  return value;
}

SmallVector<SharedTrip::Pieces> SharedTrip::pick(ArrayRef<Value> indices) {
  Pieces offsets;
  for (Value index : indices)
    offsets.push_back(emitLinearMap(b, index, offsetOfIndex));
  SmallVector<Pieces> results(sources.size(), Pieces(indices.size()));
  for (uint64_t round = 0; round < bitNumber(roundBits); ++round) {
    memory.beginWriting(b);
    write(round);
    memory.beginReading(b);
    for (auto [buffer, result] : llvm::zip_equal(buffers, results))
      for (auto [offset, value] : llvm::zip_equal(offsets, result)) {
        Value found = read(buffer, offset);
        value = value ? b.create<arith::SelectOp>(isInRound(offset, round), found, value) : found;
      }
  }
  return results;
}

} // namespace eft
