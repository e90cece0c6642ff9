// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/buffers/BufferKeeper.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {

void BufferKeeper::keepIn(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](scf::ForOp loop) { keepFor(loop); })
        .Case([&](scf::WhileOp loop) { keepWhile(loop); })
        .Case([&](scf::IfOp choice) { keepIf(choice); })
        .Case([&](DotOp dot) { keepDot(dot); })
        .Case([&](ScanOp scan) { keepScan(scan); })
        .Case([&](SortOp sort) { keepSort(sort); })
        .Case([&](HistogramOp histogram) { keepHistogram(histogram); })
        .Case([&](JoinOp join) { keepJoin(join); })
        .Case([&](ElementMoveOpInterface move) { keepMove(move); })
        .Case([&](GatherOp gather) { keepGather(gather); })
        .Case([&](PrintOp print) { keepPrint(print); });
}

Value BufferKeeper::bufferFor(Value value) {
  if (Value known = destinations.lookup(value))
    return known;
  return makeBuffer(value.getDefiningOp(), cast<RankedTensorType>(value.getType()));
}

/// Erases an operation, and the entries for its results, because a new operation may get its
/// address.
void BufferKeeper::erase(Operation *op) {
  for (Value result : op->getResults()) {
    destinations.erase(result);
    factors.erase(result);
    asBytes.erase(result);
  }
  moved.forget(op);
  op->erase();
}

/// If several calls write one value, the operation that makes the value may work only in the buffer
/// of the first call. It may do so even if only one side of a conditional writes the value there.
void BufferKeeper::writeFor(Operation *user, Value value, Value buffer) {
  OpBuilder b(user);
  writeWhole(b, user->getLoc(), value, buffer);
  Operation *definition = value.getDefiningOp();
  if (!definition)
    return;
  Operation *around = user;
  while (definition->getBlock() != around->getBlock() && isa<scf::IfOp>(around->getParentOp()))
    around = around->getParentOp();
  if (definition->getBlock() == around->getBlock())
    destinations.try_emplace(value, buffer);
}

/// Replaces a value by a read of its buffer: after the operation `behind`, or, if that is null, at
/// the start of the block whose argument the value is.
void BufferKeeper::replaceByRead(Value value, Value buffer, Operation *behind) {
  OpBuilder b(value.getContext());
  if (behind)
    b.setInsertionPointAfter(behind);
  else
    b.setInsertionPointToStart(value.getParentBlock());
  value.replaceAllUsesWith(readWhole(b, value.getLoc(), buffer));
}

} // namespace eft
