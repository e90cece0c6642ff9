// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hands out the programs of a job, and lets workers sleep and wakes them.
#include "runtime/cpu/ThreadPool.h"

#include "runtime/cpu/Futex.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <csignal>
#include <utility>

namespace eft::cpu {
namespace {

constexpr uint32_t taken = 1u << 31;
constexpr uint32_t opened = 1u << 30;
constexpr uint32_t ownerSleeps = 1u << 29;
constexpr uint32_t insideMask = ownerSleeps - 1;

// The time to spin before sleeping: about the cost of sleeping and waking.
constexpr auto spinTime = std::chrono::microseconds(30);

// The number of runs for each thread. It is large enough that threads end at about the same time
// even if one is slower, and small enough that each run writes a long contiguous piece of memory.
constexpr uint64_t runsPerThread = 8;

using Clock = std::chrono::steady_clock;

uint64_t nanosecondsSince(Clock::time_point begin) {
  auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin);
  return static_cast<uint64_t>(time.count());
}

// Spins until `ready` returns true or the spin time is over. Returns the last result of `ready`.
template <typename Ready> bool spinUntil(Ready ready) {
  auto deadline = Clock::now() + spinTime;
  do {
    for (int i = 0; i < 64; ++i) {
      if (ready())
        return true;
      spinPause();
    }
  } while (Clock::now() < deadline);
  return ready();
}

std::atomic<ThreadPool *> processPool = nullptr;

// A forked child has no workers, so it makes a pool of its own. The parent's pool, whose state is
// unknown, is never touched again.
void forgetPool() { processPool = nullptr; }

} // namespace

ThreadPool::ThreadPool(unsigned threads, unsigned cores, bool isVirtual)
    : numThreads(threads), spins(threads <= cores), keepsCore(spins && isVirtual),
      workers(threads - 1) {}

ThreadPool::~ThreadPool() {
  stopping = true;
  ++wakeups;
  futexWake(wakeups, static_cast<int>(numThreads));
  for (unsigned i = 0; i < numWorkers; ++i)
    pthread_join(workers[i].thread, nullptr);
}

Expected<ThreadPool *> ThreadPool::process() {
  if (ThreadPool *pool = processPool.load(std::memory_order_acquire))
    return pool;
  const unsigned cores = usableCores();
  auto threads = hostThreads(cores);
  if (!threads.ok())
    return threads.error();
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, forgetPool);
  auto made = std::make_unique<ThreadPool>(*threads, cores);
  ThreadPool *other = nullptr;
  if (processPool.compare_exchange_strong(other, made.get(), std::memory_order_acq_rel))
    return made.release();
  return other;
}

// The workers block all signals, because Python expects signals in its main thread.
void ThreadPool::startWorkers() {
  if (started.exchange(true))
    return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (Worker &worker : workers) {
    // If the system grants no more threads, the existing ones do the job.
    if (pthread_create(&worker.thread, nullptr, workerEntry, this) != 0)
      break;
    ++numWorkers;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void *ThreadPool::workerEntry(void *pool) {
  auto *self = static_cast<ThreadPool *>(pool);
  pthread_setname_np(pthread_self(), "eft-worker");
  self->workerLoop(self->nextId++);
  return nullptr;
}

void ThreadPool::workerLoop(unsigned id) {
  while (waitForJob()) {
    uint32_t mask = openSlots.load(std::memory_order_acquire);
    if (!mask)
      continue;
    // Each worker begins its search at another slot, so that jobs of several owners all get
    // workers.
    unsigned turn = id % numSlots;
    uint32_t turned = (mask >> turn) | (mask << (numSlots - turn));
    help((static_cast<unsigned>(std::countr_zero(turned)) + turn) % numSlots);
  }
}

// Waits for a job. Returns false when the pool ends.
bool ThreadPool::waitForJob() {
  auto called = [&] {
    return openSlots.load(std::memory_order_relaxed) != 0 ||
           stopping.load(std::memory_order_relaxed);
  };
  // A worker that wakes too late for a job spins again, because more launches may follow.
  while (!called() && !(spins && spinUntil(called))) {
    // An owner opens its slot before it reads the number of sleepers, and a worker adds itself to
    // this number before it looks at the slots. So either the owner sees the sleeper, or the worker
    // sees the open slot.
    ++sleepers;
    uint32_t seen = wakeups;
    if (openSlots == 0 && !stopping)
      futexWait(wakeups, seen);
    --sleepers;
  }
  return !stopping;
}

void ThreadPool::help(unsigned index) {
  Slot &slot = slots[index];
  if (slot.state.fetch_add(1, std::memory_order_acq_rel) & opened)
    takeRuns(index);
  uint32_t before = slot.state.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & ownerSleeps) && (before & insideMask) == 1)
    futexWake(slot.state, 1);
}

