// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-hoist-uniform: replaces elementwise operations on splats by scalar operations.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_HOISTUNIFORM
#include "compiler/transforms/Passes.h.inc"

namespace {

/// The value that every element of a block has: `scalar` if the block is a splat, or `constant`, an
/// attribute, if the block is a constant.
struct UniformElement {
  Value scalar;
  TypedAttr constant;
};

std::optional<UniformElement> uniformElement(Value block) {
  if (auto splat = block.getDefiningOp<SplatOp>())
    return UniformElement{splat.getSource(), {}};
  SplatElementsAttr constant;
  if (matchPattern(block, m_Constant(&constant)))
    return UniformElement{{}, cast<TypedAttr>(constant.getSplatValue<Attribute>())};
  return std::nullopt;
}

/// True if the operation is elementwise on blocks, and safe to execute even where its result is
/// unused.
bool canHoist(Operation *op) {
  return op->getNumResults() == 1 && isBlock(op->getResult(0).getType()) &&
         op->getNumOperands() > 0 &&
         (OpTrait::hasElementwiseMappableTraits(op) || isa<AddPtrOp>(op)) && isPure(op);
}

struct HoistUniformOp : RewritePattern {
  HoistUniformOp(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!canHoist(op))
      return rewriter.notifyMatchFailure(op, "not a pure elementwise operation on blocks");
    SmallVector<UniformElement> elements;
    for (Value operand : op->getOperands()) {
      // An operand may already be a scalar, such as the condition of a select.
      if (!isBlock(operand.getType())) {
        elements.push_back({operand, {}});
        continue;
      }
      std::optional<UniformElement> element = uniformElement(operand);
      if (!element)
        return rewriter.notifyMatchFailure(op, "an operand differs between indices");
      elements.push_back(*element);
    }
    replaceByScalar(op, elements, rewriter);
    return success();
  }

private:
  static void replaceByScalar(Operation *op, ArrayRef<UniformElement> elements,
                              PatternRewriter &rewriter) {
    Location loc = op->getLoc();
    SmallVector<Value> scalars;
    for (const UniformElement &element : elements)
      scalars.push_back(element.scalar ? element.scalar
                                       : rewriter.create<arith::ConstantOp>(loc, element.constant));
    Type block = op->getResult(0).getType();
    OperationState state(loc, op->getName(), scalars, {getElementTypeOrSelf(block)},
                         op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Operation *scalar = rewriter.create(state);
    rewriter.replaceOpWithNewOp<SplatOp>(op, block, scalar->getResult(0));
  }
};

struct HoistUniformPass : impl::HoistUniformBase<HoistUniformPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateHoistUniformPatterns(patterns);
    applyPatternsToTheEnd(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateHoistUniformPatterns(RewritePatternSet &patterns) {
  patterns.add<HoistUniformOp>(patterns.getContext());
}

} // namespace eft
