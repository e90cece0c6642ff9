// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/Staging.h"

#include "compiler/lowering/CountedLoop.h"
#include "compiler/lowering/LinearCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;

namespace eft {

namespace {

constexpr unsigned maxAlignment = 16; // in bytes: of the buffer, and of each block's part of it

constexpr uint64_t bitNumber(unsigned bit) { return uint64_t(1) << bit; }

Value number(ImplicitLocOpBuilder &b, uint64_t value) {
  return b.create<arith::ConstantIntOp>(int64_t(value), 32);
}

Value equals(ImplicitLocOpBuilder &b, Value value, uint64_t expected) {
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, value, number(b, expected));
}

/// Returns `value` ^ `bits`; emits no operation if `bits` is zero.
Value exclusiveOr(ImplicitLocOpBuilder &b, Value value, uint64_t bits) {
  return bits == 0 ? value : b.create<arith::XOrIOp>(value, number(b, bits)).getResult();
}

/// The type of the words that hold `count` elements: words of at most 32 bits, or of 64 for
/// elements of 64 bits. PTX has vector accesses for these.
Type wordsType(Type element, int64_t count) {
  unsigned bits = element.getIntOrFloatBitWidth() * count;
  unsigned word = std::min(bits, element.getIntOrFloatBitWidth() == 64 ? 64u : 32u);
  Type type = IntegerType::get(element.getContext(), word);
  return bits == word ? type : VectorType::get(bits / word, type);
}

} // namespace

Staging::Staging(SharedMemory &memory, LinearLayout from, LinearLayout wanted, uint64_t offset,
                 ArrayRef<Fragments> sources)
    : memory(memory), from(std::move(from)), wanted(std::move(wanted)), constant(offset) {
  uint64_t bytesOfElements = 0;
  for (const Fragments &source : sources) {
    Buffer &buffer = buffers.emplace_back();
    buffer.source = source;
    buffer.element = source.front().getType();
    buffer.stored = buffer.element.isInteger(1) ? IntegerType::get(buffer.element.getContext(), 8)
                                                : buffer.element;
    buffer.layout = SharedLayout::choose(this->from, this->wanted, unsigned(buffer.bytes()));
    bytesOfElements += buffer.bytes();
  }
  offsetBits = buffers.front().layout.bits();
  while (bytesOfElements << (offsetBits - roundBits) > memory.available() && roundBits < offsetBits)
    ++roundBits;
  for (Buffer &buffer : buffers) {
    if (isOneRound() && constant == 0)
      setOrder(buffer, chooseSharedOrder(this->from, this->wanted, unsigned(buffer.bytes())));
    if (!isOneRound())
      buffer.layout = buffer.layout.withRegistersLast(this->from, this->wanted, buffer.bytes());
    buffer.reads = runsOf(buffer.layout, this->wanted, buffer.layout.readRun(), constant);
    buffer.result.resize(bitNumber(this->wanted.source().dims()[0].bits));
    buffer.start = bytesOfRound;
    bytesOfRound += llvm::alignTo(buffer.bytes() << (offsetBits - roundBits), maxAlignment);
  }
}

Staging::Staging(SharedMemory &memory, LinearLayout from, LinearLayout wanted,
                 const LinearLayout &order, Type element, Value slot)
    : memory(memory), from(std::move(from)), wanted(std::move(wanted)), constant(0) {
  Buffer &buffer = buffers.emplace_back();
  buffer.element = buffer.stored = element;
  buffer.slot = slot;
  setOrder(buffer, readSharedOrder(order, this->wanted, unsigned(buffer.bytes())));
  offsetBits = buffer.layout.bits();
  buffer.reads = runsOf(buffer.layout, this->wanted, buffer.layout.readRun(), constant);
  buffer.result.resize(bitNumber(this->wanted.source().dims()[0].bits));
}

void Staging::setOrder(Buffer &buffer, SharedOrder order) {
  buffer.layout = std::move(order.layout);
  buffer.matrices = std::move(order.matrices);
}

void Staging::computeWritingThread(ImplicitLocOpBuilder &b) {
  buffers.front().ofWritingThread = threadOffset(b, buffers.front().layout, from);
}