// Runs programs of the slot's job until all of them are handed out, or the job is stopped.
void ThreadPool::takeRuns(unsigned index) {
  Slot &slot = slots[index];
  auto begin = Clock::now();
  Stop *stop = slot.job.stop;
  LaunchScope scope(slot.job.failure, stop);
  while (!stop || !stop->poll()) {
    uint64_t first = slot.next.fetch_add(slot.run, std::memory_order_relaxed);
    if (first >= slot.end)
      break;
    uint64_t count = std::min(slot.run, slot.end - first);
    slot.job.function(slot.job.slots, slot.job.grid, first, count);
  }
  openSlots.fetch_and(~(1u << index), std::memory_order_relaxed);
  slot.nanoseconds.fetch_add(nanosecondsSince(begin), std::memory_order_relaxed);
}

ThreadPool::Slot *ThreadPool::takeSlot(unsigned &index) {
  for (index = 0; index < numSlots; ++index) {
    uint32_t free = 0;
    if (slots[index].state.compare_exchange_strong(free, taken, std::memory_order_acquire))
      return &slots[index];
  }
  return nullptr;
}

void ThreadPool::open(unsigned index, uint64_t runs) {
  slots[index].state.fetch_or(opened, std::memory_order_release);
  openSlots.fetch_or(1u << index);
  uint32_t asleep = sleepers;
  if (asleep == 0)
    return;
  takeOwnersCore();
  ++wakeups;
  uint64_t useful = std::min<uint64_t>(runs - 1, numThreads - 1);
  futexWake(wakeups, static_cast<int>(std::min<uint64_t>(useful, asleep)));
}

// Takes the core of the calling thread from workers, so that they wake on other cores.
void ThreadPool::takeOwnersCore() {
  static constexpr int mostChanges = 8;
  std::unique_lock lock(masks, std::defer_lock);
  if (!keepsCore || !lock.try_lock()) // another owner changes the masks
    return;
  const int core = currentCore();
  const unsigned count = numWorkers.load(std::memory_order_acquire);
  int changes = 0;
  for (unsigned i = 0; i < count && changes < mostChanges; ++i) {
    lastMask = lastMask + 1 < count ? lastMask + 1 : 0;
    Worker &worker = workers[lastMask];
    if (worker.mask.missing() == core)
      continue;
    worker.mask.take(worker.thread, core);
    ++changes;
  }
}

// Gives workers back the cores that owners have taken from them, while a worker is in the slot.
void ThreadPool::giveCoresBack(const Slot &slot) {
  std::unique_lock lock(masks, std::defer_lock);
  if (!keepsCore || !lock.try_lock())
    return;
  const unsigned count = numWorkers.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count && (slot.state & insideMask) != 0; ++i)
    workers[i].mask.giveBack(workers[i].thread);
}

// Closes the slot to further workers, and waits until all workers have left it.
void ThreadPool::waitForHelpers(Slot &slot) {
  static constexpr timespec patience = {0, 200'000}, lookPeriod = {0, 50'000'000};
  Stop *stop = slot.job.stop;
  slot.state.fetch_and(~opened, std::memory_order_acq_rel);
  auto alone = [&] { return (slot.state.load(std::memory_order_acquire) & insideMask) == 0; };
  if (!alone() && !(spins && spinUntil(alone))) {
    if (stop)
      stop->beginWait();
    uint32_t state = slot.state.fetch_or(ownerSleeps) | ownerSleeps;
    bool isPatient = !keepsCore;
    for (; state & insideMask; state = slot.state.load(std::memory_order_acquire)) {
      futexWait(slot.state, state, !isPatient ? &patience : stop ? &lookPeriod : nullptr);
      if (stop && (slot.state.load(std::memory_order_relaxed) & insideMask))
        stop->look();
      if (stop && stop->isOfParent())
        return;
      if (!std::exchange(isPatient, true))
        giveCoresBack(slot);
    }
  }
}

Cost ThreadPool::run(const Job &job) {
  unsigned index = 0;
  Slot *slot = job.count > 1 && numThreads > 1 ? takeSlot(index) : nullptr;
  if (!slot) {
    auto begin = Clock::now();
    LaunchScope scope(job.failure, job.stop);
    job.function(job.slots, job.grid, job.first, job.count);
    return {job.count, nanosecondsSince(begin)};
  }
  startWorkers();
  slot->job = job;
  slot->end = job.first + job.count;
  slot->run = std::max<uint64_t>(1, job.count / (numThreads * runsPerThread));
  slot->next.store(job.first, std::memory_order_relaxed);
  slot->nanoseconds.store(0, std::memory_order_relaxed);
  open(index, (job.count + slot->run - 1) / slot->run);
  takeRuns(index);
  waitForHelpers(*slot);
  Cost cost{job.count, slot->nanoseconds.load(std::memory_order_relaxed)};
  // A plain store would be wrong: a worker that saw the slot open too late may add itself at any
  // time.
  slot->state.fetch_and(~(taken | ownerSleeps), std::memory_order_release);
  return cost;
}

} // namespace eft::cpu
