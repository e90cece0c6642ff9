// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares eft-expand-narrow-floats with LLVM's software floats, for a CPU without any operations
// on f16 and bf16.
#include "Oracle.h"
#include "Samples.h"
#include "VectorKernel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <functional>

namespace eft::test {
namespace {

using llvm::APFloat;
constexpr auto nearestEven = APFloat::rmNearestTiesToEven;

std::string hex(uint64_t bits) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(bits));
  return text;
}

struct Target {
  const Format *format;
  std::string name, options; // `options` are those of the pass
};

class NarrowFloats : public testing::TestWithParam<Target> {
protected:
  const Format &format() const { return *GetParam().format; }

  /// Compiles the lines of `body`, in which {T} is the type of the format.
  VectorKernel compile(std::string body, std::vector<std::string> inputs,
                       std::string output) const {
    for (size_t at; (at = body.find("{T}")) != std::string::npos;)
      body.replace(at, 3, "{" + format().name + "}");
    for (std::string &input : inputs)
      input = input == "T" ? format().name : input;
    return VectorKernel({.body = body,
                         .inputs = inputs,
                         .output = output == "T" ? format().name : output,
                         .passes = "eft-expand-math,eft-expand-narrow-floats" + GetParam().options +
                                   ",eft-expand-min-max"});
  }

  /// Expects equal numbers. Calls `what` for a failure's message.
  void expectAgree(uint16_t got, uint16_t wanted, llvm::function_ref<std::string()> what) const {
    if (!agree(format(), got, wanted))
      FAIL() << what() << " gives " << hex(got) << ", not " << hex(wanted);
  }
};

using Binary = std::function<APFloat(APFloat, const APFloat &)>;

const std::pair<const char *, Binary> binaries[] = {
    {"arith.addf", [](APFloat a, const APFloat &b) { return a.add(b, nearestEven), a; }},
    {"arith.subf", [](APFloat a, const APFloat &b) { return a.subtract(b, nearestEven), a; }},
    {"arith.mulf", [](APFloat a, const APFloat &b) { return a.multiply(b, nearestEven), a; }},
    {"arith.divf", [](APFloat a, const APFloat &b) { return a.divide(b, nearestEven), a; }},
    {"arith.remf", [](APFloat a, const APFloat &b) { return a.mod(b), a; }},
    {"arith.minimumf", [](APFloat a, const APFloat &b) { return llvm::minimum(a, b); }},
    {"arith.maximumf", [](APFloat a, const APFloat &b) { return llvm::maximum(a, b); }},
    {"eft.min_num", [](APFloat a, const APFloat &b) { return llvm::minnum(a, b); }},
    {"eft.max_num", [](APFloat a, const APFloat &b) { return llvm::maxnum(a, b); }},
};

/// Pairs each number of the format with some others: limits, random numbers, and numbers of similar
/// magnitude.
std::pair<std::vector<uint16_t>, std::vector<uint16_t>> pairs(const Format &format) {
  const uint16_t one = roundTo(format, APFloat(1.0)), infinity = roundTo(format, APFloat(HUGE_VAL));
  const uint16_t edges[] = {0,
                            0x8000,
                            1,
                            0x8001,
                            one,
                            uint16_t(one + 1),
                            infinity,
                            uint16_t(infinity | 0x8000),
                            uint16_t(infinity - 1),
                            0x7FFF};
  std::vector<uint16_t> random = randomBits<uint16_t>(1 << 18, 3), lefts, rights;
  for (uint16_t left : all16()) {
    for (uint16_t edge : edges)
      lefts.push_back(left), rights.push_back(edge);
    for (unsigned i = 0; i < 4; ++i)
      lefts.push_back(left), rights.push_back(random[4 * left + i]);
    // The magnitudes are similar, so that sums cancel.
    for (unsigned i = 0; i < 2; ++i)
      lefts.push_back(left), rights.push_back(left ^ (random[4 * left + i] & 0x81FF));
  }
  return {padded(lefts), padded(rights)};
}

