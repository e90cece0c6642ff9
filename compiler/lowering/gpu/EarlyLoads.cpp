// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that handles its block in parts loads and stores the parts in turns. A load that waits
// for the store before it costs the latency of memory once more. Mostly the wait is needless: the
// arrays are different ones, or one array is changed in place, element by element.
//
// Whether a load may pass a store depends on the distance from the store's address to the load's
// address. If all parts are loaded from one array and stored to one array, these distances differ
// only by constants. So one test tells for all parts whether a load reads what a store has written.
// The test compares only the low 32 bits of addresses: if these differ, the addresses differ. These
// bits are computed modulo 2³², so they are right even if a 32-bit index wraps around.
#include "compiler/lowering/gpu/EarlyLoads.h"

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

using namespace mlir;

namespace eft {
namespace {

/// The most bits of a thread's registers that may hold words which are loaded early.
constexpr int64_t maxLoadedBits = 32 * 32;
/// The depth to which the sums and products in an address are followed.
constexpr unsigned maxDepth = 8;
/// The most distances that a condition compares.
constexpr size_t maxDistances = 4;
/// The largest allowed difference, in bytes, between the greatest and the least distance at which a
/// load may read what a store wrote.
constexpr int64_t maxRange = int64_t(1) << 30;

/// A number modulo 2³²: a constant plus values times factors.
struct Sum {
  llvm::SmallVector<std::pair<Value, uint32_t>, 4> terms;
  uint32_t constant = 0;

  void add(Value value, uint32_t factor, unsigned depth = 0) {
    APInt number;
    Operation *op = value.getDefiningOp();
    if (matchPattern(value, m_ConstantInt(&number))) {
      constant += factor * uint32_t(number.sextOrTrunc(32).getZExtValue());
    } else if (op && depth < maxDepth && isa<arith::AddIOp, arith::SubIOp>(op)) {
      add(op->getOperand(0), factor, depth + 1);
      add(op->getOperand(1), isa<arith::SubIOp>(op) ? 0 - factor : factor, depth + 1);
    } else if (op && depth < maxDepth && isa<arith::MulIOp>(op) &&
               matchPattern(op->getOperand(1), m_ConstantInt(&number))) {
      add(op->getOperand(0), factor * uint32_t(number.sextOrTrunc(32).getZExtValue()), depth + 1);
    } else if (isWidened(value) || isa_and_present<LLVM::IntToPtrOp>(op)) {
      add(op->getOperand(0), factor, depth);
    } else {
      addTerm(value, factor);
    }
  }

private:
  /// True for an integer of 64 bits that is extended from 32 bits.
  static bool isWidened(Value value) {
    Operation *op = value.getDefiningOp();
    return isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(op) &&
           op->getOperand(0).getType().isInteger(32);
  }

  void addTerm(Value value, uint32_t factor) {
    auto found = llvm::find_if(terms, [&](auto &term) { return term.first == value; });
    if (found == terms.end())
      found = terms.insert(terms.end(), {value, 0});
    found->second += factor;
    if (found->second == 0)
      terms.erase(found);
  }
};

/// The difference between the addresses of some loads and those of some stores, without its
/// constants, and the range of values of this difference for which a load may read what a store
/// wrote. The constants are part of the bounds of the range.
struct Distance {
  Sum sum;
  int64_t least = 0, most = 0; ///< the range in which a load may read what a store wrote
  bool isFreeAtZero = true;    ///< true if no load reads what a store wrote if the sum is zero
};

/// The number of bytes of words in memory; nothing if the words are not numbers.
std::optional<int64_t> bytesOf(Type words) {
  Type word = getElementTypeOrSelf(words);
  if (!word.isIntOrFloat())
    return std::nullopt;
  auto vector = dyn_cast<VectorType>(words);
  const int64_t count = vector ? vector.getNumElements() : 1;
  return count * ((word.getIntOrFloatBitWidth() + 7) / 8);
}

/// True for an access that is neither volatile nor atomic.
template <typename Access> bool isPlain(Access access) {
  return !access.getVolatile_() && access.getOrdering() == LLVM::AtomicOrdering::not_atomic;
}

/// True for a conversion to floats of 16 bits. Such conversions are intrinsics, whose effects MLIR
/// does not know; they have none.
bool isConversion(Operation &op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call && call.getIntrin().starts_with("llvm.nvvm.ff2");
}

class LoadMover {
public:
  explicit LoadMover(Block &block) : block(block), place(&block.front()) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto load = dyn_cast<LLVM::LoadOp>(op); load && isPlain(load))
        move(load);
      else if (!isMemoryEffectFree(&op) && !isConversion(op) && !addStore(op))
        return;
    }
  }

  /// The condition under which the moved loads read the same values as in their old places; null if
  /// this always holds.
  Value condition(ImplicitLocOpBuilder &b) const {
    Value all;
    for (const Distance &distance : distances) {
      Value one = isFree(b, distance);
      all = all ? b.create<arith::AndIOp>(all, one).getResult() : one;
    }
    return all;
  }

