// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests that a thread's affinity mask loses one core, and gets it back.
#include "runtime/cpu/Cores.h"

#include <algorithm>
#include <future>
#include <gtest/gtest.h>
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

void pin(pthread_t thread, int core) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(static_cast<unsigned>(core), &mask);
  ASSERT_EQ(pthread_setaffinity_np(thread, sizeof(mask), &mask), 0);
}

std::vector<int> without(std::vector<int> cores, int core) {
  std::erase(cores, core);
  return cores;
}

// A thread that waits until the test is over, and its cores. A test may pin the thread that runs
// it.
class Affinity : public testing::Test {
protected:
  void SetUp() override {
    if (all.size() < 2)
      GTEST_SKIP() << "there are fewer than 2 cores, or more than 1024";
  }
  ~Affinity() override {
    sched_setaffinity(0, sizeof(mine), &mine);
    ended.set_value();
    thread.join();
  }

  const cpu_set_t mine = [] {
    cpu_set_t own = {};
    sched_getaffinity(0, sizeof(own), &own);
    return own;
  }();
  std::promise<void> ended;
  std::thread thread{[end = ended.get_future()] { end.wait(); }};
  const pthread_t handle = thread.native_handle();
  const std::vector<int> all = coresOf(handle);
  AffinityMask mask;
};

} // namespace

TEST(Cores, a_thread_runs_on_one_of_its_cores) {
  const std::vector<int> mine = coresOf(pthread_self());
  if (mine.empty())
    GTEST_SKIP() << "there are more than 1024 cores";
  EXPECT_EQ(std::count(mine.begin(), mine.end(), currentCore()), 1);
}

TEST_F(Affinity, a_core_is_taken_and_given_back) {
  EXPECT_EQ(mask.missing(), -1);
  mask.take(handle, all[0]);
  EXPECT_EQ(mask.missing(), all[0]);
  EXPECT_EQ(coresOf(handle), without(all, all[0]));
  mask.take(handle, all[1]);
  EXPECT_EQ(coresOf(handle), without(all, all[1]));
  mask.giveBack(handle);
  EXPECT_EQ(mask.missing(), -1);
  EXPECT_EQ(coresOf(handle), all);
}

// `taskset --all-tasks` changes the masks of all threads, also of the one that gives cores back.
TEST_F(Affinity, changes_of_all_threads_stay) {
  mask.take(handle, all[1]);
  pin(handle, all[0]);
  pin(pthread_self(), all[0]);
  mask.giveBack(handle);
  EXPECT_EQ(coresOf(handle), std::vector{all[0]});
  mask.take(handle, all[1]);
  EXPECT_EQ(coresOf(handle), std::vector{all[0]});
}

TEST_F(Affinity, changes_of_the_thread_stay) {
  mask.take(handle, all[1]);
  pin(handle, all[1]);
  mask.giveBack(handle);
  EXPECT_EQ(coresOf(handle), std::vector{all[1]});
  EXPECT_EQ(mask.missing(), -1);
}

// Threads that each run on one core, as with OMP_PROC_BIND, can't give back each other's cores.
TEST_F(Affinity, no_core_is_lost_between_pinned_threads) {
  pin(pthread_self(), all[0]);
  mask.take(handle, all[0]);
  pin(pthread_self(), all[1]);
  mask.take(handle, all[1]);
  EXPECT_EQ(mask.missing(), all[0]);
  mask.giveBack(handle);
  EXPECT_EQ(coresOf(handle), without(all, all[0]));
  pin(pthread_self(), all[0]);
  mask.giveBack(handle);
  EXPECT_EQ(coresOf(handle), all);
}

TEST_F(Affinity, the_last_core_stays) {
  pin(handle, all[0]);
  mask.take(handle, all[0]);
  EXPECT_EQ(mask.missing(), -1);
  EXPECT_EQ(coresOf(handle), std::vector{all[0]});
}

TEST_F(Affinity, a_number_that_is_no_core_changes_nothing) {
  mask.take(handle, -1);
  mask.take(handle, CPU_SETSIZE);
  EXPECT_EQ(mask.missing(), -1);
  EXPECT_EQ(coresOf(handle), all);
}
