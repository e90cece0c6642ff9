// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan for pipelining a loop: as far as there are iterations, shared memory and registers.
#pragma once

#include "compiler/lowering/pipelining/LoopProducts.h"

namespace eft {

struct PipelinePlan {
  int64_t distance;         // the number of iterations by which copies run ahead of what reads them
  int64_t numSlots;         // the number of slots of each operand
  int64_t productsUnderWay; // the number of products that are under way at the end of an iteration
  // Whether copies write slots that other warps may still be reading. A barrier stands before them
  // then.
  bool sharesSlots;
  // The slots of each factor that threads rewrite: two if products of the iteration before still
  // read one meanwhile.
  int64_t numRewrittenSlots;
  bool keepsFirstFactors; // whether first factors from before the loop stay in registers
  bool hasThirdPart;      // whether the late products are a third part, one iteration behind
};

/// The plan for a loop of at most `stages` iterations under way, with slots of at most `maxBytes`;
/// none if the loop has no such operands, or no room for two slots.
std::optional<PipelinePlan> planPipeline(mlir::scf::ForOp loop, const LoopOperands &operands,
                                         const LoopProducts &products, int64_t stages,
                                         uint64_t maxBytes);

} // namespace eft
