// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common part of the operations that access memory.
#pragma once

#include "compiler/ir/EftDialect.h"

namespace eft {

/// True for operations that change memory in one step.
bool isAtomic(mlir::Operation *op);

/// The pointer by which an operation loads, stores, or changes memory; null if it does not.
mlir::Value pointerOf(mlir::Operation *op);

/// The mask of an operation that `pointerOf` knows; null if it has none.
mlir::Value maskOf(mlir::Operation *op);

/// Whether operations inside of a loop write memory, or order accesses, as a load does that waits
/// for what another program writes: then no load in it may be done earlier.
bool writesMemory(mlir::Operation *loop);

/// The neighbours on which one atomic operation of a GPU can work: only sums of floats work on
/// several, of f16 on two, and where there are vectors, of all up to 32 bits on 16 bytes.
int64_t atomicWidth(mlir::Operation *op, bool hasVectors);

/// Refuses a note `run` that is no power of two.
mlir::LogicalResult verifyRun(mlir::Operation *access, std::optional<uint32_t> run);

} // namespace eft
