// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms of a thread's accesses: LLVM's loads and stores, and PTX where those can't say it.
#include "compiler/lowering/gpu/ThreadAccess.h"

#include "compiler/lowering/gpu/Masks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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

/// Whether two values are the same number, as far as it shows at once: each fragment of a block has
/// its own operations until common subexpressions are found.
bool isSame(Value a, Value b, unsigned depth = 4) {
  if (a == b)
    return true;
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  return left && right && depth != 0 && left->getName() == right->getName() && isPure(left) &&
         left->getNumRegions() == 0 && left->getNumResults() == 1 &&
         left->getAttrDictionary() == right->getAttrDictionary() && a.getType() == b.getType() &&
         left->getNumOperands() == right->getNumOperands() &&
         llvm::all_of(llvm::zip(left->getOperands(), right->getOperands()), [&](auto operands) {
           return isSame(std::get<0>(operands), std::get<1>(operands), depth - 1);
         });
}

/// Two sums without the terms that they have in common: what a loop adds to all addresses says
/// nothing about their distance.
std::pair<Value, Value> withoutCommonTerms(Value a, Value b) {
  auto left = a.getDefiningOp<arith::AddIOp>(), right = b.getDefiningOp<arith::AddIOp>();
  if (left && right && isSame(left.getRhs(), right.getRhs()))
    return withoutCommonTerms(left.getLhs(), right.getLhs());
  if (left && right && isSame(left.getLhs(), right.getLhs()))
    return withoutCommonTerms(left.getRhs(), right.getRhs());
  return {a, b};
}

/// Whether all bits of a value are known to be zero.
bool isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
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

ThreadAccess::ThreadAccess(ImplicitLocOpBuilder &b, Type element, Fragments addresses, unsigned run,
                           Qualifiers qualifiers, bool headless)
    : b(b), element(element), addresses(std::move(addresses)), qualifiers(std::move(qualifiers)) {
  unsigned width = element.getIntOrFloatBitWidth();
  unsigned widest = std::max(1u, maxAccessBits / width);
  perAccess = std::min({run, widest, unsigned(this->addresses.size())});
  this->headless = headless && perAccess > 1;
}

Value ThreadAccess::areWhole() {
  Value all;
  for (unsigned first = 0; headless && first < addresses.size(); first += perAccess) {
    auto [head, second] = withoutCommonTerms(addresses[first], addresses[first + 1]);
    Value next = b.create<arith::AddIOp>(head, b.create<arith::ConstantIntOp>(bytes(1), 64));
    Value is = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, next, second);
    all = all ? b.create<arith::AndIOp>(all, is).getResult() : is;
  }
  return all;
}

ThreadAccess::Fragments ThreadAccess::loadRuns() {
  Fragments runs;
  for (unsigned first = 0; first < addresses.size(); first += perAccess)
    runs.push_back(loadRun(first));
  replaceHeads(runs, {}, {});
  return runs;
}

ThreadAccess::Fragments ThreadAccess::packRuns(ArrayRef<Value> values) {
  if (perAccess == 1)
    return Fragments(values);
  Fragments runs;
  for (unsigned first = 0; first < values.size(); first += perAccess)
    runs.push_back(pack(values.slice(first, perAccess)));
  return runs;
}

ThreadAccess::Fragments ThreadAccess::loadRunsUnder(ArrayRef<Value> masks, ArrayRef<Value> others) {
  Fragments runs;
  for (unsigned first = 0; first < addresses.size(); first += perAccess)
    runs.push_back(
        emitLoad(runPointer(first), wordsType(), masks[first], others.slice(first, perAccess)));
  if (perAccess == 1)
    for (Value &words : runs)
      words = b.create<LLVM::BitcastOp>(element, words);
  replaceHeads(runs, masks, others);
  return runs;
}

/// Loads the first element of each run whose address is not the one at which the access began. The
/// access has read another element in its place, which is dropped. That one could be read, because
/// it lies in 16 aligned bytes that hold elements of the run.
void ThreadAccess::replaceHeads(Fragments &runs, ArrayRef<Value> masks, ArrayRef<Value> others) {
  if (!headless)
    return;
  Value isBroken = b.create<arith::XOrIOp>(areWhole(), b.create<arith::ConstantIntOp>(1, 1));
  auto broken = b.create<scf::IfOp>(ValueRange(runs).getTypes(), expect(b, isBroken, false),
                                    /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(broken.elseBlock());
  b.create<scf::YieldOp>(runs);
  b.setInsertionPointToStart(broken.thenBlock());
  Fragments replaced;
  for (auto [number, words] : llvm::enumerate(runs)) {
    const unsigned first = number * perAccess;
    Value head = masks.empty() ? loadOne(first) : loadOneUnder(first, masks[first], others[first]);
    Value vector = b.create<LLVM::BitcastOp>(vectorType(), words);
    vector = b.create<LLVM::InsertElementOp>(vector, head, index(0));
    replaced.push_back(b.create<LLVM::BitcastOp>(wordsType(), vector));
  }
  b.create<scf::YieldOp>(replaced);
  runs.assign(broken.result_begin(), broken.result_end());
}

void ThreadAccess::storeAll(ArrayRef<Value> values) {
  for (unsigned first = 0; first < addresses.size(); first += perAccess)
    storeRun(first, values.slice(first, perAccess));
}

void ThreadAccess::storeAllIf(Value condition, ArrayRef<Value> values) {
  for (unsigned first = 0; first < addresses.size(); first += perAccess)
    storeRunIf(condition, first, values.slice(first, perAccess));
}

void ThreadAccess::storeRunsIf(ArrayRef<Value> conditions, ArrayRef<Value> values) {
  for (unsigned first = 0; first < addresses.size(); first += perAccess)
    storeRunIf(conditions[first], first, values.slice(first, perAccess));
}

Value ThreadAccess::loadOne(unsigned fragment) {
  if (!qualifiers.text.empty())
    return b.create<LLVM::BitcastOp>(element, emitLoad(pointer(fragment), bitsOf(element)));
  return b.create<LLVM::LoadOp>(element, pointer(fragment), bytes(1), qualifiers.isVolatile);
}

Value ThreadAccess::loadOneUnder(unsigned fragment, Value mask, Value other) {
  if (!mask)
    return loadOne(fragment);
  auto masked = b.create<scf::IfOp>(element, mask, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(masked.thenBlock());
  b.create<scf::YieldOp>(loadOne(fragment));
  b.setInsertionPointToStart(masked.elseBlock());
  b.create<scf::YieldOp>(other);
  return masked.getResult(0);
}

void ThreadAccess::storeOne(unsigned fragment, Value value) {
  if (!qualifiers.text.empty())
    return emitStore(/*condition=*/{}, pointer(fragment),
                     b.create<LLVM::BitcastOp>(bitsOf(element), value));
  b.create<LLVM::StoreOp>(value, pointer(fragment), bytes(1));
}

Value ThreadAccess::index(unsigned i) { return b.create<arith::ConstantIntOp>(i, 32); }

/// An element's address follows from that of its run's first: no other address is kept.
Value ThreadAccess::pointer(unsigned fragment) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), globalMemory);
  unsigned first = fragment - fragment % perAccess;
  const unsigned known = headless && fragment != first ? first + 1 : first;
  Value pointer = b.create<LLVM::IntToPtrOp>(type, addresses[known]);
  if (fragment == known)
    return pointer;
  return b.create<LLVM::GEPOp>(type, element, pointer, LLVM::GEPArg(int32_t(fragment - known)));
}

