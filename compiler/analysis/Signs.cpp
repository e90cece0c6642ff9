// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats that can't be greater, or less, than zero: the walk from a value to the operations that
// say so.
#include "compiler/analysis/Signs.h"

#include "compiler/ir/CombineRegions.h"
#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {
namespace {

/// The depth to which definitions are followed. Kernels don't need more. The bound keeps the walk
/// short where a value is reached along many paths.
constexpr unsigned maxDepth = 12;

unsigned rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

//===----------------------------------------------------------------------===//
// x ≤ m
//===----------------------------------------------------------------------===//

/// A block as a function of the indices of another block: its index along dimension k is that
/// block's index along dimension `dims[k]`, or any index if this is `anyIndex`.
struct View {
  static constexpr int anyIndex = -1;

  Value block;
  SmallVector<int, 4> dims;

  /// The block itself.
  static View of(Value block) {
    auto dims = llvm::seq<int>(0, rankOf(block));
    return {block, {dims.begin(), dims.end()}};
  }

  View with(Value source) const { return {source, dims}; }

  /// True if one of the elements that an index denotes is the element of the block at that index.
  bool includesSameIndex() const {
    return llvm::all_of(llvm::enumerate(dims), [](auto dim) {
      return dim.value() == anyIndex || dim.value() == int(dim.index());
    });
  }
};

/// True if the choice is `a > b || a != a ? a : b`: the maximum of its arms, or NaN if an arm is
/// NaN. PyTorch's compiler writes maxima so. Which zero it gives does not matter here.
bool isMaximum(arith::SelectOp choice) {
  Value a = choice.getTrueValue(), b = choice.getFalseValue();
  auto either = choice.getCondition().getDefiningOp<arith::OrIOp>();
  if (!either)
    return false;
  auto isGreater = [&](Value condition) {
    auto compare = condition.getDefiningOp<arith::CmpFOp>();
    return compare && compare.getLhs() == a && compare.getRhs() == b &&
           compare.getPredicate() == arith::CmpFPredicate::OGT;
  };
  auto isNan = [&](Value condition) {
    auto compare = condition.getDefiningOp<arith::CmpFOp>();
    return compare && compare.getLhs() == a && compare.getRhs() == a &&
           (compare.getPredicate() == arith::CmpFPredicate::UNE ||
            compare.getPredicate() == arith::CmpFPredicate::UNO);
  };
  return (isGreater(either.getLhs()) && isNan(either.getRhs())) ||
         (isGreater(either.getRhs()) && isNan(either.getLhs()));
}

/// True if the reduction gives NaN or the maximum of its elements.
bool givesMaximumOrNan(ReduceOp reduce) {
  Block &combine = reduce.getCombine().front();
  if (isa_and_nonnull<arith::MaximumFOp>(onlyOperation(combine)))
    return true;
  auto yield = cast<YieldOp>(combine.getTerminator());
  if (yield->getNumOperands() != 1)
    return false;
  auto choice = yield->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto isArm = [&](unsigned number) {
    Value argument = combine.getArgument(number);
    return choice.getTrueValue() == argument || choice.getFalseValue() == argument;
  };
  return choice && isMaximum(choice) && isArm(0) && isArm(1);
}

/// True if each element of x is at most the element of `bound` at the same index, or is NaN. With
/// `orNan`, the element of `bound` may be NaN instead.
bool isAtMost(Value x, const View &bound, bool orNan, unsigned depth) {
  if (x == bound.block)
    return bound.includesSameIndex();
  Operation *op = bound.block.getDefiningOp();
  if (!op || depth == maxDepth)
    return false;
  auto isBelow = [&](const View &next, bool mayBeNan) {
    return isAtMost(x, next, mayBeNan, depth + 1);
  };
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::ExtFOp extension) {
        // Both conversions are exact. A maximum of 8-bit floats would have no infinity, because it
        // is converted back from a wider type, which saturates.
        auto narrow = x.getDefiningOp<arith::ExtFOp>();
        Type type = getElementTypeOrSelf(extension.getIn());
        return narrow && type.getIntOrFloatBitWidth() >= 16 &&
               getElementTypeOrSelf(narrow.getIn()) == type &&
               isAtMost(narrow.getIn(), bound.with(extension.getIn()), orNan, depth + 1);
      })
      .Case([&](MaxNumOp maximum) {
        // If one operand is NaN, the result is the other operand.
        return isBelow(bound.with(maximum.getA()), false) ||
               isBelow(bound.with(maximum.getB()), false);
      })
      .Case([&](arith::MaximumFOp maximum) {
        return orNan && (isBelow(bound.with(maximum.getLhs()), true) ||
                         isBelow(bound.with(maximum.getRhs()), true));
      })
      .Case([&](arith::SelectOp choice) {
        return orNan && isMaximum(choice) &&
               (isBelow(bound.with(choice.getTrueValue()), true) ||
                isBelow(bound.with(choice.getFalseValue()), true));
      })
      .Case([&](SplatOp splat) { return isBelow(View{splat.getSource(), {}}, orNan); })
      .Case([&](ExpandDimsOp expand) {
        View source = bound.with(expand.getSource());
        source.dims.erase(source.dims.begin() + expand.getAxis());
        return isBelow(source, orNan);
      })
      .Case([&](BroadcastOp broadcast) {
        View source = bound.with(broadcast.getSource());
        for (auto [dim, extent] : llvm::enumerate(broadcast.getSource().getType().getShape()))
          if (extent == 1)
            source.dims[dim] = View::anyIndex;
        return isBelow(source, orNan);
      })
      .Case([&](ReduceOp reduce) {
        const bool ignoresNan =
            isa_and_nonnull<MaxNumOp>(onlyOperation(reduce.getCombine().front()));
        if (!ignoresNan && !(orNan && givesMaximumOrNan(reduce)))
          return false;
        View source = bound.with(reduce.getSources().front());
        source.dims.insert(source.dims.begin() + reduce.getAxis(), View::anyIndex);
        return isBelow(source, orNan && !ignoresNan);
      })
      .Default(false);
}

