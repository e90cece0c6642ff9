// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that compiled code calls: to print lines, to report failed assertions, and to ask
// whether the launch must end.
#include "runtime/cpu/HostCalls.h"

#include "runtime/device/Assertion.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace eft::cpu {
namespace {

thread_local LaunchScope *current = nullptr;

// Formats one value. `conversion` is `%`, digits, and letters.
std::string formatValue(const std::string &conversion, uint64_t bits) {
  char text[400]; // the largest double has 309 digits before the point
  int length = 0;
  if (conversion.back() == 'f') {
    double number = std::bit_cast<double>(bits);
    if (std::isnan(number))
      return "nan";
    length = std::snprintf(text, sizeof(text), conversion.c_str(), number);
  } else {
    length = std::snprintf(text, sizeof(text), conversion.c_str(),
                           static_cast<unsigned long long>(bits));
  }
  return std::string(text, static_cast<size_t>(length));
}

// Writes a whole line in one call, so that stdio does not mix in output of other threads.
int print(const char *format, const uint64_t *values) {
  std::string line = formatLine(format, values);
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
  return static_cast<int>(line.size());
}

void fail(const char *what, uint32_t x, uint32_t y, uint32_t z) {
  if (current && current->failure)
    current->failure->report(what, {x, y, z});
}

// Called by compiled code when `attention` is not 0. If the result is not 0, the program returns.
int32_t poll() { return current && current->stop && current->stop->poll(); }

} // namespace

std::string formatLine(const char *format, const uint64_t *values) {
  std::string line;
  for (const char *at = format; *at; ++at) {
    if (*at != '%') {
      line += *at;
      continue;
    }
    if (at[1] == '%') {
      line += *++at;
      continue;
    }
    size_t length = std::strcspn(at, "udxf") + 1;
    line += formatValue(std::string(at, length), *values++);
    at += length - 1;
  }
  return line;
}

void Failure::report(const char *what, std::array<uint32_t, 3> program) {
  if (taken.exchange(true, std::memory_order_relaxed))
    return;
  text = what;
  position = program;
}

Status Failure::status() const {
  if (!taken.load(std::memory_order_relaxed))
    return {};
  return assertionError(text, position);
}

LaunchScope::LaunchScope(Failure *failure, Stop *stop)
    : failure(failure), stop(stop), innermost(current), outer(innermost) {
  innermost = this;
}

} // namespace eft::cpu

namespace eft {

std::span<const HostSymbol> hostSymbols() {
  static const HostSymbol symbols[] = {
      {"eft$print", reinterpret_cast<uintptr_t>(&cpu::print)},
      {"eft$fail", reinterpret_cast<uintptr_t>(&cpu::fail)},
      {"eft$poll", reinterpret_cast<uintptr_t>(&cpu::poll)},
      {"eft$attention", reinterpret_cast<uintptr_t>(&cpu::attention)},
  };
  return symbols;
}

} // namespace eft
