// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exp and log against the C library's functions in a wider format.
#include "Samples.h"
#include "VectorKernel.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <mutex>

namespace eft::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

KernelText unary(const std::string &function, const std::string &type, unsigned lanes = 16) {
  return {.body = "%r = " + function + " %x : {" + type + "}",
          .inputs = {type},
          .output = type,
          .passes = "eft-expand-math,eft-expand-narrow-floats",
          .lanes = lanes};
}

/// |got - exact| in units of the last place that a T as great as `exact` has. Infinity counts as
/// the power of two that follows the greatest finite T.
template <typename T, typename Wide> double ulps(T got, Wide exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(got) || std::isnan(exact))
    return std::isnan(got) && std::isnan(exact) ? 0.0 : HUGE_VAL;
  const Wide above = std::ldexp(Wide(1), Limits::max_exponent);
  auto finite = [&](Wide x) { return std::min(std::max(x, -above), above); };
  exact = finite(exact);
  int exponent;
  (void)std::frexp(exact, &exponent);
  exponent = std::max(exponent, Limits::min_exponent);
  Wide unit = std::ldexp(Wide(1), std::min(exponent, Limits::max_exponent) - Limits::digits);
  return static_cast<double>(std::abs(finite(got) - exact) / unit);
}

/// The largest error seen, and where.
class Worst {
public:
  void see(double error, double operand) {
    std::lock_guard lock(mutex);
    if (error > largest)
      largest = error, where = operand;
  }
  void expectBelow(double bound, const char *name) {
    std::printf("%s: at most %.3f ulp, at %a\n", name, largest, where);
    EXPECT_LT(largest, bound) << name << " at " << where;
  }

private:
  std::mutex mutex;
  double largest = 0.0, where = 0.0;
};

template <typename Wide, typename T>
void seeAll(Worst &worst, const std::vector<T> &operands, const std::vector<T> &results,
            Wide (*function)(Wide)) {
  double error = 0.0;
  size_t where = 0;
  for (size_t i = 0; i < operands.size(); ++i)
    if (double e = ulps<T, Wide>(results[i], function(operands[i])); e > error)
      error = e, where = i;
  worst.see(error, operands[where]);
}

void testF32(const std::string &name, double (*function)(double), double bound) {
  VectorKernel kernel(unary("math." + name, "f32"));
  Worst worst;
  forEachFloat([&](const std::vector<float> &operands) {
    seeAll<double>(worst, operands, kernel.operator()<float>(operands), function);
  });
  worst.expectBelow(bound, (name + ", f32").c_str());
}

void testF64(const std::string &name, long double (*function)(long double), double low, double high,
             double bound) {
  VectorKernel kernel(unary("math." + name, "f64"));
  Worst worst;
  const size_t count = exhaustive ? 1 << 26 : 1 << 19;
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(low, high), nearOne(0.5, 2.0), small(-1.0, 1.0);
  for (size_t done = 0; done < count; done += 1 << 14) {
    std::vector<double> operands;
    for (size_t i = 0; i < 1 << 12; ++i) {
      operands.push_back(uniform(generator));
      operands.push_back(nearOne(generator));
      operands.push_back(small(generator));
      operands.push_back(std::bit_cast<double>(generator()));
    }
    seeAll<long double>(worst, operands, kernel.operator()<double>(operands), function);
  }
  worst.expectBelow(bound, (name + ", f64").c_str());
}

/// Operands and the exact bits of the results.
template <typename T>
void expectBits(const std::string &function, const std::string &type,
                const std::vector<std::pair<T, T>> &cases) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::vector<T> operands;
  for (auto [operand, result] : cases)
    operands.push_back(operand);
  std::vector<T> results = VectorKernel(unary(function, type)).operator()<T>(padded(operands));
  for (size_t i = 0; i < cases.size(); ++i) {
    if (std::isnan(cases[i].second))
      EXPECT_TRUE(std::isnan(results[i])) << function << " of " << operands[i];
    else
      EXPECT_EQ(std::bit_cast<Bits>(results[i]), std::bit_cast<Bits>(cases[i].second))
          << function << " of " << operands[i] << " is " << results[i];
  }
}

