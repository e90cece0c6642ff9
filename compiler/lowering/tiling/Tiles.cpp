// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/tiling/Tiles.h"

#include "compiler/lowering/LinearCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {

RankedTensorType tileType(RankedTensorType block, const TiledDimension &steps) {
  std::optional<LinearLayout> layout = layoutOf(block);
  if (!layout || layout->placeBits(std::string(steps.name)) < steps.keptBits)
    return {};
  LinearLayout tile = layout->split(std::string(steps.name), steps.keptBits).first;
  std::optional<std::vector<int64_t>> shape = tile.imageBox();
  if (!shape)
    return {};
  std::string error;
  std::optional<LinearLayout> tileLayout = LinearLayout::create(tile.bases(), *shape, error);
  if (!tileLayout)
    return {};
  return withLayout(RankedTensorType::get(*shape, block.getElementType()), *tileLayout);
}

/// True if a bit of a place with this basis only makes copies.
static bool isCopy(const Coordinates &basis) {
  return llvm::all_of(basis, [](int64_t coordinate) { return coordinate == 0; });
}

bool canTile(Operation *op) {
  if (isa<arith::ConstantOp>(op)) {
    SplatElementsAttr splat;
    return matchPattern(op, m_Constant(&splat));
  }
  if (op->hasTrait<ComputesInPlace>())
    return !hasEffect<MemoryEffects::Write>(op);
  // The operation need not be speculatable: a division, for example, is done for a tile's own
  // elements alone.
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         OpTrait::hasElementwiseMappableTraits(op);
}

/// Makes the tiles of operands before those of their users. An explicit stack replaces recursion,
/// because chains of operations may be long.
Value Tiles::tileOf(Value value) {
  auto isKnown = [&](Value each) {
    return !isa<RankedTensorType>(each.getType()) || tiles.contains(each);
  };
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Value next = pending.back();
    size_t before = pending.size();
    if (!isKnown(next))
      llvm::copy_if(llvm::reverse(next.getDefiningOp()->getOperands()), std::back_inserter(pending),
                    [&](Value operand) { return !isKnown(operand); });
    if (pending.size() != before)
      continue;
    pending.pop_back();
    if (isKnown(next))
      continue;
    if (isa<ArangeOp>(next.getDefiningOp()))
      tiles.map(next, tileOfArange(next.getDefiningOp()));
    else
      cloneOp(next.getDefiningOp());
  }
  return tiles.lookupOrDefault(value);
}

Value Tiles::tileOfArange(Operation *op) {
  auto arange = cast<ArangeOp>(op);
  ImplicitLocOpBuilder b(op->getLoc(), builder);
  auto type = cast<RankedTensorType>(arange.getType());
  RankedTensorType tile = tileType(type, steps);
  SmallVector<int64_t> images =
      imagesOf(*layoutOf(type), steps.name, /*dimension=*/0, steps.keptBits);
  Value offset = emitLinearMap(b, step, images);
  Value indices =
      b.create<ArangeOp>(tile, arange.getStart(), arange.getStart() + uint32_t(tile.getDimSize(0)));
  return b.create<arith::AddIOp>(indices, b.create<SplatOp>(tile, offset),
                                 arith::IntegerOverflowFlags::nsw);
}

/// The tile that has the same elements as the current tile of `block`, in a buffer that holds
/// `block` without copies. Returns the size of the buffer's tiles, and the tile's number in the
/// buffer. The number is made of those bits of `step` that make no copies.
std::pair<TiledDimension, Value> Tiles::tileWithoutCopies(RankedTensorType block) {
  ImplicitLocOpBuilder b(step.getLoc(), builder);
  const LinearLayout layout = *layoutOf(block);
  TiledDimension once = {steps.name, 0};
  SmallVector<int64_t> images;
  int64_t next = 1;
  for (unsigned bit = 0; bit < layout.placeBits(steps.name.str()); ++bit) {
    const bool isOther = !isCopy(layout.basis(steps.name.str(), bit));
    if (bit < steps.keptBits) {
      once.keptBits += isOther;
      continue;
    }
    images.push_back(isOther ? next : 0);
    next <<= int(isOther);
  }
  return {once, emitLinearMap(b, step, images)};
}

Value Tiles::readWithoutCopies(RankedTensorType block, Value buffer) {
  ImplicitLocOpBuilder b(buffer.getLoc(), builder);
  const auto [once, number] = tileWithoutCopies(block);
  RankedTensorType held = cast<BufferType>(buffer.getType()).getBlock();
  Value tile = b.create<BufferReadOp>(tileType(held, once), buffer, number,
                                      /*elements=*/LayoutAttr(), /*flipped=*/IntegerAttr());
  return b.createOrFold<ConvertLayoutOp>(tileType(block, steps), tile);
}

void Tiles::writeWithoutCopies(Value value, Value buffer) {
  ImplicitLocOpBuilder b(value.getLoc(), builder);
  const auto [once, number] = tileWithoutCopies(cast<RankedTensorType>(value.getType()));
  RankedTensorType held = cast<BufferType>(buffer.getType()).getBlock();
  Value tile = b.createOrFold<ConvertLayoutOp>(tileType(held, once), tileOf(value));
  b.create<BufferWriteOp>(tile, buffer, number);
}

Operation *Tiles::makeTile(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(tileOf(operand));
  SmallVector<Type> types;
  for (Type type : op->getResultTypes()) {
    auto block = dyn_cast<RankedTensorType>(type);
    types.push_back(block ? tileType(block, steps) : type);
  }
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    state.propertiesAttr = builder.getDictionaryAttr(builder.getNamedAttr(
        "value",
        cast<SplatElementsAttr>(constant.getValue()).resizeSplat(cast<ShapedType>(types[0]))));
  for (Region &region : op->getRegions()) {
    IRMapping inside;
    region.cloneInto(state.addRegion(), inside);
  }
  return builder.create(state);
}

void Tiles::cloneOp(Operation *op) { tiles.map(op->getResults(), makeTile(op)->getResults()); }

void Tiles::cloneAccess(MemoryAccessOpInterface access, bool dropMask) {
  if (!dropMask || !access.getMask())
    return cloneOp(access);
  // The mask is dropped before the operation's tile is made, so that no tile of the mask is
  // computed.
  Operation *unmasked = access->clone();
  cast<MemoryAccessOpInterface>(unmasked).dropMask();
  tiles.map(access->getResults(), makeTile(unmasked)->getResults());
  unmasked->erase();
}

} // namespace eft
