// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiled loops of groups.
#pragma once

#include "compiler/analysis/AxisInfo.h"
#include "compiler/lowering/tiling/TilingPlan.h"

namespace eft {

/// The attribute that marks a tiled loop whose bounds are computed at run time. Such a loop still
/// has few iterations: at most the number of tiles in a block.
inline constexpr llvm::StringLiteral ofStepsName = "eft.of_steps";

/// Replaces the groups of one basic block that are to be tiled by tiled loops.
class TiledLoops {
public:
  TiledLoops(mlir::Block &block, TilingPlan &plan, const TilingOptions &options,
             const AxisInfos &infos)
      : block(block), plan(plan), options(options), infos(infos) {}

  void emit();

private:
  void emitGroup(TileGroup &group);
  static llvm::SmallVector<mlir::Operation *> accessesOf(const TileGroup &group);
  void emitAccesses(mlir::ImplicitLocOpBuilder &b, TileGroup &group);
  void emitLoop(mlir::ImplicitLocOpBuilder &b, TileGroup &group, TiledDimension steps,
                mlir::Value first, mlir::Value end, bool dropMasks);
  static void markComputedBounds(mlir::scf::ForOp loop);
  void emitBody(mlir::OpBuilder &b, TileGroup &group, Tiles &tiles, mlir::Value step,
                bool dropMasks);
  void moveBehind(TileGroup &group, mlir::Operation *last);

  // Reductions: TiledReductions.cpp. The parameter `part` of `finishWithAxis` is a position in the
  // sense of that file, and `combined` of `finishPartial` are buffers of partial results.
  void emitReductions(mlir::ImplicitLocOpBuilder &b, TileGroup &group);
  unsigned positionBits(const TileGroup &group) const;
  mlir::Value stepsInside(mlir::ImplicitLocOpBuilder &b, const TileGroup &group);
  llvm::SmallVector<mlir::Value> emitCombining(mlir::ImplicitLocOpBuilder &b, TileGroup &group,
                                               mlir::Value position, mlir::Value inside);
  llvm::SmallVector<mlir::Value> emitParts(mlir::ImplicitLocOpBuilder &b, TileGroup &group,
                                           mlir::Value position,
                                           std::pair<mlir::Value, mlir::Value> range,
                                           mlir::ValueRange start, bool dropMasks);
  llvm::SmallVector<mlir::Value> emitUnrolledParts(mlir::ImplicitLocOpBuilder &b, TileGroup &group,
                                                   mlir::Value position, bool dropMasks);
  llvm::SmallVector<mlir::Value> emitPart(mlir::ImplicitLocOpBuilder &b, TileGroup &group,
                                          mlir::Value position, mlir::Value part,
                                          mlir::Value isFirst, mlir::ValueRange carried,
                                          bool dropMasks);
  mlir::Value wholePositions(mlir::ImplicitLocOpBuilder &b, const TileGroup &group,
                             mlir::Value inside);
  void finishWithAxis(mlir::ImplicitLocOpBuilder &b, TileGroup &group, mlir::Value part,
                      llvm::ArrayRef<mlir::Value> combined);
  void finishPartial(mlir::ImplicitLocOpBuilder &b, TileGroup &group,
                     llvm::ArrayRef<mlir::Value> combined);
  void foldPartial(mlir::ImplicitLocOpBuilder &b, TileGroup &group,
                   llvm::ArrayRef<mlir::Value> partial);

  mlir::Value onceBufferOf(ReduceOp reduce, mlir::Value result, const TileGroup &group);
  void readOnce(mlir::ImplicitLocOpBuilder &b, mlir::Value result, mlir::Value buffer);

  mlir::Value bufferOf(mlir::Value value);
  bool isHeldOnce(mlir::Value value) const;
  mlir::Value current(mlir::Value value);
  void writeWholes();
  void readWholes();
  void eraseReplaced();

  mlir::Block &block;
  TilingPlan &plan;
  const TilingOptions &options;
  const AxisInfos &infos;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<mlir::Value, mlir::Value> onceBuffers; // of results, without copies
  llvm::DenseMap<mlir::Value, mlir::Value>
      renamed; // results of reductions, and the values that replace them
};

} // namespace eft
