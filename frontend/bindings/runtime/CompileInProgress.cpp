// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python.h must be included before the standard headers.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "frontend/bindings/runtime/CompileInProgress.h"

#include "frontend/bindings/MainThread.h"

#include <chrono>

namespace eft::python {

void CompileInProgress::finish() {
  std::lock_guard lock(mutex);
  isOver = true;
  changed.notify_all();
}

bool CompileInProgress::wait() {
  constexpr std::chrono::milliseconds period{50};
  PyThreadState *state = PyEval_SaveThread();
  {
    std::unique_lock lock(mutex);
    auto over = [&] { return isOver; };
    if (isMainThread())
      changed.wait_for(lock, period, over);
    else
      changed.wait(lock, over);
  }
  PyEval_RestoreThread(state);
  return PyErr_CheckSignals() == 0;
}

} // namespace eft::python
