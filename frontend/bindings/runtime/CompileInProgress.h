// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CompileInProgress: a compile in one thread, for which other threads wait.
#pragma once

#include <condition_variable>
#include <mutex>

namespace eft::python {

// Each thread that uses the object holds a reference. A forked child has no compiling thread. The
// child drops its reference without using the object, whose mutex may have been locked at the fork.
class CompileInProgress {
public:
  // Marks the compile as over, whether it succeeded or failed. The caller must hold the GIL.
  void finish();

  // Waits until the compile is over; in Python's main thread at most 50 ms, so that the handlers of
  // signals run in time. Then runs the handlers, and returns false with an exception set if one of
  // them raised it. After true, the caller looks the variant up again, and calls `wait` again if it
  // is still being compiled. The caller must hold the GIL, which is released during the wait.
  bool wait();

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isOver = false;
};

} // namespace eft::python
