// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of placing: the layouts in which each operation's blocks are made, and the conversions
// between them.
//
// Layouts are *required*, from the end of the program to its beginning. A store requires its
// operands in the default layout of their shape. Most other operations require their operands in
// the layouts that follow from the layouts of their results. If the uses of a result require
// several layouts, the operation may be done several times. This costs a few instructions, while
// moving the block would cost staging through shared memory. The result is converted instead if its
// operation has an anchor, or if doing the operation again costs too much.
//
// A block that is carried through regions (the arguments and results of a loop) has one layout
// wherever it appears: such values are *tied*. Tied values begin with the default layout of their
// shape. If one of them comes from an operation with an anchor, all of them get the anchor.
// Otherwise they get the layout that their innermost uses require.
#pragma once

#include "compiler/placing/PlacingRules.h"

#include "llvm/ADT/SetVector.h"

namespace eft {

class PlacingPlan {
public:
  PlacingPlan(mlir::func::FuncOp function, PlacingRules &rules, const AxisInfos &infos,
              const PlacementTarget &target)
      : function(function), rules(rules), infos(infos), target(target), flow(function) {}

  /// Chooses all layouts. Fails, with a diagnostic, if a block can't have a layout.
  mlir::LogicalResult make();

  /// Gives the values their layouts, clones operations that are done in several layouts, and
  /// inserts conversions.
  void apply();

private:
  using Layouts = llvm::SmallSetVector<LayoutAttr, 2>;
  struct TiedValues {
    llvm::SmallVector<mlir::Value> values;
    LayoutAttr layout;
    bool isSettled = false;
  };

  void findTies();
  void findRepeatable();
  bool costsMoreThanMoving(mlir::Operation *op);
  void requireAll(mlir::Region &region);
  void requiredBy(mlir::OpOperand &use, Layouts &required);
  void choose(mlir::Operation *op, mlir::Value result);
  bool settleTies();
  LayoutAttr anchorBehind(const TiedValues &tied);
  LayoutAttr innermostRequired(const TiedValues &tied);
  LayoutAttr withoutVectorCopies(LayoutAttr layout, const TiedValues &tied) const;

  void applyTo(mlir::Region &region);
  void applyTo(mlir::Operation *op);
  void connectUses(mlir::Value value, llvm::function_ref<mlir::Value(LayoutAttr)> find);
  LayoutAttr requiredOfPlaced(mlir::OpOperand &use);
  mlir::Value converted(mlir::Value value, LayoutAttr layout);

  mlir::func::FuncOp function;
  PlacingRules &rules;
  const AxisInfos &infos;
  PlacementTarget target;
  RegionFlow flow;
  llvm::SmallVector<TiedValues> ties;
  llvm::DenseMap<mlir::Value, unsigned> tieOf;
  llvm::DenseSet<mlir::Operation *> repeatable; // computed from scalars alone
  // The layouts in which each operation makes its blocks.
  llvm::DenseMap<mlir::Operation *, Layouts> layouts;
  llvm::DenseMap<std::pair<mlir::Value, LayoutAttr>, mlir::Value> conversions;
};

} // namespace eft
