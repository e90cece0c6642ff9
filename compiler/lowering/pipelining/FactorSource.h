// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A factor of a warpgroups' product, as it is before it is transposed and converted for the
// product.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/IR/PatternMatch.h"

namespace eft {

struct FactorSource {
  mlir::Value block; // to be written to a slot
  unsigned k;        // the block's dimension of that name
  bool isTransposed = false;
  ReadSharedOp present;       // instead, if a slot has it in an order for warpgroups
  bool isInRegisters = false; // as the product takes it

  /// `k` is the factor's dimension of that name.
  FactorSource(mlir::Value factor, unsigned k);

  /// Whether it has a layout, from which the order in a slot follows.
  bool isPlaced() const;

  /// The slot for it.
  SharedType slotType();
  /// The bytes of a slot of its own, if it needs one.
  uint64_t bytes();

  /// Erases what made the factor for the product, if nothing else uses it.
  static void eraseUnused(mlir::RewriterBase &rewriter, mlir::Value factor);
};

} // namespace eft
