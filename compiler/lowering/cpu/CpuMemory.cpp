// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of a CPU's vectors.
//
// If all lanes of a vector are neighbours in memory, one access moves the vector. Otherwise its
// lanes are gathered or scattered. The address of a vector access is that of its first lane. As far
// as possible it is computed by scalar code for that lane alone, so no vector of addresses exists.
// A load in which all lanes load the same element also uses the address of the first lane alone.
//
// Where the runs of a load are headless (AxisInfo.h), or are shorter than a vector because too
// little is known about alignment, the code compares the addresses of the lanes. If they are
// neighbours, as is mostly the case, the load gathers nothing.
#include "compiler/analysis/FactorLoads.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/lowering/cpu/CpuLowering.h"
#include "compiler/lowering/cpu/FirstLane.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

/// The distance in bytes from an access to the memory that is prefetched. It is far enough to cover
/// the latency of memory, and near enough that the data are still in the first-level cache when
/// they are used.
constexpr int32_t prefetchDistance = 4096;

unsigned alignmentOf(Type element) { return element.getIntOrFloatBitWidth() / 8; }

Value scalarPointer(ImplicitLocOpBuilder &b, Value address) {
  return b.create<LLVM::IntToPtrOp>(LLVM::LLVMPointerType::get(b.getContext()), address);
}

/// Emits the accesses of one block, vector by vector.
class VectorAccess {
public:
  /// `type` is the type of one vector, `run` the length of the runs. With `isUniform`, all lanes
  /// load the same element. With `isPrefetched`, an earlier pass has made prefetches for the load.
  VectorAccess(ImplicitLocOpBuilder &b, VectorType type, std::optional<uint32_t> run,
               bool isHeadless, bool isVolatile = false, bool isUniform = false,
               bool isPrefetched = false)
      : b(b), type(type), isVolatile(isVolatile), isPrefetched(isPrefetched),
        isHeadless(isHeadless && type.getNumElements() > 1),
        isContiguous(!this->isHeadless && run.value_or(1) >= type.getNumElements()),
        isUniform(isUniform), alignment(alignmentOf(type.getElementType())) {}

  Value load(Value addresses, Value mask, Value other) {
    if (isUniform)
      return loadOnce(addresses, mask, other);
    if (!isHeadless)
      return isContiguous ? loadRun(addresses, mask, other) : gather(addresses, mask, other);
    auto whole = b.create<scf::IfOp>(type, isWhole(addresses), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(whole.thenBlock());
    b.create<scf::YieldOp>(loadRun(addresses, mask, other));
    b.setInsertionPointToStart(whole.elseBlock());
    b.create<scf::YieldOp>(gather(addresses, mask, other));
    return whole.getResult(0);
  }

  void store(Value addresses, Value value, Value mask) {
    if (!isContiguous) {
      b.create<LLVM::masked_scatter>(value, pointers(addresses), maskOrAll(mask),
                                     b.getI32IntegerAttr(alignment));
      return;
    }
    Value pointer = firstPointer(addresses);
    if (mask) {
      b.create<LLVM::MaskedStoreOp>(value, pointer, mask, alignment);
      return;
    }
    prefetch(pointer, /*forWriting=*/1);
    b.create<LLVM::StoreOp>(value, pointer, alignment);
  }

private:
  Value loadRun(Value addresses, Value mask, Value other) {
    Value pointer = firstPointer(addresses);
    if (mask)
      return b.create<LLVM::MaskedLoadOp>(type, pointer, mask, other, alignment);
    if (!isPrefetched)
      prefetch(pointer, /*forWriting=*/0);
    return b.create<LLVM::LoadOp>(type, pointer, alignment, isVolatile);
  }

  /// Emits the condition that each lane's element follows that of the lane before in memory.
  Value isWhole(Value addresses) {
    auto vector = cast<VectorType>(addresses.getType());
    SmallVector<int64_t> bytes;
    for (int64_t lane = 0; lane < vector.getNumElements(); ++lane)
      bytes.push_back(lane * alignment);
    Value distances = b.create<arith::ConstantOp>(
        DenseElementsAttr::get(cast<ShapedType>(vector), ArrayRef(bytes)));
    Value first = b.create<vector::SplatOp>(vector, firstLane(b, addresses));
    Value neighbours = b.create<arith::AddIOp>(first, distances);
    Value are = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, addresses, neighbours);
    return b.create<vector::ReductionOp>(vector::CombiningKind::AND, are);
  }

