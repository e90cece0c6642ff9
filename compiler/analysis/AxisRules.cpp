// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of the axis analysis, one function per kind of operation. Each says why it holds where
// that isn't plain; all of them hold modulo 2^bits.
#include "compiler/analysis/AxisRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace eft;

namespace {

using Dim = AxisInfo::Dim;
using Infos = ArrayRef<AxisInfo>;

unsigned widthOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

/// The product of two powers of two.
int64_t multiplied(int64_t left, int64_t right) {
  unsigned bits = llvm::Log2_64(left) + llvm::Log2_64(right);
  return bits < 62 ? int64_t(1) << bits : AxisInfo::maxPower;
}

/// The constant, wrapped to the type's width; nothing for types of more than 64 bits.
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
    dims.back().divisibility =
        std::min(dims.back().divisibility, AxisInfo::divisibilityOfZero(type));
  }
  return AxisInfo(std::move(dims), shape.getUnit());
}

/// The longest run in which every operand is constant.
int64_t jointConstancy(Infos operands, unsigned dim) {
  int64_t run = AxisInfo::maxPower;
  for (const AxisInfo &operand : operands)
    run = std::min(run, operand.constancy(dim));
  return run;
}

/// Values of which nothing but the sameness of the operands is known.
AxisInfo sameWhereOperandsAre(Type type, Infos operands) {
  return forEachDim(type, [&](unsigned dim) { return Dim{1, 1, jointConstancy(operands, dim)}; });
}

//===--- Sums and products --------------------------------------------------------------------===//

/// x + y is contiguous where one is and the other is constant. For pointers y counts elements, of
/// `yScale` bytes.
AxisInfo sum(Type type, const AxisInfo &x, const AxisInfo &y, int64_t yScale = 1,
             bool isDifference = false) {
  return forEachDim(type, [&](unsigned dim) {
    int64_t run = std::min(x.contiguity(dim), y.constancy(dim));
    if (!isDifference)
      run = std::max(run, std::min(x.constancy(dim), y.contiguity(dim)));
    int64_t right = multiplied(y.divisibilityOfRuns(dim, run), yScale);
    return Dim{run, std::min(x.divisibilityOfRuns(dim, run), right), jointConstancy({x, y}, dim)};
  });
}

AxisInfo product(Type type, const AxisInfo &x, const AxisInfo &y) {
  int64_t divisibility = multiplied(x.divisibilityOfAll(), y.divisibilityOfAll());
  return forEachDim(
      type, [&](unsigned dim) { return Dim{1, divisibility, jointConstancy({x, y}, dim)}; });
}

/// The largest power of two that divides all elements of both also divides what any bitwise
/// operation, minimum or choice makes of them.
AxisInfo mixture(Type type, const AxisInfo &x, const AxisInfo &y) {
  int64_t divisibility = std::min(x.divisibilityOfAll(), y.divisibilityOfAll());
  return forEachDim(
      type, [&](unsigned dim) { return Dim{1, divisibility, jointConstancy({x, y}, dim)}; });
}

//===--- Quotients, remainders and masks of powers of two -------------------------------------===//

/// floor(x / 2^shift). Inside an aligned run of at most 2^shift the quotient stays.
AxisInfo floorQuotient(Type type, const AxisInfo &x, unsigned shift) {
  int64_t divisor = int64_t(1) << shift;
  return forEachDim(type, [&](unsigned dim) {
    return Dim{1, std::max<int64_t>(1, x.divisibilityOfAll() / divisor),
               std::max(x.constancy(dim), std::min(x.alignedRun(dim), divisor))};
  });
}

/// x with the bits kept that are set in the mask. Aligned runs go through the mask's trailing ones
/// unchanged, and vanish in its trailing zeros.
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

/// Truncating division agrees with the floor where the quotient is exact, which is all that
/// divisibility asks. It doesn't below zero, so nothing is said of runs.
AxisInfo signedQuotient(Type type, const AxisInfo &x, unsigned shift) {
  int64_t divisibility = std::max<int64_t>(1, x.divisibilityOfAll() >> shift);
  return forEachDim(type, [&](unsigned dim) { return Dim{1, divisibility, x.constancy(dim)}; });
}

AxisInfo ofQuotient(Operation *op, Type type, Infos operands) {
  std::optional<unsigned> exponent = knownExponent(operands[1]);
  if (!exponent || *exponent > 61)
    return sameWhereOperandsAre(type, operands);
  return isa<arith::DivUIOp>(op) ? floorQuotient(type, operands[0], *exponent)
                                 : signedQuotient(type, operands[0], *exponent);
}

AxisInfo ofShift(Operation *op, Type type, Infos operands) {
  const AxisInfo &x = operands[0];
  std::optional<int64_t> amount = operands[1].getConstant();
  const bool known = amount && *amount >= 0 && *amount < std::min(widthOf(type), 62u);
  if (known)
    return isa<arith::ShLIOp>(op)
               ? product(type, x, AxisInfo::ofConstant(type, int64_t(1) << *amount))
               : floorQuotient(type, x, *amount);
  // A left shift keeps what divides its operand, however far it goes.
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

AxisInfo ofRemainder(Operation *op, Type type, Infos operands) {
  std::optional<unsigned> exponent = knownExponent(operands[1]);
  if (exponent && isa<arith::RemUIOp>(op))
    return bitsOf(type, operands[0], (uint64_t(1) << *exponent) - 1);
  // x − q·y, whatever the quotient's rounding.
  return mixture(type, operands[0], operands[1]);
}

//===--- Changes of width ---------------------------------------------------------------------===//

/// A wider type doesn't wrap where the narrower did: only aligned runs stay runs.
AxisInfo widened(Type type, const AxisInfo &x) {
  return forEachDim(type, [&](unsigned dim) {
    int64_t run = x.alignedRun(dim);
    return Dim{run, x.divisibilityOfRuns(dim, run), x.constancy(dim)};
  });
}

AxisInfo narrowed(Type type, const AxisInfo &x) {
  return forEachDim(type, [&](unsigned dim) {
    return Dim{x.contiguity(dim), x.divisibility(dim), x.constancy(dim)};
  });
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
               std::min(jointConstancy({x, y}, dim), same)};
  });
}

