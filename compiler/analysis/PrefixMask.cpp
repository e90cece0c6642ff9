// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prefix masks: finding them, and computing the number of their true elements.
#include "compiler/analysis/PrefixMask.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace eft;
using arith::CmpIPredicate;

std::optional<Below> eft::matchBelow(arith::CmpIOp op) {
  switch (op.getPredicate()) {
  case CmpIPredicate::slt:
  case CmpIPredicate::sle:
  case CmpIPredicate::ult:
  case CmpIPredicate::ule:
    return Below{op.getLhs(), op.getRhs(), op.getPredicate()};
  case CmpIPredicate::sgt:
    return Below{op.getRhs(), op.getLhs(), CmpIPredicate::slt};
  case CmpIPredicate::sge:
    return Below{op.getRhs(), op.getLhs(), CmpIPredicate::sle};
  case CmpIPredicate::ugt:
    return Below{op.getRhs(), op.getLhs(), CmpIPredicate::ult};
  case CmpIPredicate::uge:
    return Below{op.getRhs(), op.getLhs(), CmpIPredicate::ule};
  default:
    return std::nullopt;
  }
}

namespace {

/// The depth to which conjunctions and chains of arithmetic are followed. Kernels don't need more.
/// The bound keeps the walk short where a value is reached along many paths.
constexpr unsigned maxDepth = 12;

/// True if `below.linear` may pass the largest number of its type inside a run of `extent`
/// elements.
bool mayWrapInside(const AxisInfos &infos, const Below &below, unsigned dim, int64_t extent) {
  if (infos.of(below.linear).alignedRun(dim) >= extent)
    return false;
  // An arange never wraps around as a signed number. As an unsigned one, it wraps around only where
  // it passes from −1 to 0.
  auto arange = below.linear.getDefiningOp<ArangeOp>();
  return !(arange && (below.isSigned() || int32_t(arange.getStart()) >= 0));
}

/// The length of the longest runs in each of which the comparison is true up to some element and
/// false from there on.
int64_t runOf(const AxisInfos &infos, const Below &below, unsigned dim) {
  AxisInfo linear = infos.of(below.linear);
  const int64_t run = linear.contiguity(dim);
  return std::min(mayWrapInside(infos, below, dim, run) ? linear.alignedRun(dim) : run,
                  infos.of(below.bound).constancy(dim));
}

int64_t runOf(const AxisInfos &infos, Value mask, unsigned dim, unsigned depth) {
  int64_t same = infos.of(mask).constancy(dim);
  Operation *op = mask.getDefiningOp();
  if (!op || depth == maxDepth)
    return same;
  auto of = [&](Value value) { return runOf(infos, value, dim, depth + 1); };
  // Of two prefixes, one contains the other. So their conjunction and their union are prefixes as
  // well.
  if (isa<arith::AndIOp, arith::OrIOp>(op))
    return std::max(same, std::min(of(op->getOperand(0)), of(op->getOperand(1))));
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return std::max(same, of(broadcast.getSource()));
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    const unsigned axis = expand.getAxis();
    if (dim == axis || infos.of(mask).rank() == 1)
      return same;
    return std::max(same, runOf(infos, expand.getSource(), dim < axis ? dim : dim - 1, depth + 1));
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    if (std::optional<Below> below = matchBelow(compare))
      return std::max(same, runOf(infos, *below, dim));
  return same;
}

LogicalResult collect(const AxisInfos &infos, Value mask, PrefixMask &result, unsigned depth) {
  if (infos.of(mask).constancy(0) >= result.extent && hasScalarOrigin(mask)) {
    result.uniforms.push_back(mask);
    return success();
  }
  Operation *op = mask.getDefiningOp();
  if (!op || depth == maxDepth)
    return failure();
  if (isa<arith::AndIOp>(op))
    return success(succeeded(collect(infos, op->getOperand(0), result, depth + 1)) &&
                   succeeded(collect(infos, op->getOperand(1), result, depth + 1)));
  auto compare = dyn_cast<arith::CmpIOp>(op);
  std::optional<Below> below = compare ? matchBelow(compare) : std::nullopt;
  if (!below || infos.of(below->linear).contiguity(0) < result.extent ||
      infos.of(below->bound).constancy(0) < result.extent || !hasScalarOrigin(below->linear) ||
      !hasScalarOrigin(below->bound))
    return failure();
  result.comparisons.push_back({below->linear, below->bound, below->predicate,
                                mayWrapInside(infos, *below, 0, result.extent)});
  return success();
}

//===--- First elements -----------------------------------------------------------------------===//

/// The first element of a constant block; null for other blocks.
TypedAttr firstElement(Value block) {
  DenseElementsAttr elements;
  if (!matchPattern(block, m_Constant(&elements)) || elements.empty())
    return {};
  return cast<TypedAttr>(*elements.value_begin<Attribute>());
}

bool isPureElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && isPure(op);
}

