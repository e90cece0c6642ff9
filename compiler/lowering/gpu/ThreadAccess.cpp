// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread's accesses. LLVM's loads and stores are used where they can express an access, otherwise
// Eft's operations.
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

constexpr unsigned globalMemory = 1; // LLVM's number of this address space
constexpr unsigned maxAccessBits = 128;

/// True if two values are known to be equal: they are computed by the same operations, up to a
/// small depth. Before common subexpressions are eliminated, each fragment of a block has its own
/// operations.
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

/// Returns two sums without their common terms, such as the offset that a loop adds to all
/// addresses. Common terms do not affect the difference of the sums.
std::pair<Value, Value> withoutCommonTerms(Value a, Value b) {
  auto left = a.getDefiningOp<arith::AddIOp>(), right = b.getDefiningOp<arith::AddIOp>();
  if (left && right && isSame(left.getRhs(), right.getRhs()))
    return withoutCommonTerms(left.getLhs(), right.getLhs());
  if (left && right && isSame(left.getLhs(), right.getLhs()))
    return withoutCommonTerms(left.getRhs(), right.getRhs());
  return {a, b};
}

/// True if all bits of a value are known to be zero.
bool isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

} // namespace

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

/// If any run is not whole, loads the first element of each run separately and replaces the first
/// element of the run, which the access has read from elsewhere. That access was legal, because it
/// is within 16 aligned bytes that also hold elements of the run.
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
  if (qualifiers.hasHints())
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
  if (qualifiers.hasHints())
    return emitStore(/*condition=*/{}, pointer(fragment),
                     b.create<LLVM::BitcastOp>(bitsOf(element), value));
  b.create<LLVM::StoreOp>(value, pointer(fragment), bytes(1));
}

Value ThreadAccess::index(unsigned i) { return b.create<arith::ConstantIntOp>(i, 32); }

/// The address of an element, computed from the address of its run, so that no other addresses must
/// be kept.
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

/// The type of the words that hold a run: words of at most 32 bits, or of 64 for elements of 64
/// bits. PTX has vector accesses for these.
Type ThreadAccess::wordsType() const {
  unsigned bits = bytes(perAccess) * 8;
  unsigned word = std::min(bits, element.getIntOrFloatBitWidth() == 64 ? 64u : 32u);
  Type type = b.getIntegerType(word);
  return bits == word ? type : VectorType::get(bits / word, type);
}

/// Loads the words of a run, or its one element.
Value ThreadAccess::loadRun(unsigned first) {
  if (perAccess == 1)
    return loadOne(first);
  return !qualifiers.hasHints() ? b.create<LLVM::LoadOp>(wordsType(), runPointer(first),
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

/// Packs the values of a run side by side into words.
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
  if (qualifiers.hasHints())
    return emitStore(/*condition=*/{}, runPointer(first), pack(values));
  b.create<LLVM::StoreOp>(pack(values), runPointer(first), bytes(perAccess));
}

void ThreadAccess::storeRunIf(Value condition, unsigned first, ArrayRef<Value> values) {
  emitStore(condition, runPointer(first), pack(values));
}

/// Loads words with the cache hints. If `condition` is given and false, returns the words of
/// `others` and accesses no memory.
Value ThreadAccess::emitLoad(Value pointer, Type type, Value condition, ArrayRef<Value> others) {
  Value other = llvm::all_of(others, isZero) ? Value() : pack(others);
  return b.create<ThreadLoadOp>(type, pointer, condition, other, cacheAttribute(),
                                evictionAttribute());
}

/// Stores words with the cache hints, if `condition` is true or null.
void ThreadAccess::emitStore(Value condition, Value pointer, Value packed) {
  b.create<ThreadStoreOp>(pointer, packed, condition, cacheAttribute(), evictionAttribute());
}

CacheModifierAttr ThreadAccess::cacheAttribute() const {
  if (!qualifiers.cache)
    return {};
  return CacheModifierAttr::get(b.getContext(), *qualifiers.cache);
}

EvictionAttr ThreadAccess::evictionAttribute() const {
  if (!qualifiers.eviction)
    return {};
  return EvictionAttr::get(b.getContext(), *qualifiers.eviction);
}

} // namespace eft
