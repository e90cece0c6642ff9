// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading compiled code, and launching it.
#include "Programs.h"
#include "Support.h"
#include "eft/Compiler.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <vector>

using namespace eft;

namespace {

using OnPaper = PaperGpus;

TEST(Load, runs_what_was_compiled) {
  auto compiled = compile(scaleText, *Target::of(Device::host()));
  ASSERT_OK(compiled);
  auto kernel = load(*compiled, Device::host());
  ASSERT_OK(kernel);
  compiled =
      Error{ErrorKind::Compilation, ""}; // the kernel does not need the compiled code any more
  constexpr int n = 1000;
  auto x = Buffer::allocate(Device::host(), n * sizeof(float));
  std::vector<float> numbers(n), out(n + 24, -1.0f);
  for (int i = 0; i < n; ++i)
    numbers[size_t(i)] = float(i);
  ASSERT_TRUE(x->copyFromHost(numbers.data(), n * sizeof(float)).ok());
  ASSERT_TRUE(kernel->launch({(n + 255) / 256}, Stream(), *x, out.data(), 0.5f, n).ok());
  for (int i = 0; i < n + 24; ++i)
    ASSERT_EQ(out[size_t(i)], i < n ? 0.5f * float(i) : -1.0f) << i;
  EXPECT_ERROR(kernel->launch({}, Stream(), *x, out.data(), 0.5, n), ErrorKind::InvalidArgument,
               "kernel 'scale' parameter 2 must be fp32, got fp64");
}

TEST(Load, code_calls_the_c_library) {
  auto compiled = compile("func.func @k(%x: f64, %y: f64, %out: !eft.ptr<f64>) {\n"
                          "  %r = arith.remf %x, %y : f64\n"
                          "  eft.store %out, %r : !eft.ptr<f64>\n  return\n}",
                          Target());
  ASSERT_OK(compiled);
  auto kernel = load(*compiled, Device::host());
  ASSERT_OK(kernel);
  double out = 0;
  ASSERT_TRUE(kernel->launch({}, Stream(), 7.5, 2.0, &out).ok());
  EXPECT_EQ(out, std::fmod(7.5, 2.0));
}

TEST(Load, assertions_are_reported_by_the_launch) {
  auto compiled = compile("func.func @k(%c: i1) {\n"
                          "  eft.assert %c, \"too large\" : i1 loc(\"f.py\":7:5)\n"
                          "  return\n}",
                          Target());
  ASSERT_OK(compiled);
  auto kernel = load(*compiled, Device::host());
  ASSERT_OK(kernel);
  EXPECT_TRUE(kernel->launch({3}, Stream(), true).ok());
  Status status = kernel->launch({1}, Stream(), false);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::Assertion);
  EXPECT_EQ(status.error().message, "f.py:7: too large (an assertion failed in program (0, 0, 0))");
  EXPECT_TRUE(kernel->launch({3}, Stream(), true).ok());
}

TEST(Load, what_is_no_code_is_refused) {
  auto expect = [](const Compiled &compiled, Device device, const std::string &message) {
    auto kernel = load(compiled, device);
    ASSERT_FALSE(kernel.ok());
    EXPECT_EQ(kernel.error().kind, ErrorKind::InvalidArgument);
    EXPECT_EQ(kernel.error().message.substr(0, message.size()), message);
  };
  auto compiled = compile(scaleText, Target());
  ASSERT_OK(compiled);
  expect(*compiled, Device::cuda(0),
         "kernel 'scale' was compiled for the host, and can't be loaded on cuda:0");
  auto ptx = compile(scaleText, *Target::parse("cuda:90"));
  expect(*ptx, Device::host(),
         "kernel 'scale' was compiled for a GPU of NVIDIA, and can't be loaded on cpu");
  auto early = compile(scaleText, Target(), {.last = Stage::LLVM});
  expect(*early, Device::host(), "kernel 'scale' has no code: its compile ended before that stage");
  Compiled other = *compiled;
  other.binary = "not an object";
  expect(other, Device::host(), "kernel 'scale' can't be loaded: ");
  other = *compiled;
  other.name = "subtract";
  expect(other, Device::host(), "kernel 'subtract' can't be loaded: ");
  EXPECT_TRUE(load(*compiled, Device::host()).ok());
}

#ifdef __x86_64__
TEST(Load, code_for_another_cpu_is_refused) {
  Target baseline;
  baseline.cpu = "x86-64";
  auto compiled = compile(scaleText, baseline);
  ASSERT_OK(compiled);
  EXPECT_TRUE(load(*compiled, Device::host()).ok());
  compiled->target.features = "+xop,+amx-complex"; // no CPU has both
  auto refused = load(*compiled, Device::host());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(refused.error().message.find("kernel 'scale' needs the CPU's feature '"), 0u);
  EXPECT_NE(refused.error().message.find("', which this machine lacks"), std::string::npos);
  compiled->target.cpu = "abacus";
  EXPECT_EQ(load(*compiled, Device::host())
                .error()
                .message.find("kernel 'scale' can't be loaded: LLVM knows no CPU 'abacus' for "),
            0u);
}
#endif

// The number of bytes of executable memory in this process.
size_t executableBytes() {
  std::ifstream file("/proc/self/maps");
  size_t sum = 0;
  for (std::string line; std::getline(file, line);) {
    size_t start = 0, end = 0;
    char mode[5] = {};
    if (std::sscanf(line.c_str(), "%zx-%zx %4s", &start, &end, mode) == 3 && mode[2] == 'x')
      sum += end - start;
  }
  return sum;
}

TEST(Load, code_goes_with_its_kernel) {
  auto compiled = compile(scaleText, Target());
  ASSERT_OK(compiled);
  auto kept = load(*compiled, Device::host());
  ASSERT_OK(kept);
  size_t before = executableBytes();
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(load(*compiled, Device::host()).ok());
  EXPECT_LT(executableBytes(), before + 100 * 4096);
  alignas(16) const float x[] = {3};
  float out = 0;
  EXPECT_TRUE(kept->launch({1}, Stream(), x, &out, 2.0f, 1).ok());
  EXPECT_EQ(out, 6.0f);
}

TEST_F(OnPaper, ptx_goes_through_the_driver) {
  auto target = Target::of(Device::cuda(1));
  ASSERT_OK(target);
  EXPECT_EQ(target->computeCapability, 90u);
  auto compiled = compile(scaleText, *target);
  ASSERT_OK(compiled);
  fake.clear();
  auto kernel = load(*compiled, Device::cuda(1));
  ASSERT_OK(kernel);
  auto x = Buffer::allocate(Device::cuda(1), 1024);
  EXPECT_TRUE(kernel->launch({3}, Stream(Device::cuda(1)), nullptr, *x, 1.0f, 5).ok());
  EXPECT_NE(fake.log().find("launch scale on 1 grid 3 1 1 block 128 1 1 shared 0 stream 0:"),
            std::string::npos);
  EXPECT_EQ(Target::of(Device::cuda(7)).error().kind, ErrorKind::NoDevice);
}

} // namespace
