// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the driver of paper share this: what the driver's handles point to, and how its
// functions begin.
#pragma once

#include "runtime/cuda/DriverFunctions.h"
#include "runtime/cuda/DriverTypes.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

using namespace eft::cuda;

#define EXPORT extern "C" __attribute__((visibility("default")))

// The signatures are those that Eft calls.
#define EFT_EXPORT(name, symbol, parameters) EXPORT Result symbol parameters;
EFT_CUDA_DRIVER_FUNCTIONS(EFT_EXPORT)
#undef EFT_EXPORT

struct eft::cuda::ContextObject {
  int ordinal;
};
struct eft::cuda::FunctionObject {
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
struct eft::cuda::ModuleObject {
  std::string image;
  FunctionObject function;
};
struct eft::cuda::StreamObject {};
struct eft::cuda::EventObject {
  int time;
};

namespace fake {

// Of all that several threads may ask at once.
extern std::recursive_mutex lock;
extern thread_local ContextHandle current;
extern thread_local CaptureMode captureMode;

// A number that the environment tells.
int setting(const char *name, int fallback);
// Adds a line to what fakeLog() gives.
void note(const std::string &line);
// The result that the call `name` shall return this time.
Result verdict(const char *name);

} // namespace fake

using namespace fake;

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
