// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests launches on the host, through the interface that also launches on GPUs.
#include "runtime/launch/AnyKernel.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace eft;

TEST(HostLaunch, runs_on_the_host_with_no_driver) {
  auto add = [](const uint64_t *slots, const uint32_t grid[3], uint64_t first, uint64_t count) {
    auto *out = reinterpret_cast<uint64_t *>(slots[0]);
    for (uint64_t i = first; i < first + count; ++i)
      out[i] = i + slots[1] + 100 * grid[1];
  };
  auto kernel = AnyKernel::loadHost(add, "add");
  ASSERT_TRUE(kernel.ok());
  EXPECT_EQ((*kernel)->device(), Device::host());
  std::vector<uint64_t> out(6);
  uint64_t slots[] = {reinterpret_cast<uint64_t>(out.data()), 5};
  ASSERT_TRUE((*kernel)->launch(*(*kernel)->check({3, 2, 1}), slots).ok());
  EXPECT_EQ(out, (std::vector<uint64_t>{205, 206, 207, 208, 209, 210}));
  EXPECT_TRUE((*kernel)->launch(*(*kernel)->check({3, 0, 1}), slots).ok());
}

TEST(HostLaunch, no_code_is_an_error) {
  EXPECT_EQ(AnyKernel::loadHost(nullptr, "add").error().message,
            "kernel 'add' has no code: its address is 0");
}

TEST(HostLaunch, a_bad_number_of_threads_shows_at_the_launch) {
  pid_t child = fork(); // the child makes a new pool
  if (child == 0) {
    setenv("EFT_NUM_THREADS", "many", 1);
    auto nothing = [](const uint64_t *, const uint32_t[3], uint64_t, uint64_t) {};
    auto kernel = AnyKernel::loadHost(nothing, "add");
    Status status = (*kernel)->launch(*(*kernel)->check({3, 1, 1}), {});
    _exit(!status.ok() && status.error().message ==
                              "EFT_NUM_THREADS must be an integer from 1 to 4096, got 'many'"
              ? 0
              : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
