// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of a GPU thread.
//
// A thread's elements form runs of neighbours in memory, and one access of up to 128 bits moves a
// run or a part of it. A thread tests once whether the mask is true for all its elements. If so,
// its accesses have no condition; otherwise it accesses each element under the element's own mask.
// In three cases there is a better way:
//
// - If the mask is a prefix of the block, the mask of the thread's last element is that test. Then
//   only threads with elements beyond the prefix access single elements.
// - If the mask is the same for all elements of each access, it is the access's predicate, without
//   a branch.
// - If the mask is a prefix that is the same in all programs (`cutsAll`), such as that of a row's
//   columns, many threads of every program have elements beyond the prefix, and would access single
//   elements. Instead, the mask of a run's last element is the predicate of the run's access, and
//   the one thread in whose run the prefix ends accesses its elements once more.
//
// The access of a headless run (AxisInfo.h) begins one element before the run's second element. The
// first element may be elsewhere in memory, because it is computed by a remainder of negative
// numbers. If any first element of a thread is elsewhere, the thread loads the first elements
// separately, and stores all its elements one by one.
#include "compiler/ir/Accesses.h"
#include "compiler/layout/Placement.h"
#include "compiler/lowering/gpu/GpuLowering.h"
#include "compiler/lowering/gpu/Masks.h"
#include "compiler/lowering/gpu/ThreadAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

