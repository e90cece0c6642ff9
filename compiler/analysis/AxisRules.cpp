// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of the axis analysis for runs, one function per kind of operation. A comment gives the
// reason for a rule that isn't obvious. All rules hold modulo 2^bits. BoundRules.cpp has the rules
// for upper bounds.
#include "compiler/analysis/AxisRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace eft;

unsigned eft::widthOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

namespace {

using Dim = AxisInfo::Dim;
using Infos = ArrayRef<AxisInfo>;

/// The product of two powers of two, at most `AxisInfo::maxPower`.
int64_t multiplied(int64_t left, int64_t right) {
  unsigned bits = llvm::Log2_64(left) + llvm::Log2_64(right);
  return bits < 62 ? int64_t(1) << bits : AxisInfo::maxPower;
}

/// Returns the constant, wrapped to the type's width; nothing for types of more than 64 bits.
std::optional<int64_t> wrapped(Type type, int64_t value) {
  unsigned width = widthOf(type);
  return width <= 64 ? std::optional(llvm::SignExtend64(value, width)) : std::nullopt;
}

/// Builds the information of a result dimension by dimension.
template <typename Function> AxisInfo forEachDim(Type type, Function function) {
  AxisInfo shape = AxisInfo::unknown(type);
  SmallVector<Dim, 2> dims;
  for (unsigned dim = 0; dim < shape.rank(); ++dim) {
    dims.push_back(function(dim));
    const int64_t most = AxisInfo::divisibilityOfZero(type);
    dims.back().divisibility = std::min(dims.back().divisibility, most);
    dims.back().headless = std::min(dims.back().headless, most);
  }
  return AxisInfo(std::move(dims), shape.getUnit()).withoutNeedlessHeadless();
}

/// The largest known power of two that divides every element along the dimension; at least 1. For
/// pointers, it counts elements, not bytes.
int64_t unitsDividing(const AxisInfo &x, unsigned dim) {
  return std::max<int64_t>(1, x.divisibilityOfRuns(dim, 1) / x.getUnit());
}

/// The length of the longest runs in which every operand is constant.
int64_t jointConstancy(Infos operands, unsigned dim) {
  int64_t run = AxisInfo::maxPower;
  for (const AxisInfo &operand : operands)
    run = std::min(run, operand.constancy(dim));
  return run;
}

/// The length of the longest runs in which every operand is constant from the second element on.
int64_t jointTailConstancy(Infos operands, unsigned dim) {
  int64_t run = AxisInfo::maxPower;
  for (const AxisInfo &operand : operands)
    run = std::min(run, operand.tailConstancy(dim));
  return run;
}

/// The facts about a result of which only this is known: it is constant wherever all operands are
/// constant.
AxisInfo sameWhereOperandsAre(Type type, Infos operands) {
  return forEachDim(type, [&](unsigned dim) {
    return Dim{1, 1, jointConstancy(operands, dim), 1, jointTailConstancy(operands, dim)};
  });
}

//===--- Sums and products --------------------------------------------------------------------===//

/// Returns the length of the headless runs of `run` + `step`. Such a sum keeps a headless run if
/// `step` is one number from the run's second element on, and a multiple of the run's length.
int64_t headlessMovedBy(const AxisInfo &run, const AxisInfo &step, unsigned dim) {
  return std::min({run.headlessRun(dim), step.tailConstancy(dim), unitsDividing(step, dim)});
}

/// Returns the facts about x + y or x − y. The sum is contiguous where one operand is contiguous
/// and the other is constant; the difference, only where x is contiguous and y is constant. If x is
/// a pointer, y counts elements of `yScale` bytes.
AxisInfo sum(Type type, const AxisInfo &x, const AxisInfo &y, int64_t yScale = 1,
             bool isDifference = false) {
  return forEachDim(type, [&](unsigned dim) {
    int64_t run = std::min(x.contiguity(dim), y.constancy(dim));
    if (!isDifference)
      run = std::max(run, std::min(x.constancy(dim), y.contiguity(dim)));
    int64_t right = multiplied(y.divisibilityOfRuns(dim, run), yScale);
    return Dim{run, std::min(x.divisibilityOfRuns(dim, run), right), jointConstancy({x, y}, dim),
               std::max(headlessMovedBy(x, y, dim), isDifference ? 1 : headlessMovedBy(y, x, dim)),
               jointTailConstancy({x, y}, dim)};
  });
}

AxisInfo product(Type type, const AxisInfo &x, const AxisInfo &y) {
  if (x.getConstant() == 1 || y.getConstant() == 1)
    return y.getConstant() == 1 ? x : y;
  int64_t divisibility = multiplied(x.divisibilityOfAll(), y.divisibilityOfAll());
  return forEachDim(type, [&](unsigned dim) {
    return Dim{1, divisibility, jointConstancy({x, y}, dim), 1, jointTailConstancy({x, y}, dim)};
  });
}

/// Returns the facts about a result that is computed from x and y by a bitwise operation, a
/// minimum, a maximum or a remainder. `runOf(dim)` is the length of the result's contiguous runs. A
/// power of two that divides all elements of x and of y divides all elements of the result. A power
/// of two that divides the starts of their runs of this length divides the starts of the result's
/// runs.
template <typename Function>
AxisInfo mixture(Type type, const AxisInfo &x, const AxisInfo &y, Function runOf) {
  int64_t ofAll = std::min(x.divisibilityOfAll(), y.divisibilityOfAll());
  return forEachDim(type, [&](unsigned dim) {
    int64_t run = runOf(dim);
    int64_t ofStarts = std::min(x.divisibilityOfRuns(dim, run), y.divisibilityOfRuns(dim, run));
    return Dim{run, std::max(ofAll, ofStarts), jointConstancy({x, y}, dim)};
  });
}

/// Let y be constant along an aligned run of x, and a multiple of the run's length. Then those bits
/// that change along the run of x are zero in y. Both operations leave these bits as they are in x,
/// so the result is a run too. The same holds with x and y exchanged.
AxisInfo ofOrXor(Type type, const AxisInfo &x, const AxisInfo &y) {
  auto kept = [](const AxisInfo &run, const AxisInfo &bits, unsigned dim) {
    return std::min({run.alignedRun(dim), bits.constancy(dim), unitsDividing(bits, dim)});
  };
  return mixture(type, x, y,
                 [&](unsigned dim) { return std::max(kept(x, y, dim), kept(y, x, dim)); });
}

/// Of two aligned runs of equal length, either one lies below the other as a whole, or both are the
/// same. So the minimum and the maximum are one of the two runs. The minimum or maximum of a run
/// and a constant is not contiguous: the constant replaces a part of the run.
AxisInfo ofMinMax(Type type, const AxisInfo &x, const AxisInfo &y) {
  return mixture(type, x, y,
                 [&](unsigned dim) { return std::min(x.alignedRun(dim), y.alignedRun(dim)); });
}

//===--- Quotients, remainders and masks of powers of two -------------------------------------===//

/// Returns the facts about floor(x / 2^shift). The quotient is constant inside an aligned run of at
/// most 2^shift elements.
AxisInfo floorQuotient(Type type, const AxisInfo &x, unsigned shift) {
  int64_t divisor = int64_t(1) << shift;
  return forEachDim(type, [&](unsigned dim) {
    return Dim{1, std::max<int64_t>(1, x.divisibilityOfAll() / divisor),
               std::max(x.constancy(dim), std::min(x.alignedRun(dim), divisor))};
  });
}

/// Returns the facts about x & mask. If the mask's trailing ones cover the bits that change along
/// an aligned run, the run stays contiguous. If the mask's trailing zeros cover these bits, the run
/// becomes constant.
AxisInfo bitsOf(Type type, const AxisInfo &x, uint64_t mask) {
  const unsigned width = std::min(widthOf(type), 62u);
  const int64_t ones = int64_t(1) << std::min<unsigned>(llvm::countr_one(mask), width);
  const int64_t zeros = int64_t(1) << std::min<unsigned>(llvm::countr_zero(mask), width);
  return forEachDim(type, [&](unsigned dim) {
    int64_t run = std::min(x.alignedRun(dim), ones);
    return Dim{run, std::max(x.divisibilityOfRuns(dim, run), zeros),
               std::max(x.constancy(dim), std::min(x.alignedRun(dim), zeros))};
  });
}

/// The exponent of an operand that is a known power of two.
std::optional<unsigned> knownExponent(const AxisInfo &info) {
  std::optional<int64_t> value = info.getConstant();
  if (!value || *value <= 0 || !llvm::isPowerOf2_64(*value))
    return std::nullopt;
  return llvm::Log2_64(*value);
}

/// Returns the facts about x / 2^shift, rounded toward zero. Divisibility follows as for the floor,
/// because it concerns exact quotients only. Below zero, truncation differs from the floor, so the
/// first element of a run of x may have another quotient than the others.
AxisInfo signedQuotient(Type type, const AxisInfo &x, unsigned shift) {
  int64_t divisibility = std::max<int64_t>(1, x.divisibilityOfAll() >> shift);
  return forEachDim(type, [&](unsigned dim) {
    return Dim{1, divisibility, x.constancy(dim), 1,
               std::min(x.alignedRun(dim), int64_t(1) << shift)};
  });
}

/// Returns the largest length of aligned runs of x inside which y is one number that is a multiple
/// of this length.
int64_t dividing(const AxisInfo &x, const AxisInfo &y, unsigned dim) {
  return std::min({x.alignedRun(dim), y.constancy(dim), unitsDividing(y, dim)});
}

AxisInfo ofQuotient(Operation *op, Type type, Infos operands) {
  const AxisInfo &x = operands[0], &y = operands[1];
  const bool isFloor = isa<arith::DivUIOp>(op) || x.isNonNegative();
  std::optional<unsigned> exponent = knownExponent(y);
  if (exponent && *exponent <= 61)
    return isFloor ? floorQuotient(type, x, *exponent) : signedQuotient(type, x, *exponent);
  // If an aligned run's length divides y, only the first number of the run can be a multiple of y.
  // So the floor of the quotient is constant inside the run. If the numbers are negative, rounding
  // toward zero gives the next larger number, except where the quotient is exact.
  return forEachDim(type, [&](unsigned dim) {
    const int64_t run = dividing(x, y, dim);
    return Dim{1, 1, std::max(jointConstancy(operands, dim), isFloor ? run : 1), 1, run};
  });
}

AxisInfo ofShift(Operation *op, Type type, Infos operands) {
  const AxisInfo &x = operands[0];
  std::optional<int64_t> amount = operands[1].getConstant();
  const bool known = amount && *amount >= 0 && *amount < std::min(widthOf(type), 62u);
  if (known)
    return isa<arith::ShLIOp>(op)
               ? product(type, x, AxisInfo::ofConstant(type, int64_t(1) << *amount))
               : floorQuotient(type, x, *amount);
  // A power of two that divides the operand still divides it after a left shift by any amount.
  int64_t divisibility = isa<arith::ShLIOp>(op) ? x.divisibilityOfAll() : 1;
  return forEachDim(
      type, [&](unsigned dim) { return Dim{1, divisibility, jointConstancy(operands, dim)}; });
}

AxisInfo ofAnd(Type type, Infos operands) {
  for (unsigned i : {0, 1})
    if (std::optional<int64_t> mask = operands[i].getConstant())
      return bitsOf(type, operands[1 - i], *mask);
  int64_t divisibility = std::max(operands[0].divisibilityOfAll(), operands[1].divisibilityOfAll());
  return forEachDim(
      type, [&](unsigned dim) { return Dim{1, divisibility, jointConstancy(operands, dim)}; });
}

/// Returns the facts about x % y. Let t, t + 1, … t + g − 1 be an aligned run of x: g divides t.
/// Let y be one number throughout the run, and g divide y. Then g divides all multiples of y.
///
/// If t ≥ 0, t mod |y| is a multiple of g, and so at most |y| − g. The next g − 1 remainders count
/// on from there: the remainders are a run that starts at a multiple of g. The same holds for
/// unsigned remainders.
///
/// If t < 0, the remainder has the dividend's sign. Let u = −t and m = u mod |y|. If m is not zero,
/// it is at least g, and the remainders are −(m − j) = −m + j for j = 0 … g − 1: a run that starts
/// at a multiple of g. If m is zero, the first remainder is zero, and the others are −(|y| − j) =
/// −|y| + j: a headless run.
///
/// If y is zero, the remainder is x. Otherwise it is x − q·y, for either rounding of the quotient
/// q: a number that divides x and y also divides the remainder.
AxisInfo ofRemainder(Operation *op, Type type, Infos operands) {
  const AxisInfo &x = operands[0], &y = operands[1];
  const bool isFloor = isa<arith::RemUIOp>(op) || x.isNonNegative();
  std::optional<unsigned> exponent = knownExponent(y);
  if (exponent && isFloor)
    return bitsOf(type, x, (uint64_t(1) << *exponent) - 1);
  AxisInfo info =
      mixture(type, x, y, [&](unsigned dim) { return isFloor ? dividing(x, y, dim) : int64_t(1); });
  if (isFloor)
    return info;
  return forEachDim(type, [&](unsigned dim) {
    return Dim{1, info.divisibility(dim), info.constancy(dim), dividing(x, y, dim)};
  });
}

//===--- Changes of width ---------------------------------------------------------------------===//

/// Returns the facts about x after extension to a wider type. Where numbers of the narrow type wrap
/// around, those of the wide type jump. So only aligned runs, which do not wrap around, stay
/// contiguous.
AxisInfo widened(Type type, const AxisInfo &x) {
  return forEachDim(type, [&](unsigned dim) {
    int64_t run = x.alignedRun(dim);
    return Dim{run, x.divisibilityOfRuns(dim, run), x.constancy(dim), x.headlessRun(dim),
               x.tailConstancy(dim)};
  });
}

AxisInfo narrowed(Type type, const AxisInfo &x) {
  return forEachDim(type, [&](unsigned dim) { return x.getDims()[dim]; });
}

AxisInfo ofWidthChange(Operation *op, Type type, const AxisInfo &x) {
  const bool grows = widthOf(type) > widthOf(op->getOperand(0).getType());
  return grows ? widened(type, x) : narrowed(type, x);
}

//===--- Choices ------------------------------------------------------------------------------===//

AxisInfo ofSelect(arith::SelectOp op, Infos operands) {
  const bool scalarCondition = !isa<ShapedType>(op.getCondition().getType());
  const AxisInfo &x = operands[1], &y = operands[2];
  return forEachDim(op.getType(), [&](unsigned dim) {
    int64_t same = scalarCondition ? AxisInfo::maxPower : operands[0].constancy(dim);
    int64_t run = std::min({x.contiguity(dim), y.contiguity(dim), same});
    return Dim{run, std::min(x.divisibilityOfRuns(dim, run), y.divisibilityOfRuns(dim, run)),
               std::min(jointConstancy({x, y}, dim), same),
               std::min({x.headlessRun(dim), y.headlessRun(dim), same}),
               std::min(jointTailConstancy({x, y}, dim), same)};
  });
}

/// Let y be constant along an aligned run of x, and a multiple of the run's length. Then x < y has
/// the same result for the whole run, and so has x ≥ y. If x and y are both aligned runs of one
/// length, every comparison has the same result for the whole run.
AxisInfo ofComparison(arith::CmpIOp op, Infos operands) {
  using P = arith::CmpIPredicate;
  const bool leftIsRun = llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, op.getPredicate());
  const bool rightIsRun = llvm::is_contained({P::sgt, P::sle, P::ugt, P::ule}, op.getPredicate());
  return forEachDim(op.getType(), [&](unsigned dim) {
    int64_t same = std::max(jointConstancy(operands, dim),
                            std::min(operands[0].alignedRun(dim), operands[1].alignedRun(dim)));
    if (leftIsRun || rightIsRun) {
      const AxisInfo &x = operands[leftIsRun ? 0 : 1], &y = operands[leftIsRun ? 1 : 0];
      same = std::max(same, std::min({x.alignedRun(dim), y.constancy(dim), y.divisibilityOfAll()}));
    }
    return Dim{1, 1, same};
  });
}

