// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan for pipelining a loop. The number of iterations, the shared memory and the registers
// limit it.
#pragma once

#include "compiler/lowering/pipelining/LoopProducts.h"

namespace eft {

struct PipelinePlan {
  int64_t distance;         // the number of iterations by which copies run ahead of what reads them
  int64_t numSlots;         // the number of slots of each operand
  int64_t productsUnderWay; // the number of products that are under way at the end of an iteration
  // True if copies write slots that other warps may still be reading. If so, a barrier precedes the
  // copies.
  bool sharesSlots;
  // The number of slots for each factor that threads rewrite: two if the products of the previous
  // iteration may still read one slot while threads write the other.
  int64_t numRewrittenSlots;
  bool keepsFirstFactors; // true if first factors from before the loop stay in registers
  bool hasThirdPart;      // true if late products are a third part, which runs one iteration later
};

/// Returns the plan for a loop with at most `stages` iterations under way, and with at most
/// `maxBytes` bytes of shared memory. Returns nothing if there are no operands, if at most one
/// iteration can be under way, or if the memory has no room for two slots of each operand.
std::optional<PipelinePlan> planPipeline(mlir::scf::ForOp loop, const LoopOperands &operands,
                                         const LoopProducts &products, int64_t stages,
                                         uint64_t maxBytes);

} // namespace eft
