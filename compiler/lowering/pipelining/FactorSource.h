// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The source of a factor of a warpgroups' product: the block before it is transposed and converted
// for the product.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/IR/PatternMatch.h"

namespace eft {

struct FactorSource {
  /// The block that is written to a slot.
  mlir::Value block;
  /// The dimension of `block` along which the product sums.
  unsigned k;
  bool isTransposed = false;
  /// The operation that reads the block from a slot, if a slot holds the block already, in an order
  /// that warpgroups can read; else null.
  ReadSharedOp present;
  /// True if the factor is already in registers in the layout in which the product takes it.
  bool isInRegisters = false;

  /// `k` is the dimension of the factor along which the product sums.
  FactorSource(mlir::Value factor, unsigned k);

  /// True if the block has a layout. The order of the elements in a slot follows from the layout.
  bool isPlaced() const;

  /// The type of the slot that holds the block already, or else of the slot to allocate for it.
  SharedType slotType();
  /// The bytes of the slot to allocate for the block; 0 if a slot holds it already.
  uint64_t bytes();

  /// Erases the element moves and the read from shared memory that make `factor`, as far as their
  /// results have no use.
  static void eraseUnused(mlir::RewriterBase &rewriter, mlir::Value factor);
};

/// True if the product's first factor is computed before a loop around the product, and must not
/// stay in registers during the loop. In a loop with calls, ptxas (12.8 to 13.0) does not preserve
/// the registers of such a factor: it overwrites them after the product, although the next
/// iteration reads the factor from them again. Divisions contain such calls, which run only for
/// rare operands.
bool mustLeaveRegisters(DotOp dot);

} // namespace eft
