// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the four minima and maxima as a CPU runs them, after eft-expand-min-max. -0 is less than
// +0. If an operand is NaN, arith.minimumf and maximumf give NaN, and eft.min_num and max_num the
// other operand.
#include "Samples.h"
#include "VectorKernel.h"

#include <gtest/gtest.h>

namespace eft::test {
namespace {

template <typename T> T expected(std::string_view name, T a, T b) {
  if (std::isnan(a) || std::isnan(b)) {
    if (name.starts_with("arith."))
      return std::numeric_limits<T>::quiet_NaN();
    return std::isnan(a) ? b : a;
  }
  bool isLess = a == b ? std::signbit(a) && !std::signbit(b) : a < b;
  return isLess == (name.find(".min") != name.npos) ? a : b;
}

template <typename T> std::vector<T> numbers() {
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T denormal = std::numeric_limits<T>::denorm_min();
  return {T(0.0), T(-0.0), T(1),     T(-1),     T(1.5),    T(-1.5), infinity, -infinity,
          nan,    -nan,    denormal, -denormal, T(0x1p90), T(3),    T(-3),    T(0.5)};
}

template <typename T> void expectSame(T got, T wanted, const std::string &what) {
  if (std::isnan(wanted))
    EXPECT_TRUE(std::isnan(got)) << what << " gives " << got;
  else
    EXPECT_TRUE(got == wanted && std::signbit(got) == std::signbit(wanted))
        << what << " gives " << got << ", not " << wanted;
}

const char *const names[] = {"arith.minimumf", "arith.maximumf", "eft.min_num", "eft.max_num"};

template <typename T> void testPairs(const std::string &type, unsigned lanes) {
  std::vector<T> lefts, rights;
  for (T a : numbers<T>())
    for (T b : numbers<T>())
      lefts.push_back(a), rights.push_back(b);
  for (const std::string name : names) {
    VectorKernel kernel({.body = "%r = " + name + " %x, %y : {" + type + "}",
                         .inputs = {type, type},
                         .output = type,
                         .passes = "eft-expand-min-max",
                         .lanes = lanes});
    std::vector<T> results = kernel.template operator()<T>(lefts, rights);
    for (size_t i = 0; i < lefts.size(); ++i)
      expectSame(results[i], expected(name, lefts[i], rights[i]),
                 name + " of " + std::to_string(lefts[i]) + ", " + std::to_string(rights[i]));
  }
}

/// Tests constants as first or second operand, for which the pass emits shorter code.
void testConstants(unsigned lanes) {
  const std::pair<const char *, float> constants[] = {
      {"0.0", 0.0f},
      {"-0.0", -0.0f},
      {"1.0", 1.0f},
      {"-1.5", -1.5f},
      {"0x7F800000", HUGE_VALF},
      {"0x7FC00000", std::numeric_limits<float>::quiet_NaN()}};
  const std::vector<float> operands = numbers<float>();
  for (const std::string name : names)
    for (auto [text, constant] : constants)
      for (bool constantFirst : {true, false}) {
        std::string value = lanes == 1 ? text : "dense<" + std::string(text) + ">";
        std::string arguments = constantFirst ? "%c, %x" : "%x, %c";
        VectorKernel kernel({.body = "%c = arith.constant " + value + " : {f32}\n%r = " + name +
                                     " " + arguments + " : {f32}",
                             .inputs = {"f32"},
                             .output = "f32",
                             .passes = "eft-expand-min-max",
                             .lanes = lanes});
        std::vector<float> results = kernel.operator()<float>(operands);
        for (size_t i = 0; i < operands.size(); ++i)
          expectSame(results[i], expected(name, operands[i], constant),
                     name + " of " + arguments + " for " + std::to_string(operands[i]) + ", " +
                         text);
      }
}

TEST(MinMax, PairsOfF32) { testPairs<float>("f32", 16); }
TEST(MinMax, PairsOfF64) { testPairs<double>("f64", 8); }
TEST(MinMax, PairsOfScalars) { testPairs<float>("f32", 1); }
TEST(MinMax, Constants) { testConstants(16); }
TEST(MinMax, ScalarConstants) { testConstants(1); }

} // namespace
} // namespace eft::test
