// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transforms of the block IR. Each is a pass of its own; Passes.td describes them.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/layout/ReductionOrder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace eft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/Passes.h.inc"

/// Fuses products with the sums that alone use them.
void populateFuseMultiplyAddPatterns(mlir::RewritePatternSet &patterns);

/// Replaces `eft.philox` by integer arithmetic on words of `wordBits` bits, 32 or 64.
void populateExpandPhiloxPatterns(mlir::RewritePatternSet &patterns, unsigned wordBits);

/// Writes the order of a program of `numWarps` warps on every reduction that has none and is not
/// free of order. No target counts.
void orderReductions(mlir::Operation *top, int64_t numWarps);
/// Writes one order on one reduction.
void setOrder(ReduceOp reduce, const ReductionOrder &order);

/// Expands `eft.sort` into compare-exchange stages, except of blocks that are too large.
void populateExpandSortPatterns(mlir::RewritePatternSet &patterns,
                                const ExpandSortOptions &options);

/// Replaces elementary functions by arithmetic. Meant to be applied without folding.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns);
/// Replaces the exponentials of f32 and narrower that are `fastmath<afn>` by the hardware's.
void populateApproximateExponentialPatterns(mlir::RewritePatternSet &patterns);

/// Makes conversions from float to integer saturate. The result has such conversions again, so
/// these are patterns for one application each.
void populateExpandFloatToIntPatterns(mlir::RewritePatternSet &patterns);

/// Replaces conversions of floats of eight bits, and products of them, by arithmetic and by
/// products of f16. A target that has them (`isNative`) keeps those of e4m3fn and e5m2.
void populateExpandFloat8Patterns(mlir::RewritePatternSet &patterns, bool isNative);

/// Replaces operations on f16 and bf16 by operations on f32, as far as the target lacks them.
void populateExpandNarrowFloatsPatterns(mlir::RewritePatternSet &patterns, bool nativeF16,
                                        bool nativeBf16Conversion, bool nativeF16Conversion);

/// Replaces `eft.min_num` and `eft.max_num` by comparisons and selects that order zeros.
void populateExpandMinMaxPatterns(mlir::RewritePatternSet &patterns);

/// Gives divisions and shifts of integers a result for all operands. The code that a pattern makes
/// has such operations again, so each may be applied once only.
void populateExpandIntegerCornersPatterns(mlir::RewritePatternSet &patterns);

/// Divides blocks of integers by floating point. The divisors have no corners.
void populateExpandIntegerDivisionPatterns(mlir::RewritePatternSet &patterns);

/// Gives matrix products factors of their accumulator's type, without reduced precision. The result
/// has such products again, so these are patterns for one application each.
void populateWidenDotPatterns(mlir::RewritePatternSet &patterns);

/// Gives assertions about blocks a reduction of their condition.
void populateReduceAssertionsPatterns(mlir::RewritePatternSet &patterns);

/// Moves elementwise operations on splats in front of the splat.
void populateHoistUniformPatterns(mlir::RewritePatternSet &patterns);

/// Makes the loop carry, for each block that it moves by numbers, the distance instead of the
/// block. The blocks stay as values that are carried unchanged; canonicalization removes them.
mlir::LogicalResult carryScalars(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop);

/// Compares integers instead of the floats that are made of them, where the other operand is one
/// number for all indices. `unfoldWords`: compares random words twice, instead of folding them.
void populateUniformComparisonPatterns(mlir::RewritePatternSet &patterns, bool unfoldWords);

/// Replaces division by a splat by `eft.uniform_div`.
void populateUniformDivisionPatterns(mlir::RewritePatternSet &patterns);

} // namespace eft
