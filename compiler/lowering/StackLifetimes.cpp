// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/StackLifetimes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace eft {

std::optional<SmallVector<Operation *>> usersOf(LLVM::AllocaOp array) {
  SmallVector<Operation *> users;
  SmallVector<Value> addresses = {array};
  while (!addresses.empty())
    for (Operation *user : addresses.pop_back_val().getUsers()) {
      users.push_back(user);
      if (isa<LLVM::GEPOp>(user))
        addresses.push_back(user->getResult(0));
      else if (isa<LLVM::PtrToIntOp>(user) || user->getNumRegions() != 0 ||
               user->hasTrait<OpTrait::IsTerminator>() ||
               llvm::any_of(user->getResultTypes(), [](Type type) {
                 return isa<LLVM::LLVMPointerType>(getElementTypeOrSelf(type));
               }))
        return std::nullopt;
    }
  return users.empty() ? std::nullopt : std::optional(std::move(users));
}

namespace {

/// More than any limit, and little enough that sums of it do not overflow.
constexpr uint64_t maxBytesOfOne = uint64_t(1) << 40;

uint64_t product(uint64_t count, uint64_t bytes) {
  return std::min(llvm::SaturatingMultiply(count, bytes), maxBytesOfOne);
}

uint64_t alignedBytes(uint64_t bytes) {
  return llvm::alignTo(bytes, llvm::PowerOf2Ceil(std::max<uint64_t>(bytes, 1)));
}

/// The bytes that a value takes in memory; nothing for types of unknown size. Booleans of a vector
/// are bits there.
std::optional<uint64_t> bytesOf(Type type) {
  if (auto record = dyn_cast<LLVM::LLVMStructType>(type)) {
    if (record.isOpaque())
      return std::nullopt;
    uint64_t bytes = 0;
    for (Type field : record.getBody()) {
      std::optional<uint64_t> own = bytesOf(field);
      if (!own)
        return std::nullopt;
      bytes = llvm::alignTo(bytes, llvm::PowerOf2Ceil(std::max<uint64_t>(*own, 1))) + *own;
    }
    return std::min(bytes, maxBytesOfOne);
  }
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    std::optional<uint64_t> element = bytesOf(array.getElementType());
    return element ? std::optional(product(array.getNumElements(), alignedBytes(*element)))
                   : std::nullopt;
  }
  uint64_t count = 1;
  if (LLVM::isCompatibleVectorType(type)) {
    const llvm::ElementCount elements = LLVM::getVectorNumElements(type);
    if (elements.isScalable())
      return std::nullopt;
    count = elements.getFixedValue();
    type = LLVM::getVectorElementType(type);
  }
  if (isa<LLVM::LLVMPointerType>(type))
    return product(count, 8);
  if (!type.isIntOrFloat())
    return std::nullopt;
  return llvm::divideCeil(product(count, type.getIntOrFloatBitWidth()), 8);
}

/// The bytes that an array on the stack takes; 0 if they are unknown.
int64_t bytesOf(LLVM::AllocaOp array) {
  APInt count;
  std::optional<uint64_t> element = bytesOf(array.getElemType());
  if (!element || !matchPattern(array.getArraySize(), m_ConstantInt(&count)) || count.isNegative())
    return 0;
  return product(count.getLimitedValue(), *element);
}

/// The innermost block that has all of the operations, in itself or in what is nested.
Block *blockAround(ArrayRef<Operation *> operations) {
  Block *block = operations.front()->getBlock();
  for (Operation *op : operations)
    while (!block->findAncestorOpInBlock(*op))
      block = block->getParentOp()->getBlock();
  return block;
}

/// The first and the last operation of a block between which an array is in use.
struct Life {
  LLVM::AllocaOp array;
  Operation *first, *last;
};

std::optional<Life> lifeOf(LLVM::AllocaOp array) {
  std::optional<SmallVector<Operation *>> users = usersOf(array);
  if (!users || bytesOf(array) == 0)
    return std::nullopt;
  Block *block = blockAround(*users);
  Life life = {array, nullptr, nullptr};
  for (Operation *user : *users) {
    Operation *here = block->findAncestorOpInBlock(*user);
    if (!life.first || here->isBeforeInBlock(life.first))
      life.first = here;
    if (!life.last || life.last->isBeforeInBlock(here))
      life.last = here;
  }
  return life;
}

/// By how many bytes the arrays in use grow at an operation, and by how many they shrink behind it.
using Changes = DenseMap<Operation *, std::pair<int64_t, int64_t>>;

/// The most bytes that are in use at one time in a block.
int64_t maxBytes(Block &block, const Changes &changes) {
  int64_t bytes = 0, most = 0;
  for (Operation &op : block) {
    auto [grows, shrinks] = changes.lookup(&op);
    bytes += grows;
    int64_t inside = 0;
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        inside = std::max(inside, maxBytes(nested, changes));
    most = std::max(most, bytes + inside);
    bytes -= shrinks;
  }
  return most;
}

} // namespace

StackBytes markStackLifetimes(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  SmallVector<Life> lives;
  Changes changes;
  int64_t all = 0, always = 0;
  for (auto array : body.getOps<LLVM::AllocaOp>()) {
    all += bytesOf(array);
    std::optional<Life> life = lifeOf(array);
    if (!life) {
      always += bytesOf(array);
      continue;
    }
    changes[life->first].first += bytesOf(array);
    changes[life->last].second += bytesOf(array);
    lives.push_back(*life);
  }
  const int64_t atOnce = always + maxBytes(body, changes);
  for (auto [array, first, last] : lives) {
    OpBuilder b(first);
    b.create<LLVM::LifetimeStartOp>(array.getLoc(), bytesOf(array), array);
    b.setInsertionPointAfter(last);
    b.create<LLVM::LifetimeEndOp>(array.getLoc(), bytesOf(array), array);
  }
  return {all, atOnce};
}

} // namespace eft