Value Staging::placeOf(ImplicitLocOpBuilder &b, uint64_t fragment) {
  const Buffer &buffer = buffers.front();
  const uint64_t offset = buffer.layout.offsetOf(from.applyPacked(fragment));
  return pointer(b, buffer, buffer.ofWritingThread.exclusiveOr(b, offset));
}

void Staging::setStart(uint64_t bytes) {
  for (Buffer &buffer : buffers) {
    buffer.start = bytes;
    bytes += llvm::alignTo(buffer.bytes() << offsetBits, maxAlignment);
  }
}

//===--- Offsets ------------------------------------------------------------------------------===//

SmallVector<Staging::Run> Staging::runsOf(const SharedLayout &layout, const LinearLayout &places,
                                          int64_t length, uint64_t constant) {
  std::map<uint64_t, Run> byStart;
  for (uint64_t fragment = 0; fragment < bitNumber(places.source().dims()[0].bits); ++fragment) {
    uint64_t offset = layout.offsetOf(places.applyPacked(fragment) ^ constant);
    Run &run = byStart[offset / length];
    run.offset = offset / length * length;
    run.members.push_back({offset % length, fragment});
  }
  SmallVector<Run> runs;
  for (auto &[start, run] : byStart)
    runs.push_back(std::move(run));
  return runs;
}

Staging::Offset Staging::ThreadOffset::exclusiveOr(ImplicitLocOpBuilder &b, uint64_t offset) const {
  return {::eft::exclusiveOr(b, value, offset & bits), offset & ~bits};
}

Staging::ThreadOffset Staging::threadOffset(ImplicitLocOpBuilder &b, const SharedLayout &layout,
                                            const LinearLayout &places) {
  SmallVector<int64_t> columns;
  ThreadOffset offset;
  for (unsigned bit = places.source().dims()[1].offset; bit < places.source().bits(); ++bit) {
    columns.push_back(int64_t(layout.offsetOf(places.applyPacked(bitNumber(bit)))));
    offset.bits |= columns.back();
  }
  offset.value = emitLinearMap(b, b.create<NVVM::ThreadIdXOp>(b.getI32Type()), columns);
  return offset;
}

Staging::Offset Staging::readingOffset(ImplicitLocOpBuilder &b, Buffer &buffer, uint64_t offset) {
  ThreadOffset &ofThread = buffer.ofReadingThread;
  if (!ofThread.value)
    ofThread = threadOffset(b, buffer.layout, buffer.matrices ? buffer.matrices->rows : wanted);
  return ofThread.exclusiveOr(b, offset);
}

bool Staging::maybeInRound(const ThreadOffset &ofThread, uint64_t offset, uint64_t round) const {
  const uint64_t fixed = ~ofThread.bits >> (offsetBits - roundBits) & (bitNumber(roundBits) - 1);
  return ((offset >> (offsetBits - roundBits) ^ round) & fixed) == 0;
}

Value Staging::isInRound(ImplicitLocOpBuilder &b, Offset offset, uint64_t round) {
  Value whole = exclusiveOr(b, offset.variable, offset.fixed);
  Value upper = b.create<arith::ShRUIOp>(whole, number(b, offsetBits - roundBits));
  return equals(b, upper, round);
}

Value Staging::pointer(ImplicitLocOpBuilder &b, const Buffer &buffer, Offset offset) {
  const uint64_t inRound = bitNumber(offsetBits - roundBits) - 1;
  if (roundBits != 0)
    offset.variable = b.create<arith::AndIOp>(offset.variable, number(b, inRound));
  uint64_t fixed = buffer.start + (offset.fixed & inRound) * buffer.bytes();
  Value start = buffer.slot;
  if (!start)
    start = memory.buffer(b, unsigned(buffer.start + (inRound + 1) * buffer.bytes()));
  Type type = start.getType();
  Value pointer = b.create<LLVM::GEPOp>(type, buffer.stored, start, offset.variable);
  if (fixed != 0)
    pointer = b.create<LLVM::GEPOp>(type, b.getI8Type(), pointer, LLVM::GEPArg(int32_t(fixed)));
  return pointer;
}

