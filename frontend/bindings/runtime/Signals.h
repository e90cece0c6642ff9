// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SignalInterruption: handles Python's signals during a launch or a wait for a GPU.
//
// Python runs the handlers of signals in its main thread, between two steps of the interpreter.
// While a launch or a wait runs, the interpreter makes no steps, so the launch or wait must run the
// handlers itself.
#pragma once

#include "frontend/bindings/runtime/Object.h"
#include "runtime/cpu/Stop.h"

#include <unistd.h>

namespace eft::python {

// An interruption for the time of a launch or a wait. It knows whether the GIL is held or released.
class SignalInterruption final : public Interruption {
public:
  SignalInterruption() = default;
  SignalInterruption(const SignalInterruption &) = delete;

  void giveGil() { given = PyEval_SaveThread(); }
  void takeGil() {
    if (given)
      PyEval_RestoreThread(std::exchange(given, nullptr));
  }

  // Runs the handlers of signals that have arrived. Returns true, which ends the launch or the
  // wait, if a handler raised or forked. Releases the GIL before it returns, even if the GIL was
  // held at the call: a launch that is expected to be short keeps the GIL, but a launch that calls
  // this function is not short.
  bool look() override;

  // Returns true if the last call of `look` returned true. An exception is then set.
  bool hasRaised() const { return raised; }

private:
  PyThreadState *given = nullptr;
  bool raised = false;
};

} // namespace eft::python
