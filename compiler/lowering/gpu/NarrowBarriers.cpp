// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-narrow-barriers: in a program of one warp, only the warp waits at barriers and votes.
#include "compiler/layout/Placement.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/gpu/Convergence.h"
#include "compiler/lowering/gpu/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_NARROWBARRIERS
#include "compiler/lowering/Passes.h.inc"

namespace {

void narrow(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value lanes = b.create<LLVM::ConstantOp>(b.getI32Type(), -1);
  if (isVote(op)) {
    Value mine = op->getOperand(0);
    Value zero = b.create<LLVM::ConstantOp>(mine.getType(), 0);
    Value holds = b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, mine, zero);
    auto any = b.create<LLVM::CallIntrinsicOp>(
        b.getI1Type(), b.getStringAttr("llvm.nvvm.vote.any.sync"), ValueRange{lanes, holds});
    op->replaceAllUsesWith(b.create<LLVM::ZExtOp>(mine.getType(), any.getResult(0)));
  } else {
    b.create<NVVM::SyncWarpOp>(lanes);
  }
  op->erase();
}

struct NarrowBarriersPass : impl::NarrowBarriersBase<NarrowBarriersPass> {
  void runOnOperation() override {
    LLVM::LLVMFuncOp kernel = onlyKernel(getOperation());
    if (!kernel || requiredThreads(kernel) != lanesPerWarp)
      return;
    getOperation().walk([](Operation *op) {
      if (isa<NVVM::Barrier0Op>(op) || isVote(op))
        narrow(op);
    });
  }
};

} // namespace
} // namespace eft
