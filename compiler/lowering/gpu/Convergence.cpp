// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/Convergence.h"

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace eft {

static constexpr StringLiteral anyIntrinsic = "llvm.nvvm.barrier0.or";

bool isVote(Operation *op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call && call.getIntrin() == anyIntrinsic;
}

bool isConvergent(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return isVote(op) || call.getIntrin().starts_with("llvm.nvvm.mma.");
  if (op->hasAttr(EftDialect::convergentName))
    return true;
  return isa_and_present<NVVM::NVVMDialect>(op->getDialect()) && !isPure(op);
}

bool containsConvergent(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        return inner != op && isConvergent(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

Value ofAnyThread(ImplicitLocOpBuilder &b, Value condition) {
  Value wide = b.create<arith::ExtUIOp>(b.getI32Type(), condition);
  Value any = b.create<LLVM::CallIntrinsicOp>(b.getI32Type(), b.getStringAttr(anyIntrinsic),
                                              ValueRange{wide})
                  .getResult(0);
  Value zero = b.create<arith::ConstantIntOp>(0, 32);
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, any, zero);
}

} // namespace eft
