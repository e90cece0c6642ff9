// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares elementary functions with those of the C library in a wider format.
#include "Samples.h"
#include "VectorKernel.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <mutex>

namespace eft::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

KernelText elementwise(const std::string &function, const std::string &type, unsigned operands,
                       unsigned lanes = 16) {
  return {.body = "%r = " + function + (operands == 1 ? " %x : {" : " %x, %y : {") + type + "}",
          .inputs = std::vector<std::string>(operands, type),
          .output = type,
          .passes = "eft-expand-math,eft-expand-narrow-floats",
          .lanes = lanes};
}

/// |got - exact|, in units of the last place of a T with the magnitude of `exact`. Infinity counts
/// as the power of two above the greatest finite T.
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

/// The largest error so far, and its operands.
class Worst {
public:
  void see(double error, double x, double y = 0.0) {
    std::lock_guard lock(mutex);
    if (error > largest)
      largest = error, where[0] = x, where[1] = y;
  }
  void expectBelow(double bound, const std::string &name) {
    std::printf("%-16s at most %.3f ulp, at %a, %a\n", name.c_str(), largest, where[0], where[1]);
    EXPECT_LT(largest, bound) << name << " at " << where[0] << ", " << where[1];
  }

private:
  std::mutex mutex;
  double largest = 0.0, where[2] = {0.0, 0.0};
};

/// A function of one operand: the C library's versions and the bounds of the errors. Operands of
/// f64 are random bits, numbers around 0 and 1, and numbers between `low` and `high`.
struct Unary {
  const char *name;
  double (*of32)(double);
  long double (*of64)(long double);
  double bound32, bound64;
  double low, high;
};

void PrintTo(const Unary &function, std::ostream *out) { *out << function.name; }

template <typename T> T sigmoid(T x) { return 1 / (1 + std::exp(-x)); }
template <typename T> T reciprocalRoot(T x) { return 1 / std::sqrt(x); }

const Unary unaries[] = {
    {"math.exp", std::exp, std::exp, 0.9, 0.9, -760, 720},
    {"math.exp2", std::exp2, std::exp2, 1, 0.9, -1100, 1050},
    {"eft.exp10", exp10, exp10l, 1.1, 1, -330, 310},
    {"math.expm1", std::expm1, std::expm1, 1.7, 1.8, -40, 720},
    {"eft.sigmoid", sigmoid, sigmoid, 2.8, 2.8, -760, 40},
    {"math.log", std::log, std::log, 1.1, 1.3, 0, 1e10},
    {"math.log2", std::log2, std::log2, 2, 1.6, 0, 1e10},
    {"math.log10", std::log10, std::log10, 2, 1.9, 0, 1e10},
    {"math.log1p", std::log1p, std::log1p, 1.9, 1.8, -1, 10},
    {"math.sin", std::sin, std::sin, 0.9, 0.9, -1000, 1000},
    {"math.cos", std::cos, std::cos, 0.9, 0.9, -1000, 1000},
    {"math.tan", std::tan, std::tan, 1.1, 1, -1000, 1000},
    {"math.asin", std::asin, std::asin, 1.3, 1.2, -1, 1},
    {"math.acos", std::acos, std::acos, 1.2, 1.2, -1, 1},
    {"math.atan", std::atan, std::atan, 1.6, 1.6, -100, 100},
    {"math.sinh", std::sinh, std::sinh, 1.7, 1.7, -712, 712},
    {"math.cosh", std::cosh, std::cosh, 1.4, 1.4, -712, 712},
    {"math.tanh", std::tanh, std::tanh, 2, 2.2, -20, 20},
    {"math.asinh", std::asinh, std::asinh, 1.5, 1.7, -100, 100},
    {"math.acosh", std::acosh, std::acosh, 1.4, 1.5, 1, 100},
    {"math.atanh", std::atanh, std::atanh, 1.2, 1.4, -1, 1},
    {"math.erf", std::erf, std::erf, 1.2, 1.2, -6, 6},
    {"eft.erfc", std::erfc, std::erfc, 1.5, 1.4, -6, 28},
    {"math.rsqrt", reciprocalRoot, reciprocalRoot, 1.6, 1.6, 0, 1e10},
    {"math.cbrt", std::cbrt, std::cbrt, 0.6, 0.6, -1e10, 1e10},
};

