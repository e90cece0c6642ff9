// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/cpu/StackLifetimes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {

namespace {

/// The bytes that an array on the stack takes. Booleans of a vector are bits there.
int64_t bytesOf(LLVM::AllocaOp array) {
  APInt count;
  if (!matchPattern(array.getArraySize(), m_ConstantInt(&count)))
    return 0;
  auto vector = dyn_cast<VectorType>(array.getElemType());
  int64_t bits = vector ? vector.getNumElements() * vector.getElementTypeBitWidth()
                        : array.getElemType().getIntOrFloatBitWidth();
  return count.getSExtValue() * llvm::divideCeil(bits, 8);
}

/// The first and the last operation of the body in which the array is used; nothing if it is not
/// used there, or its address may be kept.
std::optional<std::pair<Operation *, Operation *>> usesIn(Block &body, LLVM::AllocaOp array) {
  Operation *first = nullptr, *last = nullptr;
  SmallVector<Value> addresses = {array};
  while (!addresses.empty())
    for (Operation *user : addresses.pop_back_val().getUsers()) {
      if (isa<LLVM::GEPOp>(user))
        addresses.push_back(user->getResult(0));
      else if (isa<LLVM::PtrToIntOp>(user) || user->getNumRegions() != 0 ||
               user->hasTrait<OpTrait::IsTerminator>() ||
               llvm::any_of(user->getResultTypes(), [](Type type) {
                 return isa<LLVM::LLVMPointerType>(getElementTypeOrSelf(type));
               }))
        return std::nullopt;
      Operation *here = body.findAncestorOpInBlock(*user);
      if (!first || here->isBeforeInBlock(first))
        first = here;
      if (!last || last->isBeforeInBlock(here))
        last = here;
    }
  return first ? std::optional(std::pair(first, last)) : std::nullopt;
}

} // namespace

int64_t markStackLifetimes(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  SmallVector<LLVM::AllocaOp> arrays(body.getOps<LLVM::AllocaOp>());
  // The bytes by which the arrays in use grow at an operation, and behind it.
  DenseMap<Operation *, std::pair<int64_t, int64_t>> changes;
  int64_t bytes = 0;
  SmallVector<std::pair<LLVM::AllocaOp, std::pair<Operation *, Operation *>>> lives;
  for (LLVM::AllocaOp array : arrays) {
    auto uses = usesIn(body, array);
    if (!uses || bytesOf(array) == 0) {
      bytes += bytesOf(array);
      continue;
    }
    changes[uses->first].first += bytesOf(array);
    changes[uses->second].second += bytesOf(array);
    lives.push_back({array, *uses});
  }
  int64_t most = bytes;
  for (Operation &op : body)
    if (auto change = changes.find(&op); change != changes.end()) {
      bytes += change->second.first;
      most = std::max(most, bytes);
      bytes -= change->second.second;
    }
  for (auto [array, uses] : lives) {
    OpBuilder b(uses.first);
    b.create<LLVM::LifetimeStartOp>(array.getLoc(), bytesOf(array), array);
    b.setInsertionPointAfter(uses.second);
    b.create<LLVM::LifetimeEndOp>(array.getLoc(), bytesOf(array), array);
  }
  return most;
}

} // namespace eft