//===--- Shapes and pointers ------------------------------------------------------------------===//

AxisInfo ofExpandDims(ExpandDimsOp op, const AxisInfo &x) {
  const unsigned axis = op.getAxis();
  const bool fromScalar = cast<RankedTensorType>(op.getSource().getType()).getRank() == 0;
  return forEachDim(op.getType(), [&](unsigned dim) {
    if (dim == axis || fromScalar)
      return Dim{1, x.divisibilityOfAll(), 1};
    return x.getDims()[dim < axis ? dim : dim - 1];
  });
}

AxisInfo ofBroadcast(BroadcastOp op, const AxisInfo &x) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto result = cast<RankedTensorType>(op.getType());
  if (result.getRank() == 0)
    return x;
  return forEachDim(op.getType(), [&](unsigned dim) {
    Dim known = x.getDims()[dim];
    if (source.getDimSize(dim) != result.getDimSize(dim))
      known.constancy = result.getDimSize(dim);
    return known;
  });
}

AxisInfo ofArange(ArangeOp op) {
  const int64_t start = int32_t(op.getStart()),
                extent = cast<ShapedType>(op.getType()).getDimSize(0);
  AxisInfo first = AxisInfo::ofConstant(op.getType(), start);
  return forEachDim(op.getType(),
                    [&](unsigned dim) { return Dim{extent, first.divisibility(dim), 1}; });
}