private:
  struct Stored {
    Sum address;
    int64_t bytes;
  };

  /// Adds a store that later loads may pass. Returns false for other operations.
  bool addStore(Operation &op) {
    Value pointer, words;
    if (auto store = dyn_cast<LLVM::StoreOp>(op); store && isPlain(store))
      pointer = store.getAddr(), words = store.getValue();
    else if (auto store = dyn_cast<ThreadStoreOp>(op))
      pointer = store.getPointer(), words = store.getWords();
    std::optional<int64_t> bytes = words ? bytesOf(words.getType()) : std::nullopt;
    if (!bytes)
      return false;
    stores.push_back({{}, *bytes});
    stores.back().address.add(pointer, 1);
    return true;
  }

  void move(LLVM::LoadOp load) {
    std::optional<int64_t> bytes = bytesOf(load.getType());
    llvm::SetVector<Operation *> moved;
    if (!bytes || 8 * *bytes > freeBits || !addOperands(load, moved))
      return;
    moved.insert(load);
    SmallVector<Distance> extended = distances;
    Sum address;
    address.add(load.getAddr(), 1);
    for (const Stored &store : stores)
      if (!isApart(address, *bytes, store, extended))
        return;
    distances = std::move(extended);
    freeBits -= 8 * *bytes;
    while (moved.contains(place))
      place = place->getNextNode();
    for (Operation *op : moved)
      op->moveBefore(place);
  }

  /// Adds to `moved` the operations after `place` that compute the operands of `op`. Returns false
  /// if one of them can't be moved.
  bool addOperands(Operation *op, llvm::SetVector<Operation *> &moved) {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source || source->getBlock() != &block || source->isBeforeInBlock(place) ||
          moved.contains(source))
        continue;
      if (!isPure(source) || source->getNumRegions() != 0 || !addOperands(source, moved))
        return false;
      moved.insert(source);
    }
    return true;
  }

  /// Adds the distance between a load and an earlier store to `extended`. Returns false if the load
  /// must stay after the store.
  bool isApart(const Sum &address, int64_t bytes, const Stored &store,
               SmallVectorImpl<Distance> &extended) const {
    Sum sum = address;
    for (auto [value, factor] : store.address.terms)
      sum.add(value, 0 - factor, maxDepth);
    const int64_t apart = int32_t(sum.constant - store.address.constant);
    const int64_t least = 1 - apart - bytes, most = store.bytes - apart - 1;
    const bool isFreeAtZero = least > 0 || most < 0;
    if (sum.terms.empty())
      return isFreeAtZero;
    if (!llvm::all_of(sum.terms, [&](auto &term) { return isOutside(term.first); }))
      return false;
    sum.constant = 0;
    auto found = llvm::find_if(extended,
                               [&](const Distance &known) { return known.sum.terms == sum.terms; });
    if (found == extended.end()) {
      extended.push_back({sum, least, most, isFreeAtZero});
      return extended.size() <= maxDistances;
    }
    found->least = std::min(found->least, least);
    found->most = std::max(found->most, most);
    found->isFreeAtZero &= isFreeAtZero;
    return found->most - found->least < maxRange;
  }

  /// True for an integer that is computed outside the block.
  bool isOutside(Value value) const {
    return !block.getParent()->isAncestor(value.getParentRegion()) &&
           (value.getType().isInteger(32) || value.getType().isInteger(64));
  }

  static Value isFree(ImplicitLocOpBuilder &b, const Distance &distance) {
    auto constant = [&](int64_t number) {
      return b.create<arith::ConstantOp>(b.getI32IntegerAttr(int32_t(number))).getResult();
    };
    Value sum;
    for (auto [value, factor] : distance.sum.terms) {
      Value term = value;
      if (value.getType().isInteger(64))
        term = b.create<arith::TruncIOp>(b.getI32Type(), value);
      const bool isNegative = sum && factor == uint32_t(-1);
      if (factor != 1 && !isNegative)
        term = b.create<arith::MulIOp>(term, constant(factor));
      if (isNegative)
        sum = b.create<arith::SubIOp>(sum, term);
      else
        sum = sum ? b.create<arith::AddIOp>(sum, term).getResult() : term;
    }
    Value isFar = b.create<arith::CmpIOp>(arith::CmpIPredicate::ugt,
                                          b.create<arith::SubIOp>(sum, constant(distance.least)),
                                          constant(distance.most - distance.least));
    if (!distance.isFreeAtZero || distance.least > 0 || distance.most < 0)
      return isFar;
    Value isZero = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, sum, constant(0));
    return b.create<arith::OrIOp>(isFar, isZero);
  }

  Block &block;
  Operation *place; // loads move to the position before it
  int64_t freeBits = maxLoadedBits;
  SmallVector<Stored> stores;
  SmallVector<Distance> distances;
};

} // namespace

Value moveLoadsUp(ImplicitLocOpBuilder &b, Block &block) {
  LoadMover mover(block);
  mover.run();
  return mover.condition(b);
}

} // namespace eft
