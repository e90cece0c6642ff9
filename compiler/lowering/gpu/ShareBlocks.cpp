// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-share-blocks: lets a launch put several small programs into one thread block.
#include "compiler/layout/Placement.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/gpu/Convergence.h"
#include "compiler/lowering/gpu/InlinePtx.h"
#include "compiler/lowering/gpu/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_SHAREBLOCKS
#include "compiler/lowering/Passes.h.inc"

namespace {

/// The threads of a block that several programs share, at most. With 256 threads, a thread can have
/// all the registers that a thread of one program can have, 255.
constexpr int32_t maxThreads = 256;

/// True for an operation that works in the same way if the threads of its block belong to several
/// programs, and each warp to one.
bool allowsSharing(Operation *op) {
  // Assembly of the kernel itself may read its thread's position in the block.
  if (isVote(op) || op->hasAttr(givenPtxName))
    return false;
  // Others of this dialect may access shared memory or wait for all threads of the block.
  if (isa<NVVM::NVVMDialect>(op->getDialect()))
    return isa<NVVM::ThreadIdXOp, NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp,
               NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp, NVVM::ShflOp, NVVM::ReduxOp,
               NVVM::SyncWarpOp, NVVM::RcpApproxFtzF32Op>(op);
  auto address = dyn_cast<LLVM::AddressOfOp>(op);
  return !address || address.getType().getAddressSpace() != NVVM::kSharedMemorySpace;
}

/// The number of operations that a warp executes, at most; none if the function has a loop. Not
/// counted are constants, and the parts of a vector, which need no instruction.
std::optional<unsigned> countOperations(LLVM::LLVMFuncOp function) {
  unsigned number = 0;
  llvm::SmallPtrSet<Block *, 8> before;
  for (Block &block : function.getBody()) {
    before.insert(&block);
    if (llvm::any_of(block.getSuccessors(), [&](Block *next) { return before.contains(next); }))
      return std::nullopt;
    number += llvm::count_if(block, [](Operation &op) {
      return !op.hasTrait<OpTrait::ConstantLike>() &&
             !isa<LLVM::UndefOp, LLVM::InsertElementOp, LLVM::ExtractElementOp,
                  LLVM::ExtractValueOp>(op);
    });
  }
  return number;
}

/// Changes an operation that reads the position of a block along x, or the number of blocks, such
/// that its users get the position of the program, or the number of programs: each program has a
/// row of a block's threads.
void countRows(Operation *read) {
  ImplicitLocOpBuilder b(read->getLoc(), read);
  b.setInsertionPointAfter(read);
  const auto flags = LLVM::IntegerOverflowFlags::nsw | LLVM::IntegerOverflowFlags::nuw;
  Type i32 = b.getI32Type();
  Value blocks = read->getResult(0);
  auto rows = b.create<LLVM::MulOp>(blocks, b.create<NVVM::BlockDimYOp>(i32), flags);
  Value programs = rows;
  if (isa<NVVM::BlockIdXOp>(read))
    programs = b.create<LLVM::AddOp>(rows, b.create<NVVM::ThreadIdYOp>(i32), flags);
  blocks.replaceAllUsesExcept(programs, rows);
}

struct ShareBlocksPass : impl::ShareBlocksBase<ShareBlocksPass> {
  using ShareBlocksBase::ShareBlocksBase;

  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<LLVM::LLVMFuncOp>());
    LLVM::LLVMFuncOp kernel = onlyKernel(getOperation());
    const std::optional<int32_t> threads = kernel ? requiredThreads(kernel) : std::nullopt;
    if (!threads)
      return;
    const int32_t programs = std::min(maxThreads / *threads, int32_t(maxPrograms));
    SmallVector<Operation *> reads; // of positions along x, and of their number
    if (programs < 2 || !mayShare(functions, *threads / lanesPerWarp, reads) || reads.empty())
      return;
    llvm::for_each(reads, countRows);
    Builder builder(&getContext());
    kernel->removeAttr(NVVM::NVVMDialect::getReqntidAttrName());
    kernel->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                    builder.getDenseI32ArrayAttr({*threads, programs, 1}));
  }

private:
  /// True if programs of so many warps may share a block, and are so short that it helps. Collects
  /// the operations that depend on the position along x.
  bool mayShare(ArrayRef<LLVM::LLVMFuncOp> functions, unsigned numWarps,
                SmallVectorImpl<Operation *> &reads) const {
    unsigned operations = 0;
    for (LLVM::LLVMFuncOp function : functions) {
      WalkResult result = function.walk([&](Operation *op) {
        if (isa<NVVM::BlockIdXOp, NVVM::GridDimXOp>(op))
          reads.push_back(op);
        return allowsSharing(op) ? WalkResult::advance() : WalkResult::interrupt();
      });
      std::optional<unsigned> own = countOperations(function);
      if (result.wasInterrupted() || !own)
        return false;
      operations += *own;
    }
    return operations * numWarps <= maxOperations;
  }
};

} // namespace
} // namespace eft
