// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/StackLifetimes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

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

/// The bytes that a value takes in memory. Booleans of a vector are bits there.
int64_t bytesOf(Type type) {
  if (auto record = dyn_cast<LLVM::LLVMStructType>(type)) {
    int64_t bytes = 0;
    for (Type field : record.getBody())
      bytes = llvm::alignTo(bytes, llvm::PowerOf2Ceil(bytesOf(field))) + bytesOf(field);
    return bytes;
  }
  const int64_t count =
      LLVM::isCompatibleVectorType(type) ? LLVM::getVectorNumElements(type).getFixedValue() : 1;
  Type element = LLVM::isCompatibleVectorType(type) ? LLVM::getVectorElementType(type) : type;
  const unsigned bits = isa<LLVM::LLVMPointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
  return llvm::divideCeil(count * bits, 8);
}

/// The bytes that an array on the stack takes.
int64_t bytesOf(LLVM::AllocaOp array) {
  APInt count;
  if (!matchPattern(array.getArraySize(), m_ConstantInt(&count)))
    return 0;
  return count.getSExtValue() * bytesOf(array.getElemType());
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
