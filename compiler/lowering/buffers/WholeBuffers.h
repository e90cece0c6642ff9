// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes and reads of whole buffers, before tiling.
#pragma once

#include "compiler/ir/EftDialect.h"

namespace eft {

/// True if the operation writes or reads a whole block in one go, not one tile of it.
bool isWhole(BufferWriteOp write);
bool isWhole(BufferReadOp read);

/// The operation that reads `value` from a buffer, if it reads a whole block; null for any other
/// value.
BufferReadOp wholeReadOf(mlir::Value value);

/// Makes a buffer in the function that is or contains `inside`. The buffer lives as long as the
/// function runs.
mlir::Value makeBuffer(mlir::Operation *inside, mlir::RankedTensorType block);

/// Emit a write, or a read, of a whole buffer.
BufferWriteOp writeWhole(mlir::OpBuilder &b, mlir::Location loc, mlir::Value block,
                         mlir::Value buffer);
mlir::Value readWhole(mlir::OpBuilder &b, mlir::Location loc, mlir::Value buffer);

/// True if the buffer that `read` has read still has the same contents when the program reaches
/// `place`.
bool isUnchangedAt(BufferReadOp read, mlir::Operation *place);

} // namespace eft
