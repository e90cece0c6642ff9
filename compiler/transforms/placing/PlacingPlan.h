// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of who holds what: which layouts each operation's blocks are made in, and where blocks
// are converted.
//
// Layouts are *demanded*, from the end of the program to its beginning. A store demands its shape's
// default of its operands; any other operation demands, of each operand, what follows from the
// layouts that are demanded of its results. An operation of which several are demanded may be made
// several times, which costs a few instructions where moving the block costs a trip through shared
// memory; what has a home, or is too dear to be made again, is converted.
//
// A block that is carried through regions (the arguments and results of a loop) has one layout
// wherever it appears: such values form a *joint*. A joint begins with its shape's default. If what
// it carries comes from an operation with a home, it gets that home; else, what its innermost uses
// want.
#pragma once

#include "compiler/transforms/placing/PlacingRules.h"

#include "llvm/ADT/SetVector.h"

namespace eft {

class PlacingPlan {
public:
  PlacingPlan(mlir::func::FuncOp function, PlacingRules &rules, const AxisInfos &infos,
              const PlacementTarget &target)
      : function(function), rules(rules), infos(infos), target(target), flow(function) {}

  /// Decides on all layouts, or says why a block can't have one.
  mlir::LogicalResult make();

  /// Gives the layouts to the values, makes operations several times, and inserts conversions.
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
  void requireAll(mlir::Region &region);
  void requiredBy(mlir::OpOperand &use, Layouts &demands);
  void choose(mlir::Operation *op, mlir::Value result);
  bool settleTies();
  LayoutAttr anchorBehind(const TiedValues &joint);
  LayoutAttr innermostRequired(const TiedValues &joint);

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
  llvm::DenseSet<mlir::Operation *> repeatable;       // computed from scalars alone
  llvm::DenseMap<mlir::Operation *, Layouts> layouts; // of the blocks that an operation makes
  llvm::DenseMap<std::pair<mlir::Value, LayoutAttr>, mlir::Value> conversions;
};

} // namespace eft
