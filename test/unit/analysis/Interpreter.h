// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An interpreter of integers, pointers and blocks of them. Tests compare the analyses with its
// results.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace eft::testing {

/// The elements of a value in row-major order, each in the low bits of a word. A scalar has one
/// element.
using Elements = std::vector<uint64_t>;

/// The width of an element in bits: the width of an integer, or 64 for an address.
unsigned widthOf(mlir::Type type);
/// The extents of a block; {1} for a scalar.
std::vector<int64_t> extentsOf(mlir::Type type);
/// `truncated` keeps the low `width` bits; `asSigned` interprets these bits as a signed number.
uint64_t truncated(uint64_t value, unsigned width);
int64_t asSigned(uint64_t value, unsigned width);

class Interpreter {
public:
  void set(mlir::Value value, Elements elements) { values[value] = std::move(elements); }
  const Elements &get(mlir::Value value) const { return values.find(value)->second; }

  /// Runs the operations of a basic block without regions.
  void run(mlir::Block &block);

private:
  Elements evaluate(mlir::Operation &op);

  llvm::DenseMap<mlir::Value, Elements> values;
};

} // namespace eft::testing
