// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random functions over integers, pointers and blocks, of the kind that makes offsets and masks.
#pragma once

#include "Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <random>

namespace eft::testing {

/// A function of scalar arguments without control flow, and values for its arguments.
class RandomProgram {
public:
  RandomProgram(mlir::MLIRContext &context, uint32_t seed);

  mlir::func::FuncOp function() { return program; }
  /// Values for the arguments that their attributes allow, often close to where integers wrap.
  void chooseArguments(Interpreter &interpreter);

private:
  uint64_t below(uint64_t bound) {
    return std::uniform_int_distribution<uint64_t>(0, bound - 1)(generator);
  }
  /// Some value of exactly this type; a constant if there is none yet.
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
  std::vector<int64_t> shape; // of most blocks; all have this rank, or lead to it
  std::vector<mlir::Value> pool;
  std::vector<mlir::Value> runs; // ranges, and what idioms make of them
};

} // namespace eft::testing
