// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads compiled host objects and runs them.
#include "test/unit/compiler/Kernels.h"

#include "gtest/gtest.h"

#include <bit>

using namespace mlir;
using namespace eft;
using namespace eft::test;

namespace {

using Function = void (*)(const uint64_t *slots, const uint32_t grid[3], uint64_t first,
                          uint64_t count);

/// Compiles and loads a kernel. Returns null, after a failed expectation, if that fails.
Function load(llvm::StringRef text) {
  Session session;
  FailureOr<Compiled> compiled = session.compile(text, "cpu", {.keepStages = false});
  EXPECT_TRUE(succeeded(compiled)) << session.diagnostics;
  if (failed(compiled))
    return nullptr;
  auto address = loadHostObject(compiled->binary, compiled->name);
  EXPECT_TRUE(bool(address)) << (address ? "" : llvm::toString(address.takeError()));
  return address ? reinterpret_cast<Function>(*address) : nullptr;
}

template <typename T> uint64_t slot(T *pointer) { return reinterpret_cast<uint64_t>(pointer); }

TEST(HostKernel, AddsVectorsInAllPrograms) {
  Function add = load(vectorAdd);
  ASSERT_TRUE(add);
  constexpr uint32_t programs = 4,
                     n = 900; // the last program's block is only partly inside the arrays
  std::vector<float> x(n), y(n), z(programs * 256, -1.0f);
  for (uint32_t i = 0; i < n; ++i) {
    x[i] = float(i);
    y[i] = 0.5f;
  }
  uint64_t slots[] = {slot(x.data()), slot(y.data()), slot(z.data()), n};
  uint32_t grid[] = {programs, 1, 1};
  add(slots, grid, 0, 1);
  EXPECT_EQ(z[255], 255.5f);
  EXPECT_EQ(z[256], -1.0f);
  add(slots, grid, 1, programs - 1);
  for (uint32_t i = 0; i < z.size(); ++i)
    ASSERT_EQ(z[i], i < n ? x[i] + 0.5f : -1.0f) << i;
}

TEST(HostKernel, NoProgramsTouchNothing) {
  Function add = load(vectorAdd);
  ASSERT_TRUE(add);
  uint64_t slots[] = {0, 0, 0, 1000};
  uint32_t grid[] = {0, 1, 1};
  add(slots, grid, 0, 0);
}

TEST(HostKernel, ProgramsAreCountedWithXFastest) {
  Function kernel = load(R"(
    func.func @position(%out: !eft.ptr<i32>) {
      %x = eft.program_id x
      %y = eft.program_id y
      %z = eft.program_id z
      %nx = eft.num_programs x
      %ny = eft.num_programs y
      %a = arith.muli %z, %ny : i32
      %b = arith.addi %a, %y : i32
      %c = arith.muli %b, %nx : i32
      %d = arith.addi %c, %x : i32
      %p = eft.addptr %out, %d : !eft.ptr<i32>, i32
      %c100 = arith.constant 100 : i32
      %e = arith.muli %z, %c100 : i32
      %c10 = arith.constant 10 : i32
      %f = arith.muli %y, %c10 : i32
      %g = arith.addi %e, %f : i32
      %h = arith.addi %g, %x : i32
      eft.store %p, %h : !eft.ptr<i32>
      return
    })");
  ASSERT_TRUE(kernel);
  std::vector<int32_t> out(2 * 3 * 4, -1);
  uint64_t slots[] = {slot(out.data())};
  uint32_t grid[] = {2, 3, 4};
  kernel(slots, grid, 0, 7);
  EXPECT_EQ(out[6], 100);
  EXPECT_EQ(out[7], -1);
  kernel(slots, grid, 7, 17);
  EXPECT_EQ(out[23], 321);
}

TEST(HostKernel, ParametersLieInTheLowBytesOfTheirSlots) {
  Function kernel = load(R"(
    func.func @parameters(%out: !eft.ptr<f64>, %flag: i1, %a: i8, %b: i16, %c: f16, %d: bf16,
                          %e: f32, %f: f64) {
      %0 = arith.sitofp %a : i8 to f64
      %1 = arith.sitofp %b : i16 to f64
      %2 = arith.extf %c : f16 to f64
      %3 = arith.extf %d : bf16 to f64
      %4 = arith.extf %e : f32 to f64
      %5 = arith.addf %0, %1 : f64
      %6 = arith.addf %2, %3 : f64
      %7 = arith.addf %4, %f : f64
      %8 = arith.addf %5, %6 : f64
      %9 = arith.addf %8, %7 : f64
      eft.store %out, %9, mask %flag : !eft.ptr<f64>
      return
    })");
  ASSERT_TRUE(kernel);
  double out = 0;
  constexpr uint64_t above = 0xfedcba9800000000; // bits above a value have no effect
  uint64_t slots[] = {slot(&out),
                      above | 1,
                      above | uint8_t(-3),
                      above | 1000,
                      above | 0x3800,
                      /* 0.5 */ above | 0x3e80, /* 0.25 */
                      above | std::bit_cast<uint32_t>(0.125f),
                      std::bit_cast<uint64_t>(0.0625)};
  uint32_t grid[] = {1, 1, 1};
  kernel(slots, grid, 0, 1);
  EXPECT_EQ(out, 997.9375);
  slots[1] = 0;
  out = 0;
  kernel(slots, grid, 0, 1);
  EXPECT_EQ(out, 0);
}

TEST(HostKernel, KernelsOfOneNameDoNotMeet) {
  auto storing = [](int value) {
    return load("func.func @k(%p: !eft.ptr<i32>) {\n %c = arith.constant " + std::to_string(value) +
                " : i32\n eft.store %p, %c : !eft.ptr<i32>\n return }");
  };
  Function one = storing(1), two = storing(2);
  ASSERT_TRUE(one && two);
  int32_t out = 0;
  uint64_t slots[] = {slot(&out)};
  uint32_t grid[] = {1, 1, 1};
  one(slots, grid, 0, 1);
  EXPECT_EQ(out, 1);
  two(slots, grid, 0, 1);
  EXPECT_EQ(out, 2);
}

/// The kernel has the name of a C library function that it calls. It must not call itself.
TEST(HostKernel, NamedLikeAFunctionOfTheCLibrary) {
  Function kernel = load(R"(
    func.func @fmod(%x: f64, %y: f64, %out: !eft.ptr<f64>) {
      %r = arith.remf %x, %y : f64
      eft.store %out, %r : !eft.ptr<f64>
      return
    })");
  ASSERT_TRUE(kernel);
  double out = 0;
  uint64_t slots[] = {std::bit_cast<uint64_t>(7.5), std::bit_cast<uint64_t>(2.0), slot(&out)};
  uint32_t grid[] = {1, 1, 1};
  kernel(slots, grid, 0, 1);
  EXPECT_EQ(out, 1.5);
}

TEST(HostKernel, WhatIsNoObjectIsAnError) {
  auto address = loadHostObject("not an object", "k");
  ASSERT_FALSE(bool(address));
  EXPECT_NE(llvm::toString(address.takeError()), "");
}

TEST(HostKernel, ANameThatTheObjectLacksIsAnError) {
  Session session;
  FailureOr<Compiled> compiled = session.compile(vectorAdd, "cpu", {.keepStages = false});
  ASSERT_TRUE(succeeded(compiled)) << session.diagnostics;
  auto address = loadHostObject(compiled->binary, "subtract");
  ASSERT_FALSE(bool(address));
  EXPECT_NE(llvm::toString(address.takeError()).find("subtract"), std::string::npos);
}

} // namespace