TEST_P(NarrowFloats, OperationsOnTwoNumbers) {
  auto [lefts, rights] = pairs(format());
  for (const auto &[name, operation] : binaries) {
    VectorKernel kernel = compile(std::string("%r = ") + name + " %x, %y : {T}", {"T", "T"}, "T");
    std::vector<uint16_t> results = kernel.operator()<uint16_t>(lefts, rights);
    for (size_t i = 0; i < lefts.size(); ++i) {
      APFloat wanted = operation(toAPFloat(format(), lefts[i]), toAPFloat(format(), rights[i]));
      expectAgree(results[i], roundTo(format(), wanted), [&] {
        return std::string(name) + " of " + hex(lefts[i]) + ", " + hex(rights[i]);
      });
      if (HasFatalFailure())
        return;
    }
  }
}

TEST_P(NarrowFloats, OperationsOnOneNumber) {
  const std::vector<uint16_t> operands = all16();
  auto negated = compile("%r = arith.negf %x : {T}", {"T"}, "T").operator()<uint16_t>(operands);
  auto magnitude = compile("%r = math.absf %x : {T}", {"T"}, "T").operator()<uint16_t>(operands);
  auto roots = compile("%r = math.sqrt %x : {T}", {"T"}, "T").operator()<uint16_t>(operands);
  auto wide =
      compile("%r = arith.extf %x : {T} to {f32}", {"T"}, "f32").operator()<float>(operands);
  auto wider =
      compile("%r = arith.extf %x : {T} to {f64}", {"T"}, "f64").operator()<double>(operands);
  for (uint16_t x : operands) {
    expectAgree(negated[x], x ^ 0x8000, [&] { return "the negation of " + hex(x); });
    expectAgree(magnitude[x], x & 0x7FFF, [&] { return "the magnitude of " + hex(x); });
    APFloat exact = toAPFloat(format(), x);
    expectAgree(roots[x], roundTo(format(), APFloat(std::sqrt(exact.convertToDouble()))),
                [&] { return "the root of " + hex(x); });
    expectAgree(roundTo(format(), APFloat(wide[x])), x, [&] { return "f32 of " + hex(x); });
    expectAgree(roundTo(format(), APFloat(wider[x])), x, [&] { return "f64 of " + hex(x); });
    ASSERT_TRUE(exact.isNaN() || (wide[x] == exact.convertToFloat() && wider[x] == wide[x]));
    if (HasFatalFailure())
      return;
  }
}

/// Elementary functions are computed in f32, so almost all of the error is from the final rounding.
TEST_P(NarrowFloats, ElementaryFunctions) {
  const int fraction = format().name == "f16" ? 10 : 7,
            leastExponent = format().name == "f16" ? -14 : -126;
  const std::pair<const char *, double (*)(double)> functions[] = {{"math.exp", std::exp},
                                                                   {"math.log", std::log}};
  for (auto [name, function] : functions) {
    auto kernel = compile(std::string("%r = ") + name + " %x : {T}", {"T"}, "T");
    std::vector<uint16_t> results = kernel.operator()<uint16_t>(all16());
    for (uint16_t x : all16()) {
      double exact = function(toAPFloat(format(), x).convertToDouble());
      uint16_t rounded = roundTo(format(), APFloat(exact));
      if (agree(format(), results[x], rounded))
        continue;
      double error = std::abs(toAPFloat(format(), results[x]).convertToDouble() - exact);
      double unit = std::ldexp(1.0, std::max(std::ilogb(exact), leastExponent) - fraction);
      ASSERT_LT(error / unit, 0.501) << name << " of " << hex(x);
    }
  }
}