//===--- Writing ------------------------------------------------------------------------------===//

void Staging::storeRun(ImplicitLocOpBuilder &b, const Buffer &buffer, ArrayRef<Value> values,
                       Offset offset) {
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
      whole = b.create<LLVM::InsertElementOp>(whole, value, number(b, i));
    whole = b.create<LLVM::BitcastOp>(wordsType(buffer.stored, stored.size()), whole);
  }
  b.create<LLVM::StoreOp>(whole, pointer(b, buffer, offset), alignment);
}

/// Emits `write` for the threads that write: those in whose numbers all redundant bits are zero. So
/// each element is written once.
void Staging::asWriters(ImplicitLocOpBuilder &b, function_ref<void()> write) {
  OpBuilder::InsertionGuard guard(b);
  const std::vector<Space::Dim> &dims = from.source().dims();
  uint64_t redundant = from.redundantBits(dims[1].name) | from.redundantBits(dims[2].name)
                                                              << dims[1].bits;
  if (redundant != 0) {
    Value thread = b.create<NVVM::ThreadIdXOp>(b.getI32Type());
    Value bits = b.create<arith::AndIOp>(thread, number(b, redundant));
    auto guarded = b.create<scf::IfOp>(equals(b, bits, 0));
    b.setInsertionPointToStart(guarded.thenBlock());
  }
  write();
}

void Staging::write(ImplicitLocOpBuilder &b, uint64_t round) {
  asWriters(b, [&] {
    for (const Buffer &buffer : buffers)
      writeBlock(b, buffer, round);
  });
}

void Staging::writeToSlot(ImplicitLocOpBuilder &b, ArrayRef<Value> fragments) {
  computeWritingThread(b);
  asWriters(b, [&] { writeRuns(b, fragments); });
}

void Staging::writeRuns(ImplicitLocOpBuilder &b, ArrayRef<Value> fragments) {
  const Buffer &buffer = buffers.front();
  const auto run = uint64_t(runOfFragments(int64_t(maxAlignment / buffer.bytes())));
  const uint64_t copies = from.redundantBits(from.source().dims()[0].name);
  for (uint64_t first = 0; first < fragments.size(); first += run) {
    if (first & copies)
      continue;
    const uint64_t offset = buffer.layout.offsetOf(from.applyPacked(first));
    storeRun(b, buffer, fragments.slice(first, run), buffer.ofWritingThread.exclusiveOr(b, offset));
  }
}

/// Writes a block's elements of a round. Runs that are written in the same rounds share a branch.
void Staging::writeBlock(ImplicitLocOpBuilder &b, const Buffer &buffer, uint64_t round) {
  ThreadOffset ofThread = threadOffset(b, buffer.layout, from);
  llvm::MapVector<uint64_t, SmallVector<Run>> byRound;
  for (Run &run : runsOf(buffer.layout, from, buffer.layout.writeRun(), 0))
    if (maybeInRound(ofThread, run.offset, round))
      byRound[run.offset >> (offsetBits - roundBits)].push_back(std::move(run));
  for (const auto &[upper, runs] : byRound) {
    OpBuilder::InsertionGuard guard(b);
    if (roundBits != 0) {
      Offset first = ofThread.exclusiveOr(b, upper << (offsetBits - roundBits));
      auto inRound = b.create<scf::IfOp>(isInRound(b, first, round));
      b.setInsertionPointToStart(inRound.thenBlock());
    }
    for (const Run &run : runs)
      writeRun(b, buffer, run, ofThread.exclusiveOr(b, run.offset));
  }
}

void Staging::writeRun(ImplicitLocOpBuilder &b, const Buffer &buffer, const Run &run,
                       Offset offset) {
  SmallVector<Value> values(buffer.layout.writeRun());
  for (auto [position, fragment] : run.members)
    values[position] = buffer.source[fragment];
  storeRun(b, buffer, values, offset);
}

//===--- Reading ------------------------------------------------------------------------------===//

