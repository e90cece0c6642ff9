// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-sort: the compare-exchanges of a bitonic network, of each element with that at i ^
// 2^b.
//
// Which of two elements keeps the smaller one depends on bits of i alone: bit b says which of the
// two it is, and the stage's bit whether its run falls.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_EXPANDSORT
#include "compiler/transforms/Passes.h.inc"

namespace {

class Network {
public:
  Network(ImplicitLocOpBuilder &b, SortOp sort)
      : b(b), sort(sort), axis(sort.getAxis()), block(sort.getType()) {
    const int64_t extent = block.getDimSize(axis);
    index = b.create<ArangeOp>(RankedTensorType::get(extent, b.getI32Type()), 0u, uint32_t(extent));
    SmallVector<int64_t> shape = {extent};
    for (unsigned dim = 0; dim < unsigned(block.getRank()); ++dim)
      if (dim != axis) {
        shape.insert(shape.begin() + dim, 1);
        index = b.create<ExpandDimsOp>(RankedTensorType::get(shape, b.getI32Type()), index, dim);
      }
  }

  Value emit() {
    Value x = sort.getSource();
    for (unsigned stage = sort.getFirst(); stage <= sort.getLast(); ++stage) {
      Value falls = hasBit(stage, sort.getDescending());
      for (unsigned bit = stage; bit-- > 0;)
        x = meet(x, bit, b.create<arith::XOrIOp>(hasBit(bit, false), falls));
    }
    return x;
  }

private:
  /// Whether a bit of the index is set, or, if `inverted`, is not.
  Value hasBit(unsigned bit, bool inverted) {
    auto word = [&](int32_t value) -> Value {
      return b.create<arith::ConstantOp>(SplatElementsAttr::get(
          cast<ShapedType>(index.getType()), Attribute(b.getI32IntegerAttr(value))));
    };
    Value shifted = b.create<arith::ShRSIOp>(index, word(int32_t(bit)));
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                   b.create<arith::AndIOp>(shifted, word(1)), word(inverted));
  }

  Value meet(Value x, unsigned bit, Value wantsLarger) {
    auto masks = RankedTensorType::get(block.getShape(), b.getI1Type());
    if (wantsLarger.getType() != masks)
      wantsLarger = b.create<BroadcastOp>(masks, wantsLarger);
    Value other = b.create<ExchangeOp>(block, x, axis, 1u << bit);
    Value isLarger = b.create<arith::CmpIOp>(
        sort.getIsUnsigned() ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt, x, other);
    Value keeps = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, isLarger, wantsLarger);
    return b.create<arith::SelectOp>(keeps, x, other);
  }

  ImplicitLocOpBuilder &b;
  SortOp sort;
  unsigned axis;
  RankedTensorType block;
  Value index; // along the axis, of extent 1 in all other dimensions
};

struct ExpandSort : OpRewritePattern<SortOp> {
  ExpandSort(MLIRContext *context, int64_t maxBits) : OpRewritePattern(context), maxBits(maxBits) {}

  LogicalResult matchAndRewrite(SortOp sort, PatternRewriter &rewriter) const override {
    RankedTensorType block = sort.getType();
    if (maxBits != 0 && block.getNumElements() * block.getElementTypeBitWidth() > maxBits)
      return rewriter.notifyMatchFailure(sort, "a large block");
    ImplicitLocOpBuilder b(sort.getLoc(), rewriter);
    rewriter.replaceOp(sort, Network(b, sort).emit());
    return success();
  }

  int64_t maxBits;
};

struct ExpandSortPass : impl::ExpandSortBase<ExpandSortPass> {
  using ExpandSortBase::ExpandSortBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandSortPatterns(patterns, maxBits);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandSortPatterns(RewritePatternSet &patterns, int64_t maxBits) {
  patterns.add<ExpandSort>(patterns.getContext(), maxBits);
}

} // namespace eft