TEST_P(NarrowFloats, Comparisons) {
  auto [lefts, rights] = pairs(format());
  for (const char *predicate :
       {"olt", "ole", "oeq", "ogt", "oge", "one", "ord", "ult", "une", "uno"}) {
    std::string body = std::string("%c = arith.cmpf ") + predicate + ", %x, %y : {T}\n" +
                       "%r = arith.extui %c : {i1} to {i8}";
    auto results = compile(body, {"T", "T"}, "i8").operator()<uint8_t>(lefts, rights);
    for (size_t i = 0; i < lefts.size(); ++i) {
      auto order = toAPFloat(format(), lefts[i]).compare(toAPFloat(format(), rights[i]));
      bool less = order == APFloat::cmpLessThan, greater = order == APFloat::cmpGreaterThan;
      bool equal = order == APFloat::cmpEqual, unordered = order == APFloat::cmpUnordered;
      std::string_view p = predicate;
      bool wanted = p == "olt"   ? less
                    : p == "ole" ? less || equal
                    : p == "oeq" ? equal
                    : p == "ogt" ? greater
                    : p == "oge" ? greater || equal
                    : p == "one" ? less || greater
                    : p == "ord" ? !unordered
                    : p == "ult" ? less || unordered
                    : p == "une" ? !equal
                                 : unordered;
      ASSERT_EQ(results[i], wanted)
          << predicate << " of " << hex(lefts[i]) << ", " << hex(rights[i]);
    }
  }
}

/// Also tests products in the middle between two numbers of the format, plus an operand so small
/// that f64 drops it. There a second rounding would show.
TEST_P(NarrowFloats, FusedMultiplyAdd) {
  const unsigned fraction = format().name == "f16" ? 10 : 7;
  const uint16_t one = roundTo(format(), APFloat(1.0));
  std::vector<uint16_t> a = randomBits<uint16_t>(1 << 18, 4), b = randomBits<uint16_t>(1 << 18, 5),
                        c = randomBits<uint16_t>(1 << 18, 6);
  // (1 + 2^-i) * (1 + 2^-j) with i + j = fraction + 1 is such a product.
  for (uint16_t tiny : randomBits<uint16_t>(1 << 14, 7))
    for (unsigned i = 1; i < fraction; ++i) {
      a.push_back(one | (1 << (fraction - i)));
      b.push_back(one | (1 << (i - 1)));
      c.push_back(tiny);
    }
  a = padded(a), b = padded(b), c = padded(c);
  VectorKernel kernel = compile("%r = math.fma %x, %y, %z : {T}", {"T", "T", "T"}, "T");
  std::vector<uint16_t> results = kernel.operator()<uint16_t>(a, b, c);
  for (size_t i = 0; i < a.size(); ++i) {
    APFloat wanted = toAPFloat(format(), a[i]);
    wanted.fusedMultiplyAdd(toAPFloat(format(), b[i]), toAPFloat(format(), c[i]), nearestEven);
    expectAgree(results[i], roundTo(format(), wanted),
                [&] { return "fma of " + hex(a[i]) + ", " + hex(b[i]) + ", " + hex(c[i]); });
    if (HasFatalFailure())
      return;
  }
}

TEST_P(NarrowFloats, FromF32) {
  VectorKernel kernel = compile("%r = arith.truncf %x : {f32} to {T}", {"f32"}, "T");
  std::atomic<uint64_t> wrong = 0;
  auto count = [&](const std::vector<float> &operands) {
    std::vector<uint16_t> results = kernel.operator()<uint16_t>(operands);
    for (size_t i = 0; i < operands.size(); ++i)
      wrong += !agree(format(), results[i], roundTo(format(), APFloat(operands[i])));
  };
  forEachFloat(count);
  EXPECT_EQ(wrong, 0u);
  // The middles between neighbouring numbers, and the f32 next to them.
  std::vector<float> middles;
  for (uint16_t x : all16()) {
    bool losesInfo;
    APFloat low = toAPFloat(format(), x), high = toAPFloat(format(), x + 1);
    low.convert(APFloat::IEEEsingle(), nearestEven, &losesInfo);
    high.convert(APFloat::IEEEsingle(), nearestEven, &losesInfo);
    float middle = 0.5f * low.convertToFloat() + 0.5f * high.convertToFloat();
    middles.insert(middles.end(),
                   {middle, std::nextafter(middle, HUGE_VALF), std::nextafter(middle, -HUGE_VALF)});
  }
  count(padded(middles));
  EXPECT_EQ(wrong, 0u);
}

