// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the driver of paper share this: what the driver's handles point to, its entry
// points, and how these begin. The names are in a namespace, but the entry points have C linkage.
#pragma once

#include "runtime/cuda/DriverFunctions.h"
#include "runtime/cuda/DriverTypes.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace eft::cuda {

struct ContextObject {
  int ordinal;
};
struct FunctionObject {
  std::string name;
  int parameters;
  bool asserts;
  std::string code;
  int sharedLimit = 48 * 1024;

  /// The number behind a word of the code.
  int number(const char *word, int otherwise) const {
    const char *found = std::strstr(code.c_str(), word);
    return found ? std::atoi(found + std::strlen(word)) : otherwise;
  }
};
struct ModuleObject {
  std::string image;
  FunctionObject function;
};
struct StreamObject {};
struct EventObject {
  int time;
};

namespace fake {

// The entry points, with the signatures by which Eft calls them.
#define EFT_EXPORT(name, symbol, parameters) EXPORT Result symbol parameters;
EFT_CUDA_DRIVER_FUNCTIONS(EFT_EXPORT)
#undef EFT_EXPORT

// Guards what several threads may use at once.
extern std::recursive_mutex lock;
extern thread_local ContextHandle current;
extern thread_local CaptureMode captureMode;

// The number in an environment variable.
int setting(const char *name, int fallback);
// Adds a line to what fakeLog() gives.
void note(const std::string &line);
// The result that this call of `name` has to return.
Result verdict(const char *name);

} // namespace fake

} // namespace eft::cuda

#define FAIL_IF_TOLD                                                                               \
  if (Result told = verdict(__func__))                                                             \
    return told;

// The thread must have said that it may load code while a stream is being captured.
#define NEED_ALLOWANCE                                                                             \
  if (captureMode != captureRelaxed)                                                               \
    return 901;

#define NEED_CONTEXT                                                                               \
  if (!current)                                                                                    \
    return errorInvalidContext;
