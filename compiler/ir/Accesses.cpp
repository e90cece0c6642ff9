// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/Accesses.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {

bool isAtomic(Operation *op) { return isa<AtomicRMWOp, AtomicCASOp>(op); }

Value pointerOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<LoadOp, StoreOp, AtomicRMWOp, AtomicCASOp>(
          [](auto access) { return access.getPointer(); })
      .Default([](Operation *) { return Value(); });
}

Value maskOf(Operation *access) {
  return llvm::TypeSwitch<Operation *, Value>(access)
      .Case<LoadOp, StoreOp, AtomicRMWOp>([](auto masked) { return masked.getMask(); })
      .Default([](Operation *) { return Value(); });
}

LogicalResult verifyRun(Operation *access, std::optional<uint32_t> run) {
  if (!run || llvm::isPowerOf2_32(*run))
    return success();
  return access->emitOpError("run must be a power of two, got ") << int32_t(*run);
}

} // namespace eft
