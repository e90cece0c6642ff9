// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads on which kernels run on the host.
//
// A job is a kernel and a range of programs. The programs are handed out as contiguous runs. Each
// thread that is free takes the next run from a shared counter: the owner, which is the thread that
// launched the job, and the pool's workers. So a slow thread takes fewer runs, and each run writes
// memory in order.
//
// Jobs are stored in a fixed number of slots, which exist as long as the pool. So a worker may
// access a slot at any time without a lock, even if the slot's job has just ended:
//
//     state of a slot:   taken | open | owner sleeps | number of workers inside
//
// A worker adds itself to the number of workers inside, and leaves again if the slot is not open.
// When all runs are taken, the owner closes the slot, waits for the workers inside, and frees the
// slot. Several threads can own jobs at the same time. If all slots are taken, an owner runs its
// job alone, since the cores are busy anyway.
//
// After a job a worker first spins for some microseconds, so that it is still awake if the next
// launch comes soon, and then sleeps. If there are more threads than cores, it sleeps at once. An
// owner wakes as many workers as its job can use, with one system call.
//
// On a virtual machine, Linux may wake a worker on the owner's core although others are idle (see
// Cores.h), and the worker waits there for some milliseconds. So the owner takes its core from the
// workers' affinity masks before it wakes them. Since that needs system calls, it changes a few
// masks only, and the cores stay missing for further jobs. If workers let the owner wait, perhaps
// because another process has their cores, the owner gives them back its own.
#pragma once

#include "eft/Error.h"
#include "eft/Signature.h"
#include "runtime/cpu/Cores.h"
#include "runtime/cpu/HostCalls.h"
#include "runtime/device/Host.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace eft::cpu {

struct Job {
  HostFunction *function = nullptr;
  const uint64_t *slots = nullptr;
  const uint32_t *grid = nullptr;
  uint64_t first = 0;
  uint64_t count = 0;
  Failure *failure = nullptr; // where failed assertions are reported
  Stop *stop = nullptr;       // may end the job early; may be null
};

// The cost of `programs` programs: the sum of the times that all threads have worked on them.
struct Cost {
  uint64_t programs = 0;
  uint64_t nanoseconds = 0;
};

class ThreadPool {
public:
  // `threads` includes the calling thread. The workers are started by the first job that needs
  // them. If `threads` is at most `cores`, idle workers spin for a while before they sleep, and if
  // also `isVirtual`, owners keep sleeping workers off their cores.
  explicit ThreadPool(unsigned threads, unsigned cores = usableCores(),
                      bool isVirtual = isVirtualMachine());
  // Waits for the workers to end. No job may be running.
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;

  // Runs a job to its end, or until it is stopped. Safe to call from several threads.
  Cost run(const Job &job);

  unsigned threads() const { return numThreads; }

  // The process's pool, with hostThreads() threads. The first call makes it, and it is never
  // destroyed. A forked child makes its own pool, since only the forking thread exists in the
  // child.
  static Expected<ThreadPool *> process();

private:
  struct alignas(64) Slot {
    std::atomic<uint32_t> state = 0;
    Job job;
    uint64_t end = 0;
    uint64_t run = 0; // programs handed out at a time
    alignas(64) std::atomic<uint64_t> next = 0;
    std::atomic<uint64_t> nanoseconds = 0; // the sum of the threads' times for the job
  };
  static constexpr unsigned numSlots = 8;

  struct Worker {
    pthread_t thread = {};
    AffinityMask mask;
  };

  static void *workerEntry(void *pool);
  void workerLoop(unsigned id);
  void startWorkers();
  bool waitForJob();
  Slot *takeSlot(unsigned &index);
  void open(unsigned index, uint64_t runs);
  void takeOwnersCore();
  void giveCoresBack(const Slot &slot);
  void waitForHelpers(Slot &slot);
  void help(unsigned index);
  void takeRuns(unsigned index);

  const unsigned numThreads;
  const bool spins;     // false if there are more threads than cores
  const bool keepsCore; // owners keep sleeping workers off their cores
  std::array<Slot, numSlots> slots;
  alignas(64) std::atomic<uint32_t> openSlots = 0; // a bit for each slot with programs to hand out
  alignas(64) std::atomic<uint32_t> wakeups = 0;   // sleeping workers wait for this to change
  std::atomic<uint32_t> sleepers = 0;
  std::atomic<uint32_t> nextId = 0;
  std::atomic<bool> started = false;
  std::atomic<bool> stopping = false;
  std::vector<Worker> workers;
  std::atomic<unsigned> numWorkers = 0; // those that have been started
  std::mutex masks;                     // guards Worker::mask and lastMask
  unsigned lastMask = 0;                // the worker whose mask the last launch looked at last
};

} // namespace eft::cpu
