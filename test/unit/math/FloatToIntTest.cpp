// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares eft-expand-float-to-int with LLVM's software floats, whose conversion saturates and
// gives 0 for NaN.
#include "Oracle.h"
#include "Samples.h"
#include "VectorKernel.h"

#include <gtest/gtest.h>

namespace eft::test {
namespace {

using llvm::APFloat;

uint64_t saturated(const APFloat &x, unsigned width, bool isSigned) {
  llvm::APSInt result(width, !isSigned);
  bool isExact;
  x.convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return result.getZExtValue();
}

/// Floats around the bounds of every integer type, special floats, and random floats.
template <typename T> std::vector<T> operands() {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> values = {T(0.0), T(-0.0), T(0.5), T(-0.5), infinity, -infinity, nan, -nan};
  for (int exponent = 0; exponent <= 70; ++exponent)
    for (T sign : {T(1), T(-1)})
      for (T offset : {T(-1.5), T(-1), T(-0.5), T(0), T(0.5), T(1)}) {
        T value = sign * std::ldexp(T(1), exponent) + offset;
        values.insert(values.end(),
                      {value, std::nextafter(value, infinity), std::nextafter(value, -infinity)});
      }
  for (Bits bits : randomBits<Bits>(1 << 14, 11))
    values.push_back(std::bit_cast<T>(bits));
  std::mt19937_64 generator(12);
  std::uniform_real_distribution<T> exponents(-2, 66);
  for (unsigned i = 0; i < 1 << 14; ++i)
    values.push_back((i % 2 ? T(-1) : T(1)) * std::exp2(exponents(generator)));
  return padded(values);
}

template <typename Element, typename Result>
void test(const std::string &type, const std::vector<Element> &values, bool isSigned,
          unsigned width, APFloat (*exact)(Element)) {
  const std::string to = "i" + std::to_string(width), from = type;
  const std::string conversion = isSigned ? "arith.fptosi" : "arith.fptoui";
  std::string body = "%r = " + conversion + " %x : {" + from + "} to {" + to + "}";
  std::string stored = to;
  if (width == 1) { // A vector of i1 is packed in memory, so store i8.
    body =
        "%c = " + conversion + " %x : {" + from + "} to {i1}\n%r = arith.extui %c : {i1} to {i8}";
    stored = "i8";
  }
  VectorKernel kernel({.body = body,
                       .inputs = {from},
                       .output = stored,
                       .passes = "eft-expand-float-to-int,eft-expand-narrow-floats,"
                                 "eft-expand-min-max"});
  std::vector<Result> results = kernel.operator()<Result>(values);
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(uint64_t(results[i]), saturated(exact(values[i]), width, isSigned))
        << conversion << " to " << to << " of " << from << " "
        << exact(values[i]).convertToDouble();
}

template <typename Element>
void testAll(const std::string &type, const std::vector<Element> &values,
             APFloat (*exact)(Element)) {
  for (bool isSigned : {true, false}) {
    test<Element, uint8_t>(type, values, isSigned, 1, exact);
    test<Element, uint8_t>(type, values, isSigned, 8, exact);
    test<Element, uint16_t>(type, values, isSigned, 16, exact);
    test<Element, uint32_t>(type, values, isSigned, 32, exact);
    test<Element, uint64_t>(type, values, isSigned, 64, exact);
  }
}

TEST(FloatToInt, FromF32) {
  testAll<float>("f32", operands<float>(), [](float x) { return APFloat(x); });
}
TEST(FloatToInt, FromF64) {
  testAll<double>("f64", operands<double>(), [](double x) { return APFloat(x); });
}
TEST(FloatToInt, FromEveryF16) {
  testAll<uint16_t>("f16", all16(), [](uint16_t x) { return toAPFloat(f16, x); });
}
TEST(FloatToInt, FromEveryBf16) {
  testAll<uint16_t>("bf16", all16(), [](uint16_t x) { return toAPFloat(bf16, x); });
}

} // namespace
} // namespace eft::test
