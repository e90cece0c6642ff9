// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing lines and reporting failures from compiled code.
#include "runtime/cpu/HostCalls.h"

#include "runtime/device/Assertion.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace eft::cpu {
namespace {

thread_local Failure *current = nullptr;

// One value by one conversion of a format, which is `%`, digits, and letters.
std::string formatValue(const std::string &conversion, uint64_t bits) {
  char text[400]; // the largest double has 309 digits in front of the point
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

// A whole line at once: stdio lets no other thread write in between.
int print(const char *format, const uint64_t *values) {
  std::string line = formatLine(format, values);
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
  return static_cast<int>(line.size());
}

void fail(const char *what, uint32_t x, uint32_t y, uint32_t z) {
  if (current)
    current->report(what, {x, y, z});
}

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

FailureScope::FailureScope(Failure *failure) { current = failure; }
FailureScope::~FailureScope() { current = nullptr; }

} // namespace eft::cpu

namespace eft {

std::span<const HostSymbol> hostSymbols() {
  static const HostSymbol symbols[] = {
      {"eft$print", reinterpret_cast<uintptr_t>(&cpu::print)},
      {"eft$fail", reinterpret_cast<uintptr_t>(&cpu::fail)},
  };
  return symbols;
}

} // namespace eft