/// If the value is the result of an element move that keeps the first element first, returns the
/// move's operand, whose first element is the same. Otherwise returns null.
Value sourceOfFirst(Value value) {
  auto move = dyn_cast_if_present<ElementMoveOpInterface>(value.getDefiningOp());
  if (!move || move.getElementMove(cast<OpResult>(value).getResultNumber()).flipped != 0)
    return {};
  return move->getOperand(0);
}

bool hasOrigin(Value value, unsigned depth) {
  if (!isa<RankedTensorType>(value.getType()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth == maxDepth)
    return false;
  if (isa<SplatOp, ArangeOp>(op) || firstElement(value))
    return true;
  if (Value source = sourceOfFirst(value))
    return hasOrigin(source, depth + 1);
  if (!isPureElementwise(op) && !isa<AddPtrOp>(op))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return hasOrigin(operand, depth + 1); });
}

Value makeOrigin(OpBuilder &builder, Value value, DenseMap<Value, Value> &made) {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  if (Value known = made.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  Value origin;
  if (auto splat = dyn_cast<SplatOp>(op)) {
    origin = splat.getSource();
  } else if (auto arange = dyn_cast<ArangeOp>(op)) {
    origin = builder.create<arith::ConstantIntOp>(loc, int32_t(arange.getStart()), 32);
  } else if (TypedAttr first = firstElement(value)) {
    origin = builder.create<arith::ConstantOp>(loc, first);
  } else if (Value source = sourceOfFirst(value)) {
    origin = makeOrigin(builder, source, made);
  } else {
    IRMapping scalars;
    for (Value operand : op->getOperands())
      scalars.map(operand, makeOrigin(builder, operand, made));
    Operation *scalar = op->clone(scalars);
    scalar->getResult(0).setType(getElementTypeOrSelf(value));
    origin = builder.insert(scalar)->getResult(0);
  }
  made[value] = origin;
  return origin;
}

/// Creates code for the number of elements for which the comparison holds, at most `last` + 1. If
/// the comparison fails for the first element, the number is 0. Otherwise it is 1 plus the distance
/// from the first element to the largest number that satisfies the comparison: `bound`, or `bound`
/// − 1 for <. This distance is exact as an unsigned number, so the minimum with `last` is unsigned.
Value makeCount(OpBuilder &builder, Location loc, const PrefixMask::Comparison &part, Value last) {
  Value first = materializeOrigin(builder, part.linear);
  Value bound = materializeOrigin(builder, part.bound);
  Value any = builder.create<arith::CmpIOp>(loc, part.predicate, first, bound);
  Value distance = builder.create<arith::SubIOp>(loc, bound, first);
  const bool isStrict =
      part.predicate == CmpIPredicate::slt || part.predicate == CmpIPredicate::ult;
  Type type = first.getType();
  if (isStrict) {
    Value one = builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(type, 1));
    distance = builder.create<arith::SubIOp>(loc, distance, one);
  }
  Type i64 = builder.getI64Type();
  if (type.getIntOrFloatBitWidth() < 64)
    distance = builder.create<arith::ExtUIOp>(loc, i64, distance);
  Value inside = builder.create<arith::MinUIOp>(loc, distance, last);
  Value one = builder.create<arith::ConstantIntOp>(loc, 1, 64);
  Value zero = builder.create<arith::ConstantIntOp>(loc, 0, 64);
  Value count = builder.create<arith::AddIOp>(loc, inside, one);
  return builder.create<arith::SelectOp>(loc, any, count, zero);
}

} // namespace

int64_t eft::prefixRun(const AxisInfos &infos, Value mask, unsigned dim) {
  return runOf(infos, mask, dim, 0);
}

std::optional<PrefixMask> eft::matchPrefixMask(const AxisInfos &infos, Value mask) {
  auto type = dyn_cast<RankedTensorType>(mask.getType());
  if (!type || type.getRank() != 1 || !type.getElementType().isInteger(1))
    return std::nullopt;
  PrefixMask result;
  result.extent = type.getDimSize(0);
  if (failed(collect(infos, mask, result, 0)))
    return std::nullopt;
  return result;
}

bool eft::hasScalarOrigin(Value block) { return hasOrigin(block, 0); }

Value eft::materializeOrigin(OpBuilder &builder, Value block) {
  DenseMap<Value, Value> made;
  return makeOrigin(builder, block, made);
}

Value eft::materializeTrueCount(OpBuilder &builder, Location loc, const PrefixMask &mask) {
  Value count = builder.create<arith::ConstantIntOp>(loc, mask.extent, 64);
  Value last = builder.create<arith::ConstantIntOp>(loc, mask.extent - 1, 64);
  Value zero = builder.create<arith::ConstantIntOp>(loc, 0, 64);
  for (const PrefixMask::Comparison &part : mask.comparisons)
    count = builder.create<arith::MinUIOp>(loc, count, makeCount(builder, loc, part, last));
  for (Value uniform : mask.uniforms) {
    Value condition = materializeOrigin(builder, uniform);
    count = builder.create<arith::SelectOp>(loc, condition, count, zero);
  }
  return count;
}
