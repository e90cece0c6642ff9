// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/bindings/compiler/Waiting.h"

#include "compiler/pipeline/LargeStack.h"
#include "frontend/bindings/MainThread.h"

#include <pybind11/pybind11.h>

#include <stdexcept>
#include <unistd.h>

namespace py = pybind11;

namespace eft::bindings {

void runAndWait(std::function<void()> work, std::shared_ptr<std::atomic<bool>> isAbandoned) {
  constexpr std::chrono::milliseconds period{50};
  py::gil_scoped_release released;
  std::unique_ptr<LargeStackWork> started = LargeStackWork::start(work);
  if (!started)
    return work();
  work = nullptr;
  if (!python::isMainThread())
    return started->wait();
  while (!started->waitFor(period)) {
    py::gil_scoped_acquire acquired;
    const pid_t process = getpid();
    const bool hasRaised = PyErr_CheckSignals() != 0;
    const bool hasForked = getpid() != process;
    if (hasRaised || hasForked)
      *isAbandoned = true;
    if (hasRaised)
      throw py::error_already_set();
    if (hasForked)
      throw std::runtime_error("a signal's handler forked inside a compile: in the child the "
                               "compiler's thread is missing, so nothing was compiled");
  }
}

} // namespace eft::bindings
