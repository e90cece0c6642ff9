// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interpreter evaluates each operation by its definition, one element at a time.
#include "Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace eft::testing {

unsigned widthOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

std::vector<int64_t> extentsOf(Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? block.getShape().vec() : std::vector<int64_t>{1};
}

uint64_t truncated(uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((uint64_t(1) << width) - 1);
}

int64_t asSigned(uint64_t value, unsigned width) { return llvm::SignExtend64(value, width); }

namespace {

bool compare(arith::CmpIPredicate predicate, uint64_t x, uint64_t y, unsigned width) {
  int64_t sx = asSigned(x, width), sy = asSigned(y, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return x == y;
  case arith::CmpIPredicate::ne:
    return x != y;
  case arith::CmpIPredicate::slt:
    return sx < sy;
  case arith::CmpIPredicate::sle:
    return sx <= sy;
  case arith::CmpIPredicate::sgt:
    return sx > sy;
  case arith::CmpIPredicate::sge:
    return sx >= sy;
  case arith::CmpIPredicate::ult:
    return x < y;
  case arith::CmpIPredicate::ule:
    return x <= y;
  case arith::CmpIPredicate::ugt:
    return x > y;
  case arith::CmpIPredicate::uge:
    return x >= y;
  }
  return false;
}

/// Special cases are as in Eft: x / 0 has all bits set, x % 0 is x, and the least number divided by
/// -1 wraps around. `arith` leaves shifts by the width or more undefined; here they are taken
/// modulo the width.
uint64_t binary(Operation &op, uint64_t x, uint64_t y, unsigned width) {
  const int64_t sx = asSigned(x, width), sy = asSigned(y, width);
  if (isa<arith::AddIOp>(op))
    return x + y;
  if (isa<arith::SubIOp>(op))
    return x - y;
  if (isa<arith::MulIOp>(op))
    return x * y;
  if (isa<arith::AndIOp>(op))
    return x & y;
  if (isa<arith::OrIOp>(op))
    return x | y;
  if (isa<arith::XOrIOp>(op))
    return x ^ y;
  if (isa<arith::MinSIOp>(op))
    return std::min(sx, sy);
  if (isa<arith::MinUIOp>(op))
    return std::min(x, y);
  if (isa<arith::MaxSIOp>(op))
    return std::max(sx, sy);
  if (isa<arith::MaxUIOp>(op))
    return std::max(x, y);
  if (isa<arith::DivUIOp>(op))
    return y == 0 ? ~uint64_t(0) : x / y;
  if (isa<arith::RemUIOp>(op))
    return y == 0 ? x : x % y;
  if (isa<arith::DivSIOp>(op))
    return y == 0 ? -1 : sy == -1 ? uint64_t(0) - x : sx / sy;
  if (isa<arith::RemSIOp>(op))
    return y == 0 ? x : sy == -1 ? 0 : sx % sy;
  if (isa<arith::ShLIOp>(op))
    return x << y % width;
  if (isa<arith::ShRUIOp>(op))
    return x >> y % width;
  if (isa<arith::ShRSIOp>(op))
    return sx >> y % width;
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return compare(comparison.getPredicate(), x, y, width);
  ADD_FAILURE() << "the interpreter lacks " << op.getName().getStringRef().str();
  return 0;
}

/// The elements of the source, in the order of the result of `expand_dims` or `broadcast`.
Elements gathered(Operation &op, const Elements &source) {
  std::vector<int64_t> to = extentsOf(op.getResult(0).getType());
  std::vector<int64_t> from = extentsOf(op.getOperand(0).getType());
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    from.insert(from.begin() + expand.getAxis(), 1);
  Elements result;
  for (int64_t number = 0, all = cast<ShapedType>(op.getResult(0).getType()).getNumElements();
       number < all; ++number) {
    int64_t rest = number, scale = 1, at = 0;
    for (size_t dim = to.size(); dim-- > 0;) {
      at += (from[dim] == 1 ? 0 : rest % to[dim]) * scale;
      scale *= from[dim];
      rest /= to[dim];
    }
    result.push_back(source[at]);
  }
  return result;
}

} // namespace

Elements Interpreter::evaluate(Operation &op) {
  Type type = op.getResult(0).getType();
  const size_t count = isa<ShapedType>(type) ? cast<ShapedType>(type).getNumElements() : 1;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (auto splat = dyn_cast<SplatElementsAttr>(value))
      value = splat.getSplatValue<Attribute>();
    return Elements(count, cast<IntegerAttr>(value).getValue().getZExtValue());
  }
  if (auto arange = dyn_cast<ArangeOp>(op)) {
    Elements result;
    for (size_t i = 0; i < count; ++i)
      result.push_back(arange.getStart() + i);
    return result;
  }
  if (isa<SplatOp>(op))
    return Elements(count, get(op.getOperand(0)).front());
  if (isa<ExpandDimsOp, BroadcastOp>(op))
    return gathered(op, get(op.getOperand(0)));

  const unsigned width = widthOf(op.getOperand(0).getType());
  Elements result;
  for (size_t i = 0; i < count; ++i) {
    auto at = [&](unsigned number) {
      const Elements &operand = get(op.getOperand(number));
      return operand.size() == 1 ? operand.front() : operand[i];
    };
    if (isa<arith::ExtUIOp, arith::TruncIOp>(op))
      result.push_back(at(0));
    else if (isa<arith::ExtSIOp>(op))
      result.push_back(asSigned(at(0), width));
    else if (isa<arith::SelectOp>(op))
      result.push_back(at(0) ? at(1) : at(2));
    else if (auto addPtr = dyn_cast<AddPtrOp>(op)) {
      Type pointee = cast<PointerType>(getElementTypeOrSelf(type)).getPointee();
      int64_t offset = asSigned(at(1), widthOf(addPtr.getOffset().getType()));
      result.push_back(at(0) + uint64_t(offset) * (pointee.getIntOrFloatBitWidth() / 8));
    } else
      result.push_back(binary(op, at(0), at(1), width));
  }
  return result;
}

void Interpreter::run(Block &block) {
  for (Operation &op : block) {
    if (op.getNumResults() == 0)
      continue;
    Elements elements = evaluate(op);
    for (uint64_t &element : elements)
      element = truncated(element, widthOf(op.getResult(0).getType()));
    set(op.getResult(0), std::move(elements));
  }
}

} // namespace eft::testing
