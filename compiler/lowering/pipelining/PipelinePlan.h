// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan for pipelining a loop: as far as there are iterations, shared memory and registers.
#pragma once

#include "compiler/lowering/pipelining/LoopProducts.h"

namespace eft {

struct PipelinePlan {
  int64_t distance;         // of iterations, by which copies come before what reads them
  int64_t numSlots;         // of each operand
  int64_t productsUnderWay; // at the end of an iteration
  bool sharesSlots;         // copies write what warps may read still: a barrier stands before them
  bool keepsFirstFactors;   // in registers, if they come from before the loop
  bool hasThirdPart;        // an iteration behind: the late products
};

/// The plan for a loop of at most `stages` iterations under way, with slots of at most `maxBytes`;
/// none if the loop has no such operands, or no room for two slots.
std::optional<PipelinePlan> planPipeline(mlir::scf::ForOp loop, const LoopOperands &operands,
                                         const LoopProducts &products, int64_t stages,
                                         uint64_t maxBytes);

} // namespace eft
