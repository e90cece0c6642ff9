// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests that the thread pool runs every program exactly once, for any number of threads that own
// jobs and any split of a job into runs (see ThreadPool.h).
#include "runtime/cpu/ThreadPool.h"
#include "runtime/cpu/Kernel.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace eft;
using namespace eft::cpu;

namespace {

// A kernel that adds 1 to counts[i] in program i; slots[0] is the array.
void countPrograms(const uint64_t *slots, const uint32_t[3], uint64_t first, uint64_t count) {
  auto *counts = reinterpret_cast<uint32_t *>(slots[0]);
  for (uint64_t i = first; i < first + count; ++i)
    ++counts[i];
}

// A kernel whose programs take 2 ms each; slots[0] is an array of the threads that ran them.
void noteThreads(const uint64_t *slots, const uint32_t[3], uint64_t first, uint64_t count) {
  auto *threads = reinterpret_cast<pthread_t *>(slots[0]);
  for (uint64_t i = first; i < first + count; ++i) {
    threads[i] = pthread_self();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// A worker of a job, and its affinity mask during the job.
struct Helped {
  pthread_t owner = pthread_self(), worker = {};
  bool hasHelped = false;
  cpu_set_t cores = {}; // the worker's affinity mask
};

// A kernel whose programs take 1 ms in the owner's thread and 20 ms in a worker; slots[0] is a
// Helped.
void noteWorker(const uint64_t *slots, const uint32_t[3], uint64_t, uint64_t) {
  auto *helped = reinterpret_cast<Helped *>(slots[0]);
  const bool isOwner = pthread_equal(pthread_self(), helped->owner);
  if (!isOwner) {
    helped->worker = pthread_self();
    helped->hasHelped = true;
    pthread_getaffinity_np(helped->worker, sizeof(helped->cores), &helped->cores);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(isOwner ? 1 : 20));
}

constexpr uint32_t line[3] = {1, 1, 1};

void expectEachOnce(ThreadPool &pool, uint64_t programs) {
  std::vector<uint32_t> counts(programs, 0);
  uint64_t slots[] = {reinterpret_cast<uint64_t>(counts.data())};
  pool.run({countPrograms, slots, line, 0, programs});
  for (uint64_t i = 0; i < programs; ++i)
    ASSERT_EQ(counts[i], 1u) << "program " << i << " of " << programs;
}

size_t threadsUsed(ThreadPool &pool, uint64_t programs) {
  std::vector<pthread_t> threads(programs);
  uint64_t slots[] = {reinterpret_cast<uint64_t>(threads.data())};
  pool.run({noteThreads, slots, line, 0, programs});
  return std::set<pthread_t>(threads.begin(), threads.end()).size();
}

} // namespace

TEST(ThreadPool, runs_every_program_once) {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    for (uint64_t programs : {1, 2, 3, 7, 8, 64, 1000, 100003})
      expectEachOnce(pool, programs);
  }
}

TEST(ThreadPool, many_small_jobs_back_to_back) {
  ThreadPool pool(4);
  for (int i = 0; i < 3000; ++i)
    expectEachOnce(pool, 17);
}

TEST(ThreadPool, several_threads_bring_jobs_at_once) {
  ThreadPool pool(3);
  std::vector<std::thread> owners;
  // The pool has fewer slots for jobs than there are owners, so some owners work alone.
  for (int owner = 0; owner < 12; ++owner)
    owners.emplace_back([&] {
      for (int i = 0; i < 200; ++i)
        expectEachOnce(pool, 50);
    });
  for (std::thread &owner : owners)
    owner.join();
}

TEST(ThreadPool, workers_help_also_after_they_slept) {
  ThreadPool pool(2);
  EXPECT_EQ(threadsUsed(pool, 20), 2u);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(threadsUsed(pool, 20), 2u);
}

TEST(ThreadPool, one_program_stays_on_the_calling_thread) {
  ThreadPool pool(2);
  std::vector<pthread_t> threads(1);
  uint64_t slots[] = {reinterpret_cast<uint64_t>(threads.data())};
  Cost own = pool.run({noteThreads, slots, line, 0, 1});
  EXPECT_TRUE(pthread_equal(threads[0], pthread_self()));
  EXPECT_EQ(own.programs, 1u);
  EXPECT_GE(own.nanoseconds, 1000000u);
}

TEST(ThreadPool, a_part_of_a_job_leaves_the_rest_alone) {
  ThreadPool pool(2);
  std::vector<uint32_t> counts(100, 0);
  uint64_t slots[] = {reinterpret_cast<uint64_t>(counts.data())};
  pool.run({countPrograms, slots, line, 30, 50});
  for (uint64_t i = 0; i < 100; ++i)
    ASSERT_EQ(counts[i], i >= 30 && i < 80 ? 1u : 0u) << i;
}

TEST(ThreadPool, the_cost_of_a_job_is_that_of_all_threads) {
  auto wait = [](const uint64_t *, const uint32_t[3], uint64_t, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  ThreadPool pool(4);
  Cost cost = pool.run({wait, nullptr, line, 0, 40});
  EXPECT_EQ(cost.programs, 40u);
  EXPECT_GE(cost.nanoseconds, 40000000u);
}

TEST(ThreadPool, runs_are_contiguous_and_cover_the_job) {
  static std::atomic<int> calls;
  calls = 0;
  auto countCalls = [](const uint64_t *, const uint32_t[3], uint64_t, uint64_t count) {
    EXPECT_GE(count, 1u);
    ++calls;
  };
  ThreadPool pool(2);
  pool.run({countCalls, nullptr, line, 0, 1600});
  EXPECT_EQ(calls, 16) << "runs of 100 programs";
}

TEST(ThreadPool, workers_block_signals) {
  static std::atomic<int> unblocked;
  unblocked = 0;
  static pthread_t owner;
  owner = pthread_self();
  auto look = [](const uint64_t *, const uint32_t[3], uint64_t, uint64_t) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    if (!pthread_equal(pthread_self(), owner) && !sigismember(&mask, SIGINT))
      ++unblocked;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  ThreadPool pool(3);
  pool.run({look, nullptr, line, 0, 30});
  EXPECT_EQ(unblocked, 0);
}

// Runs `body` in a forked child and returns its exit status.
template <typename Body> static int inChild(Body body) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(ThreadPool, the_process_pool_works_in_a_forked_child) {
  setenv("EFT_NUM_THREADS", "2", 1);
  ThreadPool &pool = **ThreadPool::process();
  EXPECT_EQ(threadsUsed(pool, 20), 2u);
  int status = inChild([&] {
    ThreadPool *fresh = *ThreadPool::process();
    return fresh != &pool && threadsUsed(*fresh, 20) == 2 ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(threadsUsed(pool, 20), 2u) << "the parent's pool goes on";
  unsetenv("EFT_NUM_THREADS");
}

TEST(ThreadPool, fork_while_another_thread_runs_jobs) {
  setenv("EFT_NUM_THREADS", "2", 1);
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop)
      expectEachOnce(**ThreadPool::process(), 40);
  });
  for (int i = 0; i < 5; ++i) {
    int status = inChild([] {
      std::vector<uint32_t> counts(40, 0);
      uint64_t slots[] = {reinterpret_cast<uint64_t>(counts.data())};
      (*ThreadPool::process())->run({countPrograms, slots, line, 0, 40});
      for (uint32_t count : counts)
        if (count != 1)
          return 1;
      return 0;
    });
    EXPECT_EQ(status, 0);
  }
  stop = true;
  busy.join();
  unsetenv("EFT_NUM_THREADS");
}

TEST(HostKernel, becomes_tiny_once_its_cost_is_known) {
  Kernel kernel(countPrograms);
  EXPECT_FALSE(kernel.isTiny(1));
  std::vector<uint32_t> counts(4, 0);
  uint64_t slots[] = {reinterpret_cast<uint64_t>(counts.data())};
  // On a busy machine the first measurements may be too high.
  uint32_t launches = 0;
  while (!kernel.isTiny(4) && launches < 10000) {
    ASSERT_TRUE(kernel.launch({4, 1, 1}, 4, slots).ok());
    ++launches;
  }
  EXPECT_TRUE(kernel.isTiny(4));
  EXPECT_FALSE(kernel.isTiny(uint64_t(1) << 40));
  EXPECT_EQ(counts, std::vector<uint32_t>(4, launches));
}

TEST(HostKernel, an_estimate_that_no_longer_holds_is_noticed_under_way) {
  setenv("EFT_NUM_THREADS", "2", 1);
  // Each program waits for the number of microseconds in the first slot.
  auto wait = [](const uint64_t *slots, const uint32_t[3], uint64_t first, uint64_t count) {
    auto *counts = reinterpret_cast<uint32_t *>(slots[1]);
    for (uint64_t i = first; i < first + count; ++i) {
      ++counts[i];
      if (slots[0])
        std::this_thread::sleep_for(std::chrono::microseconds(slots[0]));
    }
  };
  std::vector<uint32_t> counts(40, 0);
  Kernel kernel(wait);
  uint64_t slots[] = {0, reinterpret_cast<uint64_t>(counts.data())};
  while (!kernel.isTiny(40))
    ASSERT_TRUE(kernel.launch({40, 1, 1}, 40, slots).ok());
  std::fill(counts.begin(), counts.end(), 0);
  slots[0] = 1000;
  ASSERT_TRUE(kernel.launch({40, 1, 1}, 40, slots).ok());
  EXPECT_EQ(counts, std::vector<uint32_t>(40, 1));
  EXPECT_FALSE(kernel.isTiny(40));
  unsetenv("EFT_NUM_THREADS");
}

// The owner's core is missing from the worker's mask while the worker wakes. The worker lets the
// owner wait, so it gets the core back.
TEST(ThreadPool, owners_keep_their_core_and_give_it_back) {
  cpu_set_t all, one;
  ASSERT_EQ(pthread_getaffinity_np(pthread_self(), sizeof(all), &all), 0);
  if (CPU_COUNT(&all) < 2)
    GTEST_SKIP() << "there is one core";
  ThreadPool pool(2, 2, /*isVirtual=*/true);
  expectEachOnce(pool, 100); // starts the worker
  const auto core = static_cast<unsigned>(sched_getcpu());
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ASSERT_EQ(pthread_setaffinity_np(pthread_self(), sizeof(one), &one), 0);
  Helped helped;
  uint64_t slots[] = {reinterpret_cast<uint64_t>(&helped)};
  // On a busy machine the worker may not sleep yet, or may not help.
  for (int i = 0; i < 100 && (!helped.hasHelped || CPU_ISSET(core, &helped.cores)); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    pool.run({noteWorker, slots, line, 0, 2});
  }
  ASSERT_EQ(pthread_setaffinity_np(pthread_self(), sizeof(all), &all), 0);
  ASSERT_TRUE(helped.hasHelped);
  EXPECT_FALSE(CPU_ISSET(core, &helped.cores));
  cpu_set_t after;
  ASSERT_EQ(pthread_getaffinity_np(helped.worker, sizeof(after), &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&after, &all));
}
