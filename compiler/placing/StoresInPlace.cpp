// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/placing/StoresInPlace.h"

#include "compiler/ir/Accesses.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace eft {

namespace {

/// The most elements that a thread stores one by one instead of a conversion.
constexpr int64_t maxStores = 4;

/// The most operations that are done again for a store. It bounds the search, too.
constexpr unsigned maxRepeated = 32;

Attribute layoutAttrOf(Value block) {
  return cast<RankedTensorType>(block.getType()).getEncoding();
}

/// True if the operation makes one block from blocks of the same shape and scalars, and may be done
/// again in another layout.
bool isRepeatable(Operation *op) {
  auto hasOtherShape = [&](Value operand) {
    auto block = dyn_cast<RankedTensorType>(operand.getType());
    return block &&
           block.getShape() != cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  };
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         (OpTrait::hasElementwiseMappableTraits(op) || op->hasTrait<ComputesInPlace>() ||
          op->hasTrait<OpTrait::ConstantLike>() || isa<ArangeOp, SplatOp>(op)) &&
         llvm::none_of(op->getOperands(), hasOtherShape);
}

/// The layout from which the elementwise operations before `value` convert; null if there is no
/// conversion.
Attribute layoutBeforeConversion(Value value) {
  SmallVector<Value> pending = {value};
  for (size_t next = 0; next < pending.size() && next < maxRepeated; ++next) {
    Operation *op = pending[next].getDefiningOp();
    if (!op)
      continue;
    if (auto convert = dyn_cast<ConvertLayoutOp>(op))
      return layoutAttrOf(convert.getSource());
    if (isRepeatable(op))
      llvm::copy_if(op->getOperands(), std::back_inserter(pending),
                    [](Value operand) { return isa<RankedTensorType>(operand.getType()); });
  }
  return {};
}

/// Makes blocks in one layout for a store. An operation outside of the store's loop or branch is
/// done again outside of it.
class Remaker {
public:
  /// Adds the operations that it makes to `made`.
  Remaker(StoreOp store, Attribute layout, SmallVectorImpl<Operation *> &made)
      : store(store), layout(layout), made(made) {}

  /// The block in the layout; null if it can't be made there by a few operations.
  Value remake(Value block) {
    if (layoutAttrOf(block) == layout)
      return block;
    Operation *op = block.getDefiningOp();
    if (auto convert = dyn_cast_or_null<ConvertLayoutOp>(op))
      return layoutAttrOf(convert.getSource()) == layout ? convert.getSource() : Value();
    if (!op || !isRepeatable(op) || ++repeated > maxRepeated)
      return {};
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      Value remade = remake(operand);
      if (!remade)
        return {};
      mapping.map(operand, remade);
    }
    return repeat(op, mapping);
  }

private:
  Value repeat(Operation *op, IRMapping &mapping) {
    OpBuilder b(op->getBlock()->findAncestorOpInBlock(*store));
    Operation *copy = b.clone(*op, mapping);
    Value result = copy->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(RankedTensorType::get(type.getShape(), type.getElementType(), layout));
    if (auto constant = dyn_cast<arith::ConstantOp>(copy))
      constant.setValueAttr(
          cast<DenseElementsAttr>(constant.getValue()).reshape(cast<ShapedType>(result.getType())));
    if (Operation *same = findSame(copy)) {
      copy->erase();
      return same->getResult(0);
    }
    made.push_back(copy);
    return result;
  }

  /// An operation before `copy`, in the same block, that does the same; null if there is none.
  static Operation *findSame(Operation *copy) {
    auto isSame = [&](Operation *op) {
      return op != copy &&
             OperationEquivalence::isEquivalentTo(op, copy, OperationEquivalence::IgnoreLocations);
    };
    if (copy->getNumOperands() == 0) {
      for (Operation &op : llvm::make_range(copy->getBlock()->begin(), copy->getIterator()))
        if (isSame(&op))
          return &op;
      return nullptr;
    }
    for (Operation *user : copy->getOperand(0).getUsers())
      if (user->getBlock() == copy->getBlock() && user->isBeforeInBlock(copy) && isSame(user))
        return user;
    return nullptr;
  }

  StoreOp store;
  Attribute layout;
  SmallVectorImpl<Operation *> &made;
  unsigned repeated = 0;
};

