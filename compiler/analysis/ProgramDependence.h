// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the values of a function that may differ between the programs of a launch.
//
// All other values depend only on the kernel's arguments, on constants, and on the numbers of loop
// iterations. An example is the mask of a row's columns, where each program computes one row.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace eft {

class ProgramDependence {
public:
  explicit ProgramDependence(mlir::func::FuncOp function);

  /// Returns true if a value may differ between programs: it is computed from a program's number,
  /// from memory, or by an operation with regions other than `scf.for`.
  bool mayDiffer(mlir::Value value) const { return differing.contains(value); }

private:
  void add(mlir::ValueRange values);
  void follow(mlir::OpOperand &use);

  llvm::DenseSet<mlir::Value> differing;
  llvm::SmallVector<mlir::Value> pending;
};

} // namespace eft