/// Returns the elements in the words that one access has read.
Staging::Fragments Staging::fromStored(ImplicitLocOpBuilder &b, const Buffer &buffer, Value whole,
                                       int64_t length) {
  Fragments values = {whole};
  Type type = length == 1 ? buffer.stored : VectorType::get(length, buffer.stored);
  if (whole.getType() != type)
    values.front() = whole = b.create<LLVM::BitcastOp>(type, whole);
  if (length > 1) {
    values.clear();
    for (int64_t i = 0; i < length; ++i)
      values.push_back(b.create<LLVM::ExtractElementOp>(whole, number(b, i)));
  }
  for (Value &value : values)
    if (buffer.stored != buffer.element)
      value = b.create<arith::TruncIOp>(buffer.element, value);
  return values;
}

Staging::Fragments Staging::loadRun(ImplicitLocOpBuilder &b, const Buffer &buffer, int64_t length,
                                    Offset offset) {
  unsigned alignment = unsigned(buffer.bytes() * length);
  Type type = length == 1 ? buffer.stored : wordsType(buffer.stored, length);
  Value whole = b.create<LLVM::LoadOp>(type, pointer(b, buffer, offset), alignment);
  return fromStored(b, buffer, whole, length);
}

/// Reads the matrices that contain `fragment`: all fragments whose numbers differ from it only in
/// the bits that select the element of a word and the matrix of the load.
void Staging::readMatrices(ImplicitLocOpBuilder &b, Buffer &buffer, uint64_t fragment) {
  const MatrixLoad &load = *buffer.matrices;
  const unsigned matrices = 1u << load.matrixBits, perWord = 1u << load.wordBits;
  uint64_t first = fragment / (matrices * perWord) * (matrices * perWord);
  Offset offset = readingOffset(b, buffer, buffer.layout.offsetOf(wanted.applyPacked(first)));
  Type word = b.getI32Type(), type = word;
  if (matrices > 1)
    type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(matrices, word));
  auto order = load.isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  Value all = b.create<NVVM::LdMatrixOp>(type, pointer(b, buffer, offset), matrices, order);
  for (unsigned matrix = 0; matrix < matrices; ++matrix) {
    Value found = matrices > 1 ? b.create<LLVM::ExtractValueOp>(all, matrix).getResult() : all;
    llvm::copy(fromStored(b, buffer, found, perWord),
               buffer.result.begin() + first + matrix * perWord);
  }
}

Value Staging::read(ImplicitLocOpBuilder &b, size_t block, uint64_t fragment) {
  Buffer &buffer = buffers[block];
  Value &result = buffer.result[fragment];
  if (!result && buffer.matrices)
    readMatrices(b, buffer, fragment);
  if (!result) {
    uint64_t offset = buffer.layout.offsetOf(wanted.applyPacked(fragment) ^ constant);
    const Run *run = llvm::find_if(buffer.reads, [&](const Run &each) {
      return each.offset == offset / buffer.layout.readRun() * buffer.layout.readRun();
    });
    Fragments found =
        loadRun(b, buffer, buffer.layout.readRun(), readingOffset(b, buffer, run->offset));
    for (auto [position, copy] : run->members)
      buffer.result[copy] = found[position];
  }
  return result;
}

/// Sets `value` to `found`, the element that was read in this round, if the offset belongs to this
/// round. A null `value` becomes `found` in any case: if that is wrong, a later round replaces it.
void Staging::keepFound(ImplicitLocOpBuilder &b, Value &value, Value found, Offset offset,
                        uint64_t round) {
  value = value ? b.create<arith::SelectOp>(isInRound(b, offset, round), found, value) : found;
}

void Staging::readRound(ImplicitLocOpBuilder &b, Buffer &buffer, uint64_t round) {
  for (const Run &run : buffer.reads) {
    Offset offset = readingOffset(b, buffer, run.offset);
    if (!maybeInRound(buffer.ofReadingThread, run.offset, round))
      continue;
    Fragments found = loadRun(b, buffer, buffer.layout.readRun(), offset);
    for (auto [position, fragment] : run.members)
      keepFound(b, buffer.result[fragment], found[position], offset, round);
  }
}

//===--- The rounds ---------------------------------------------------------------------------===//

