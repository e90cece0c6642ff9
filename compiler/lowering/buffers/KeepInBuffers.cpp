// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-keep-in-buffers: what loops and conditionals carry, what is multiplied, and what is scanned
// lies in memory. Nothing is done in steps here: whole blocks are put into buffers and taken from
// them, and what eft-tile-blocks makes of that is right whatever it chooses.
//
// A block's buffer is found from its use: what ends in a buffer is made there. So the code is
// walked from its end.
#include "compiler/lowering/Passes.h"

#include "compiler/lowering/buffers/BufferKeeper.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_KEEPINBUFFERS
#include "compiler/lowering/Passes.h.inc"

namespace {

/// A block that is taken from a buffer and put back is there already.
bool isPutBack(BufferWriteOp put) {
  BufferReadOp take = wholeTakeOf(put.getPart());
  return take && !take.getElements() && isWhole(put) && take.getBuffer() == put.getBuffer() &&
         isUnchangedAt(take, put);
}

void dropIdleOps(func::FuncOp function) {
  SmallVector<BufferWriteOp> puts;
  function.walk([&](BufferWriteOp put) { puts.push_back(put); });
  for (bool changed = true; changed;) {
    const size_t before = puts.size();
    llvm::erase_if(puts, [](BufferWriteOp put) {
      bool isIdle = isPutBack(put);
      if (isIdle)
        put.erase();
      return isIdle;
    });
    changed = puts.size() != before;
  }
  function.walk([](BufferReadOp take) {
    if (take->use_empty())
      take.erase();
  });
}

struct KeepInBuffersPass : impl::KeepInBuffersBase<KeepInBuffersPass> {
  using KeepInBuffersBase::KeepInBuffersBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    BufferKeeper(vectorBits).keepIn(getOperation().getBody().front());
    dropIdleOps(getOperation());
  }
};

} // namespace
} // namespace eft
