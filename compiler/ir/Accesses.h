// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common part of the operations that access memory.
#pragma once

#include "compiler/ir/EftDialect.h"

namespace eft {

/// Returns true for an atomic operation: one that accesses each element in one indivisible step.
bool isAtomic(mlir::Operation *op);

/// Returns the pointer, or the block of pointers, of a `MemoryAccessOpInterface`; null for any
/// other operation.
mlir::Value pointerOf(mlir::Operation *op);

/// Returns the mask of a `MemoryAccessOpInterface`; null if it has no mask, and for any other
/// operation.
mlir::Value maskOf(mlir::Operation *op);

/// Returns true if the load has no hints, and gives zeros, or any values, for masked elements. Then
/// an asynchronous copy may replace it.
bool isPlain(LoadOp load);

/// On a store of a block, on a GPU: only stores access blocks of this shape. No load has to see the
/// old or the new elements, so the store needs no barriers.
inline constexpr llvm::StringLiteral meetsNoLoadName = "eft.meets_no_load";

/// Returns true for a loop that `eft-version-stores` has marked: while the loop runs once, no store
/// in it writes what a load in it reads, in the same or in another iteration. If the loop is in an
/// outer loop, a later execution of it may load what an earlier execution has stored.
bool areStoresApart(mlir::Operation *op);

/// Returns true if an operation inside of the loop writes memory that the loop may load, or orders
/// memory accesses, as a barrier or a volatile load does. No pass may then move a load of the loop
/// to an earlier place.
bool writesMemory(mlir::Operation *loop);

/// The number of stages that the loop itself asks for (`eft.num_stages`); none if it does not.
std::optional<int64_t> ownStages(mlir::Operation *loop);

/// Returns true for a loop without products that asks for more than one stage. Its loads may run
/// ahead, to registers (`eft-prefetch-loads`).
bool asksForLoadsAhead(mlir::Operation *loop);

/// The most registers of a thread for blocks that a loop without products loads one iteration
/// ahead. More registers leave room for fewer programs on a multiprocessor.
constexpr int64_t maxRegistersAhead = 16;

/// Returns the number of elements, neighbours in memory, that one atomic instruction of a GPU can
/// change for `op`. It is 1 for all operations but sums of floats (`fadd`). If the GPU has atomic
/// operations on vectors (`hasVectors`), floats of 16 or 32 bits are added in vectors of 16 bytes.
/// Otherwise f16 is added in pairs, and all other floats one by one.
int64_t atomicWidth(mlir::Operation *op, bool hasVectors);

/// Fails, with a diagnostic, if the note `run` is not a power of two.
mlir::LogicalResult verifyRun(mlir::Operation *access, std::optional<uint32_t> run);

} // namespace eft
