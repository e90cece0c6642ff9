// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transforms of the block IR. Each is a pass of its own; Passes.td describes them.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/layout/ReductionOrder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace eft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/Passes.h.inc"

/// Fuses each product with the sum that uses it, if the product has no other use.
void populateFuseMultiplyAddPatterns(mlir::RewritePatternSet &patterns);

/// Replaces `eft.philox` by integer arithmetic on words of `wordBits` bits, 32 or 64.
void populateExpandPhiloxPatterns(mlir::RewritePatternSet &patterns, unsigned wordBits);

/// Notes on the module the largest numbers of programs for which the dividends of blocks don't wrap
/// around: at most those of the largest grid of a GPU or a CPU, and with `allGrids` just these.
void limitPrograms(mlir::ModuleOp module, bool isGpu, bool allGrids);

/// Marks the divisions of blocks of f32 whose operands are known to be at least 0, or whose
/// divisors only count.
void markDivisions(mlir::Operation *top);

/// Sets the order for programs of `numWarps` warps on every reduction that has no order and is not
/// free of order. The order does not depend on the target.
void orderReductions(mlir::Operation *top, int64_t numWarps);
/// Sets the order of a reduction.
void setOrder(ReduceOp reduce, const ReductionOrder &order);

/// Expands `eft.sort` into compare-exchange stages, except for blocks larger than `options` allow.
void populateExpandSortPatterns(mlir::RewritePatternSet &patterns,
                                const ExpandSortOptions &options);

/// Replaces elementary functions by arithmetic. To be applied without folding, which would use the
/// compiling machine's libm. `saturates` states that the hardware clamps a sum to 0 to 1 without an
/// instruction of its own.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns, bool saturates);
/// Replaces exponentials of f32 and narrower types that are `fastmath<afn>`, and sigmoids that are
/// `approximate`, by the hardware's approximations.
void populateApproximateExponentialPatterns(mlir::RewritePatternSet &patterns);

/// Makes conversions from float to integer saturate. If `saturates`, the target's conversions do so
/// themselves. The new code contains such conversions again, so apply these patterns only once to
/// each op (`applyPatternsOnce`).
void populateExpandFloatToIntPatterns(mlir::RewritePatternSet &patterns, bool saturates);

/// Replaces conversions of 8-bit floats by arithmetic, and products of them by products of f16. If
/// `isNative`, the target has conversions and products of e4m3fn and e5m2, and these stay.
void populateExpandFloat8Patterns(mlir::RewritePatternSet &patterns, bool isNative);

/// Replaces the operations on f16 and bf16 that the target lacks by operations on f32.
void populateExpandNarrowFloatsPatterns(mlir::RewritePatternSet &patterns, bool nativeF16,
                                        bool nativeBf16Conversion, bool nativeF16Conversion);

/// Replaces `eft.min_num` and `eft.max_num` by comparisons and selects that put -0 below +0; with
/// `onlyConstants`, only where an operand is a constant that makes this short.
void populateExpandMinMaxPatterns(mlir::RewritePatternSet &patterns, bool onlyConstants);

/// Gives divisions and shifts of integers a result for all operands. The new code contains such
/// operations again, so apply these patterns only once to each op (`applyPatternsOnce`).
void populateExpandIntegerCornersPatterns(mlir::RewritePatternSet &patterns);

/// Replaces divisions of blocks of integers by divisions of floats. The divisors must not be zero,
/// nor -1 where the dividend is the least number: `populateExpandIntegerCornersPatterns` ensures
/// that.
void populateExpandIntegerDivisionPatterns(mlir::RewritePatternSet &patterns);

/// Converts the factors of matrix products to the accumulator's type, and raises reduced precision
/// to `ieee`. The new code contains such products again, so apply these patterns only once to each
/// op (`applyPatternsOnce`).
void populateWidenDotPatterns(mlir::RewritePatternSet &patterns);

/// Reduces the condition of an assertion about a block to one boolean.
void populateReduceAssertionsPatterns(mlir::RewritePatternSet &patterns);

/// Replaces an elementwise operation on splats by the scalar operation and a splat of its result.
void populateHoistUniformPatterns(mlir::RewritePatternSet &patterns);

/// Makes the loop carry a scalar distance instead of each block that its iterations move by uniform
/// values. The loop still carries these blocks, now unchanged; canonicalization removes them. Fails
/// if the loop cannot be rebuilt with more carried values.
mlir::LogicalResult carryScalars(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop);

/// Replaces comparisons of floats that are made of integers by comparisons of the integers, where
/// the other operand is uniform. If `unfoldWords`, a folded random word (`w < 0 ? ~w : w`) is
/// replaced by two comparisons of w.
void populateUniformComparisonPatterns(mlir::RewritePatternSet &patterns, bool unfoldWords);

/// Replaces the division of a block by a uniform value by `eft.uniform_div`.
void populateUniformDivisionPatterns(mlir::RewritePatternSet &patterns);

} // namespace eft