AxisInfo ofAddPtr(AddPtrOp op, Infos operands) {
  const AxisInfo &pointer = operands[0];
  // A narrow offset is extended to 64 bits, the width of an address.
  const bool isNarrow = widthOf(op.getOffset().getType()) < 64;
  AxisInfo offset = isNarrow ? widened(op.getOffset().getType(), operands[1]) : operands[1];
  return sum(op.getType(), pointer, offset, pointer.getUnit());
}

/// A cast keeps the address, so divisibility in bytes and constancy hold after it. Contiguous runs
/// stay contiguous only if the size of an element stays the same. An integer counts as an element
/// of one byte.
AxisInfo ofCastPtr(CastPtrOp op, const AxisInfo &x) {
  const bool sameUnit = AxisInfo::unknown(op.getType()).getUnit() == x.getUnit();
  return forEachDim(op.getType(), [&](unsigned dim) {
    return sameUnit ? x.getDims()[dim] : Dim{1, x.divisibilityOfRuns(dim, 1), x.constancy(dim)};
  });
}

/// `list` is the hint's list of one number per dimension. Returns the largest power of two that
/// divides the number for `dim`; 1 if there is no list.
int64_t hinted(std::optional<ArrayRef<int64_t>> list, unsigned dim) {
  return list ? (*list)[dim] & -(*list)[dim] : 1;
}

