// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-tile-blocks: makes tiled loops of work on large blocks. TileGroups.h finds the operations
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
    TilingOptions options{dimension, elements, vectors, splitPrefix, useBuffers};
    SmallVector<Block *> blocks;
    getOperation().walk([&](Operation *op) {
      // These include the regions of reductions. Nothing is tiled there: they work on scalars.
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
    });
    for (Block *block : blocks) {
      TilingPlan plan = planTiling(*block, options);
      TiledLoops(*block, plan, options, infos).emit();
    }
  }
};

} // namespace
} // namespace eft