  /// Loads the first lane's element for all lanes. Under a mask it loads a vector of which only the
  /// first lane is active, so there is no branch.
  Value loadOnce(Value addresses, Value mask, Value other) {
    Value pointer = firstPointer(addresses);
    Value element;
    if (!mask) {
      element = b.create<LLVM::LoadOp>(type.getElementType(), pointer, alignment, isVolatile);
    } else {
      SmallVector<bool> first(type.getNumElements(), false);
      first.front() = true;
      Value lane = b.create<arith::ConstantOp>(
          DenseElementsAttr::get(cast<ShapedType>(mask.getType()), first));
      Value firstMask = b.create<arith::AndIOp>(mask, lane);
      Value vector = b.create<LLVM::MaskedLoadOp>(type, pointer, firstMask, other, alignment);
      element = b.create<vector::ExtractOp>(vector, ArrayRef<int64_t>{0});
    }
    return b.create<vector::SplatOp>(type, element);
  }

  /// Prefetches the memory that a loop around the access reaches some iterations after `pointer`. A
  /// kernel that computes much for each element fills the CPU's reorder buffer with arithmetic.
  /// Without a prefetch it would request the next cache line only when it needs it.
  void prefetch(Value pointer, unsigned forWriting) {
    Value ahead = b.create<LLVM::GEPOp>(pointer.getType(), b.getI8Type(), pointer,
                                        LLVM::GEPArg(prefetchDistance));
    constexpr unsigned keepInAllCaches = 3, data = 1;
    b.create<LLVM::Prefetch>(ahead, forWriting, keepInAllCaches, data);
  }

  Value gather(Value addresses, Value mask, Value other) {
    if (!other)
      other = b.create<arith::ConstantOp>(b.getZeroAttr(type));
    return b.create<LLVM::masked_gather>(type, pointers(addresses), maskOrAll(mask), other,
                                         b.getI32IntegerAttr(alignment));
  }

  Value firstPointer(Value addresses) { return scalarPointer(b, firstLane(b, addresses)); }

  Value pointers(Value addresses) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    auto vector = LLVM::getFixedVectorType(pointer, type.getNumElements());
    return b.create<LLVM::IntToPtrOp>(vector, addresses);
  }

  Value maskOrAll(Value mask) {
    auto maskType = VectorType::get(type.getShape(), b.getI1Type());
    return mask ? mask
                : b.create<arith::ConstantOp>(DenseElementsAttr::get(maskType, true)).getResult();
  }

  ImplicitLocOpBuilder &b;
  VectorType type;
  bool isVolatile;
  bool isPrefetched;
  bool isHeadless;
  bool isContiguous;
  bool isUniform;
  unsigned alignment;
};

/// True if there are several lanes, and all of them hold the same element.
bool isUniformOverLanes(RankedTensorType block) {
  LinearLayout layout = *layoutOf(block);
  const unsigned laneBits = layout.placeBits(place::lane);
  for (unsigned bit = 0; bit < laneBits; ++bit)
    if (llvm::any_of(layout.basis(place::lane, bit), [](int64_t each) { return each != 0; }))
      return false;
  return laneBits > 0;
}