/// x < y has one answer in a run of x in which y is constant, when both x's start and y are
/// multiples of its length; and so has x ≥ y.
AxisInfo ofComparison(arith::CmpIOp op, Infos operands) {
  using P = arith::CmpIPredicate;
  const bool leftIsRun = llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, op.getPredicate());
  const bool rightIsRun = llvm::is_contained({P::sgt, P::sle, P::ugt, P::ule}, op.getPredicate());
  return forEachDim(op.getType(), [&](unsigned dim) {
    int64_t same = jointConstancy(operands, dim);
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
    unsigned old = dim < axis ? dim : dim - 1;
    return Dim{x.contiguity(old), x.divisibility(old), x.constancy(old)};
  });
}

AxisInfo ofBroadcast(BroadcastOp op, const AxisInfo &x) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto result = cast<RankedTensorType>(op.getType());
  if (result.getRank() == 0)
    return x;
  return forEachDim(op.getType(), [&](unsigned dim) {
    const bool repeated = source.getDimSize(dim) != result.getDimSize(dim);
    return Dim{x.contiguity(dim), x.divisibility(dim),
               repeated ? result.getDimSize(dim) : x.constancy(dim)};
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
  // The offset is extended to the address's width.
  const bool isNarrow = widthOf(op.getOffset().getType()) < 64;
  AxisInfo offset = isNarrow ? widened(op.getOffset().getType(), operands[1]) : operands[1];
  return sum(op.getType(), pointer, offset, pointer.getUnit());
}

/// Bytes stay what they were; runs do if the elements keep their size. A number counts bytes.
AxisInfo ofCastPtr(CastPtrOp op, const AxisInfo &x) {
  const bool sameUnit = AxisInfo::unknown(op.getType()).getUnit() == x.getUnit();
  return forEachDim(op.getType(), [&](unsigned dim) {
    return sameUnit ? Dim{x.contiguity(dim), x.divisibility(dim), x.constancy(dim)}
                    : Dim{1, x.divisibilityOfRuns(dim, 1), x.constancy(dim)};
  });
}

/// The largest power of two that divides what a list says of a dimension; 1 without a list.
int64_t hinted(std::optional<ArrayRef<int64_t>> list, unsigned dim) {
  return list ? (*list)[dim] & -(*list)[dim] : 1;
}

/// What is known and what is said hold both.
AxisInfo ofHint(HintOp op, const AxisInfo &x) {
  auto block = dyn_cast<RankedTensorType>(op.getType());
  AxisInfo info = forEachDim(op.getType(), [&](unsigned dim) {
    const int64_t extent = block ? block.getDimSize(dim) : 1;
    return Dim{std::max(x.contiguity(dim), std::min(hinted(op.getContiguity(), dim), extent)),
               std::max(x.divisibility(dim), hinted(op.getDivisibility(), dim)),
               std::max(x.constancy(dim), std::min(hinted(op.getConstancy(), dim), extent))};
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

/// The constant that the operation gives, when all its operands are known; so that rules for
/// constants apply to what nobody has folded yet.
std::optional<int64_t> foldedConstant(Operation *op, Type type, Infos operands) {
  SmallVector<int64_t> values;
  for (const AxisInfo &operand : operands) {
    if (!operand.getConstant())
      return std::nullopt;
    values.push_back(*operand.getConstant());
  }
  // In unsigned arithmetic, which wraps.
  auto at = [&](unsigned i) { return static_cast<uint64_t>(values[i]); };
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<SplatOp, ExpandDimsOp, BroadcastOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](auto) { return wrapped(type, values[0]); })
      .Case<arith::AddIOp>([&](auto) { return wrapped(type, at(0) + at(1)); })
      .Case<arith::SubIOp>([&](auto) { return wrapped(type, at(0) - at(1)); })
      .Case<arith::MulIOp>([&](auto) { return wrapped(type, at(0) * at(1)); })
      .Default([](Operation *) { return std::nullopt; });
}

/// An elementwise operation that no rule knows.
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

} // namespace

AxisInfo eft::axisInfoOfResult(OpResult result, Infos operands) {
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
      .Case<arith::OrIOp, arith::XOrIOp, arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp,
            arith::MaxUIOp>([&](auto) { return mixture(type, operands[0], operands[1]); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
            arith::IndexCastUIOp>([&](auto) { return ofWidthChange(op, type, operands[0]); })
      .Case<arith::SelectOp>([&](auto select) { return ofSelect(select, operands); })
      .Case<arith::CmpIOp>([&](auto compare) { return ofComparison(compare, operands); })
      .Default([&](Operation *) { return ofAnyOther(op, type, operands); });
}

AxisInfo eft::axisInfoOfCounter(Type type, const AxisInfo &begin, const AxisInfo &step) {
  return AxisInfo::uniform(type, std::min(begin.divisibilityOfAll(), step.divisibilityOfAll()));
}
