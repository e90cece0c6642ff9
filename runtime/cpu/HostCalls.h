// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that compiled code on the host calls: to print, to report failed assertions, and to
// ask whether the launch must end.
//
// The code refers to these functions by name. The loader resolves the names with
// eft::hostSymbols().
#pragma once

#include "eft/Error.h"
#include "eft/Signature.h"
#include "runtime/cpu/Stop.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace eft::cpu {

// The first assertion that failed in a job. Several threads may report at once. `status` may be
// called when all of them are done.
class Failure {
public:
  void report(const char *what, std::array<uint32_t, 3> program);
  Status status() const;

private:
  std::atomic<bool> taken = false;
  const char *text = nullptr; // in the kernel's code, which outlives the job
  std::array<uint32_t, 3> position = {};
};

// During the lifetime of a scope, the code that this thread runs reports failed assertions to
// `failure`, and asks `stop` whether to continue. Scopes nest: a launch may run a signal handler
// that launches another kernel.
class LaunchScope {
public:
  LaunchScope(Failure *failure, Stop *stop);
  LaunchScope(const LaunchScope &) = delete;
  ~LaunchScope() { innermost = outer; }

  Failure *const failure;
  Stop *const stop;

private:
  // A reference to the thread-local pointer to this thread's innermost scope. It is kept because
  // looking up a thread-local variable takes as long as the rest of the destructor.
  LaunchScope *&innermost;
  LaunchScope *outer;
};

// Formats a line like printf. `values` has 8 bytes for each value: an integer for conversions that
// end in `u`, `d` or `x`, a double for those that end in `f`.
std::string formatLine(const char *format, const uint64_t *values);

} // namespace eft::cpu
