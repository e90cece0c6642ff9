// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/tiling/TiledLoops.h"

#include "compiler/ir/Accesses.h"
#include "compiler/lowering/buffers/WholeBuffers.h"
#include "compiler/lowering/tiling/TileBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {

namespace {

RankedTensorType typeOf(Value block) { return cast<RankedTensorType>(block.getType()); }

/// The operations of loads that a group repeats, in the order of the program.
SmallVector<Operation *> inOrder(const llvm::SetVector<Value> &loads) {
  SmallVector<Operation *> result;
  for (Value load : loads)
    result.push_back(load.getDefiningOp());
  llvm::sort(result, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return result;
}

} // namespace

//===--- Buffers ------------------------------------------------------------------------------===//

Value TiledLoops::bufferOf(Value value) {
  if (BufferReadOp read = wholeReadOf(value))
    return read.getBuffer();
  Value &buffer = buffers[value];
  if (!buffer)
    buffer = makeBuffer(block.getParentOp(), isHeldOnce(value)
                                                 ? withoutCopies(typeOf(value), options.dimension)
                                                 : typeOf(value));
  return buffer;
}

/// True if the buffer of a value holds each element once. This is so for values that are written or
/// read as wholes, whose layouts may have too many copies.
bool TiledLoops::isHeldOnce(Value value) const {
  return plan.wholeWrites.contains(value) || plan.wholeReads.contains(value);
}

Value TiledLoops::current(Value value) {
  auto now = renamed.find(value);
  return now == renamed.end() ? value : now->second;
}

/// Writes the values that no group computes to their buffers, without copies, at the positions in
/// the code where the values are defined. If a layout conversion makes the value, its source is
/// written: the copies that the conversion makes may not all be needed.
void TiledLoops::writeWholes() {
  for (Value value : plan.wholeWrites) {
    OpBuilder b(value.getContext());
    b.setInsertionPointAfterValue(value);
    Value source = value;
    if (auto convert = value.getDefiningOp<ConvertLayoutOp>())
      source = convert.getSource();
    Value once = b.createOrFold<ConvertLayoutOp>(
        value.getLoc(), withoutCopies(typeOf(value), options.dimension), source);
    writeWhole(b, value.getLoc(), once, bufferOf(value));
  }
}

/// Reads whole blocks from their buffers after the group's loop, for operations that are not tiled.
/// All users of these blocks are after the loop, or are moved there. Where a layout has copies of
/// elements, the buffer has each element once.
void TiledLoops::readWholes() {
  for (Value value : plan.wholeReads) {
    Operation *last = nullptr;
    for (TileGroup &group : plan.groups)
      if (llvm::is_contained(group.items, value.getDefiningOp()))
        last = group.items.back();
    OpBuilder b(last->getContext());
    b.setInsertionPointAfter(last);
    Value whole = readWhole(b, value.getLoc(), bufferOf(value));
    for (Operation *user : llvm::make_early_inc_range(value.getUsers()))
      if (isa<ConvertLayoutOp>(user) && user->getResult(0).getType() == whole.getType())
        user->getResult(0).replaceAllUsesWith(whole);
      else if (isa<ConvertLayoutOp>(user))
        user->setOperand(0, whole);
    if (!value.use_empty())
      value.replaceAllUsesWith(
          b.createOrFold<ConvertLayoutOp>(value.getLoc(), value.getType(), whole));
  }
}

/// Marks a loop whose bounds are computed at run time as one that has few iterations, for
/// StopPolls.cpp. For a loop with constant bounds, the constants show that.
void TiledLoops::markComputedBounds(scf::ForOp loop) {
  if (!getConstantIntValue(loop.getLowerBound()) || !getConstantIntValue(loop.getUpperBound()))
    loop->setAttr(ofStepsName, UnitAttr::get(loop.getContext()));
}

//===--- Loops --------------------------------------------------------------------------------===//

void TiledLoops::emit() {
  writeWholes();
  for (TileGroup &group : plan.groups)
    if (group.hasLoop())
      emitGroup(group);
  readWholes();
  eraseReplaced();
}

void TiledLoops::emitGroup(TileGroup &group) {
  Operation *last = group.items.back();
  ImplicitLocOpBuilder b(last->getLoc(), last);
  if (group.hasReductions)
    emitReductions(b, group);
  else
    emitAccesses(b, group);
  moveBehind(group, last);
}

/// Moves the operations between a group's items that use the group's results. They move to the
/// place after `last`, the group's last item, where the group's loop is.
void TiledLoops::moveBehind(TileGroup &group, Operation *last) {
  DenseSet<Value> results;
  for (Operation *item : group.items)
    for (Value result : item->getResults())
      if (isa<ReduceOp>(item) || plan.wholeReads.contains(result))
        results.insert(result);
  auto usesResults = [&](Operation *op) {
    return op
        ->walk([&](Operation *nested) {
          return llvm::any_of(nested->getOperands(), [&](Value v) { return results.contains(v); })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  Operation *end = last;
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(group.items.front()->getIterator(), last->getIterator()))) {
    if (llvm::is_contained(group.items, &op) || !usesResults(&op))
      continue;
    results.insert(op.result_begin(), op.result_end());
    op.moveAfter(end);
    end = &op;
  }
  for (Operation *item : group.items)
    if (isa<ReduceOp>(item))
      for (Value result : item->getResults())
        result.replaceAllUsesWith(current(result));
}

/// The accesses of a group, in the order in which a tile does them.
SmallVector<Operation *> TiledLoops::accessesOf(const TileGroup &group) {
  SmallVector<Operation *> accesses = inOrder(group.reloads);
  llvm::copy_if(group.items, std::back_inserter(accesses), pointerOf);
  return accesses;
}

void TiledLoops::emitAccesses(ImplicitLocOpBuilder &b, TileGroup &group) {
  LinearLayout layout = *layoutOf(group.block());
  const unsigned stepBits = layout.placeBits(options.dimension.str()) - group.steps.keptBits;
  Value zero = b.create<arith::ConstantIntOp>(0, 32);
  Value all = b.create<arith::ConstantIntOp>(int64_t(1) << stepBits, 32);
  SmallVector<Operation *> accesses = accessesOf(group);
  // A group that writes buffers computes the whole block, because the buffers' readers may need all
  // of it: a second loop does all tiles that are not inside the prefix, with the mask. Other groups
  // compute only the prefix: their second loop does the prefix's end in the smallest tiles, which
  // is little work and little code, and the elements after the prefix are left out.
  const bool isForAll =
      !group.bufferWrites.empty() || llvm::any_of(group.items, llvm::IsaPred<BufferWriteOp>);
  TiledDimension fine = {group.steps.name, isForAll ? group.steps.keptBits : 0};
  std::optional<TileBounds> bounds;
  DenseSet<Value> known;
  if (options.splitPrefix && !accesses.empty() && haveTiles(group, fine, known))
    bounds = emitTileBounds(b, infos, accesses, group.steps, fine);
  if (!bounds)
    return emitLoop(b, group, group.steps, zero, all, /*dropMasks=*/false);
  emitLoop(b, group, group.steps, zero, bounds->inside, /*dropMasks=*/true);
  Value start = isForAll ? bounds->inside : bounds->fineStart;
  emitLoop(b, group, fine, start, isForAll ? all : bounds->fineEnd, /*dropMasks=*/false);
}

void TiledLoops::emitLoop(ImplicitLocOpBuilder &b, TileGroup &group, TiledDimension steps,
                          Value first, Value end, bool dropMasks) {
  Value one = b.create<arith::ConstantIntOp>(1, 32);
  Value both = b.createOrFold<arith::AddIOp>(first, b.createOrFold<arith::SubIOp>(end, one));
  auto loop = b.create<scf::ForOp>(first, end, one);
  markComputedBounds(loop);
  OpBuilder body = OpBuilder::atBlockTerminator(loop.getBody());
  Value step = loop.getInductionVar();
  if (group.runsBackwards)
    step = body.create<arith::SubIOp>(b.getLoc(), both, step);
  Tiles tiles(body, step, steps);
  emitBody(body, group, tiles, step, dropMasks);
}

/// Emits one tile of a group, apart from its reductions. With `dropMasks`, the mask that all
/// accesses share is true throughout the tile: the accesses get no mask, and other users of the
/// mask get true.
void TiledLoops::emitBody(OpBuilder &b, TileGroup &group, Tiles &tiles, Value step,
                          bool dropMasks) {
  if (dropMasks) {
    Value mask = maskOf(accessesOf(group).front());
    RankedTensorType tile = tileType(typeOf(mask), tiles.tiledDimension());
    tiles.setTile(mask,
                  b.create<arith::ConstantOp>(mask.getLoc(), DenseElementsAttr::get(tile, true)));
  }
  for (Value value : group.bufferReads) {
    if (isHeldOnce(value)) {
      tiles.setTile(value, tiles.readWithoutCopies(typeOf(value), bufferOf(value)));
      continue;
    }
    RankedTensorType tile = tileType(typeOf(value), tiles.tiledDimension());
    BufferReadOp whole = wholeReadOf(value);
    tiles.setTile(current(value),
                  b.create<BufferReadOp>(value.getLoc(), tile, bufferOf(value), step,
                                         whole ? whole.getElementsAttr() : LayoutAttr(),
                                         whole ? whole.getFlippedAttr() : IntegerAttr()));
  }
  for (Operation *load : inOrder(group.reloads))
    tiles.cloneAccess(cast<MemoryAccessOpInterface>(load), dropMasks);
  for (Operation *item : group.items)
    if (auto access = dyn_cast<MemoryAccessOpInterface>(item))
      tiles.cloneAccess(access, dropMasks);
    else if (auto write = dyn_cast<BufferWriteOp>(item))
      b.create<BufferWriteOp>(write.getLoc(), tiles.tileOf(write.getPart()), write.getBuffer(),
                              step);
  for (Value value : group.bufferWrites)
    if (isHeldOnce(value))
      tiles.writeWithoutCopies(value, bufferOf(value));
    else if (!isa<ReduceOp>(value.getDefiningOp()))
      b.create<BufferWriteOp>(value.getLoc(), tiles.tileOf(value), bufferOf(value), step);
}

/// Erases the groups' items, which the loops now do, and all operations that have become dead. Goes
/// from the end to the start, so that an operation's users are erased before it.
void TiledLoops::eraseReplaced() {
  DenseSet<Operation *> replaced;
  for (TileGroup &group : plan.groups)
    if (group.isSplit)
      replaced.insert(group.items.begin(), group.items.end());
  // An operation that was moved after a reduction may compute the reduction's source, so the order
  // of erasing alone does not suffice.
  for (Operation *op : replaced)
    op->dropAllReferences();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (replaced.contains(&op) || isOpTriviallyDead(&op))
      op.erase();
}

} // namespace eft
