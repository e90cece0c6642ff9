// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/tiling/TileBounds.h"

#include "compiler/ir/Accesses.h"
#include "compiler/lowering/LinearCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {

namespace {

/// The mask that all accesses have; null if their masks differ, or if they have none.
Value commonMask(ArrayRef<Operation *> accesses) {
  Value mask = maskOf(accesses.front());
  bool isCommon = llvm::all_of(accesses, [&](Operation *access) { return maskOf(access) == mask; });
  return isCommon ? mask : Value();
}

/// The number n of elements of a tile, if tile number i has the elements i·n to (i + 1)·n − 1; else
/// nothing.
std::optional<int64_t> elementsInOrder(RankedTensorType block, const TiledDimension &steps) {
  RankedTensorType tile = tileType(block, steps);
  if (!tile || block.getRank() != 1)
    return std::nullopt;
  int64_t elements = tile.getDimSize(0);
  SmallVector<int64_t> images =
      imagesOf(*layoutOf(block), steps.name, /*dimension=*/0, steps.keptBits);
  for (auto [bit, image] : llvm::enumerate(images))
    if (image != elements << bit)
      return std::nullopt;
  return elements;
}

} // namespace

std::optional<TileBounds> emitTileBounds(ImplicitLocOpBuilder &b, const AxisInfos &infos,
                                         ArrayRef<Operation *> accesses,
                                         const TiledDimension &steps, const TiledDimension &fine) {
  Value mask = commonMask(accesses);
  if (!mask)
    return std::nullopt;
  auto block = cast<RankedTensorType>(mask.getType());
  std::optional<int64_t> elements = elementsInOrder(block, steps);
  std::optional<int64_t> fineElements = elementsInOrder(block, fine);
  std::optional<PrefixMask> prefix = matchPrefixMask(infos, mask);
  if (!elements || !fineElements || !prefix || prefix->mayWrap())
    return std::nullopt;
  Value active = materializeTrueCount(b, b.getLoc(), *prefix);
  auto stepsOf = [&](Value number, int64_t stepElements) -> Value {
    Value shift = b.create<arith::ConstantIntOp>(llvm::Log2_64(stepElements), 64);
    return b.create<arith::TruncIOp>(b.getI32Type(), b.create<arith::ShRUIOp>(number, shift));
  };
  Value inside = stepsOf(active, *elements);
  Value finePerStep = b.create<arith::ConstantIntOp>(*elements / *fineElements, 32);
  Value others = b.create<arith::ConstantIntOp>(*fineElements - 1, 64);
  return TileBounds{inside, b.create<arith::MulIOp>(inside, finePerStep),
                    stepsOf(b.create<arith::AddIOp>(active, others), *fineElements)};
}

} // namespace eft
