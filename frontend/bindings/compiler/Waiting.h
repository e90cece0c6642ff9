// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles that Ctrl-C ends.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

namespace eft::bindings {

/// Runs `work` on a large stack, and waits for it; to be called with the GIL, which is given up
/// meanwhile. In Python's main thread the handlers of signals run while it waits. If one raises,
/// its exception goes on at once: LLVM can't be stopped in the middle, so the work goes on, finds
/// the flag `isAbandoned` set sooner or later, and its result is dropped. `work` must own what it
/// needs.
void runAndWait(std::function<void()> work, std::shared_ptr<std::atomic<bool>> isAbandoned);

/// The same for work that returns something or throws.
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
