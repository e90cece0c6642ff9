// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-philox: Philox 4x32 as integer arithmetic.
//
// A round takes the counter words (c0, c1, c2, c3) and the key words (k0, k1) to
//
//   (hi(M1·c2) ^ c1 ^ k0,  lo(M1·c2),  hi(M0·c0) ^ c3 ^ k1,  lo(M0·c0))
//
// After each round a constant is added to each key word. The 32 × 32-bit products dominate the
// cost, and the form in which a word is held decides their cost: see the pass's description.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <array>

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_EXPANDPHILOX
#include "compiler/transforms/Passes.h.inc"

namespace {

// The multipliers and the key's increments of Philox 4x32 (Salmon et al., SC 2011, table 2).
constexpr std::array<uint32_t, 2> multipliers = {0xD2511F53, 0xCD9E8D57};
constexpr std::array<uint32_t, 2> keyIncrements = {0x9E3779B9, 0xBB67AE85};

/// Builds the rounds. A word has one of two forms: 32 bits, or the lower half of 64 bits whose
/// upper half may hold anything.
class PhiloxBuilder {
public:
  PhiloxBuilder(ImplicitLocOpBuilder &builder, Type wordType, unsigned wordBits)
      : builder(builder), narrow(wordType),
        wide(withElementType(wordType, builder.getIntegerType(64))), isWide(wordBits == 64) {}

  /// `enter` converts a word from the op's type to the form of the rounds, and `leave` converts it
  /// back.
  Value enter(Value word) { return isWide ? builder.create<arith::ExtUIOp>(wide, word) : word; }
  Value leave(Value word) { return isWide ? builder.create<arith::TruncIOp>(narrow, word) : word; }

  /// One of the two key words of a round, as a block. A scalar seed is splatted only here, so that
  /// the key is computed on scalars.
  Value keyWord(Value seed, unsigned half, unsigned round) {
    Value word = seed;
    if (half == 1)
      word = builder.create<arith::ShRUIOp>(word, constant(seed.getType(), 32));
    Type seedWord = withElementType(seed.getType(), builder.getI32Type());
    word = builder.create<arith::TruncIOp>(seedWord, word);
    word = builder.create<arith::AddIOp>(word, constant(seedWord, keyIncrements[half] * round));
    if (isWide)
      word = builder.create<arith::ExtUIOp>(seed.getType(), word);
    if (!isa<RankedTensorType>(narrow) || isa<RankedTensorType>(seed.getType()))
      return word;
    return builder.create<SplatOp>(isWide ? wide : narrow, word);
  }

  /// The high and the low word of a multiplier times a word.
  std::pair<Value, Value> multiply(Value word, uint32_t multiplier) {
    // Most words of the counter are zero, and the product of zero is zero.
    if (matchPattern(word, m_Zero()))
      return {word, word};
    Value factor = isWide ? lowHalf(word) : builder.create<arith::ExtUIOp>(wide, word).getResult();
    Value product = builder.create<arith::MulIOp>(factor, constant(wide, multiplier));
    Value high = builder.create<arith::ShRUIOp>(product, constant(wide, 32));
    if (isWide)
      return {high, product};
    return {builder.create<arith::TruncIOp>(narrow, high),
            builder.create<arith::TruncIOp>(narrow, product)};
  }

  Value mix(Value a, Value b, Value c) {
    Value first = builder.create<arith::XOrIOp>(a, b);
    return builder.create<arith::XOrIOp>(first, c);
  }

private:
  Value lowHalf(Value word) {
    return builder.create<arith::AndIOp>(word, constant(wide, 0xFFFFFFFF));
  }

  Value constant(Type type, uint64_t value) {
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Attribute element = builder.getIntegerAttr(getElementTypeOrSelf(type), APInt(width, value));
    if (auto block = dyn_cast<RankedTensorType>(type))
      element = SplatElementsAttr::get(block, element);
    return builder.create<arith::ConstantOp>(cast<TypedAttr>(element));
  }

  ImplicitLocOpBuilder &builder;
  Type narrow, wide;
  bool isWide;
};

std::array<Value, 4> expandPhilox(PhiloxOp op, OpBuilder &opBuilder, unsigned wordBits) {
  ImplicitLocOpBuilder builder(op.getLoc(), opBuilder);
  PhiloxBuilder philox(builder, op.getC0().getType(), wordBits);
  Value c0 = philox.enter(op.getC0()), c1 = philox.enter(op.getC1());
  Value c2 = philox.enter(op.getC2()), c3 = philox.enter(op.getC3());
  for (unsigned round = 0; round < op.getRounds(); ++round) {
    auto [high0, low0] = philox.multiply(c0, multipliers[0]);
    auto [high1, low1] = philox.multiply(c2, multipliers[1]);
    Value k0 = philox.keyWord(op.getSeed(), 0, round), k1 = philox.keyWord(op.getSeed(), 1, round);
    c0 = philox.mix(high1, c1, k0);
    c2 = philox.mix(high0, c3, k1);
    c1 = low1;
    c3 = low0;
  }
  return {philox.leave(c0), philox.leave(c1), philox.leave(c2), philox.leave(c3)};
}

struct ExpandPhiloxOp : OpRewritePattern<PhiloxOp> {
  ExpandPhiloxOp(MLIRContext *context, unsigned wordBits)
      : OpRewritePattern(context), wordBits(wordBits) {}

  LogicalResult matchAndRewrite(PhiloxOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, expandPhilox(op, rewriter, wordBits));
    return success();
  }

  unsigned wordBits;
};

struct ExpandPhiloxPass : impl::ExpandPhiloxBase<ExpandPhiloxPass> {
  using ExpandPhiloxBase::ExpandPhiloxBase;

  void runOnOperation() override {
    if (wordBits != 32 && wordBits != 64) {
      getOperation()->emitError("word-bits must be 32 or 64, got ") << wordBits.getValue();
      return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    populateExpandPhiloxPatterns(patterns, wordBits);
    applyPatternsToTheEnd(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandPhiloxPatterns(RewritePatternSet &patterns, unsigned wordBits) {
  patterns.add<ExpandPhiloxOp>(patterns.getContext(), wordBits);
}

} // namespace eft
