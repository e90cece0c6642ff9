// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transforms of the block IR. Each is a pass of its own; Passes.td describes them.
#pragma once

#include "compiler/analysis/DefaultLayouts.h"
#include "compiler/ir/EftDialect.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace eft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/Passes.h.inc"

/// Replaces `eft.philox` by integer arithmetic on words of `wordBits` bits, 32 or 64.
void populateExpandPhiloxPatterns(mlir::RewritePatternSet &patterns, unsigned wordBits);

/// Moves elementwise operations on splats in front of the splat.
void populateHoistUniformPatterns(mlir::RewritePatternSet &patterns);

/// Replaces division by a splat by `eft.uniform_div`.
void populateUniformDivisionPatterns(mlir::RewritePatternSet &patterns);

/// Gives every block of the function a layout for the target, and marks its accesses to memory.
mlir::LogicalResult placeBlocks(mlir::func::FuncOp function, const PlacementTarget &target);

} // namespace eft
