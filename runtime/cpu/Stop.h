// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ending a launch on the host before it is done.
//
// A launch that was given an `Interruption` asks it now and then whether to go on: first when it
// has run for 50 to 100 ms, then every 50 ms. A clock in the loops of compiled code would cost more
// than most of them do, so a thread of its own, the watch, looks at the launches under way every
// 50 ms and raises `attention`, one word of the process. Compiled code loads that word once in a
// turn of a loop, and calls `eft$poll` where it is not 0; the pool does the same between the runs
// of programs that it hands out.
//
// What the launch was doing stays as far as it has come: some programs are done, some have not
// begun, and those under way end at their next look.
#pragma once

#include "runtime/device/Interruption.h"

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace eft::cpu {

// The number of launches to look at: those whose interruption is due to be asked, and those that
// end. Compiled code knows it as `eft$attention`.
extern std::atomic<uint32_t> attention;

// A launch's own, for as long as it lasts. Its threads share it.
class Stop {
public:
  // The calling thread is the launching thread.
  explicit Stop(Interruption &interruption);
  ~Stop();
  Stop(const Stop &) = delete;

  // Whether the launch is to end. In the launching thread, asks the interruption if that is due.
  bool poll() { return attention.load(std::memory_order_relaxed) != 0 && pollSlowly(); }

  // Says that the launching thread only waits for others from now on. It then calls `look` without
  // being asked to.
  void beginWait();
  // Asks the interruption.
  void look();

  // True in a child that was forked inside the launch. The threads that helped are not there.
  bool isOfParent() const;

  bool isRequested() const { return requested.load(std::memory_order_relaxed); }

private:
  struct Watched;
  static Watched table[];
  static void watchLoop();
  static void *watchEntry(void *);
  static void wakeWatch();
  static void forgetInChild();

  bool pollSlowly();

  Interruption &interruption;
  pthread_t owner;
  uint32_t forks;
  uint32_t number = 0;
  Watched *watched = nullptr; // null if no place was left: then only a wait asks the interruption
  std::atomic<bool> requested = false;
};

} // namespace eft::cpu
