// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that gives blocks their layouts. Passes.td describes it.
#pragma once

#include "compiler/analysis/DefaultLayouts.h"
#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace eft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/placing/Passes.h.inc"

/// Gives every block of the function a layout for the target, and every memory access its notes.
/// Fails, with a diagnostic, if an operation on blocks can't be placed.
mlir::LogicalResult placeBlocks(mlir::func::FuncOp function, const PlacementTarget &target);

} // namespace eft
