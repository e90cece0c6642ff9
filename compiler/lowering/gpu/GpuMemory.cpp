// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of a GPU thread.
//
// A thread's elements come in runs of neighbours in memory, each moved by one access of up to 128
// bits. A thread tests once whether the mask is true for all its elements. If so, it does its
// accesses with no condition on any element; otherwise each element is accessed under its own mask.
// For a mask that is a prefix of the block, the mask of the thread's last element is that test. So
// only the threads at the border of a range take the long way. Where the mask is the same for all
// elements of each access, it is the access's predicate, and there is no branch. So is the mask of
// a run's last element, where most threads would take the long way because a prefix ends at the
// same index in all programs. Then the one thread whose run is cut accesses its elements once more.
//
// The accesses of headless runs (AxisInfo.h) begin one element before the second. The first
// elements of a thread may lie elsewhere, because a remainder was taken of numbers below zero. The
// thread then loads those by themselves, and stores all elements one by one.
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

/// True if in every thread the last fragment has the highest index: no two bits of the place add
/// the same bit to the index.
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

/// The fragments that are no copies.
Fragments withoutCopies(ArrayRef<Value> fragments, ArrayRef<unsigned> originals) {
  Fragments distinct;
  for (auto [number, fragment] : llvm::enumerate(fragments))
    if (originals[number] == number)
      distinct.push_back(fragment);
  return distinct;
}

/// All fragments again, from those that are no copies.
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
/// fragments, the last one's mask tells that for all.
Value isWholeUnderMask(ImplicitLocOpBuilder &b, ArrayRef<Value> masks, unsigned decisive) {
  Value all;
  llvm::SmallDenseSet<Value> seen;
  for (unsigned fragment = decisive - 1; fragment < masks.size(); fragment += decisive)
    if (seen.insert(masks[fragment]).second)
      all = all ? b.create<arith::AndIOp>(all, masks[fragment]).getResult() : masks[fragment];
  return all;
}

/// The number of fragments for which the last one's mask tells whether all masks are true.
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

/// For each fragment the mask of the last one in its run.
Fragments lastOfRuns(ArrayRef<Value> masks, unsigned width) {
  Fragments lasts;
  for (unsigned fragment = 0; fragment < masks.size(); ++fragment)
    lasts.push_back(masks[fragment - fragment % width + width - 1]);
  return lasts;
}

/// A condition: the masks, which are prefixes of runs, end inside a run.
Value isRunCut(ImplicitLocOpBuilder &b, ArrayRef<Value> masks, unsigned width) {
  Value isCut;
  for (unsigned first = 0; first < masks.size(); first += width) {
    Value is = b.create<arith::XOrIOp>(masks[first], masks[first + width - 1]);
    isCut = isCut ? b.create<arith::OrIOp>(isCut, is).getResult() : is;
  }
  return expectSeldom(b, isCut);
}

/// Loads runs whose masks are true for the last element, and the elements of runs that are cut.
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

/// The same for stores.
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
  // One access serves all copies that the thread holds of an element.
  Fragments addresses(lowering.fragmentsOf(load.getPointer()));
  SmallVector<unsigned> originals = lowering.originalsOf(load.getType());
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
  // With `prefixRuns`, and for elements that share a register, the branches give runs as they were
  // read, so that the usual branch is a load and nothing else. Otherwise they give elements:
  // SpecializeMasked.cpp makes one branch for a whole span of accesses.
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
  // Where several threads hold an element, or all of them a scalar, one stores it: after all
  // threads have done their earlier loads of it, and before any of them does a later one.
  OpBuilder::InsertionGuard storeGuard(b);
  if (Value isStoring = storingThread(b, type)) {
    const bool mayLoadAgain = lowering.mayLoadAgain(type);
    if (mayLoadAgain)
      b.create<NVVM::Barrier0Op>();
    auto guarded = b.create<scf::IfOp>(isStoring);
    if (mayLoadAgain)
      b.create<NVVM::Barrier0Op>();
    b.setInsertionPointToStart(guarded.thenBlock());
  }
  // Elements that no wide access may store are stored one by one.
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
