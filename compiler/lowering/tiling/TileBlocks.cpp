// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-tile-blocks: turns work on large blocks into tiled loops. TileGroups.h finds the operations
// that one loop does together, TilingPlan.h decides which loops there are, TiledLoops.h makes the
// loops, and Tiles.h their bodies.
#include "compiler/lowering/Passes.h"

#include "compiler/lowering/tiling/TiledLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_TILEBLOCKS
#include "compiler/lowering/Passes.h.inc"

namespace {

struct TileBlocksPass : impl::TileBlocksBase<TileBlocksPass> {
  using TileBlocksBase::TileBlocksBase;

  void runOnOperation() override {
    AxisInfos infos(getOperation());
    TilingOptions options;
    options.dimension = dimension;
    options.elements = elements;
    options.vectors = vectors;
    options.splitPrefix = splitPrefix;
    options.cheapOperations = cheapOperations;
    options.alternate = alternate;
    options.useBuffers = useBuffers || needsBuffers();
    SmallVector<Block *> blocks;
    getOperation().walk([&](Operation *op) {
      // These include the bodies of reductions. Nothing is tiled there, because they compute with
      // scalars.
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
    });
    for (Block *block : blocks) {
      TilingPlan plan = planTiling(*block, options);
      TiledLoops(*block, plan, options, infos).emit();
    }
  }

private:
  /// True for a function that has buffers, or blocks of which a GPU's thread (on a CPU, a lane)
  /// holds more than `maxBits` bits, or that has no matrix products and reduces a block of which a
  /// thread holds more than `maxReducedBits` bits.
  bool needsBuffers() {
    const bool hasProducts = isAny([](Operation *op) { return isa<DotOp, DotAsyncOp>(op); });
    return isAny([&](Operation *op) {
      const bool isReduced = isa<ReduceOp>(op) && !hasProducts;
      return isa<BufferOp>(op) || hasMoreBits(op->getResultTypes(), maxBits) ||
             (isReduced && hasMoreBits(op->getOperandTypes(), maxReducedBits));
    });
  }

  bool isAny(function_ref<bool(Operation *)> holds) {
    return getOperation()
        .walk([&](Operation *op) {
          return holds(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// True if one of the blocks has more bits of a place than `limit`. A limit of 0 is none.
  bool hasMoreBits(TypeRange types, unsigned limit) const {
    return limit != 0 && llvm::any_of(types, [&](Type type) { return bitsOfPlace(type) > limit; });
  }

  /// The bits of a block of numbers that a GPU's thread (on a CPU, a lane) holds; 0 for blocks of
  /// booleans or pointers, and for other values. Elements of more than 32 bits count as 32: such a
  /// block may be one of offsets, which are computed where they are used.
  uint64_t bitsOfPlace(Type type) const {
    std::optional<LinearLayout> layout = layoutOf(type);
    Type element = getElementTypeOrSelf(type);
    if (!layout || !element.isIntOrFloat() || element.isInteger(1))
      return 0;
    return uint64_t(std::min(element.getIntOrFloatBitWidth(), 32u))
           << layout->placeBits(dimension.getValue());
  }
};

} // namespace
} // namespace eft