//===----------------------------------------------------------------------===//
// x ≤ 0 and x ≥ 0
//===----------------------------------------------------------------------===//

bool isConstant(Value value, function_ref<bool(const APFloat &)> accepts) {
  while (isa_and_nonnull<SplatOp, BroadcastOp, ExpandDimsOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  FloatAttr number;
  DenseFPElementsAttr block;
  if (matchPattern(value, m_Constant(&number)))
    return accepts(number.getValue());
  return matchPattern(value, m_Constant(&block)) && block.isSplat() &&
         accepts(block.getSplatValue<APFloat>());
}

/// True if the value is a constant of at least 0.
bool isNonNegativeConstant(Value value) {
  return isConstant(value, [](const APFloat &x) { return !x.isNaN() && !x.isNegative(); });
}

bool isNonNegative(Value value, unsigned depth) {
  if (isNonNegativeConstant(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth == maxDepth)
    return false;
  auto isSo = [depth](Value operand) { return isNonNegative(operand, depth + 1); };
  return TypeSwitch<Operation *, bool>(op)
      .Case<math::ExpOp, math::Exp2Op, Exp10Op, SigmoidOp, math::AbsFOp, math::SqrtOp>(
          [](Operation *) { return true; })
      .Case([&](arith::MulFOp product) {
        return product.getLhs() == product.getRhs() ||
               (isSo(product.getLhs()) && isSo(product.getRhs()));
      })
      .Case([&](MaxNumOp maximum) {
        // If one operand is NaN, the result is the other operand.
        return isNonNegativeConstant(maximum.getA()) || isNonNegativeConstant(maximum.getB()) ||
               (isSo(maximum.getA()) && isSo(maximum.getB()));
      })
      .Case([&](arith::MaximumFOp maximum) {
        return isSo(maximum.getLhs()) || isSo(maximum.getRhs());
      })
      .Case([&](arith::SelectOp choice) {
        return isSo(choice.getTrueValue()) && isSo(choice.getFalseValue());
      })
      .Case<arith::AddFOp, MinNumOp, arith::MinimumFOp, arith::ExtFOp, arith::TruncFOp, SplatOp,
            ElementMoveOpInterface>(
          [&](Operation *) { return llvm::all_of(op->getOperands(), isSo); })
      .Default(false);
}

bool isNonPositive(Value value, unsigned depth) {
  if (isConstant(value, [](const APFloat &x) { return x.isZero() || x.isNegative(); }))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth == maxDepth)
    return false;
  auto isSo = [depth](Value operand) { return isNonPositive(operand, depth + 1); };
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::SubFOp difference) {
        return isAtMost(difference.getLhs(), View::of(difference.getRhs()), true, depth) ||
               (isSo(difference.getLhs()) && isNonNegative(difference.getRhs(), depth + 1));
      })
      .Case([&](arith::NegFOp negated) { return isNonNegative(negated.getOperand(), depth + 1); })
      .Case([&](arith::MulFOp product) {
        return (isNonNegativeConstant(product.getRhs()) && isSo(product.getLhs())) ||
               (isNonNegativeConstant(product.getLhs()) && isSo(product.getRhs()));
      })
      .Case([&](arith::SelectOp choice) {
        return isSo(choice.getTrueValue()) && isSo(choice.getFalseValue());
      })
      .Case<arith::ExtFOp, arith::TruncFOp, SplatOp, ElementMoveOpInterface>(
          [&](Operation *) { return llvm::all_of(op->getOperands(), isSo); })
      .Default(false);
}

} // namespace

bool isNonPositive(Value value) { return isNonPositive(value, 0); }

bool isNonNegative(Value value) { return isNonNegative(value, 0); }

} // namespace eft