/// True if a thread holds at most `maxStores` elements of the block in the layout, and the block
/// has no more elements than there are threads.
bool hasFewElements(RankedTensorType block, Attribute layout) {
  const LinearLayout places =
      withPlaces(*layoutOf(RankedTensorType::get(block.getShape(), block.getElementType(), layout)),
                 gpuPlaces);
  const int64_t threads = int64_t(1)
                          << (places.placeBits(place::lane) + places.placeBits(place::warp));
  const unsigned ownBits = places.placeBits(place::registers) -
                           unsigned(llvm::popcount(places.redundantBits(place::registers)));
  return (int64_t(1) << ownBits) <= maxStores && block.getNumElements() <= threads;
}

/// The operands of a store in another layout.
struct Operands {
  Value value, pointer, mask;
};

/// Makes the operands of a store in the layout in which its block is computed; none if the store is
/// to stay as it is. Adds the operations that it makes to `made`.
std::optional<Operands> operandsInPlace(StoreOp store, SmallVectorImpl<Operation *> &made) {
  auto block = cast<RankedTensorType>(store.getValue().getType());
  Attribute layout = layoutBeforeConversion(store.getValue());
  if (!layout || layout == block.getEncoding() || !hasFewElements(block, layout))
    return std::nullopt;
  // A thread may have copies of an element. It stores one of them.
  auto computed = RankedTensorType::get(block.getShape(), block.getElementType(), layout);
  RankedTensorType stored = withoutCopies(computed, place::registers);
  Remaker values(store, layout, made), others(store, stored.getEncoding(), made);
  Operands operands = {values.remake(store.getValue()), others.remake(store.getPointer()), {}};
  if (store.getMask())
    operands.mask = others.remake(store.getMask());
  if (!operands.value || !operands.pointer || (store.getMask() && !operands.mask))
    return std::nullopt;
  if (stored != computed) {
    auto convert = OpBuilder(store).create<ConvertLayoutOp>(store.getLoc(), stored, operands.value);
    made.push_back(convert);
    operands.value = convert;
  }
  return operands;
}

/// Changes the layout of stores of one shape, if all of them can have the same new layout. Returns
/// true if it has changed.
bool storeInPlace(ArrayRef<StoreOp> stores) {
  SmallVector<Operation *> made;
  SmallVector<Operands> all;
  for (StoreOp store : stores) {
    std::optional<Operands> operands = operandsInPlace(store, made);
    if (!operands ||
        (!all.empty() && layoutAttrOf(operands->value) != layoutAttrOf(all[0].value))) {
      for (Operation *op : llvm::reverse(made))
        op->erase();
      return false;
    }
    all.push_back(*operands);
  }
  for (auto [store, operands] : llvm::zip_equal(stores, all)) {
    StoreOp(store).getValueMutable().assign(operands.value);
    StoreOp(store).getPointerMutable().assign(operands.pointer);
    if (operands.mask)
      StoreOp(store).getMaskMutable().assign(operands.mask);
  }
  return true;
}

/// The stores of blocks of more than one element, by their shapes. Only shapes of which no
/// operation but a store accesses blocks.
SmallVector<SmallVector<StoreOp>> storesByShape(func::FuncOp function) {
  llvm::MapVector<ArrayRef<int64_t>, SmallVector<StoreOp>> stores;
  DenseSet<ArrayRef<int64_t>> others;
  function.walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      auto block = dyn_cast<RankedTensorType>(store.getValue().getType());
      if (block && block.getNumElements() > 1)
        stores[block.getShape()].push_back(store);
    } else if (op->getNumRegions() == 0 && !isMemoryEffectFree(op)) {
      for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
        for (Type type : types)
          if (auto block = dyn_cast<RankedTensorType>(type))
            others.insert(block.getShape());
    }
  });
  SmallVector<SmallVector<StoreOp>> result;
  for (auto &[shape, ofShape] : stores)
    if (!others.contains(shape))
      result.push_back(std::move(ofShape));
  return result;
}

} // namespace

void storeInPlace(func::FuncOp function) {
  bool isChanged = false;
  for (ArrayRef<StoreOp> stores : storesByShape(function)) {
    isChanged |= storeInPlace(stores);
    for (StoreOp store : stores)
      if (isHeldBySeveralThreads(store.getValue().getType()))
        store->setAttr(meetsNoLoadName, UnitAttr::get(function.getContext()));
  }
  if (isChanged)
    function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
}

} // namespace eft