class UnaryFunction : public testing::TestWithParam<Unary> {};

TEST_P(UnaryFunction, F32IsWithinItsBound) {
  VectorKernel kernel(elementwise(GetParam().name, "f32", 1));
  Worst worst;
  forEachFloat([&](const std::vector<float> &operands) {
    std::vector<float> results = kernel.operator()<float>(operands);
    double error = 0.0;
    size_t where = 0;
    for (size_t i = 0; i < operands.size(); ++i)
      if (double e = ulps<float, double>(results[i], GetParam().of32(operands[i])); e > error)
        error = e, where = i;
    worst.see(error, operands[where]);
  });
  worst.expectBelow(GetParam().bound32, std::string(GetParam().name) + ", f32");
}

TEST_P(UnaryFunction, F64IsWithinItsBound) {
  const Unary &function = GetParam();
  VectorKernel kernel(elementwise(function.name, "f64", 1));
  Worst worst;
  const size_t count = exhaustive ? 1 << 26 : 1 << 17;
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(function.low, function.high), nearOne(0.5, 2.0),
      small(-1.0, 1.0);
  for (size_t done = 0; done < count; done += 1 << 14) {
    std::vector<double> operands;
    for (size_t i = 0; i < 1 << 12; ++i) {
      operands.push_back(uniform(generator));
      operands.push_back(nearOne(generator));
      operands.push_back(small(generator));
      operands.push_back(std::bit_cast<double>(generator()));
    }
    std::vector<double> results = kernel.operator()<double>(operands);
    for (size_t i = 0; i < operands.size(); ++i)
      worst.see(ulps<double, long double>(results[i], function.of64(operands[i])), operands[i]);
  }
  worst.expectBelow(function.bound64, std::string(function.name) + ", f64");
}

/// Operands at the limits of a format, and where functions have special cases.
template <typename T> std::vector<T> specialOperands() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> operands;
  for (T x : {T(0), Limits::denorm_min(), Limits::min(), Limits::epsilon(), T(0.5), T(1), T(2),
              T(3), T(1000), Limits::max(), Limits::infinity(), Limits::quiet_NaN()})
    operands.push_back(x), operands.push_back(-x);
  return operands;
}

/// Expects that zeros and infinities are exact, with the right sign, and that NaN is NaN. All other
/// results must be within `bound` ulp.
template <typename T, typename Wide>
void expectSpecial(T got, Wide exact, double bound, const std::string &what) {
  const T rounded = static_cast<T>(exact);
  if (rounded == 0 || std::isinf(rounded)) {
    EXPECT_EQ(got, rounded) << what;
    EXPECT_EQ(std::signbit(got), std::signbit(rounded)) << what;
  } else {
    EXPECT_LE((ulps<T, Wide>(got, exact)), bound) << what << " is " << got;
  }
}

template <typename T, typename Wide>
void testSpecial(const char *name, const char *type, Wide (*exact)(Wide), double bound) {
  std::vector<T> x = padded(specialOperands<T>());
  std::vector<T> results = VectorKernel(elementwise(name, type, 1)).operator()<T>(x);
  for (size_t i = 0; i < x.size(); ++i)
    expectSpecial<T, Wide>(results[i], exact(x[i]), bound,
                           std::string(name) + " of " + std::to_string(x[i]));
}

TEST_P(UnaryFunction, SpecialOperands) {
  const Unary &function = GetParam();
  testSpecial<float>(function.name, "f32", function.of32, function.bound32);
  testSpecial<double>(function.name, "f64", function.of64, function.bound64);
}

INSTANTIATE_TEST_SUITE_P(, UnaryFunction, testing::ValuesIn(unaries), [](const auto &info) {
  std::string name = info.param.name;
  return name.substr(name.find('.') + 1);
});

/// The code for operands that are known to be at most 0.
class NonPositiveExponential : public testing::TestWithParam<const char *> {};

template <typename T> std::vector<T> negated(std::vector<T> magnitudes) {
  for (T &x : magnitudes)
    x = -std::abs(x);
  return magnitudes;
}

