// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/StackLifetimes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/ScopeExit.h"
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

/// Sizes are capped at this number. It is beyond every limit, but small enough that sums do not
/// overflow.
constexpr uint64_t maxBytes = uint64_t(1) << 40;

uint64_t cappedProduct(uint64_t a, uint64_t b) {
  return std::min(llvm::SaturatingMultiply(a, b), maxBytes);
}

/// The memory that a value of a type takes. `bytes` is a multiple of `alignment`.
struct Size {
  uint64_t bytes, alignment;
};

/// The size of a number of bits, aligned to the next power of two.
Size sizeOfBits(uint64_t bits) {
  const uint64_t bytes = llvm::divideCeil(bits, 8);
  const uint64_t alignment = llvm::PowerOf2Ceil(std::max<uint64_t>(bytes, 1));
  return {llvm::alignTo(bytes, alignment), alignment};
}

/// The size of a type; nothing if it is unknown. `outer` has the types that contain this one, to
/// find a record that contains itself. A vector of booleans takes one bit for each of them.
std::optional<Size> sizeOf(Type type, SmallVectorImpl<Type> &outer) {
  if (llvm::is_contained(outer, type)) // a record that contains itself
    return std::nullopt;
  outer.push_back(type);
  auto leave = llvm::make_scope_exit([&] { outer.pop_back(); });
  if (auto record = dyn_cast<LLVM::LLVMStructType>(type)) {
    if (record.isOpaque())
      return std::nullopt;
    Size size = {0, 1};
    for (Type field : record.getBody()) {
      std::optional<Size> own = sizeOf(field, outer);
      if (!own)
        return std::nullopt;
      if (record.isPacked())
        own->alignment = 1;
      size.bytes = std::min(llvm::alignTo(size.bytes, own->alignment) + own->bytes, maxBytes);
      size.alignment = std::max(size.alignment, own->alignment);
    }
    return Size{llvm::alignTo(size.bytes, size.alignment), size.alignment};
  }
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    std::optional<Size> size = sizeOf(array.getElementType(), outer);
    if (size)
      size->bytes = cappedProduct(array.getNumElements(), size->bytes);
    return size;
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
    return sizeOfBits(cappedProduct(count, 64));
  if (!type.isIntOrFloat())
    return std::nullopt;
  return sizeOfBits(cappedProduct(count, type.getIntOrFloatBitWidth()));
}

/// The bytes that an array on the stack takes; 0 if they are unknown.
int64_t bytesOf(LLVM::AllocaOp array) {
  APInt count;
  SmallVector<Type> outer;
  std::optional<Size> element = sizeOf(array.getElemType(), outer);
  if (!element || !matchPattern(array.getArraySize(), m_ConstantInt(&count)) || count.isNegative())
    return 0;
  return cappedProduct(count.getLimitedValue(), element->bytes);
}

/// The innermost block that contains all of the operations, directly or in nested regions.
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

/// For each operation, the bytes of the arrays whose use begins there, and the bytes of those whose
/// use ends there.
using Changes = DenseMap<Operation *, std::pair<int64_t, int64_t>>;

/// The most bytes that are in use at one time in a block.
int64_t maxBytesAtOnce(Block &block, const Changes &changes) {
  int64_t bytes = 0, most = 0;
  for (Operation &op : block) {
    auto [grows, shrinks] = changes.lookup(&op);
    bytes += grows;
    int64_t inside = 0;
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        inside = std::max(inside, maxBytesAtOnce(nested, changes));
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
  const int64_t atOnce = always + maxBytesAtOnce(body, changes);
  for (auto [array, first, last] : lives) {
    OpBuilder b(first);
    b.create<LLVM::LifetimeStartOp>(array.getLoc(), bytesOf(array), array);
    b.setInsertionPointAfter(last);
    b.create<LLVM::LifetimeEndOp>(array.getLoc(), bytesOf(array), array);
  }
  return {all, atOnce};
}

} // namespace eft
