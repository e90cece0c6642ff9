// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python's signals inside a launch, or a wait for a GPU.
//
// Python's handlers run in its main thread, between two steps of the interpreter. While a kernel
// runs there are none: the launch has to ask, and so has a wait.
#pragma once

#include "frontend/bindings/runtime/Object.h"
#include "runtime/cpu/Stop.h"

#include <unistd.h>

namespace eft::python {

// Holds the GIL, or has given it up, for as long as a launch or a wait lasts.
class SignalInterruption final : public Interruption {
public:
  SignalInterruption() = default;
  SignalInterruption(const SignalInterruption &) = delete;

  void giveGil() { given = PyEval_SaveThread(); }
  void takeGil() {
    if (given)
      PyEval_RestoreThread(std::exchange(given, nullptr));
  }

  // Runs the handlers of signals that have arrived, and ends the launch or the wait if one raises.
  // A launch that was expected to be short has kept the GIL: here it is not short any more, so it
  // gives the GIL up.
  bool look() override;

  // True if a handler raised: the exception is set.
  bool hasRaised() const { return raised; }

private:
  PyThreadState *given = nullptr;
  bool raised = false;
};

} // namespace eft::python
