// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compile by one thread, for which others wait.
#pragma once

#include <condition_variable>
#include <mutex>

namespace eft::python {

// Each thread that uses it holds a reference of its own. A forked child, which has no such thread,
// drops its one unused: the mutex may have been locked when it forked.
class CompileInProgress {
public:
  // Says that it is over, however it ended. Needs the GIL, as `wait` does.
  void finish();

  // Waits until it is over, without the GIL. In Python's main thread it returns after a while even
  // if it is not, so that the handlers of signals run. Returns false with an exception set if one
  // of them raised it.
  bool wait();

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isOver = false;
};

} // namespace eft::python
