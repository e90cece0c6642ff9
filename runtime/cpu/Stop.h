// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends a launch on the host before all of its programs are done.
//
// A launch with an `Interruption` asks it regularly whether to continue: first after 50 to 100 ms,
// and then every 50 ms. Reading a clock in the loops of compiled code would cost more than most
// loop bodies. So a separate thread, the watch, looks at the running launches every 50 ms, marks
// those that should ask their interruption (`isDue`), and adds 1 to `attention` for each. Compiled
// code loads `attention` once per loop iteration, and calls `eft$poll` if it is not 0. The thread
// pool does the same between the runs of programs that it hands out.
//
// An ended launch leaves its work incomplete: some programs are done, some have not begun, and the
// programs that are running return the next time that they check `attention`.
#pragma once

#include "runtime/device/Interruption.h"

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace eft::cpu {

// The number of launches that are due to ask their interruption, plus the number of launches that
// must end. Its name in compiled code is `eft$attention`.
extern std::atomic<uint32_t> attention;

// The stop request of one launch, which exists while the launch runs. All threads of the launch
// share it.
class Stop {
public:
  // The calling thread is the launching thread.
  explicit Stop(Interruption &interruption);
  ~Stop();
  Stop(const Stop &) = delete;

  // True if the launch must end. If the watch has marked the launch (see above), the launching
  // thread first asks the interruption whether to end it.
  bool poll() { return attention.load(std::memory_order_relaxed) != 0 && pollSlowly(); }

  // Declares that from now on the launching thread only waits for other threads. That thread then
  // calls `look` every 50 ms, and the watch no longer marks the launch.
  void beginWait();
  // Asks the interruption whether the launch must end, and if so requests the stop.
  void look();

  // True in a child process that was forked inside the launch. The threads that helped with the
  // launch do not exist there.
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
  Watched *watched = nullptr; // null if the table was full; then only waits ask the interruption
  std::atomic<bool> requested = false;
};

} // namespace eft::cpu
