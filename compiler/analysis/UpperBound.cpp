// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/UpperBound.h"

#include "compiler/ir/EftDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace eft;

MaxPrograms eft::maxProgramsAt(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto extents =
      module ? module->getAttrOfType<DenseI64ArrayAttr>(EftDialect::maxProgramsName) : nullptr;
  MaxPrograms result = maxProgramsOfAll;
  if (extents)
    llvm::copy(extents.asArrayRef(), result.begin());
  return result;
}

std::optional<int64_t> UpperBound::at(const MaxPrograms &programs) const {
  if (isNone())
    return std::nullopt;
  int64_t sum = rest;
  for (auto [factor, number] : llvm::zip_equal(perProgram, programs)) {
    int64_t product = 0;
    if (llvm::MulOverflow(factor, number, product) || llvm::AddOverflow(sum, product, sum))
      return std::nullopt;
  }
  return sum;
}

/// Applies a function to the coefficients of two bounds. It returns nothing if a result is too
/// large; then there is no bound.
template <typename Function>
static UpperBound combine(const UpperBound &left, const UpperBound &right, Function function) {
  if (left.isNone() || right.isNone())
    return UpperBound::none();
  UpperBound result;
  std::optional<int64_t> rest = function(left.rest, right.rest);
  for (unsigned axis = 0; rest && axis < result.perProgram.size(); ++axis) {
    std::optional<int64_t> factor = function(left.perProgram[axis], right.perProgram[axis]);
    if (!factor)
      return UpperBound::none();
    result.perProgram[axis] = *factor;
  }
  result.rest = rest.value_or(INT64_MAX);
  return result;
}

UpperBound eft::operator+(const UpperBound &left, const UpperBound &right) {
  return combine(left, right, [](int64_t x, int64_t y) -> std::optional<int64_t> {
    int64_t sum = 0;
    return llvm::AddOverflow(x, y, sum) ? std::nullopt : std::optional(sum);
  });
}

UpperBound eft::operator*(const UpperBound &bound, int64_t factor) {
  return combine(bound, bound, [&](int64_t x, int64_t) -> std::optional<int64_t> {
    int64_t product = 0;
    return llvm::MulOverflow(x, factor, product) ? std::nullopt : std::optional(product);
  });
}

UpperBound eft::operator/(const UpperBound &bound, int64_t divisor) {
  // Each coefficient is rounded up, so the sum is not smaller than the quotient of the sum.
  return combine(bound, bound, [&](int64_t x, int64_t) -> std::optional<int64_t> {
    return x > 0 ? (x - 1) / divisor + 1 : x / divisor;
  });
}

UpperBound eft::maximum(const UpperBound &left, const UpperBound &right) {
  return combine(left, right,
                 [](int64_t x, int64_t y) -> std::optional<int64_t> { return std::max(x, y); });
}

llvm::raw_ostream &eft::operator<<(llvm::raw_ostream &os, const UpperBound &bound) {
  if (bound.isNone())
    return os << "none";
  bool isFirst = true;
  for (auto [factor, axis] : llvm::zip_equal(bound.perProgram, StringRef("XYZ"))) {
    if (factor == 0)
      continue;
    os << (isFirst ? "" : " + ") << factor << " " << axis;
    isFirst = false;
  }
  if (isFirst)
    return os << bound.rest;
  if (bound.rest == 0)
    return os;
  return os << (bound.rest < 0 ? " - " : " + ") << std::abs(bound.rest);
}
