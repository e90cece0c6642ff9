// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that compiled code calls: for printing, for assertions that fail, and for launches
// that are to end.
//
// The code names them, and who loads it has to say where they are: eft::hostSymbols().
#pragma once

#include "eft/Error.h"
#include "eft/Signature.h"
#include "runtime/cpu/Stop.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace eft::cpu {

// The first assertion of a job that failed. Code may report from several threads at once; it is
// read when they are done.
class Failure {
public:
  void report(const char *what, std::array<uint32_t, 3> program);
  Status status() const;

private:
  std::atomic<bool> taken = false;
  const char *text = nullptr; // part of the code, which is there as long as the job
  std::array<uint32_t, 3> position = {};
};

// While it lives, what this thread's code reports goes to `failure`, and it asks `stop` whether to
// go on. Scopes nest: a launch that looks at signals may run a handler that launches.
class LaunchScope {
public:
  LaunchScope(Failure *failure, Stop *stop);
  LaunchScope(const LaunchScope &) = delete;
  ~LaunchScope() { innermost = outer; }

  Failure *const failure;
  Stop *const stop;

private:
  // This thread's innermost launch; kept because finding it takes as long as the rest.
  LaunchScope *&innermost;
  LaunchScope *outer;
};

// A line in printf's format. `values` has 8 bytes for each value: integers for formats that end in
// `u`, `d` or `x`, doubles for `f`.
std::string formatLine(const char *format, const uint64_t *values);

} // namespace eft::cpu
