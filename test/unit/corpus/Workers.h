// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs work that may crash in separate processes.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace eft::test {

/// Records what a worker is doing, in memory that is shared with its parent.
class Progress {
public:
  /// Sets the text on which the worker works.
  void setInput(const std::string &name, const std::string &text);
  /// Sets the name of the step that the worker now does with its input.
  void setStep(const std::string &step);
  /// Counts an item whose input was valid.
  void count() { ++done; }
  /// Reports a wrong result that did not crash, and ends the worker.
  [[noreturn]] void fail(const std::string &why);

private:
  friend class Workers;
  size_t item, done;
  char name[256], step[1024], why[8192], text[1 << 18];
};

struct Failure {
  size_t item;
  std::string name, text, step, why;
};

struct Report {
  size_t done = 0; ///< the number of items that `Progress::count` counted
  std::vector<Failure> failures;
};

/// Calls `work` for each item from 0 to `items` - 1, in one process for each processor, at most 8.
/// An item fails if its process ends, or uses more than a minute of processor time. A new process
/// then goes on with the next item. After 20 failures, failed processes are no longer replaced.
Report workOn(size_t items, const std::function<void(size_t item, Progress &)> &work);

} // namespace eft::test
