// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-sort: expands a sort into the compare-exchanges of a bitonic network. Each of them
// compares every element i with element i ^ 2^b.
//
// Two bits of i decide whether index i gets the larger element. Bit b is set in the upper one of
// the two indices. In stage s, bit s is set in the runs that are sorted in descending order, or
// clear in these runs if the whole sort is descending. Index i gets the larger element if it is the
// upper one in an ascending run, or the lower one in a descending run.
#include "compiler/ir/LayoutConversion.h"
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
    std::optional<LinearLayout> layout = layoutOf(block); // of `index` as it is built
    for (unsigned dim = unsigned(block.getRank()); layout && dim-- > 0;)
      if (dim != axis)
        layout = layout->slice(dim);
    SmallVector<int64_t> shape = {extent};
    index = b.create<ArangeOp>(indexType(shape, layout), 0u, uint32_t(extent));
    for (unsigned dim = 0; dim < unsigned(block.getRank()); ++dim)
      if (dim != axis) {
        shape.insert(shape.begin() + dim, 1);
        if (layout)
          layout = layout->expandDims(dim);
        index = b.create<ExpandDimsOp>(indexType(shape, layout), index, dim);
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
  Type indexType(ArrayRef<int64_t> shape, const std::optional<LinearLayout> &layout) {
    auto type = RankedTensorType::get(shape, b.getI32Type());
    return layout ? withLayout(type, *layout) : type;
  }

  /// A block of booleans: whether the bit of the index is set or, if `inverted`, whether it is
  /// clear.
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
    Type masks = withElementType(block, b.getI1Type());
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
  Value index; // along the axis; all other extents are 1
};

struct ExpandSort : OpRewritePattern<SortOp> {
  ExpandSort(MLIRContext *context, const ExpandSortOptions &options)
      : OpRewritePattern(context), options(options) {}

  LogicalResult matchAndRewrite(SortOp sort, PatternRewriter &rewriter) const override {
    RankedTensorType block = sort.getType();
    const int64_t elements = block.getNumElements();
    if ((options.maxBits != 0 && elements * block.getElementTypeBitWidth() > options.maxBits) ||
        (options.maxElements != 0 && elements > options.maxElements))
      return rewriter.notifyMatchFailure(sort, "a large block");
    ImplicitLocOpBuilder b(sort.getLoc(), rewriter);
    rewriter.replaceOp(sort, Network(b, sort).emit());
    return success();
  }

  ExpandSortOptions options;
};

struct ExpandSortPass : impl::ExpandSortBase<ExpandSortPass> {
  using ExpandSortBase::ExpandSortBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandSortPatterns(patterns, {maxBits, maxElements});
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandSortPatterns(RewritePatternSet &patterns, const ExpandSortOptions &options) {
  patterns.add<ExpandSort>(patterns.getContext(), options);
}

} // namespace eft