/// True if the last fragment of every thread has the thread's highest index: no two bits of the
/// place add the same bit to the index.
bool lastFragmentIsHighest(Type type) {
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

/// The fragments that are not copies of earlier fragments.
Fragments withoutCopies(ArrayRef<Value> fragments, ArrayRef<unsigned> originals) {
  Fragments distinct;
  for (auto [number, fragment] : llvm::enumerate(fragments))
    if (originals[number] == number)
      distinct.push_back(fragment);
  return distinct;
}

/// All fragments, from those that are not copies.
Fragments withCopies(ValueRange distinct, ArrayRef<unsigned> originals) {
  Fragments fragments;
  for (auto [number, original] : llvm::enumerate(originals)) {
    if (original == number)
      fragments.push_back(*distinct.begin()), distinct = distinct.drop_front();
    else
      fragments.push_back(fragments[original]);
  }
  return fragments;
}

/// A condition: the mask is true for all elements of the thread. In each sequence of `decisive`
/// fragments, the mask of the last fragment is true only if all masks of the sequence are.
Value isWholeUnderMask(ImplicitLocOpBuilder &b, ArrayRef<Value> masks, unsigned decisive) {
  Value all;
  llvm::SmallDenseSet<Value> seen;
  for (unsigned fragment = decisive - 1; fragment < masks.size(); fragment += decisive)
    if (seen.insert(masks[fragment]).second)
      all = all ? b.create<arith::AndIOp>(all, masks[fragment]).getResult() : masks[fragment];
  return all;
}

/// The length of the sequences of fragments in which the mask of the last fragment is true only if
/// all masks are.
template <typename Access>
unsigned decisiveFragments(Access access, Type type, const ThreadAccess &run, size_t fragments) {
  if (access.getPrefix() && lastFragmentIsHighest(type))
    return fragments;
  return access.getPrefixRuns() || access.getUniformRuns() ? run.width() : 1;
}

/// Loads each element under its own mask.
Fragments loadElements(ImplicitLocOpBuilder &b, ThreadAccess &access, ArrayRef<Value> masks,
                       ArrayRef<Value> others) {
  Fragments values;
  for (auto [fragment, mask] : llvm::enumerate(masks)) {
    auto one = b.create<scf::IfOp>(others[fragment].getType(), mask, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(one.thenBlock());
    b.create<scf::YieldOp>(access.loadOne(fragment));
    b.setInsertionPointToStart(one.elseBlock());
    b.create<scf::YieldOp>(others[fragment]);
    values.push_back(one.getResult(0));
  }
  return values;
}

/// For each fragment, the mask of the last fragment in its run.
Fragments lastOfRuns(ArrayRef<Value> masks, unsigned width) {
  Fragments lasts;
  for (unsigned fragment = 0; fragment < masks.size(); ++fragment)
    lasts.push_back(masks[fragment - fragment % width + width - 1]);
  return lasts;
}

/// A condition: one of the masks, which are prefixes of runs, ends inside a run. It is expected to
/// be false.
Value isRunCut(ImplicitLocOpBuilder &b, ArrayRef<Value> masks, unsigned width) {
  Value isCut;
  for (unsigned first = 0; first < masks.size(); first += width) {
    Value is = b.create<arith::XOrIOp>(masks[first], masks[first + width - 1]);
    isCut = isCut ? b.create<arith::OrIOp>(isCut, is).getResult() : is;
  }
  return expectSeldom(b, isCut);
}

/// Loads each run for whose last element the mask is true. If any run is cut, loads all elements
/// again, each under its own mask.
Fragments loadCutRuns(ImplicitLocOpBuilder &b, ThreadAccess &access, ArrayRef<Value> masks,
                      ArrayRef<Value> others) {
  Fragments runs = access.loadRunsUnder(lastOfRuns(masks, access.width()), others);
  if (access.width() == 1)
    return access.unpackRuns(runs);
  auto cut = b.create<scf::IfOp>(ValueRange(runs).getTypes(), isRunCut(b, masks, access.width()),
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(cut.elseBlock());
  b.create<scf::YieldOp>(runs);
  b.setInsertionPointToStart(cut.thenBlock());
  b.create<scf::YieldOp>(access.packRuns(loadElements(b, access, masks, others)));
  b.setInsertionPointAfter(cut);
  return access.unpackRuns(Fragments(cut.getResults()));
}

/// Stores each run for whose last element the mask is true. If any run is cut, stores all elements
/// again, each under its own mask.
void storeCutRuns(ImplicitLocOpBuilder &b, ThreadAccess &access, ArrayRef<Value> masks,
                  ArrayRef<Value> values) {
  access.storeRunsIf(lastOfRuns(masks, access.width()), values);
  if (access.width() == 1)
    return;
  auto cut = b.create<scf::IfOp>(isRunCut(b, masks, access.width()));
  b.setInsertionPointToStart(cut.thenBlock());
  for (auto [fragment, value] : llvm::enumerate(values)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(b.create<scf::IfOp>(masks[fragment]).thenBlock());
    access.storeOne(fragment, value);
  }
}

unsigned runOf(std::optional<uint32_t> run) { return run.value_or(1); }

LogicalResult lowerLoad(GpuLowering &lowering, ImplicitLocOpBuilder &b, LoadOp load) {
  Type element = getElementTypeOrSelf(load.getType());
  // One access loads an element for all copies of it that the thread holds.
  Fragments addresses(lowering.fragmentsOf(load.getPointer()));
  SmallVector<unsigned> originals = lowering.originalsOf(load);
  ThreadAccess access(b, element, withoutCopies(addresses, originals), runOf(load.getRun()),
                      {load.getCache(), load.getEviction(), load.getIsVolatile()},
                      load.getHeadless());
  if (!load.getMask()) {
    lowering.setFragments(load, withCopies(access.loadAll(), originals));
    return success();
  }
  Fragments masks = withoutCopies(lowering.fragmentsOf(load.getMask()), originals), others;
  if (load.getOther())
    others = withoutCopies(lowering.fragmentsOf(load.getOther()), originals);
  else
    others.assign(masks.size(), b.create<arith::ConstantOp>(b.getZeroAttr(element)));

  if (load.getUniformRuns() && !load.getIsVolatile()) {
    Fragments values = access.unpackRuns(access.loadRunsUnder(masks, others));
    lowering.setFragments(load, withCopies(values, originals));
    return success();
  }
  if (load.getCutsAll() && !load.getIsVolatile()) {
    lowering.setFragments(load, withCopies(loadCutRuns(b, access, masks, others), originals));
    return success();
  }
  // With `prefixRuns`, and for elements that share a register, the branches yield whole runs as
  // words, so that the usual branch is a load and nothing else. Otherwise the branches yield
  // elements: SpecializeMasked.cpp then makes one branch around several accesses, so that the
  // loaded values need not be yielded.
  const bool givesRuns = load.getPrefixRuns() || element.getIntOrFloatBitWidth() < 32;
  Value isWhole =
      isWholeUnderMask(b, masks, decisiveFragments(load, load.getType(), access, masks.size()));
  SmallVector<Type> types(givesRuns ? masks.size() / access.width() : masks.size(),
                          givesRuns ? access.runType() : element);
  auto whole = b.create<scf::IfOp>(types, expect(b, isWhole, true), /*withElseRegion=*/true);
  b.setInsertionPointToStart(whole.thenBlock());
  b.create<scf::YieldOp>(givesRuns ? access.loadRuns() : access.loadAll());
  b.setInsertionPointToStart(whole.elseBlock());
  Fragments values = loadElements(b, access, masks, others);
  b.create<scf::YieldOp>(givesRuns ? access.packRuns(values) : values);
  b.setInsertionPointAfter(whole);
  Fragments results(whole.getResults());
  lowering.setFragments(load,
                        withCopies(givesRuns ? access.unpackRuns(results) : results, originals));
  return success();
}

LogicalResult lowerStore(GpuLowering &lowering, ImplicitLocOpBuilder &b, StoreOp store) {
  Type type = store.getValue().getType();
  ThreadAccess access(b, getElementTypeOrSelf(type),
                      Fragments(lowering.fragmentsOf(store.getPointer())), runOf(store.getRun()),
                      {store.getCache(), store.getEviction()}, store.getHeadless());
  Fragments values(lowering.fragmentsOf(store.getValue()));
  // If several threads hold an element, one of them stores it; all threads hold a scalar. The store
  // must follow all threads' earlier loads of the element, and precede their later loads. So if the
  // element may be loaded, there is a barrier before the store and one after it.
  OpBuilder::InsertionGuard storeGuard(b);
  if (Value isStoring = storingThread(b, type)) {
    const bool mayLoadAgain = lowering.mayLoadAgain(type) && !store->hasAttr(meetsNoLoadName);
    if (mayLoadAgain)
      b.create<NVVM::Barrier0Op>();
    auto guarded = b.create<scf::IfOp>(isStoring);
    if (mayLoadAgain)
      b.create<NVVM::Barrier0Op>();
    b.setInsertionPointToStart(guarded.thenBlock());
  }
  // Elements that no wide access may store are stored one by one below.
  Value isWhole = access.areWhole();
  if (!store.getMask() && !isWhole) {
    access.storeAll(values);
    return success();
  }
  Fragments masks;
  if (store.getMask())
    llvm::append_range(masks, lowering.fragmentsOf(store.getMask()));
  if (store.getCutsAll() && !masks.empty() && !isWhole) {
    storeCutRuns(b, access, masks, values);
    return success();
  }
  if (store.getUniformRuns()) {
    Fragments conditions = masks;
    for (unsigned first = 0; isWhole && first < masks.size(); first += access.width())
      conditions[first] = b.create<arith::AndIOp>(masks[first], isWhole);
    access.storeRunsIf(conditions, values);
    if (!isWhole)
      return success();
  } else {
    if (!masks.empty()) {
      Value isInside =
          isWholeUnderMask(b, masks, decisiveFragments(store, type, access, masks.size()));
      isWhole = isWhole ? b.create<arith::AndIOp>(isInside, isWhole).getResult() : isInside;
    }
    access.storeAllIf(isWhole, values);
    if (masks.size() == 1)
      return success();
  }
  Value isPartial = b.create<arith::XOrIOp>(isWhole, b.create<arith::ConstantIntOp>(1, 1));
  auto partial = b.create<scf::IfOp>(expect(b, isPartial, false));
  b.setInsertionPointToStart(partial.thenBlock());
  for (auto [fragment, value] : llvm::enumerate(values)) {
    OpBuilder::InsertionGuard guard(b);
    if (!masks.empty())
      b.setInsertionPointToStart(b.create<scf::IfOp>(masks[fragment]).thenBlock());
    access.storeOne(fragment, value);
  }
  return success();
}

} // namespace

void populateGpuMemoryLowerings(LoweringTable &table) {
  table.add(lowerLoad);
  table.add(lowerStore);
}

} // namespace eft
