// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits code that computes, before a loop, the range of bytes that an access in the loop may touch
// in all iterations.
//
// The range follows from the linear form of the address (LinearForms.h) and from bounds of the
// form's unknowns. A mask can give tighter bounds. For example, the mask is r < n with r = 64 * i +
// u, and the address is p + 128 * i + 2 * u. The address contains i and u in the same proportion as
// r, so it is p + 2 * r, and r is at most n - 1.
//
// Bounds are computed as integers of 64 bits. Each step that could overflow adds a condition, and
// so does each premise of the forms. The ranges are right if `condition()`, the conjunction, is
// true.
#pragma once

#include "compiler/analysis/LinearForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// The bytes from the address `first` on, as many as `size`. Both are i64.
struct ByteRange {
  mlir::Value first, size;
};

class AccessRanges {
public:
  /// The insertion point of `b` must be before the loop. All code is emitted there.
  AccessRanges(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop)
      : b(b), loop(loop), forms(loop) {}

  /// Returns true if `of` can compute a range for this address or block of addresses.
  bool has(mlir::Value pointer) { return forms.of(pointer).has_value(); }

  /// Returns the range of an access to one element at each address for which the mask is true.
  /// `has(pointer)` must be true. The mask may be null.
  ByteRange of(mlir::Value pointer, mlir::Value mask);

  /// Returns an i1 that is true if the two ranges have no byte in common.
  mlir::Value areApart(const ByteRange &a, const ByteRange &b);

  /// Returns an i1 that is true if all ranges so far are right.
  mlir::Value condition();

private:
  /// A signed number of 64 bits whose absolute value is at most 2^bits.
  struct Number {
    mlir::Value value;
    unsigned bits;
  };
  struct Bounds {
    Number least, most;
  };

  Number constant(int64_t number);
  Number invariant(mlir::Value value);
  Number add(Number a, Number b);
  Number multiply(Number a, Number b);
  Number bounded(Number number, unsigned bits);
  Number least(Number a, Number b);
  Number most(Number a, Number b);
  Bounds scale(Bounds bounds, Number factor);
  Bounds scale(Bounds bounds, const LinearTerm &term);
  Bounds add(Bounds a, Bounds b);

  Bounds boundsOf(const LinearForm &form);
  Bounds boundsOfUnknown(mlir::Value unknown);
  Bounds boundsOfOperation(mlir::Operation *op);
  Bounds boundsOf(mlir::Value value);
  Bounds takeMasked(LinearForm &unknowns, mlir::Value mask);
  std::optional<Bounds> takeBelow(LinearForm &unknowns, mlir::arith::CmpIOp comparison);
  mlir::Value materialize(mlir::Value value);
  void require(mlir::Value isTrue);

  mlir::ImplicitLocOpBuilder &b;
  mlir::scf::ForOp loop;
  LinearForms forms;
  mlir::IRMapping materialized;
  llvm::DenseMap<mlir::Value, Bounds> ofUnknowns;
  size_t numPremises = 0; ///< the number of premises that `condition` has handled
  mlir::Value all;        ///< the conjunction of all conditions so far; null if there are none
};

} // namespace eft
