// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A factor of a warpgroups' product, as it is before it is transposed and converted for the
// product.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/IR/PatternMatch.h"

namespace eft {

struct FactorSource {
  /// The block that is to be written to a slot.
  mlir::Value block;
  /// The dimension of the block along which the product sums.
  unsigned k;
  bool isTransposed = false;
  /// The read of the block, if a slot has it already, in an order for warpgroups.
  ReadSharedOp present;
  /// Whether the factor lies in registers as the product takes it.
  bool isInRegisters = false;

  /// `k` is the dimension of the factor along which the product sums.
  FactorSource(mlir::Value factor, unsigned k);

  /// Whether the block has a layout. The order in a slot follows from it.
  bool isPlaced() const;

  /// The type of the slot that has the block, or is to be made for it.
  SharedType slotType();
  /// The bytes of the slot that is to be made for the block; 0 if a slot has it already.
  uint64_t bytes();

  /// Erases what made the factor for the product, if nothing else uses it.
  static void eraseUnused(mlir::RewriterBase &rewriter, mlir::Value factor);
};

/// Whether the product's first factor comes from before a loop around it, and must not stay in
/// registers. Where ptxas (12.8 to 13.0) makes calls in a loop, as divisions do for operands that
/// are rare, it does not keep the registers of such a factor: it writes to them behind the product,
/// and reads them again in the next iteration.
bool mustLeaveRegisters(DotOp dot);

} // namespace eft
