// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms of a thread's accesses: LLVM's loads and stores, and PTX where those can't say it.
#include "compiler/lowering/gpu/ThreadAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

constexpr unsigned globalMemory = 1; // LLVM's address space of it on NVPTX
constexpr unsigned maxAccessBits = 128;

/// PTX's constraint for a register of a word. It has none of 8 bits: the low ones of 16 count.
std::string constraintOf(unsigned width) { return width == 64 ? "l" : width == 32 ? "r" : "h"; }

/// ".v4.b32" and so on, and the operands from number `first` on: "{$0, $1, $2, $3}".
std::pair<std::string, std::string> shapeOf(unsigned count, unsigned width, unsigned first) {
  std::string shape = count == 1 ? "" : ".v" + std::to_string(count);
  std::string registers;
  for (unsigned i = 0; i < count; ++i)
    registers += (i == 0 ? "$" : ", $") + std::to_string(first + i);
  return {shape + ".b" + std::to_string(width), count == 1 ? registers : "{" + registers + "}"};
}

} // namespace

Qualifiers::Qualifiers(std::optional<CacheModifier> cache, std::optional<Eviction> eviction,
                       bool isVolatile)
    : isVolatile(isVolatile) {
  // A volatile access has no hints, and a policy no place beside a modifier.
  if (isVolatile)
    return;
  if (cache)
    text = "." + stringifyCacheModifier(*cache).str();
  else if (eviction)
    text = ".L1::" + stringifyEviction(*eviction).str();
}

ThreadAccess::ThreadAccess(ImplicitLocOpBuilder &b, Type element, Pieces addresses, unsigned run,
                           Qualifiers qualifiers)
    : b(b), element(element), addresses(std::move(addresses)), qualifiers(std::move(qualifiers)) {
  unsigned width = element.getIntOrFloatBitWidth();
  unsigned widest = std::max(1u, maxAccessBits / width);
  perAccess = std::min({run, widest, unsigned(this->addresses.size())});
}

ThreadAccess::Pieces ThreadAccess::loadAll() {
  Pieces values;
  for (unsigned first = 0; first < addresses.size(); first += perAccess)
    loadRun(first, values);
  return values;
}

void ThreadAccess::storeAll(ArrayRef<Value> values) {
  for (unsigned first = 0; first < addresses.size(); first += perAccess)
    storeRun(first, values.slice(first, perAccess));
}

void ThreadAccess::storeAllIf(Value condition, ArrayRef<Value> values) {
  for (unsigned first = 0; first < addresses.size(); first += perAccess)
    storeRunIf(condition, first, values.slice(first, perAccess));
}

Value ThreadAccess::loadOne(unsigned piece) {
  if (!qualifiers.text.empty())
    return b.create<LLVM::BitcastOp>(element, emitLoad(pointer(piece), bitsOf(element)));
  return b.create<LLVM::LoadOp>(element, pointer(piece), bytes(1), qualifiers.isVolatile);
}

void ThreadAccess::storeOne(unsigned piece, Value value) {
  if (!qualifiers.text.empty())
    return emitStore(/*condition=*/{}, pointer(piece),
                     b.create<LLVM::BitcastOp>(bitsOf(element), value));
  b.create<LLVM::StoreOp>(value, pointer(piece), bytes(1));
}

Value ThreadAccess::index(unsigned i) { return b.create<arith::ConstantIntOp>(i, 32); }

/// An element's address follows from that of its run's first: no other address is kept.
Value ThreadAccess::pointer(unsigned piece) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), globalMemory);
  unsigned first = piece - piece % perAccess;
  Value pointer = b.create<LLVM::IntToPtrOp>(type, addresses[first]);
  if (piece == first)
    return pointer;
  return b.create<LLVM::GEPOp>(type, element, pointer, LLVM::GEPArg(int32_t(piece - first)));
}

/// The same bits as words of at most 32 bits, or of 64 for wider elements: the forms that PTX has
/// vector accesses of.
Type ThreadAccess::wordsType() const {
  unsigned bits = bytes(perAccess) * 8;
  unsigned word = std::min(bits, element.getIntOrFloatBitWidth() == 64 ? 64u : 32u);
  Type type = b.getIntegerType(word);
  return bits == word ? type : VectorType::get(bits / word, type);
}

