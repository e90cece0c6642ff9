// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations that the parts of the fake driver share: the objects of the driver's handles, its
// entry points, and macros for their first lines. The names are in a namespace, but the entry
// points have C linkage.
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

  /// The number after `word` in the code, or `otherwise` if the code does not contain it.
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

// Guards the state that several threads use.
extern std::recursive_mutex lock;
extern thread_local ContextHandle current;
extern thread_local CaptureMode captureMode;

// The number in an environment variable, or `fallback` if it is not set.
int setting(const char *name, int fallback);
// Adds a line to the log that fakeLog() returns.
void note(const std::string &line);
// The result that this call of `name` must return: `success`, or a failure that was requested.
Result verdict(const char *name);

} // namespace fake

} // namespace eft::cuda

#define FAIL_IF_TOLD                                                                               \
  if (Result told = verdict(__func__))                                                             \
    return told;

// Fails unless the thread has allowed itself to load code while a stream is captured.
#define NEED_ALLOWANCE                                                                             \
  if (captureMode != captureRelaxed)                                                               \
    return 901;

#define NEED_CONTEXT                                                                               \
  if (!current)                                                                                    \
    return errorInvalidContext;
