// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests that a thread's affinity mask loses one core, and gets it back.
#include "runtime/cpu/Cores.h"

#include <algorithm>
#include <future>
#include <gtest/gtest.h>
#include <sched.h>
#include <thread>
#include <vector>

using namespace eft::cpu;

namespace {

std::vector<int> coresOf(pthread_t thread) {
  cpu_set_t mask;
  std::vector<int> cores;
  if (pthread_getaffinity_np(thread, sizeof(mask), &mask) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(static_cast<unsigned>(core), &mask))
        cores.push_back(core);
  return cores;
}

std::vector<int> without(std::vector<int> cores, int core) {
  std::erase(cores, core);
  return cores;
}

// A thread that waits until the test is over.
class Cores : public testing::Test {
protected:
  ~Cores() override {
    ended.set_value();
    thread.join();
  }

  std::promise<void> ended;
  std::thread thread{[end = ended.get_future()] { end.wait(); }};
  const pthread_t handle = thread.native_handle();
  const std::vector<int> all = coresOf(handle);
};

} // namespace

TEST_F(Cores, a_thread_runs_on_one_of_its_cores) {
  const std::vector<int> mine = coresOf(pthread_self());
  EXPECT_EQ(std::count(mine.begin(), mine.end(), currentCore()), 1);
}

TEST_F(Cores, a_core_is_taken_and_given_back) {
  if (all.size() < 2)
    GTEST_SKIP() << "there is one core";
  ASSERT_TRUE(takeCore(handle, all[0], -1));
  EXPECT_EQ(coresOf(handle), without(all, all[0]));
  ASSERT_TRUE(takeCore(handle, all[1], all[0]));
  EXPECT_EQ(coresOf(handle), without(all, all[1]));
}

TEST_F(Cores, the_last_core_stays) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(static_cast<unsigned>(all[0]), &mask);
  ASSERT_EQ(pthread_setaffinity_np(handle, sizeof(mask), &mask), 0);
  EXPECT_FALSE(takeCore(handle, all[0], -1));
  EXPECT_EQ(coresOf(handle), std::vector{all[0]});
}

TEST_F(Cores, a_number_that_is_no_core_changes_nothing) {
  EXPECT_FALSE(takeCore(handle, -1, -1));
  EXPECT_FALSE(takeCore(handle, CPU_SETSIZE, -1));
  EXPECT_EQ(coresOf(handle), all);
}
