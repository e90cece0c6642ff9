// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The watch, which is the thread that observes launches, and the data that it shares with them.
#include "runtime/cpu/Stop.h"

#include "runtime/cpu/Futex.h"

#include <array>
#include <csignal>
#include <ctime>

namespace eft::cpu {

std::atomic<uint32_t> attention = 0;

namespace {

constexpr unsigned numWatched = 32;
constexpr timespec period = {0, 50'000'000};
// After this many periods without a launch, the watch sleeps until the next launch.
constexpr unsigned idlePeriods = 20;

enum WatchState : uint32_t { Awake, Asleep, NotStarted };
std::atomic<uint32_t> watch = NotStarted;
uint32_t forksSoFar = 0; // the number of forks from the first process to this one

} // namespace

// A table entry for one running launch. The watch and the launches access it without a lock:
// another thread might hold a lock while the process forks, and the child could then never take it.
struct alignas(64) Stop::Watched {
  // Odd while the entry has a running launch. Each launch has its own number.
  std::atomic<uint32_t> number = 0;
  // True if the launch should ask its interruption. `attention` counts these launches.
  std::atomic<bool> isDue = false;
  // True if the launching thread only waits for other threads. It then asks its interruption every
  // 50 ms by itself, and the watch does not set `isDue`.
  std::atomic<bool> isWaiting = false;

  void setDue() {
    if (!isDue.exchange(true))
      attention.fetch_add(1);
  }
  bool takeDue() {
    if (!isDue.load(std::memory_order_relaxed) || !isDue.exchange(false))
      return false;
    attention.fetch_sub(1);
    return true;
  }
};

Stop::Watched Stop::table[numWatched];

Stop::Stop(Interruption &interruption)
    : interruption(interruption), owner(pthread_self()), forks(forksSoFar) {
  for (Watched &place : table) {
    number = place.number.load(std::memory_order_relaxed);
    // The exchange is sequentially consistent, as are the accesses to `watch`. So either the watch
    // sees this launch before it sleeps, or this thread sees that the watch sleeps, and wakes it.
    if (number % 2 == 0 && place.number.compare_exchange_strong(number, number + 1)) {
      ++number;
      place.isWaiting.store(false, std::memory_order_relaxed);
      watched = &place;
      break;
    }
  }
  if (watch.load() != Awake)
    wakeWatch();
}

Stop::~Stop() {
  if (isRequested())
    attention.fetch_sub(1);
  if (!watched)
    return;
  watched->number.store(number + 1, std::memory_order_release);
  watched->takeDue();
}

bool Stop::pollSlowly() {
  if (watched && pthread_equal(owner, pthread_self()) && watched->takeDue())
    look();
  return isRequested();
}

void Stop::beginWait() {
  if (!watched)
    return;
  watched->isWaiting.store(true, std::memory_order_relaxed);
  watched->takeDue();
}

void Stop::look() {
  if (!isRequested() && interruption.look()) {
    requested.store(true, std::memory_order_relaxed);
    attention.fetch_add(1);
  }
}

bool Stop::isOfParent() const { return forks != forksSoFar; }

void Stop::wakeWatch() {
  uint32_t state = Asleep;
  if (watch.compare_exchange_strong(state, Awake)) {
    futexWake(watch, 1);
    return;
  }
  state = NotStarted;
  if (!watch.compare_exchange_strong(state, Awake))
    return;
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, forgetInChild);
  // The new thread blocks all signals, so that the process's own threads handle them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, watchEntry, nullptr) == 0)
    pthread_detach(thread);
  else
    watch = NotStarted; // the next launch tries again
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// After a fork, the child has no watch. At most one launch continues in the child: the launch
// inside which the process forked.
void Stop::forgetInChild() {
  ++forksSoFar;
  watch = NotStarted;
  attention = 0;
  for (Watched &place : table) {
    place.isDue = false;
    place.number = (place.number + 1) / 2 * 2;
  }
}

void *Stop::watchEntry(void *) {
  pthread_setname_np(pthread_self(), "eft-watch");
  watchLoop();
  return nullptr;
}

void Stop::watchLoop() {
  std::array<uint32_t, numWatched> seen = {};
  for (unsigned idle = 0;; ++idle) {
    nanosleep(&period, nullptr);
    for (unsigned i = 0; i < numWatched; ++i) {
      Watched &place = table[i];
      uint32_t number = place.number.load(std::memory_order_acquire);
      bool isOld = number % 2 != 0 && number == seen[i];
      if (number % 2 != 0 || number != seen[i])
        idle = 0;
      seen[i] = number;
      if (isOld && !place.isWaiting.load(std::memory_order_relaxed))
        place.setDue();
      else
        place.takeDue(); // `isDue` may have been set just after the launch had ended
    }
    if (idle < idlePeriods)
      continue;
    idle = 0;
    watch = Asleep;
    bool anyBegan = false;
    for (Watched &place : table)
      anyBegan |= place.number.load() % 2 != 0;
    if (anyBegan)
      watch = Awake;
    while (watch == Asleep)
      futexWait(watch, Asleep);
  }
}

} // namespace eft::cpu
