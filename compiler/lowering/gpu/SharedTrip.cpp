// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/SharedTrip.h"

#include "compiler/lowering/LinearCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;

namespace eft {

namespace {

constexpr unsigned mostAlignment = 16; // of the buffer, and so of each block's part

constexpr uint64_t bitNumber(unsigned bit) { return uint64_t(1) << bit; }

Value constant(ImplicitLocOpBuilder &b, uint64_t value) {
  return b.create<arith::ConstantIntOp>(int64_t(value), 32);
}

Value equals(ImplicitLocOpBuilder &b, Value value, uint64_t number) {
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, value, constant(b, number));
}

/// `value` ^ `number`, and no operation for a zero.
Value exclusiveOr(ImplicitLocOpBuilder &b, Value value, uint64_t number) {
  return number == 0 ? value : b.create<arith::XOrIOp>(value, constant(b, number)).getResult();
}

/// `count` elements as words of 32 bits, or of 64 for wide elements: the forms that PTX has vector
/// accesses of.
Type wordsType(Type element, int64_t count) {
  unsigned bits = element.getIntOrFloatBitWidth() * count;
  unsigned word = std::min(bits, element.getIntOrFloatBitWidth() == 64 ? 64u : 32u);
  Type type = IntegerType::get(element.getContext(), word);
  return bits == word ? type : VectorType::get(bits / word, type);
}

} // namespace

SharedTrip::SharedTrip(ImplicitLocOpBuilder &b, SharedMemory &memory, const LinearLayout &from,
                       const LinearLayout &wanted, ArrayRef<Pieces> sources)
    : b(b), memory(memory), from(from), wanted(wanted), sources(sources) {
  uint64_t bytesOfAll = 0;
  for (const Pieces &source : sources) {
    Buffer &buffer = buffers.emplace_back();
    buffer.element = source.front().getType();
    buffer.stored = buffer.element.isInteger(1) ? b.getI8Type() : buffer.element;
    buffer.layout = SharedLayout::choose(from, wanted, unsigned(buffer.bytes()));
    bytesOfAll += buffer.bytes();
  }
  offsetBits = buffers.front().layout.bits();
  while (bytesOfAll << (offsetBits - roundBits) > SharedMemory::usualBytes &&
         roundBits < offsetBits)
    ++roundBits;
  uint64_t start = 0;
  for (Buffer &buffer : buffers) {
    buffer.start = start;
    start += llvm::alignTo(buffer.bytes() << (offsetBits - roundBits), mostAlignment);
  }
}

//===--- Offsets ------------------------------------------------------------------------------===//

SharedTrip::Runs SharedTrip::runsOf(const SharedLayout &layout, const LinearLayout &places,
                                    uint64_t constant, int64_t length) {
  std::map<uint64_t, Run> byStart;
  std::map<uint64_t, uint64_t> pieceAt;
  Runs result;
  for (uint64_t piece = 0; piece < bitNumber(places.source().dims()[0].bits); ++piece) {
    uint64_t offset = layout.offsetOf(places.applyPacked(piece) ^ constant);
    auto [at, isNew] = pieceAt.insert({offset, piece});
    if (!isNew) {
      result.copies.push_back({piece, at->second});
      continue;
    }
    Run &run = byStart[offset / length];
    run.offset = offset / length * length;
    run.pieces.resize(length);
    run.pieces[offset % length] = piece;
  }
  for (auto &[start, run] : byStart)
    result.runs.push_back(std::move(run));
  return result;
}

Value SharedTrip::threadOffset(const SharedLayout &layout, const LinearLayout &places) {
  SmallVector<int64_t> ofThread;
  for (unsigned bit = places.source().dims()[1].offset; bit < places.source().bits(); ++bit)
    ofThread.push_back(int64_t(layout.offsetOf(places.applyPacked(bitNumber(bit)))));
  return emitLinearMap(b, b.create<NVVM::ThreadIdXOp>(b.getI32Type()), ofThread);
}

Value SharedTrip::isInRound(Value offset, uint64_t round) {
  Value upper = b.create<arith::ShRUIOp>(offset, constant(b, offsetBits - roundBits));
  return equals(b, upper, round);
}

Value SharedTrip::pointer(const Buffer &buffer, Value offset) {
  if (roundBits != 0)
    offset = b.create<arith::AndIOp>(offset, constant(b, bitNumber(offsetBits - roundBits) - 1));
  uint64_t bytes = buffer.bytes() << (offsetBits - roundBits);
  Value start = memory.buffer(b, unsigned(buffer.start + bytes));
  Type type = start.getType();
  if (buffer.start != 0)
    start = b.create<LLVM::GEPOp>(type, b.getI8Type(), start, LLVM::GEPArg(int32_t(buffer.start)));
  return b.create<LLVM::GEPOp>(type, buffer.stored, start, ValueRange{offset});
}

//===--- Accesses -----------------------------------------------------------------------------===//

