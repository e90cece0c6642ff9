// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX in the code of a thread: where LLVM has no operation for an instruction.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace eft {

/// Whether PTX does something beside computing its results.
enum class PtxEffects { None, Some };

/// Emits PTX with operands `$0`, `$1`, …, the results first. Each has a constraint, as in LLVM.
mlir::LLVM::InlineAsmOp emitPtx(mlir::ImplicitLocOpBuilder &b, mlir::TypeRange results,
                                mlir::ValueRange operands, const llvm::Twine &ptx,
                                llvm::StringRef constraints, PtxEffects effects);

/// Adds the patterns that make PTX of `eft.thread_load` and `eft.thread_store`.
void populateThreadAccessPatterns(mlir::RewritePatternSet &patterns);

/// Adds those of `eft.thread_atomic_rmw` and its like.
void populateThreadAtomicPatterns(mlir::RewritePatternSet &patterns);

} // namespace eft
