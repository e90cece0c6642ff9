// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators of Number, which create arith and math ops.
#include "compiler/transforms/math/Number.h"

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace eft {
namespace {

template <typename Op, typename... Arguments> Number make(Number like, Arguments &&...arguments) {
  ImplicitLocOpBuilder &builder = like.getBuilder();
  return Number(builder, builder.create<Op>(std::forward<Arguments>(arguments)...));
}

template <typename Op> Number convert(Number a, Type element) {
  return make<Op>(a, a.shapeOf(element), Value(a));
}

template <typename FloatOp, typename IntegerOp> Number arithmetic(Number a, Number b) {
  return a.isFloat() ? make<FloatOp>(a, Value(a), Value(b))
                     : make<IntegerOp>(a, Value(a), Value(b));
}

Number compare(Number a, Number b, arith::CmpFPredicate floats, arith::CmpIPredicate integers) {
  return a.isFloat() ? make<arith::CmpFOp>(a, floats, Value(a), Value(b))
                     : make<arith::CmpIOp>(a, integers, Value(a), Value(b));
}

/// A constant of `type`, every element of which is `element`.
Number splatConstant(ImplicitLocOpBuilder &builder, Type type, TypedAttr element) {
  TypedAttr attribute = element;
  if (auto shaped = dyn_cast<ShapedType>(type))
    attribute = DenseElementsAttr::get(shaped, element);
  return Number(builder, builder.create<arith::ConstantOp>(attribute));
}

} // namespace

Type Number::shapeOf(Type element) const {
  if (auto shaped = dyn_cast<ShapedType>(getType()))
    return shaped.clone(element);
  return element;
}

Number Number::floatConstant(double constant) const {
  return splatConstant(*builder, getType(), FloatAttr::get(getElementType(), constant));
}

Number Number::bitsConstant(uint64_t constant) const {
  APInt wrapped = APInt(64, constant).trunc(getWidth());
  return splatConstant(*builder, getType(), IntegerAttr::get(getElementType(), wrapped));
}

Number Number::infinity(bool negative) const {
  const llvm::fltSemantics &semantics = cast<FloatType>(getElementType()).getFloatSemantics();
  return splatConstant(*builder, getType(),
                       FloatAttr::get(getElementType(), APFloat::getInf(semantics, negative)));
}

Number Number::nan() const {
  const llvm::fltSemantics &semantics = cast<FloatType>(getElementType()).getFloatSemantics();
  return splatConstant(*builder, getType(),
                       FloatAttr::get(getElementType(), APFloat::getQNaN(semantics)));
}

Number Number::bits() const {
  return convert<arith::BitcastOp>(*this, builder->getIntegerType(getWidth()));
}
Number Number::bitsAs(FloatType type) const { return convert<arith::BitcastOp>(*this, type); }
Number Number::extendFloat(FloatType type) const { return convert<arith::ExtFOp>(*this, type); }
Number Number::truncateFloat(FloatType type) const { return convert<arith::TruncFOp>(*this, type); }
Number Number::extendUnsigned(unsigned width) const {
  return convert<arith::ExtUIOp>(*this, builder->getIntegerType(width));
}
Number Number::truncate(unsigned width) const {
  return convert<arith::TruncIOp>(*this, builder->getIntegerType(width));
}
Number Number::signedToFloat(FloatType type) const { return convert<arith::SIToFPOp>(*this, type); }
Number Number::unsignedToFloat(FloatType type) const {
  return convert<arith::UIToFPOp>(*this, type);
}
Number Number::toSigned(unsigned width) const {
  return convert<arith::FPToSIOp>(*this, builder->getIntegerType(width));
}
Number Number::toUnsigned(unsigned width) const {
  return convert<arith::FPToUIOp>(*this, builder->getIntegerType(width));
}

Number operator+(Number a, Number b) { return arithmetic<arith::AddFOp, arith::AddIOp>(a, b); }
Number operator-(Number a, Number b) { return arithmetic<arith::SubFOp, arith::SubIOp>(a, b); }
Number operator*(Number a, Number b) { return arithmetic<arith::MulFOp, arith::MulIOp>(a, b); }
Number operator/(Number a, Number b) { return arithmetic<arith::DivFOp, arith::DivSIOp>(a, b); }
Number operator-(Number a) {
  return a.isFloat() ? make<arith::NegFOp>(a, Value(a)) : a.constant(0) - a;
}
Number operator&(Number a, Number b) { return make<arith::AndIOp>(a, Value(a), Value(b)); }
Number operator|(Number a, Number b) { return make<arith::OrIOp>(a, Value(a), Value(b)); }
Number operator^(Number a, Number b) { return make<arith::XOrIOp>(a, Value(a), Value(b)); }
Number operator<<(Number a, Number count) { return make<arith::ShLIOp>(a, Value(a), Value(count)); }
Number operator>>(Number a, Number count) {
  return make<arith::ShRUIOp>(a, Value(a), Value(count));
}

Number shiftRightSigned(Number a, unsigned count) {
  return make<arith::ShRSIOp>(a, Value(a), Value(a.constant(count)));
}

Number operator<(Number a, Number b) {
  return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
Number operator<=(Number a, Number b) {
  return compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}
Number operator>(Number a, Number b) {
  return compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
}
Number operator>=(Number a, Number b) {
  return compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge);
}
Number operator==(Number a, Number b) {
  return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Number operator!=(Number a, Number b) {
  return compare(a, b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne);
}
Number lessUnsigned(Number a, Number b) {
  return make<arith::CmpIOp>(a, arith::CmpIPredicate::ult, Value(a), Value(b));
}
Number isNan(Number a) {
  return make<arith::CmpFOp>(a, arith::CmpFPredicate::UNO, Value(a), Value(a));
}

Number select(Number condition, Number a, Number b) {
  return make<arith::SelectOp>(a, Value(condition), Value(a), Value(b));
}
Number fma(Number a, Number b, Number c) {
  return make<math::FmaOp>(a, Value(a), Value(b), Value(c));
}
Number abs(Number a) { return make<math::AbsFOp>(a, Value(a)); }
Number sqrt(Number a) { return make<math::SqrtOp>(a, Value(a)); }
Number truncate(Number a) { return make<math::TruncOp>(a, Value(a)); }
Number minimum(Number a, Number b) { return make<arith::MinimumFOp>(a, Value(a), Value(b)); }
Number maximum(Number a, Number b) { return make<arith::MaximumFOp>(a, Value(a), Value(b)); }
Number minimumNumber(Number a, Number b) { return make<MinNumOp>(a, Value(a), Value(b)); }
Number maximumNumber(Number a, Number b) { return make<MaxNumOp>(a, Value(a), Value(b)); }

Number plainQuotient(Number a, Number b) {
  Number quotient = a / b;
  Value(quotient).getDefiningOp()->setAttr(EftDialect::plainQuotientName,
                                           UnitAttr::get(Value(a).getContext()));
  return quotient;
}

// A bound is one instruction, except for f64 on a GPU. On a CPU the instruction is maxps or a
// similar one, which returns its second operand if that is NaN. LLVM uses it for the maximum or
// minimum as well as for the comparison and select, because the bounds are neither NaN nor zero. A
// GPU's instruction for f32 can return NaN for NaN. Its instruction for f64 cannot, so f64 uses a
// comparison and a select.
Number atLeast(Number x, double low) {
  return x.getElementType().isF32() ? maximum(x, x.constant(low)) : select(x < low, low, x);
}

Number atMost(Number x, double high) {
  return x.getElementType().isF32() ? minimum(x, x.constant(high)) : select(x > high, high, x);
}

Number clamp(Number x, double low, double high) { return atMost(atLeast(x, low), high); }

Number polynomial(Number x, ArrayRef<double> coefficients) {
  Number sum = x.constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}

} // namespace eft
