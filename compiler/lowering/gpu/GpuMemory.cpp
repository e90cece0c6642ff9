// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of a GPU thread.
//
// A thread's elements come in runs of neighbours in memory, each moved by one access of up to 128
// bits. A mask is looked at once for all of them: if it is true throughout, the thread goes the
// short way, with no condition on any element; otherwise each element is accessed under its own.
// For a mask that is a prefix of the block, "throughout" is the mask of the thread's last element.
// Only the threads at the border of a range then take the long way.
#include "compiler/layout/Placement.h"
#include "compiler/lowering/gpu/GpuLowering.h"
#include "compiler/lowering/gpu/ThreadAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

using Pieces = PieceLowering::Pieces;

/// Whether a thread's last piece is the one with the highest index, whatever the thread: no two
/// bits of the place add the same bit to the index.
bool lastPieceIsHighest(Type type) {
  std::optional<LinearLayout> layout = layoutOf(type);
  if (!layout || layout->shape().size() != 1)
    return false;
  int64_t seen = 0;
  for (const PlaceBases &place : layout->bases())
    for (const Coordinates &basis : place.bases) {
      if (seen & basis.front())
        return false;
      seen |= basis.front();
    }
  return true;
}

/// Which piece each piece of a thread is a copy of, itself if of no earlier one: copies differ only
/// in bits of the place that add nothing to the index.
SmallVector<unsigned> originalsOf(Type type, size_t pieces) {
  std::optional<LinearLayout> layout = layoutOf(type);
  unsigned copying = 0;
  for (unsigned bit = 0; layout && bit < layout->placeBits(place::registers); ++bit)
    if (llvm::all_of(layout->basis(place::registers, bit), [](int64_t each) { return each == 0; }))
      copying |= 1u << bit;
  SmallVector<unsigned> found;
  for (unsigned piece = 0; piece < pieces; ++piece)
    found.push_back(piece & ~copying);
  return found;
}

/// The pieces that are no copies.
Pieces withoutCopies(ArrayRef<Value> pieces, ArrayRef<unsigned> originals) {
  Pieces distinct;
  for (auto [number, piece] : llvm::enumerate(pieces))
    if (originals[number] == number)
      distinct.push_back(piece);
  return distinct;
}

/// The pieces again, from those that are no copies.
Pieces withCopies(ValueRange distinct, ArrayRef<unsigned> originals) {
  Pieces pieces;
  for (auto [number, original] : llvm::enumerate(originals)) {
    if (original == number)
      pieces.push_back(*distinct.begin()), distinct = distinct.drop_front();
    else
      pieces.push_back(pieces[original]);
  }
  return pieces;
}

/// True if the whole of the thread's part is under the mask.
Value isWholeUnderMask(ImplicitLocOpBuilder &b, ArrayRef<Value> masks, bool isPrefix) {
  if (isPrefix)
    return masks.back();
  Value all = masks.front();
  for (Value mask : masks.drop_front())
    if (mask != all)
      all = b.create<arith::AndIOp>(all, mask);
  return all;
}

/// A condition that most threads find to be `usual`. What only the others need stays on their way
/// then: LLVM would compute it for all of them in front of the branch.
Value expect(ImplicitLocOpBuilder &b, Value condition, bool usual) {
  return b.create<LLVM::ExpectOp>(condition, b.create<arith::ConstantIntOp>(usual, 1));
}

unsigned runOf(std::optional<uint32_t> run) { return run.value_or(1); }

} // namespace

LogicalResult GpuLowering::lowerLoad(ImplicitLocOpBuilder &b, LoadOp load) {
  Type element = getElementTypeOrSelf(load.getType());
  // Of an element that the thread holds several times, one access brings all copies.
  Pieces addresses(piecesOf(load.getPointer()));
  SmallVector<unsigned> originals = originalsOf(load.getType(), addresses.size());
  ThreadAccess access(b, element, withoutCopies(addresses, originals), runOf(load.getRun()),
                      {load.getCache(), load.getEviction(), load.getIsVolatile()});
  if (!load.getMask()) {
    setPieces(load, withCopies(access.loadAll(), originals));
    return success();
  }
  Pieces masks = withoutCopies(piecesOf(load.getMask()), originals), others;
  if (load.getOther())
    others = withoutCopies(piecesOf(load.getOther()), originals);
  else
    others.assign(masks.size(), b.create<arith::ConstantOp>(b.getZeroAttr(element)));

  SmallVector<Type> types(masks.size(), element);
  Value isWhole =
      isWholeUnderMask(b, masks, load.getPrefix() && lastPieceIsHighest(load.getType()));
  auto whole = b.create<scf::IfOp>(types, expect(b, isWhole, true), /*withElseRegion=*/true);
  b.setInsertionPointToStart(whole.thenBlock());
  b.create<scf::YieldOp>(access.loadAll());
  b.setInsertionPointToStart(whole.elseBlock());
  Pieces values;
  for (auto [piece, mask] : llvm::enumerate(masks)) {
    auto one = b.create<scf::IfOp>(element, mask, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(one.thenBlock());
    b.create<scf::YieldOp>(access.loadOne(piece));
    b.setInsertionPointToStart(one.elseBlock());
    b.create<scf::YieldOp>(others[piece]);
    values.push_back(one.getResult(0));
  }
  b.create<scf::YieldOp>(values);
  setPieces(load, withCopies(whole.getResults(), originals));
  return success();
}

LogicalResult GpuLowering::lowerStore(ImplicitLocOpBuilder &b, StoreOp store) {
  Type type = store.getValue().getType();
  ThreadAccess access(b, getElementTypeOrSelf(type), Pieces(piecesOf(store.getPointer())),
                      runOf(store.getRun()), {store.getCache(), store.getEviction()});
  Pieces values(piecesOf(store.getValue()));
  // Where several threads hold an element, or all of them a scalar, one stores it; after all have
  // loaded what earlier loads ask for, and before any goes on to later ones.
  OpBuilder::InsertionGuard storeGuard(b);
  if (Value isStoring = storingThread(b, type)) {
    if (hasLoads)
      b.create<NVVM::Barrier0Op>();
    auto guarded = b.create<scf::IfOp>(isStoring);
    if (hasLoads)
      b.create<NVVM::Barrier0Op>();
    b.setInsertionPointToStart(guarded.thenBlock());
  }
  if (!store.getMask()) {
    access.storeAll(values);
    return success();
  }
  Pieces masks(piecesOf(store.getMask()));
  Value isWhole = isWholeUnderMask(b, masks, store.getPrefix() && lastPieceIsHighest(type));
  access.storeAllIf(isWhole, values);
  if (masks.size() == 1)
    return success();
  Value isPartial = b.create<arith::XOrIOp>(isWhole, b.create<arith::ConstantIntOp>(1, 1));
  auto partial = b.create<scf::IfOp>(expect(b, isPartial, false));
  b.setInsertionPointToStart(partial.thenBlock());
  for (auto [piece, mask] : llvm::enumerate(masks)) {
    auto one = b.create<scf::IfOp>(mask);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(one.thenBlock());
    access.storeOne(piece, values[piece]);
  }
  return success();
}

} // namespace eft
