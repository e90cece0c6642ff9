// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the functions that compiled code on the host calls.
#include "runtime/cpu/Kernel.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace eft;
using namespace eft::cpu;

namespace {

uint64_t bits(double number) { return std::bit_cast<uint64_t>(number); }

// A kernel in which the assertion of program 7 fails.
void failInSeven(const uint64_t *, const uint32_t[3], uint64_t first, uint64_t count) {
  using Fail = void(const char *, uint32_t, uint32_t, uint32_t);
  auto *fail = reinterpret_cast<Fail *>(hostSymbols()[1].address);
  for (uint64_t i = first; i < first + count; ++i)
    if (i == 7)
      fail("kernel.py:3: no", 7, 0, 0);
}

} // namespace

TEST(HostCalls, the_symbols_that_code_may_call) {
  ASSERT_EQ(hostSymbols().size(), 4u);
  EXPECT_STREQ(hostSymbols()[0].name, "eft$print");
  EXPECT_STREQ(hostSymbols()[1].name, "eft$fail");
  EXPECT_STREQ(hostSymbols()[2].name, "eft$poll");
  EXPECT_STREQ(hostSymbols()[3].name, "eft$attention");
}

TEST(HostCalls, a_line_of_integers_and_doubles) {
  const uint64_t values[] = {3, 17, uint64_t(-5), 255, bits(-0.5)};
  EXPECT_EQ(formatLine("pid (%llu) idx (%3llu) 50%%: %lld 0x%04llx %f\n", values),
            "pid (3) idx ( 17) 50%: -5 0x00ff -0.500000\n");
}

TEST(HostCalls, the_longest_and_the_oddest_doubles) {
  const uint64_t values[] = {bits(-1.7976931348623157e308), bits(-std::nan(""))};
  std::string line = formatLine("%f|%f", values);
  EXPECT_EQ(line.size(), 317u + 4u);
  EXPECT_EQ(line.substr(317), "|nan");
}

TEST(HostCalls, a_launch_tells_of_an_assertion_that_failed) {
  Kernel kernel(failInSeven);
  const std::array<uint32_t, 3> few = {4, 1, 1}, many = {100, 1, 1};
  EXPECT_TRUE(kernel.launch(few, 4, {}).ok());
  for (int again = 0; again < 3; ++again) {
    Status status = kernel.launch(many, 100, {});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, ErrorKind::Assertion);
    EXPECT_EQ(status.error().message, "kernel.py:3: no (an assertion failed in program (7, 0, 0))");
  }
}
