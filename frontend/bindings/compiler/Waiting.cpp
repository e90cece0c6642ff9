// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/bindings/compiler/Waiting.h"

#include "compiler/pipeline/LargeStack.h"
#include "frontend/bindings/MainThread.h"

#include <pybind11/pybind11.h>

namespace py = pybind11;

namespace eft::bindings {

void runAndWait(std::function<void()> work, std::shared_ptr<std::atomic<bool>> isAbandoned) {
  constexpr std::chrono::milliseconds period{50};
  py::gil_scoped_release released;
  std::unique_ptr<LargeStackWork> started = LargeStackWork::start(work);
  if (!started)
    return work();
  work = nullptr;
  while (!started->waitFor(period)) {
    if (!python::isMainThread())
      continue;
    py::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) {
      *isAbandoned = true;
      throw py::error_already_set();
    }
  }
}

} // namespace eft::bindings