/// Expects the same bits from the code for any operand, from that for -|x|, and from the latter
/// with sums that are clamped.
template <typename T> class BitsOfExponential {
public:
  BitsOfExponential(const std::string &function, const std::string &type)
      : ofAny(elementwise(function, type, 1)),
        ofNonPositive(textOf(function, type, /*saturates=*/false)),
        saturating(textOf(function, type, /*saturates=*/true)) {}

  void expectSame(const std::vector<T> &operands) const {
    std::vector<T> expected = ofAny.template operator()<T>(negated(operands));
    for (const VectorKernel *kernel : {&ofNonPositive, &saturating}) {
      std::vector<T> results = kernel->template operator()<T>(operands);
      for (size_t i = 0; i < operands.size(); ++i) {
        if (std::isnan(expected[i]) && std::isnan(results[i]))
          continue;
        ASSERT_EQ(std::memcmp(&expected[i], &results[i], sizeof(T)), 0)
            << operands[i] << ": " << expected[i] << ", " << results[i];
      }
    }
  }

private:
  static KernelText textOf(const std::string &function, const std::string &type, bool saturates) {
    KernelText text = elementwise(function, type, 1);
    text.body = "%magnitude = math.absf %x : {" + type + "}\n%negated = arith.negf %magnitude : {" +
                type + "}\n%r = " + function + " %negated : {" + type + "}";
    if (saturates)
      text.passes = "eft-expand-math{saturates=true},eft-expand-min-max";
    return text;
  }

  VectorKernel ofAny, ofNonPositive, saturating;
};

TEST_P(NonPositiveExponential, HasTheSameBitsInF32) {
  BitsOfExponential<float> bits(GetParam(), "f32");
  forEachFloat([&](const std::vector<float> &operands) { bits.expectSame(operands); });
  bits.expectSame(padded(specialOperands<float>()));
}

TEST_P(NonPositiveExponential, HasTheSameBitsInF64) {
  BitsOfExponential<double> bits(GetParam(), "f64");
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(0, 1100);
  std::vector<double> operands;
  for (size_t i = 0; i < 1 << 18; ++i)
    operands.push_back(uniform(generator));
  // exp2 has two candidates for m at a half-integer.
  for (double x = 0.5; x < 1100; ++x)
    operands.push_back(x);
  operands = padded(std::move(operands));
  bits.expectSame(operands);
  bits.expectSame(padded(specialOperands<double>()));
}

INSTANTIATE_TEST_SUITE_P(, NonPositiveExponential, testing::Values("math.exp", "math.exp2"),
                         [](const auto &info) { return std::string(info.param).substr(5); });

struct Binary {
  const char *name;
  double (*of32)(double, double);
  long double (*of64)(long double, long double);
  double bound32, bound64;
};

void PrintTo(const Binary &function, std::ostream *out) { *out << function.name; }

const Binary binaries[] = {{"math.powf", std::pow, std::pow, 1, 1.5},
                           {"math.atan2", std::atan2, std::atan2, 1.8, 1.6},
                           {"eft.hypot", std::hypot, std::hypot, 1.1, 1.1}};

class BinaryFunction : public testing::TestWithParam<Binary> {};

/// Tests pairs of ordinary numbers, pairs of any magnitude, and pairs whose power is neither 0 nor
/// infinite.
template <typename T, typename Wide>
void testPairs(const Binary &function, Wide (*exact)(Wide, Wide), const char *type, double bound) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  VectorKernel kernel(elementwise(function.name, type, 2));
  Worst worst;
  const size_t count = exhaustive ? 1 << 26 : 1 << 18;
  const T greatest = std::numeric_limits<T>::max_exponent * T(1.1);
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<T> ordinary(T(-4), T(4)), power(-greatest, greatest);
  for (size_t done = 0; done < count; done += 3 << 12) {
    std::vector<T> x, y;
    for (size_t i = 0; i < 1 << 12; ++i) {
      x.push_back(ordinary(generator)), y.push_back(ordinary(generator));
      x.push_back(std::bit_cast<T>(static_cast<Bits>(generator())));
      y.push_back(std::bit_cast<T>(static_cast<Bits>(generator())));
      T base = std::abs(std::bit_cast<T>(static_cast<Bits>(generator())));
      x.push_back(i % 2 ? base : std::abs(ordinary(generator)));
      y.push_back(power(generator) / std::log2(x.back()));
    }
    std::vector<T> results = kernel.operator()<T>(x, y);
    for (size_t i = 0; i < x.size(); ++i)
      worst.see(ulps<T, Wide>(results[i], exact(x[i], y[i])), x[i], y[i]);
  }
  worst.expectBelow(bound, std::string(function.name) + ", " + type);
}

