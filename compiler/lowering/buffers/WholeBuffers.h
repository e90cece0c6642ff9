// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers that are put and taken as wholes, before steps are made of that.
#pragma once

#include "compiler/ir/EftDialect.h"

namespace eft {

/// Whether an operation puts, or takes, all that its buffer holds.
bool isWhole(BufferWriteOp put);
bool isWhole(BufferReadOp take);

/// The block that a whole take gives; null for any other value.
BufferReadOp wholeTakeOf(mlir::Value value);

/// Makes a buffer for as long as the function runs that `inside` is a part of.
mlir::Value makeBuffer(mlir::Operation *inside, mlir::RankedTensorType block);

/// Emit a whole put, or a whole take.
BufferWriteOp putWhole(mlir::OpBuilder &b, mlir::Location loc, mlir::Value block,
                       mlir::Value buffer);
mlir::Value takeWhole(mlir::OpBuilder &b, mlir::Location loc, mlir::Value buffer);

/// Whether the buffer still holds what `take` found in it when the program comes to `place`.
bool isUnchangedAt(BufferReadOp take, mlir::Operation *place);

} // namespace eft