void ThreadAccess::loadRun(unsigned first, Pieces &values) {
  if (perAccess == 1)
    return values.push_back(loadOne(first));
  Value words = qualifiers.text.empty()
                    ? b.create<LLVM::LoadOp>(wordsType(), pointer(first), bytes(perAccess),
                                             qualifiers.isVolatile)
                    : emitLoad(pointer(first), wordsType());
  Value vector = b.create<LLVM::BitcastOp>(vectorType(), words);
  for (unsigned i = 0; i < perAccess; ++i)
    values.push_back(b.create<LLVM::ExtractElementOp>(vector, index(i)));
}

/// The values of a run side by side, as words.
Value ThreadAccess::pack(ArrayRef<Value> values) {
  if (perAccess == 1)
    return b.create<LLVM::BitcastOp>(wordsType(), values.front());
  Value vector = b.create<LLVM::UndefOp>(vectorType());
  for (auto [i, value] : llvm::enumerate(values))
    vector = b.create<LLVM::InsertElementOp>(vector, value, index(i));
  return b.create<LLVM::BitcastOp>(wordsType(), vector);
}

void ThreadAccess::storeRun(unsigned first, ArrayRef<Value> values) {
  if (perAccess == 1)
    return storeOne(first, values.front());
  if (!qualifiers.text.empty())
    return emitStore(/*condition=*/{}, pointer(first), pack(values));
  b.create<LLVM::StoreOp>(pack(values), pointer(first), bytes(perAccess));
}

void ThreadAccess::storeRunIf(Value condition, unsigned first, ArrayRef<Value> values) {
  emitStore(condition, pointer(first), pack(values));
}

/// Loads words, with the qualifiers.
Value ThreadAccess::emitLoad(Value pointer, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  unsigned count = vector ? vector.getNumElements() : 1;
  Type word = getElementTypeOrSelf(type);
  unsigned width = word.getIntOrFloatBitWidth();
  Type inRegister = width == 8 ? b.getI16Type() : word;
  auto [shape, registers] = shapeOf(count, width, 0);
  std::string text = "ld.global" + qualifiers.text + shape + " " + registers + ", [$" +
                     std::to_string(count) + "];";
  std::string constraints;
  for (unsigned i = 0; i < count; ++i)
    constraints += "=" + constraintOf(width) + ",";
  SmallVector<Type> types(count, inRegister);
  Type result = inRegister;
  if (count > 1)
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value words = emitAsm(result, {pointer}, text, constraints + "l,~{memory}");
  if (count == 1)
    return width == 8 ? b.create<arith::TruncIOp>(word, words).getResult() : words;
  Value all = b.create<LLVM::UndefOp>(type);
  for (unsigned i = 0; i < count; ++i)
    all = b.create<LLVM::InsertElementOp>(all, b.create<LLVM::ExtractValueOp>(words, i), index(i));
  return all;
}

/// Stores words, with the qualifiers; where the condition is true, or null.
void ThreadAccess::emitStore(Value condition, Value pointer, Value packed) {
  SmallVector<Value> words = {packed};
  if (auto vector = dyn_cast<VectorType>(packed.getType())) {
    words.clear();
    for (unsigned i = 0; i < vector.getNumElements(); ++i)
      words.push_back(b.create<LLVM::ExtractElementOp>(packed, index(i)));
  }
  unsigned width = words.front().getType().getIntOrFloatBitWidth();
  if (width == 8)
    words.front() = b.create<arith::ExtUIOp>(b.getI16Type(), words.front());
  SmallVector<Value> operands;
  std::string text, constraints;
  if (condition) {
    operands.push_back(condition);
    text = "@$0 ";
    constraints = "b,";
  }
  auto [shape, registers] = shapeOf(words.size(), width, operands.size() + 1);
  text += "st.global" + qualifiers.text + shape + " [$" + std::to_string(operands.size()) + "], " +
          registers + ";";
  operands.push_back(pointer);
  constraints += "l";
  llvm::append_range(operands, words);
  for (unsigned i = 0; i < words.size(); ++i)
    constraints += "," + constraintOf(width);
  emitAsm({}, operands, text, constraints + ",~{memory}");
}

Value ThreadAccess::emitAsm(Type result, ValueRange operands, StringRef text,
                            StringRef constraints) {
  auto code =
      b.create<LLVM::InlineAsmOp>(result ? TypeRange(result) : TypeRange(), operands, text,
                                  constraints, /*has_side_effects=*/true,
                                  /*is_align_stack=*/false, LLVM::AsmDialectAttr(), ArrayAttr());
  return result ? code.getResult(0) : Value();
}

} // namespace eft