TEST_P(BinaryFunction, F32IsWithinItsBound) {
  testPairs<float>(GetParam(), GetParam().of32, "f32", GetParam().bound32);
}
TEST_P(BinaryFunction, F64IsWithinItsBound) {
  testPairs<double>(GetParam(), GetParam().of64, "f64", GetParam().bound64);
}

template <typename T, typename Wide>
void testSpecialPairs(const char *name, const char *type, Wide (*exact)(Wide, Wide), double bound) {
  std::vector<T> operands = specialOperands<T>(), x, y;
  for (T a : operands)
    for (T b : operands)
      x.push_back(a), y.push_back(b);
  x = padded(x), y = padded(y);
  std::vector<T> results = VectorKernel(elementwise(name, type, 2)).operator()<T>(x, y);
  for (size_t i = 0; i < x.size(); ++i)
    expectSpecial<T, Wide>(results[i], exact(x[i], y[i]), bound,
                           std::string(name) + " of " + std::to_string(x[i]) + " and " +
                               std::to_string(y[i]));
}

TEST_P(BinaryFunction, SpecialOperands) {
  const Binary &function = GetParam();
  testSpecialPairs<float>(function.name, "f32", function.of32, function.bound32);
  testSpecialPairs<double>(function.name, "f64", function.of64, function.bound64);
}

INSTANTIATE_TEST_SUITE_P(, BinaryFunction, testing::ValuesIn(binaries), [](const auto &info) {
  std::string name = info.param.name;
  return name.substr(name.find('.') + 1);
});

/// Expects exact bits: `cases` has pairs of an operand and its result.
template <typename T>
void expectBits(const std::string &function, const std::string &type,
                const std::vector<std::pair<T, T>> &cases) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::vector<T> operands;
  for (auto [operand, result] : cases)
    operands.push_back(operand);
  std::vector<T> results =
      VectorKernel(elementwise(function, type, 1)).operator()<T>(padded(operands));
  for (size_t i = 0; i < cases.size(); ++i) {
    if (std::isnan(cases[i].second))
      EXPECT_TRUE(std::isnan(results[i])) << function << " of " << operands[i];
    else
      EXPECT_EQ(std::bit_cast<Bits>(results[i]), std::bit_cast<Bits>(cases[i].second))
          << function << " of " << operands[i] << " is " << results[i];
  }
}

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
                     {0x1.62e43p+6f, infinity},    // the least operand whose result overflows
                     {-0x1.9fe368p+6f, 0x1p-149f}, // the least operand with a denormal result
                     {-0x1.9fe36ap+6f, 0.0f}});    // the next operand, whose result rounds to 0
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

/// A function's result must not depend on whether it is computed on scalars or vectors.
TEST(Elementary, ScalarsHaveTheBitsOfVectors) {
  for (const Unary &function : unaries) {
    VectorKernel vectors(elementwise(function.name, "f32", 1));
    VectorKernel scalars(elementwise(function.name, "f32", 1, 1));
    std::vector<uint32_t> bits = randomBits<uint32_t>(1 << 14, 7);
    std::vector<uint32_t> a = vectors.operator()<uint32_t>(bits);
    std::vector<uint32_t> b = scalars.operator()<uint32_t>(bits);
    for (size_t i = 0; i < bits.size(); ++i) {
      bool bothNan =
          std::isnan(std::bit_cast<float>(a[i])) && std::isnan(std::bit_cast<float>(b[i]));
      ASSERT_TRUE(bothNan || a[i] == b[i])
          << function.name << " of " << std::bit_cast<float>(bits[i]);
    }
  }
}

} // namespace
} // namespace eft::test
