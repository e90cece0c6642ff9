// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits for a compile such that Ctrl-C ends the wait.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

namespace eft::bindings {

/// Runs `work` on a thread with a large stack and waits for it. If the system grants no such
/// thread, `work` runs on the caller's thread. The caller must hold the GIL, which is released
/// during the wait. In Python's main thread the handlers of signals run during the wait. If a
/// handler raises, this function sets `isAbandoned` and throws the handler's exception at once. In
/// a child process that a handler forks, it sets `isAbandoned` and throws an exception of its own.
/// LLVM can't be interrupted, so the work goes on until it next reads `isAbandoned`, and its result
/// is dropped. Therefore `work` must own everything that it uses.
void runAndWait(std::function<void()> work, std::shared_ptr<std::atomic<bool>> isAbandoned);

/// Runs work that returns a value or throws, as runAndWait does. Returns the value, or throws what
/// the work threw.
template <typename T> T compute(std::function<T(const std::atomic<bool> &isAbandoned)> work) {
  struct Task {
    std::function<T(const std::atomic<bool> &)> work;
    std::atomic<bool> isAbandoned = false;
    std::optional<T> result;
    std::exception_ptr failure;
  };
  auto task = std::make_shared<Task>();
  task->work = std::move(work);
  auto run = [task] {
    try {
      task->result = task->work(task->isAbandoned);
    } catch (...) {
      task->failure = std::current_exception();
    }
    task->work = nullptr; // frees what the work owns before another thread sees the result
  };
  runAndWait(run, std::shared_ptr<std::atomic<bool>>(task, &task->isAbandoned));
  if (task->failure)
    std::rethrow_exception(task->failure);
  return std::move(*task->result);
}

} // namespace eft::bindings
