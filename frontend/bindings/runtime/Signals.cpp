// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs Python's handlers of signals during a launch or a wait.
#include "frontend/bindings/runtime/Signals.h"

#include "frontend/bindings/MainThread.h"

namespace eft::python {

bool SignalInterruption::look() {
  if (given && !isMainThread())
    return false; // a thread that gets no signals should not compete for the GIL
  takeGil();
  const pid_t process = getpid();
  raised = PyErr_CheckSignals() != 0;
  if (!raised && getpid() != process) {
    PyErr_SetString(PyExc_RuntimeError,
                    "a signal's handler forked inside a launch: in the child the "
                    "kernel's other threads are missing, so it was not ended");
    raised = true;
  }
  giveGil();
  return raised;
}

} // namespace eft::python