void SharedTrip::storeRun(const Buffer &buffer, ArrayRef<Value> values, Value offset) {
  SmallVector<Value> stored(values);
  for (Value &value : stored)
    if (buffer.stored != buffer.element)
      value = b.create<arith::ExtUIOp>(buffer.stored, value);
  unsigned alignment = unsigned(buffer.bytes() * stored.size());
  Value whole = stored.front();
  if (stored.size() > 1) {
    Type vector = VectorType::get(stored.size(), buffer.stored);
    whole = b.create<LLVM::UndefOp>(vector);
    for (auto [i, value] : llvm::enumerate(stored))
      whole = b.create<LLVM::InsertElementOp>(whole, value, constant(b, i));
    whole = b.create<LLVM::BitcastOp>(wordsType(buffer.stored, stored.size()), whole);
  }
  b.create<LLVM::StoreOp>(whole, pointer(buffer, offset), alignment);
}

SharedTrip::Pieces SharedTrip::loadRun(const Buffer &buffer, int64_t length, Value offset) {
  unsigned alignment = unsigned(buffer.bytes() * length);
  Type type = length == 1 ? buffer.stored : wordsType(buffer.stored, length);
  Value whole = b.create<LLVM::LoadOp>(type, pointer(buffer, offset), alignment);
  Pieces values = {whole};
  if (length > 1) {
    whole = b.create<LLVM::BitcastOp>(VectorType::get(length, buffer.stored), whole);
    values.clear();
    for (int64_t i = 0; i < length; ++i)
      values.push_back(b.create<LLVM::ExtractElementOp>(whole, constant(b, i)));
  }
  for (Value &value : values)
    if (buffer.stored != buffer.element)
      value = b.create<arith::TruncIOp>(buffer.element, value);
  return values;
}

//===--- The trip -----------------------------------------------------------------------------===//

void SharedTrip::inRounds(llvm::function_ref<void(uint64_t round)> read) {
  for (uint64_t round = 0; round < bitNumber(roundBits); ++round) {
    memory.beginWriting(b);
    write(round);
    memory.beginReading(b);
    read(round);
  }
}

/// Every element of the round once: by the thread that has all redundant bits zero.
void SharedTrip::write(uint64_t round) {
  OpBuilder::InsertionGuard guard(b);
  const std::vector<Space::Dim> &dims = from.source().dims();
  uint64_t redundant = from.redundantBits(dims[1].name) | from.redundantBits(dims[2].name)
                                                              << dims[1].bits;
  if (redundant != 0) {
    Value thread = b.create<NVVM::ThreadIdXOp>(b.getI32Type());
    Value bits = b.create<arith::AndIOp>(thread, constant(b, redundant));
    auto guarded = b.create<scf::IfOp>(equals(b, bits, 0));
    b.setInsertionPointToStart(guarded.thenBlock());
  }
  for (auto [buffer, pieces] : llvm::zip_equal(buffers, sources))
    writeBlock(buffer, pieces, round);
}

void SharedTrip::writeBlock(const Buffer &buffer, ArrayRef<Value> pieces, uint64_t round) {
  Value ofThread = threadOffset(buffer.layout, from);
  for (const Run &run : runsOf(buffer.layout, from, 0, buffer.layout.writeRun()).runs) {
    Value offset = exclusiveOr(b, ofThread, run.offset);
    SmallVector<Value> values;
    for (uint64_t piece : run.pieces)
      values.push_back(pieces[piece]);
    OpBuilder::InsertionGuard guard(b);
    if (roundBits != 0) {
      auto inRound = b.create<scf::IfOp>(isInRound(offset, round));
      b.setInsertionPointToStart(inRound.thenBlock());
    }
    storeRun(buffer, values, offset);
  }
}

/// What was read in this round, if this is the round of the offset.
void SharedTrip::keepFound(Value &value, Value found, Value offset, uint64_t round) {
  value = value ? b.create<arith::SelectOp>(isInRound(offset, round), found, value) : found;
}

SmallVector<SharedTrip::Pieces> SharedTrip::fetch(uint64_t constant) {
  SmallVector<Pieces> results(sources.size(), Pieces(bitNumber(wanted.source().dims()[0].bits)));
  inRounds([&](uint64_t round) {
    for (auto [buffer, result] : llvm::zip_equal(buffers, results)) {
      int64_t length = buffer.layout.readRun();
      Runs runs = runsOf(buffer.layout, wanted, constant, length);
      Value ofThread = threadOffset(buffer.layout, wanted);
      for (const Run &run : runs.runs) {
        Value offset = exclusiveOr(b, ofThread, run.offset);
        for (auto [piece, found] : llvm::zip_equal(run.pieces, loadRun(buffer, length, offset)))
          keepFound(result[piece], found, offset, round);
      }
      for (auto [copy, piece] : runs.copies)
        result[copy] = result[piece];
    }
  });
  return results;
}

SmallVector<SharedTrip::Pieces> SharedTrip::pick(ArrayRef<Value> indices) {
  SmallVector<Pieces> results(sources.size(), Pieces(indices.size()));
  inRounds([&](uint64_t round) {
    for (auto [buffer, result] : llvm::zip_equal(buffers, results)) {
      SmallVector<int64_t> columns(buffer.layout.columns().begin(), buffer.layout.columns().end());
      for (auto [index, value] : llvm::zip_equal(indices, result)) {
        Value offset = emitLinearMap(b, index, columns);
        keepFound(value, loadRun(buffer, 1, offset).front(), offset, round);
      }
    }
  });
  return results;
}

} // namespace eft
