// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An interpreter of integers, pointers and blocks of them, to hold the analyses against.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace eft::testing {

/// The elements of a value in row-major order, each in the low bits of a word; a scalar has one.
using Elements = std::vector<uint64_t>;

/// Bits of an element: of an integer its own, of an address 64.
unsigned widthOf(mlir::Type type);
/// The extents; of a scalar one of 1.
std::vector<int64_t> extentsOf(mlir::Type type);
/// The bits of `value` that fit, and what they are as a signed number.
uint64_t truncated(uint64_t value, unsigned width);
int64_t asSigned(uint64_t value, unsigned width);

class Interpreter {
public:
  void set(mlir::Value value, Elements elements) { values[value] = std::move(elements); }
  const Elements &get(mlir::Value value) const { return values.find(value)->second; }

  /// Runs the operations of a block without regions.
  void run(mlir::Block &block);

private:
  Elements evaluate(mlir::Operation &op);

  llvm::DenseMap<mlir::Value, Elements> values;
};

} // namespace eft::testing
