// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-keep-in-buffers: gives buffers to blocks that loops and conditionals carry, to blocks whose
// elements move, to the operands of products, scans, sorts and histograms, and to large blocks that
// are printed. This pass tiles nothing. It writes and reads whole blocks, and the code is right
// whichever of these accesses eft-tile-blocks tiles.
//
// The users of a block determine its buffer: if a user needs the block in some buffer, the
// operation that makes the block works in that buffer if it can. So the pass visits users first: it
// goes from the last operation to the first.
#include "compiler/lowering/Passes.h"

#include "compiler/lowering/buffers/BufferKeeper.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_KEEPINBUFFERS
#include "compiler/lowering/Passes.h.inc"

namespace {

/// True for a write of a block into the buffer from which it was read, if the buffer has not
/// changed since. The write has no effect.
bool isWrittenBack(BufferWriteOp write) {
  BufferReadOp read = wholeReadOf(write.getPart());
  return read && !read.getElements() && isWhole(write) && read.getBuffer() == write.getBuffer() &&
         isUnchangedAt(read, write);
}

void dropIdleOps(func::FuncOp function) {
  SmallVector<BufferWriteOp> writes;
  function.walk([&](BufferWriteOp write) { writes.push_back(write); });
  for (bool changed = true; changed;) {
    const size_t before = writes.size();
    llvm::erase_if(writes, [](BufferWriteOp write) {
      bool isIdle = isWrittenBack(write);
      if (isIdle)
        write.erase();
      return isIdle;
    });
    changed = writes.size() != before;
  }
  function.walk([](BufferReadOp read) {
    if (read->use_empty())
      read.erase();
  });
}

struct KeepInBuffersPass : impl::KeepInBuffersBase<KeepInBuffersPass> {
  using KeepInBuffersBase::KeepInBuffersBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    BufferKeeper(getOperation(), vectorBits).keepIn(getOperation().getBody().front());
    dropIdleOps(getOperation());
  }
};

} // namespace
} // namespace eft
