// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A large stack for the compiler, whatever thread calls it.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>
#include <functional>
#include <memory>

namespace eft {

/// Runs `work` on a thread of its own with a stack of 64 MiB, and returns when the work is done.
/// MLIR and LLVM recurse along the code that they compile, and the stack of the caller's thread may
/// be a hundred times smaller than a main thread's. If the caller's thread has a large stack
/// already, or the system grants no new thread, `work` runs on the caller's thread.
void runOnLargeStack(llvm::function_ref<void()> work);

/// Work that runs on a thread with a large stack while the caller does something else. If the
/// handle is destroyed before the work is done, the work goes on. So the work must own everything
/// that it uses.
class LargeStackWork {
public:
  /// Starts the work. Returns null if the system grants no such thread.
  static std::unique_ptr<LargeStackWork> start(std::function<void()> work);
  ~LargeStackWork();

  /// Waits until the work is done. By then `work` itself is destroyed.
  void wait();

  /// Waits until the work is done, but at most for `time`. Returns whether the work is done.
  bool waitFor(std::chrono::milliseconds time);

private:
  struct State;
  explicit LargeStackWork(std::shared_ptr<State> state);
  static void *entry(void *state);

  std::shared_ptr<State> state;
};

} // namespace eft
