// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stack for the compiler that does not depend on who calls it.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>
#include <functional>
#include <memory>

namespace eft {

/// Runs `work` on a thread of its own, whose stack is large, and returns when it is done. MLIR and
/// LLVM recurse along the code that they compile, and the caller may be a thread whose stack is a
/// hundred times smaller than a main thread's. Where the system grants no such thread, or the
/// caller is one, `work` runs on the caller's.
void runOnLargeStack(llvm::function_ref<void()> work);

/// Work on such a thread, for who has to do something else meanwhile. If the handle goes before the
/// work is done, the work goes on, so it must own what it needs.
class LargeStackWork {
public:
  /// Null where the system grants no such thread.
  static std::unique_ptr<LargeStackWork> start(std::function<void()> work);
  ~LargeStackWork();

  /// Waits until the work is done. By then `work` itself is destroyed.
  void wait();

  /// The same, but no longer than that. Returns whether the work is done.
  bool waitFor(std::chrono::milliseconds time);

private:
  struct State;
  explicit LargeStackWork(std::shared_ptr<State> state);
  static void *entry(void *state);

  std::shared_ptr<State> state;
};

} // namespace eft