void Staging::inRounds(ImplicitLocOpBuilder &b, llvm::function_ref<void(uint64_t round)> read) {
  for (uint64_t round = 0; round < bitNumber(roundBits); ++round) {
    memory.beginWriting(b);
    write(b, round);
    memory.beginReading(b);
    read(round);
  }
}

SmallVector<Staging::Fragments> Staging::fetch(ImplicitLocOpBuilder &b) {
  inRounds(b, [&](uint64_t round) {
    for (auto [number, buffer] : llvm::enumerate(buffers)) {
      if (!isOneRound()) {
        readRound(b, buffer, round);
        continue;
      }
      for (uint64_t fragment = 0; fragment < buffer.result.size(); ++fragment)
        this->read(b, number, fragment);
    }
  });
  SmallVector<Fragments> results;
  for (Buffer &buffer : buffers)
    results.push_back(std::move(buffer.result));
  return results;
}

SmallVector<Staging::Fragments> Staging::pick(ImplicitLocOpBuilder &b, ArrayRef<Value> indices,
                                              LocalMemory &local) {
  // Each round reads at all indices, and the number of rounds grows with the block. If all rounds
  // were unrolled, the code would grow with the square of the block's size.
  constexpr size_t maxUnrolled = 32;
  if (!isOneRound() && indices.size() > maxUnrolled)
    return pickInLoops(b, indices, local);
  SmallVector<Fragments> results(buffers.size(), Fragments(indices.size()));
  inRounds(b, [&](uint64_t round) {
    for (auto [buffer, result] : llvm::zip_equal(buffers, results))
      for (auto [index, value] : llvm::zip_equal(indices, result))
        pickOne(b, buffer, index, value, round);
  });
  return results;
}

void Staging::pickOne(ImplicitLocOpBuilder &b, const Buffer &buffer, Value index, Value &value,
                      uint64_t round) {
  SmallVector<int64_t> columns(buffer.layout.columns().begin(), buffer.layout.columns().end());
  Offset offset{emitLinearMap(b, index, columns)};
  keepFound(b, value, loadRun(b, buffer, 1, offset).front(), offset, round);
}

/// Does the same as `pick`, with a loop in each round: the indices and the elements that are found
/// are in local memory.
SmallVector<Staging::Fragments> Staging::pickInLoops(ImplicitLocOpBuilder &b,
                                                     ArrayRef<Value> indices, LocalMemory &local) {
  const auto count = unsigned(indices.size());
  const Type word = indices.front().getType();
  unsigned end = 0;
  auto take = [&](unsigned bytesOfElement) {
    Value array = local.at(b, end, count * bytesOfElement);
    end += llvm::alignTo(count * bytesOfElement, maxAlignment);
    return array;
  };
  auto at = [&](Value array, Type element, Value position) {
    return b.create<LLVM::GEPOp>(array.getType(), element, array, ValueRange{position});
  };
  Value wanted = take(word.getIntOrFloatBitWidth() / 8);
  SmallVector<Value> found;
  for (const Buffer &buffer : buffers)
    found.push_back(take(unsigned(buffer.bytes())));
  for (auto [position, index] : llvm::enumerate(indices))
    b.create<LLVM::StoreOp>(index, at(wanted, word, number(b, position)));
  inRounds(b, [&](uint64_t round) {
    emitLoop(b, 0, count, 1, [&](Value position) {
      Value index = b.create<LLVM::LoadOp>(word, at(wanted, word, position));
      for (auto [buffer, array] : llvm::zip_equal(buffers, found)) {
        Value place = at(array, buffer.element, position), value;
        if (round != 0)
          value = b.create<LLVM::LoadOp>(buffer.element, place);
        pickOne(b, buffer, index, value, round);
        b.create<LLVM::StoreOp>(value, place);
      }
    });
  });
  SmallVector<Fragments> results;
  for (auto [buffer, array] : llvm::zip_equal(buffers, found)) {
    Fragments &result = results.emplace_back();
    for (unsigned position = 0; position < count; ++position)
      result.push_back(
          b.create<LLVM::LoadOp>(buffer.element, at(array, buffer.element, number(b, position))));
  }
  return results;
}

} // namespace eft