/// The address at which the access of a run begins.
Value ThreadAccess::runPointer(unsigned first) {
  if (!headless)
    return pointer(first);
  Value second = pointer(first + 1);
  return b.create<LLVM::GEPOp>(second.getType(), element, second, LLVM::GEPArg(-1));
}

/// The same bits as words of at most 32 bits, or of 64 for wider elements: the forms that PTX has
/// vector accesses of.
Type ThreadAccess::wordsType() const {
  unsigned bits = bytes(perAccess) * 8;
  unsigned word = std::min(bits, element.getIntOrFloatBitWidth() == 64 ? 64u : 32u);
  Type type = b.getIntegerType(word);
  return bits == word ? type : VectorType::get(bits / word, type);
}

/// The words of a run, or its one element.
Value ThreadAccess::loadRun(unsigned first) {
  if (perAccess == 1)
    return loadOne(first);
  return qualifiers.text.empty() ? b.create<LLVM::LoadOp>(wordsType(), runPointer(first),
                                                          bytes(perAccess), qualifiers.isVolatile)
                                 : emitLoad(runPointer(first), wordsType());
}

ThreadAccess::Fragments ThreadAccess::unpackRuns(ArrayRef<Value> runs) {
  if (perAccess == 1)
    return Fragments(runs);
  Fragments values;
  for (Value words : runs) {
    Value vector = b.create<LLVM::BitcastOp>(vectorType(), words);
    for (unsigned i = 0; i < perAccess; ++i)
      values.push_back(b.create<LLVM::ExtractElementOp>(vector, index(i)));
  }
  return values;
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
    return emitStore(/*condition=*/{}, runPointer(first), pack(values));
  b.create<LLVM::StoreOp>(pack(values), runPointer(first), bytes(perAccess));
}

void ThreadAccess::storeRunIf(Value condition, unsigned first, ArrayRef<Value> values) {
  emitStore(condition, runPointer(first), pack(values));
}

/// Loads words, with the qualifiers. Where there is a condition and it is false, the words are
/// those of `others`, and memory isn't touched.
Value ThreadAccess::emitLoad(Value pointer, Type type, Value condition, ArrayRef<Value> others) {
  auto vector = dyn_cast<VectorType>(type);
  unsigned count = vector ? vector.getNumElements() : 1;
  Type word = getElementTypeOrSelf(type);
  unsigned width = word.getIntOrFloatBitWidth();
  Type inRegister = width == 8 ? b.getI16Type() : word;
  auto [shape, registers] = shapeOf(count, width, 0);
  std::string text = "ld.global" + qualifiers.text + shape + " " + registers + ", [$" +
                     std::to_string(count) + "];";
  SmallVector<Value> operands = {pointer};
  std::string inputs = "l";
  if (condition) {
    operands.push_back(condition);
    inputs += ",b";
    text = "@$" + std::to_string(count + 1) + " " + text;
    const bool areZero = llvm::all_of(others, isZero);
    Value packed = areZero ? Value() : pack(others);
    for (unsigned i = 0; i < count; ++i) {
      std::string source = "0";
      if (!areZero) {
        source = "$" + std::to_string(operands.size() + count);
        operands.push_back(vector ? b.create<LLVM::ExtractElementOp>(packed, index(i)) : packed);
        inputs += "," + constraintOf(width);
      }
      text.insert(0, "mov.b" + std::to_string(width) + " $" + std::to_string(i) + ", " + source +
                         "; ");
    }
  }
  // The words are written before the operands are all read.
  std::string constraints;
  for (unsigned i = 0; i < count; ++i)
    constraints += (condition ? "=&" : "=") + constraintOf(width) + ",";
  SmallVector<Type> types(count, inRegister);
  Type result = inRegister;
  if (count > 1)
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value words = emitAsm(result, operands, text, constraints + inputs + ",~{memory}");
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
