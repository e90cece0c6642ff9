// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads that kernels on the host run on.
//
// A job is a kernel over a number of programs. Its programs are handed out as contiguous runs,
// taken from one counter by whoever is free: the thread that brought the job, which always works
// too, and the pool's workers. So a slow thread takes fewer runs, and each run writes memory in
// order.
//
// Jobs stand in a fixed set of slots that live as long as the pool. A worker may therefore look at
// a slot at any time, also one whose job has just ended, with no lock:
//
//     state of a slot:   taken | open | owner sleeps | number of workers inside
//
// A worker counts itself in, and stays only if the slot turns out to be open. The owner closes the
// slot when the counter has run out, waits for the workers inside, and gives the slot back. Several
// threads can bring jobs at once; who finds no slot works alone, since the cores are busy anyway.
//
// Between jobs a worker spins for some microseconds, so that back-to-back launches find it awake,
// and then sleeps. The owner wakes as many as its job can use, with one system call.
#pragma once

#include "eft/Error.h"
#include "eft/Signature.h"
#include "runtime/cpu/HostCalls.h"
#include "runtime/device/Host.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <vector>

namespace eft::cpu {

struct Job {
  HostFunction *function = nullptr;
  const uint64_t *slots = nullptr;
  const uint32_t *grid = nullptr;
  uint64_t first = 0;
  uint64_t count = 0;
  Failure *failure = nullptr; // where failed assertions are noted
  Stop *stop = nullptr;       // who may end the job early, if anyone may
};

// The cost of a number of programs, for all threads together.
struct Cost {
  uint64_t programs = 0;
  uint64_t nanoseconds = 0;
};

class ThreadPool {
public:
  // `threads` counts the calling thread. The workers are made when the first job needs them. If
  // there are at least as many `cores`, idle workers spin for a while.
  explicit ThreadPool(unsigned threads, unsigned cores = usableCores());
  // Waits for the workers to end. No job may be running.
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;

  // Runs a job to its end, or until it is stopped. Safe to call from several threads.
  Cost run(const Job &job);

  unsigned threads() const { return numThreads; }

  // The process's pool, with hostThreads() threads. Made at the first call and never destroyed; a
  // forked child makes its own, since only the forking thread survives in it.
  static Expected<ThreadPool *> process();

private:
  struct alignas(64) Slot {
    std::atomic<uint32_t> state = 0;
    Job job;
    uint64_t end = 0;
    uint64_t run = 0; // programs handed out at a time
    alignas(64) std::atomic<uint64_t> next = 0;
    std::atomic<uint64_t> nanoseconds = 0; // the time that all threads have worked on the job
  };
  static constexpr unsigned numSlots = 8;

  static void *workerEntry(void *pool);
  void workerLoop(unsigned id);
  void startWorkers();
  bool waitForJob();
  Slot *takeSlot(unsigned &index);
  void open(unsigned index, uint64_t runs);
  void waitForHelpers(Slot &slot);
  void help(unsigned index);
  void takeRuns(unsigned index);

  const unsigned numThreads;
  bool spins; // false where there are more threads than cores
  std::array<Slot, numSlots> slots;
  alignas(64) std::atomic<uint32_t> openSlots = 0; // a bit for each slot with programs left
  alignas(64) std::atomic<uint32_t> wakeups = 0;   // workers that sleep wait for a change of this
  std::atomic<uint32_t> sleepers = 0;
  std::atomic<uint32_t> nextId = 0;
  std::atomic<bool> started = false;
  std::atomic<bool> stopping = false;
  std::vector<pthread_t> workers;
};

} // namespace eft::cpu