TEST_P(NarrowFloats, FromF64) {
  std::vector<double> operands;
  for (uint16_t x : all16()) {
    double low = toAPFloat(format(), x).convertToDouble();
    double high = toAPFloat(format(), x + 1).convertToDouble();
    double middle = 0.5 * low + 0.5 * high;
    // A number that differs from the middle by a factor of 1 ± 2^-40 is no tie. If it were first
    // rounded to f32, it would become the middle, and the second rounding could be wrong.
    operands.insert(operands.end(), {low, middle, std::nextafter(middle, HUGE_VAL),
                                     std::nextafter(middle, -HUGE_VAL), middle * (1 + 0x1p-40),
                                     middle * (1 - 0x1p-40), middle + 0x1p-160, middle - 0x1p-160});
  }
  for (uint64_t bits : randomBits<uint64_t>(1 << 18, 8))
    operands.push_back(std::bit_cast<double>(bits));
  operands = padded(operands);
  auto results =
      compile("%r = arith.truncf %x : {f64} to {T}", {"f64"}, "T").operator()<uint16_t>(operands);
  for (size_t i = 0; i < operands.size(); ++i) {
    expectAgree(results[i], roundTo(format(), APFloat(operands[i])),
                [&] { return std::to_string(operands[i]); });
    if (HasFatalFailure())
      return;
  }
}

/// Integers of every magnitude, and integers at and next to the middles between numbers of a
/// format.
template <typename T> std::vector<T> integers(const Format &format) {
  constexpr int width = 8 * sizeof(T);
  std::vector<T> values = {0, T(-1), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  for (uint64_t bits : randomBits<uint64_t>(1 << 17, 9))
    values.push_back(static_cast<T>(bits >> (64 - width) >> (bits & (width - 1))));
  for (uint16_t x : all16()) {
    double low = toAPFloat(format, x).convertToDouble();
    double middle = 0.5 * low + 0.5 * toAPFloat(format, x + 1).convertToDouble();
    if (!(std::abs(middle) < std::ldexp(1.0, width - 1)))
      continue;
    for (int offset : {-1, 0, 1})
      values.push_back(static_cast<T>(static_cast<int64_t>(middle) + offset));
  }
  return padded(values);
}

template <typename T> void testFromInteger(const Format &format, const VectorKernel &kernel) {
  std::vector<T> operands = integers<T>(format);
  std::vector<uint16_t> results = kernel.operator()<uint16_t>(operands);
  for (size_t i = 0; i < operands.size(); ++i) {
    llvm::APSInt exact(llvm::APInt(8 * sizeof(T), static_cast<uint64_t>(operands[i])),
                       std::is_unsigned_v<T>);
    ASSERT_EQ(results[i], roundIntegerTo(format, exact))
        << format.name << " of " << std::to_string(operands[i]);
  }
}

TEST_P(NarrowFloats, FromSignedIntegers) {
  auto kernel = [&](const std::string &type) {
    return compile("%r = arith.sitofp %x : {" + type + "} to {T}", {type}, "T");
  };
  testFromInteger<int8_t>(format(), kernel("i8"));
  testFromInteger<int16_t>(format(), kernel("i16"));
  testFromInteger<int32_t>(format(), kernel("i32"));
  testFromInteger<int64_t>(format(), kernel("i64"));
}

TEST_P(NarrowFloats, FromUnsignedIntegers) {
  auto kernel = [&](const std::string &type) {
    return compile("%r = arith.uitofp %x : {" + type + "} to {T}", {type}, "T");
  };
  testFromInteger<uint8_t>(format(), kernel("i8"));
  testFromInteger<uint16_t>(format(), kernel("i16"));
  testFromInteger<uint32_t>(format(), kernel("i32"));
  testFromInteger<uint64_t>(format(), kernel("i64"));
}

INSTANTIATE_TEST_SUITE_P(, NarrowFloats,
                         testing::Values(Target{&f16, "f16", ""}, Target{&bf16, "bf16", ""},
                                         Target{&f16, "f16WithoutConversions",
                                                "{native-f16-conversion=false}"}),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace eft::test