TEST(Exp, F32IsWithinItsBound) { testF32("exp", std::exp, 1.7); }
TEST(Exp, F64IsWithinItsBound) { testF64("exp", std::exp, -760.0, 720.0, 1.5); }
TEST(Log, F32IsWithinItsBound) { testF32("log", std::log, 1.1); }
TEST(Log, F64IsWithinItsBound) { testF64("log", std::log, 0.0, 1e10, 1.3); }

TEST(Exp, EdgesOfF32) {
  expectBits<float>("math.exp", "f32",
                    {{0.0f, 1.0f},
                     {-0.0f, 1.0f},
                     {0x1p-149f, 1.0f},
                     {-0x1p-126f, 1.0f},
                     {infinity, infinity},
                     {-infinity, 0.0f},
                     {notANumber, notANumber},
                     {-notANumber, notANumber},
                     {3e38f, infinity},
                     {-3e38f, 0.0f},
                     {0x1.62e43p+6f, infinity},    // the least whose result overflows
                     {-0x1.9fe368p+6f, 0x1p-149f}, // the greatest denormals
                     {-0x1.9fe36ap+6f, 0.0f}});    // and the first that rounds to 0
}

TEST(Exp, EdgesOfF64) {
  const double inf = infinity, nan = notANumber;
  expectBits<double>("math.exp", "f64",
                     {{0.0, 1.0},
                      {-0.0, 1.0},
                      {inf, inf},
                      {-inf, 0.0},
                      {nan, nan},
                      {1e308, inf},
                      {-1e308, 0.0},
                      {0x1.62e42fefa39fp+9, inf},
                      {-0x1.74910d52d3051p+9, 0x1p-1074},
                      {-0x1.74910d52d3052p+9, 0.0}});
}

TEST(Log, EdgesOfF32) {
  expectBits<float>("math.log", "f32",
                    {{1.0f, 0.0f},
                     {0.0f, -infinity},
                     {-0.0f, -infinity},
                     {-0x1p-149f, notANumber},
                     {-1.0f, notANumber},
                     {-infinity, notANumber},
                     {infinity, infinity},
                     {notANumber, notANumber},
                     {0x1p-149f, -0x1.9d1dap+6f},
                     {0x1.fffffep+127f, 0x1.62e43p+6f}});
}

TEST(Log, EdgesOfF64) {
  const double inf = infinity, nan = notANumber;
  expectBits<double>("math.log", "f64",
                     {{1.0, 0.0},
                      {0.0, -inf},
                      {-0.0, -inf},
                      {-0x1p-1074, nan},
                      {-1.0, nan},
                      {-inf, nan},
                      {inf, inf},
                      {nan, nan},
                      {0x1p-1074, -0x1.74385446d71c3p+9},
                      {0x1.fffffffffffffp+1023, 0x1.62e42fefa39efp+9}});
}

/// What a kernel computes for one number must not depend on whether it computes one or many.
TEST(Elementary, ScalarsHaveTheBitsOfVectors) {
  for (const char *function : {"math.exp", "math.log"}) {
    VectorKernel vectors(unary(function, "f32")), scalars(unary(function, "f32", 1));
    std::vector<uint32_t> bits = randomBits<uint32_t>(1 << 16, 7);
    std::vector<uint32_t> a = vectors.operator()<uint32_t>(bits);
    std::vector<uint32_t> b = scalars.operator()<uint32_t>(bits);
    for (size_t i = 0; i < bits.size(); ++i) {
      bool bothNan =
          std::isnan(std::bit_cast<float>(a[i])) && std::isnan(std::bit_cast<float>(b[i]));
      ASSERT_TRUE(bothNan || a[i] == b[i]) << function << " of " << std::bit_cast<float>(bits[i]);
    }
  }
}

} // namespace
} // namespace eft::test