void loadScalar(CpuLowering &lowering, ImplicitLocOpBuilder &b, LoadOp load) {
  Value address = lowering.scalarOf(load.getPointer());
  auto loadOne = [&]() -> Value {
    return b.create<LLVM::LoadOp>(load.getType(), scalarPointer(b, address),
                                  alignmentOf(load.getType()), load.readsAnew());
  };
  if (!load.getMask())
    return lowering.setFragments(load, {loadOne()});
  Value other = load.getOther()
                    ? lowering.scalarOf(load.getOther())
                    : b.create<arith::ConstantOp>(b.getZeroAttr(load.getType())).getResult();
  auto choice = b.create<scf::IfOp>(load.getType(), lowering.scalarOf(load.getMask()),
                                    /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  b.create<scf::YieldOp>(loadOne());
  b.setInsertionPointToStart(choice.elseBlock());
  b.create<scf::YieldOp>(other);
  lowering.setFragments(load, {choice.getResult(0)});
}

void storeScalar(CpuLowering &lowering, ImplicitLocOpBuilder &b, StoreOp store) {
  OpBuilder::InsertionGuard guard(b);
  if (store.getMask()) {
    auto choice = b.create<scf::IfOp>(lowering.scalarOf(store.getMask()));
    b.setInsertionPointToStart(choice.thenBlock());
  }
  Value value = lowering.scalarOf(store.getValue());
  b.create<LLVM::StoreOp>(value, scalarPointer(b, lowering.scalarOf(store.getPointer())),
                          alignmentOf(value.getType()));
}

void lowerLoad(CpuLowering &lowering, ImplicitLocOpBuilder &b, LoadOp load) {
  auto block = dyn_cast<RankedTensorType>(load.getType());
  if (!block)
    return loadScalar(lowering, b, load);
  auto type = cast<VectorType>(lowering.fragmentType(block, block.getElementType()));
  // Masked loads have no volatile form. A fence keeps LLVM from reusing a value that was loaded
  // before.
  if (load.readsAnew())
    b.create<LLVM::FenceOp>(LLVM::AtomicOrdering::acq_rel, "singlethread");
  VectorAccess access(b, type, load.getRun(), load.getHeadless(), load.readsAnew(),
                      isUniformOverLanes(block), load->hasAttr(prefetchedName));
  Fragments addresses(lowering.fragmentsOf(load.getPointer())), masks(addresses.size()),
      others(addresses.size());
  if (load.getMask()) {
    masks = Fragments(lowering.fragmentsOf(load.getMask()));
    others = load.getOther()
                 ? Fragments(lowering.fragmentsOf(load.getOther()))
                 : Fragments(addresses.size(), b.create<arith::ConstantOp>(b.getZeroAttr(type)));
  }
  Fragments values;
  for (auto [address, mask, other] : llvm::zip_equal(addresses, masks, others))
    values.push_back(access.load(address, mask, other));
  lowering.setFragments(load, std::move(values));
}

void lowerStore(CpuLowering &lowering, ImplicitLocOpBuilder &b, StoreOp store) {
  auto block = dyn_cast<RankedTensorType>(store.getValue().getType());
  if (!block)
    return storeScalar(lowering, b, store);
  VectorAccess access(b, cast<VectorType>(lowering.fragmentType(block, block.getElementType())),
                      store.getRun(), store.getHeadless());
  Fragments addresses(lowering.fragmentsOf(store.getPointer())),
      values(lowering.fragmentsOf(store.getValue()));
  Fragments masks(addresses.size());
  if (store.getMask())
    masks = Fragments(lowering.fragmentsOf(store.getMask()));
  for (auto [address, value, mask] : llvm::zip_equal(addresses, values, masks))
    access.store(address, value, mask);
}

/// The bytes of a cache line.
constexpr int64_t lineBytes = 64;

/// True if the first lane of a step begins a cache line. A line has `elements` elements. Lanes are
/// assumed to be neighbours in memory along the dimension in which they are neighbours in the
/// block. If there is no such dimension, each step is assumed to begin a line.
bool beginsLine(const LinearLayout &layout, int64_t step, int64_t elements) {
  const Coordinates index = layout.apply(std::array{int64_t(0), step});
  for (unsigned dim = 0; dim < index.size(); ++dim)
    if (layout.contiguousAlong(place::lane, dim) > 1)
      return index[dim] % elements == 0;
  return true;
}

void prefetchPointer(ImplicitLocOpBuilder &b, Value address) {
  constexpr unsigned toRead = 0, keepInAllCaches = 3, data = 1;
  b.create<LLVM::Prefetch>(scalarPointer(b, address), toRead, keepInAllCaches, data);
}

void lowerPrefetch(CpuLowering &lowering, ImplicitLocOpBuilder &b, PrefetchOp prefetch) {
  auto block = dyn_cast<RankedTensorType>(prefetch.getPointer().getType());
  if (!block)
    return prefetchPointer(b, lowering.scalarOf(prefetch.getPointer()));
  auto pointer = cast<PointerType>(block.getElementType());
  const int64_t elements = lineBytes / std::max(1u, alignmentOf(pointer.getPointee()));
  const LinearLayout layout = withPlaces(*layoutOf(block), cpuPlaces);
  for (auto [step, addresses] : llvm::enumerate(lowering.fragmentsOf(prefetch.getPointer())))
    if (beginsLine(layout, int64_t(step), elements))
      prefetchPointer(b, firstLane(b, addresses));
}

} // namespace

void populateCpuMemoryLowerings(LoweringTable &table) {
  table.add(lowerPrefetch);
  table.add(lowerLoad);
  table.add(lowerStore);
}

} // namespace eft
