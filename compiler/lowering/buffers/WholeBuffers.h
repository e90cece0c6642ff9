// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes and reads of whole buffers, before tiling.
#pragma once

#include "compiler/ir/EftDialect.h"

namespace eft {

/// True if the operation writes, or reads, all of its buffer.
bool isWhole(BufferWriteOp write);
bool isWhole(BufferReadOp read);

/// The read that gives `value`, if it reads a whole buffer; null for any other value.
BufferReadOp wholeReadOf(mlir::Value value);

/// Makes a buffer in the function that contains `inside`. It lives as long as the function runs.
mlir::Value makeBuffer(mlir::Operation *inside, mlir::RankedTensorType block);

/// Emit a write, or a read, of a whole buffer.
BufferWriteOp writeWhole(mlir::OpBuilder &b, mlir::Location loc, mlir::Value block,
                         mlir::Value buffer);
mlir::Value readWhole(mlir::OpBuilder &b, mlir::Location loc, mlir::Value buffer);

/// True if the buffer still has the contents that `read` has read when the program reaches `place`.
bool isUnchangedAt(BufferReadOp read, mlir::Operation *place);

} // namespace eft
