// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random functions over integers, pointers and blocks, with operations that kernels use for offsets
// and masks.
#pragma once

#include "Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <random>

namespace eft::testing {

/// A random function with scalar arguments and without control flow, and values for its arguments.
class RandomProgram {
public:
  RandomProgram(mlir::MLIRContext &context, uint32_t seed);

  mlir::func::FuncOp function() { return program; }
  /// Chooses a value for each argument, often close to where integers wrap around. The value has
  /// the divisibility that an attribute of the argument promises.
  void chooseArguments(Interpreter &interpreter);

private:
  uint64_t below(uint64_t bound) {
    return std::uniform_int_distribution<uint64_t>(0, bound - 1)(generator);
  }
  /// A random value of exactly this type; a constant if there is none yet.
  mlir::Value some(mlir::Type type);
  mlir::Value someConstant(mlir::Type type);
  mlir::Type someType();
  void addArguments();
  void addSources();
  void addIdiom(bool isComparison);
  mlir::Value wrapped(mlir::Value run);
  void addOperation();
  mlir::Value binary(mlir::Type type);
  mlir::Value widthChange(mlir::Type type);

  std::mt19937 generator;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder;
  mlir::func::FuncOp program;
  std::vector<int64_t> shape; // the shape of most blocks
  std::vector<mlir::Value> pool;
  std::vector<mlir::Value> runs; // ranges, and values that patterns compute from them
};

} // namespace eft::testing