/// The known fact and the hint's fact both hold, so the larger number is taken.
AxisInfo ofHint(HintOp op, const AxisInfo &x) {
  auto block = dyn_cast<RankedTensorType>(op.getType());
  AxisInfo info = forEachDim(op.getType(), [&](unsigned dim) {
    const int64_t extent = block ? block.getDimSize(dim) : 1;
    return Dim{std::max(x.contiguity(dim), std::min(hinted(op.getContiguity(), dim), extent)),
               std::max(x.divisibility(dim), hinted(op.getDivisibility(), dim)),
               std::max(x.constancy(dim), std::min(hinted(op.getConstancy(), dim), extent)),
               x.headlessRun(dim), x.tailConstancy(dim)};
  });
  return AxisInfo(info.getDims(), info.getUnit(), x.getConstant());
}

AxisInfo ofConstantOp(arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  else if (isa<ShapedType>(op.getType()))
    return AxisInfo::unknown(op.getType());
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer || integer.getValue().getBitWidth() > 64)
    return AxisInfo::uniform(op.getType(), 1);
  return AxisInfo::ofConstant(op.getType(), integer.getValue().getSExtValue());
}

/// Returns the constant result of an operation, if all operands are known constants and the
/// operation is one of those below; otherwise nothing. So the rules for constants also apply to
/// operations that have not been folded yet.
std::optional<int64_t> foldedConstant(Operation *op, Type type, Infos operands) {
  SmallVector<int64_t> values;
  for (const AxisInfo &operand : operands) {
    if (!operand.getConstant())
      return std::nullopt;
    values.push_back(*operand.getConstant());
  }
  // Unsigned arithmetic wraps around.
  auto at = [&](unsigned i) { return static_cast<uint64_t>(values[i]); };
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<SplatOp, ExpandDimsOp, BroadcastOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](auto) { return wrapped(type, values[0]); })
      .Case<arith::AddIOp>([&](auto) { return wrapped(type, at(0) + at(1)); })
      .Case<arith::SubIOp>([&](auto) { return wrapped(type, at(0) - at(1)); })
      .Case<arith::MulIOp>([&](auto) { return wrapped(type, at(0) * at(1)); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Returns the facts about a result for which there is no rule. An elementwise operation's result
/// is constant where all operands are. Nothing is known of other results.
AxisInfo ofAnyOther(Operation *op, Type type, Infos operands) {
  const unsigned rank = AxisInfo::unknown(type).rank();
  auto sameShape = [&](Value operand) {
    return isa<ShapedType>(operand.getType()) == isa<ShapedType>(type);
  };
  if (!op->hasTrait<OpTrait::Elementwise>() || operands.empty() ||
      !llvm::all_of(op->getOperands(), sameShape) ||
      llvm::any_of(operands, [&](const AxisInfo &info) { return info.rank() != rank; }))
    return AxisInfo::unknown(type);
  return sameWhereOperandsAre(type, operands);
}

//===--- All operations -----------------------------------------------------------------------===//

AxisInfo infoOfResult(OpResult result, Infos operands) {
  Operation *op = result.getOwner();
  Type type = result.getType();
  if (getElementTypeOrSelf(type).isIntOrIndex())
    if (std::optional<int64_t> constant = foldedConstant(op, type, operands))
      return AxisInfo::ofConstant(type, *constant);
  return TypeSwitch<Operation *, AxisInfo>(op)
      .Case<arith::ConstantOp>(ofConstantOp)
      .Case<ArangeOp>(ofArange)
      .Case<SplatOp>([&](auto) { return AxisInfo::uniform(type, operands[0].divisibilityOfAll()); })
      .Case<ExpandDimsOp>([&](auto expand) { return ofExpandDims(expand, operands[0]); })
      .Case<BroadcastOp>([&](auto broadcast) { return ofBroadcast(broadcast, operands[0]); })
      .Case<AddPtrOp>([&](auto addPtr) { return ofAddPtr(addPtr, operands); })
      .Case<HintOp>([&](auto hint) { return ofHint(hint, operands[0]); })
      .Case<OfFirstThreadOp>([&](auto) { return operands[0]; })
      .Case<CastPtrOp>([&](auto cast) { return ofCastPtr(cast, operands[0]); })
      .Case<arith::AddIOp>([&](auto) { return sum(type, operands[0], operands[1]); })
      .Case<arith::SubIOp>(
          [&](auto) { return sum(type, operands[0], operands[1], 1, /*isDifference=*/true); })
      .Case<arith::MulIOp>([&](auto) { return product(type, operands[0], operands[1]); })
      .Case<arith::DivUIOp, arith::DivSIOp>([&](auto) { return ofQuotient(op, type, operands); })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) { return ofRemainder(op, type, operands); })
      .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(
          [&](auto) { return ofShift(op, type, operands); })
      .Case<arith::AndIOp>([&](auto) { return ofAnd(type, operands); })
      .Case<arith::OrIOp, arith::XOrIOp>(
          [&](auto) { return ofOrXor(type, operands[0], operands[1]); })
      .Case<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return ofMinMax(type, operands[0], operands[1]); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
            arith::IndexCastUIOp>([&](auto) { return ofWidthChange(op, type, operands[0]); })
      .Case<arith::SelectOp>([&](auto select) { return ofSelect(select, operands); })
      .Case<arith::CmpIOp>([&](auto compare) { return ofComparison(compare, operands); })
      .Default([&](Operation *) { return ofAnyOther(op, type, operands); });
}

} // namespace

AxisInfo eft::axisInfoOfResult(OpResult result, Infos operands) {
  return infoOfResult(result, operands).withBound(boundOfResult(result, operands));
}

AxisInfo eft::axisInfoOfCounter(Type type, const AxisInfo &begin, const AxisInfo &step) {
  // A counter that grows by one reaches its upper bound before it can wrap around.
  AxisInfo counter =
      AxisInfo::uniform(type, std::min(begin.divisibilityOfAll(), step.divisibilityOfAll()));
  return begin.isNonNegative() && step.getConstant() == 1 ? counter.withBound(UpperBound::none())
                                                          : counter;
}
