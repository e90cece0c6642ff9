// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline PTX, for instructions for which LLVM has no operation.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace eft {

/// On inline assembly: the kernel's author wrote it, not the lowering.
inline constexpr llvm::StringLiteral givenPtxName = "eft.given_ptx";

/// The effects that PTX has other than computing its results.
enum class PtxEffects { None, Some };

/// Emits PTX with the operands `$0`, `$1`, and so on: first the results, then `operands`.
/// `constraints` has a constraint for each, as in LLVM.
mlir::LLVM::InlineAsmOp emitPtx(mlir::ImplicitLocOpBuilder &b, mlir::TypeRange results,
                                mlir::ValueRange operands, const llvm::Twine &ptx,
                                llvm::StringRef constraints, PtxEffects effects);

/// Adds the patterns that replace `eft.thread_load` and `eft.thread_store` by PTX.
void populateThreadAccessPatterns(mlir::RewritePatternSet &patterns);

/// Adds the patterns that replace `eft.thread_atomic_rmw`, the other atomic operations of a thread
/// and `eft.thread_fence` by PTX.
void populateThreadAtomicPatterns(mlir::RewritePatternSet &patterns);

/// Adds the patterns that replace conversions with the attribute `eft.saturating` by PTX.
void populateConversionPtxPatterns(mlir::RewritePatternSet &patterns);

} // namespace eft
