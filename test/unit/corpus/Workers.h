// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that may end its process, in processes of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace eft::test {

/// Notes what a worker is about to do. It lies in memory that its parent sees, too.
class Progress {
public:
  /// The text that is worked on.
  void setInput(const std::string &name, const std::string &text);
  /// Names the step that the worker does with its input from now on.
  void setStep(const std::string &step);
  /// Something was tried whose input was right.
  void count() { ++done; }
  /// Ends the worker: what it did is wrong, though it did not end it.
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
  size_t done = 0; ///< what `Progress::count` counted
  std::vector<Failure> failures;
};

/// Calls `work` for each item from 0 on, in as many processes as there are processors. One that
/// ends, or takes more than a minute of a processor's time for an item, is a failure, and the next
/// item has a new process. Stops when there are many failures.
Report workOn(size_t items, const std::function<void(size_t item, Progress &)> &work);

} // namespace eft::test
