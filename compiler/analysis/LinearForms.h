// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear forms of the numbers and addresses that a loop computes.
//
// A form is a sum of terms. A term is the product of a constant, of scalars that do not change in
// the loop (the invariants), and of at most one *unknown*: a number that differs between iterations
// or between the elements of a block. For example, in
//
//   for i in range(n):
//       rows = (i * 64 + tl.arange(0, 64))[:, None]
//       x = tl.load(p + rows * stride + column)
//
// with fp16 elements, the form of the address is p + 2 * stride * rows + 2 * column. Its unknown is
// `rows`, and its invariants are p, stride and column. The form of the operand of `[:, None]` is
// 64 * i + u, whose unknowns are i and the elements u of the range.
//
// The value of a form is equal to the number modulo 2^w, where w is the width of the number's type.
// It is equal to the number itself only if the number did not wrap around when it was computed.
// Some operations use a number itself, for example an extension from 32 to 64 bits. So the form of
// their result is only right if their operand did not wrap around. `premises` returns these
// operands.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace eft {

struct LinearTerm {
  int64_t factor;
  llvm::SmallVector<mlir::Value, 2> invariants; ///< scalars, in the order in which they were found
  mlir::Value unknown;                          ///< null in a term that does not change in the loop

  /// Returns true if the terms are equal except for their factors.
  bool isLike(const LinearTerm &other) const {
    return unknown == other.unknown && invariants == other.invariants;
  }
};

/// A sum of terms. No two terms have the same invariants and unknown, and no factor is zero.
using LinearForm = llvm::SmallVector<LinearTerm, 4>;

/// Returns the value of an integer constant, or of each element of a block that is a constant;
/// nothing for other values.
std::optional<int64_t> constantOf(mlir::Value value);

/// Returns the number of bytes in memory of the element to which an address points; the type is
/// that of the address, or of a block of addresses.
int64_t bytesOfPointee(mlir::Type pointers);

/// Returns the terms without an unknown.
LinearForm invariantPart(const LinearForm &form);
/// Returns the terms with an unknown.
LinearForm unknownPart(const LinearForm &form);

class LinearForms {
public:
  explicit LinearForms(mlir::scf::ForOp loop);

  /// Returns the form of an integer, of an address in bytes, or of each element of a block of
  /// these; nothing if the value is not computed as a linear form.
  std::optional<LinearForm> of(mlir::Value value);
  /// Returns the form of an integer, as `of` does, for an operation that uses the integer itself.
  /// Adds the integer to the premises, unless its form is a single number, which can't have wrapped
  /// around.
  std::optional<LinearForm> ofExact(mlir::Value value);

  /// Returns the integers that must not have wrapped around for the forms so far to be right.
  llvm::ArrayRef<mlir::Value> premises() const { return premiseSet.getArrayRef(); }

private:
  /// Returns true for a scalar that does not change in the loop. Pure operations in the loop may
  /// compute it.
  bool isInvariant(mlir::Value value);
  std::optional<LinearForm> compute(mlir::Value value);
  std::optional<LinearForm> ofCarried(mlir::BlockArgument argument);
  std::optional<LinearForm> ofOperation(mlir::Operation *op);
  LinearForm unknown(mlir::Value value);
  LinearForm invariant(mlir::Value value);
  std::optional<LinearForm> product(const LinearForm &a, const LinearForm &b);
  void add(LinearForm &sum, const LinearForm &form, int64_t factor = 1);

  mlir::scf::ForOp loop;
  llvm::DenseMap<mlir::Value, std::optional<LinearForm>> known;
  llvm::SetVector<mlir::Value> invariants; // in the order in which they were found
  llvm::SetVector<mlir::Value> premiseSet;
  llvm::DenseMap<mlir::Value, bool> changeless; // what `isInvariant` has returned
  size_t computations = 0;
};

} // namespace eft
