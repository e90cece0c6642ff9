// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A CUDA driver made of paper: a shared library with the entry points that Eft opens, which writes
// down what it is asked and fails where it is told to. With EFT_LIBCUDA naming it, the code for
// GPUs runs on a machine that has none.
//
// Told by the environment, before it is opened: FAKE_CUDA_VERSION (13000), FAKE_CUDA_DEVICES (2),
// FAKE_CUDA_INIT (0, what cuInit returns), FAKE_CUDA_FAIL ("cuLaunchKernel=2", what the first call
// of it returns). Told by the functions that begin with fake, afterwards.
// A "cubin" is a text; one with "params=N" in it makes launches write down N parameters. PTX with
// the word "wrong" in it does not link. Pointers of device d lie at (16 + d) << 32.
#include "FakeCuda.h"

#include <map>

namespace eft::cuda::fake {

namespace {

std::string text;
std::map<std::string, Result> failures;
ContextObject contexts[16];

} // namespace

std::recursive_mutex lock;
thread_local ContextHandle current = nullptr;
thread_local CaptureMode captureMode = {}; // global, the strictest

int setting(const char *name, int fallback) {
  const char *value = std::getenv(name);
  return value && *value ? std::atoi(value) : fallback;
}

void note(const std::string &line) {
  std::lock_guard guard(lock);
  text += line + "\n";
}

Result verdict(const char *name) {
  std::lock_guard guard(lock);
  static bool fromEnvironment = [] {
    std::string wish = std::getenv("FAKE_CUDA_FAIL") ? std::getenv("FAKE_CUDA_FAIL") : "";
    if (size_t equals = wish.find('='); equals != std::string::npos)
      failures[wish.substr(0, equals)] = std::atoi(wish.c_str() + equals + 1);
    return true;
  }();
  (void)fromEnvironment;
  auto found = failures.find(name);
  if (found == failures.end())
    return success;
  Result result = found->second;
  failures.erase(found);
  return result;
}

// The calls of interest since the last fakeClear(), a line for each.
EXPORT const char *fakeLog() { return text.c_str(); }
EXPORT void fakeClear() { text.clear(); }
// Makes the next call of `name` return `result`.
EXPORT void fakeFail(const char *name, int result) { failures[name] = result; }
// The ordinal of the calling thread's context, or -1.
EXPORT int fakeCurrent() { return current ? current->ordinal : -1; }
// The calling thread's capture mode.
EXPORT int fakeCaptureMode() { return captureMode; }
EXPORT void fakeSetCurrent(int ordinal) { current = ordinal < 0 ? nullptr : &contexts[ordinal]; }

Result cuDevicePrimaryCtxRetain(ContextHandle *context, DeviceHandle device) {
  FAIL_IF_TOLD
  contexts[device].ordinal = device;
  *context = &contexts[device];
  note("retain " + std::to_string(device));
  return success;
}

Result cuCtxGetCurrent(ContextHandle *context) {
  FAIL_IF_TOLD
  *context = current;
  return success;
}

// Launchers of kernels that were compiled ahead of time ask for this, too.
EXPORT Result cuCtxGetDevice(DeviceHandle *device) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  *device = current->ordinal;
  return success;
}

Result cuCtxSetCurrent(ContextHandle context) {
  FAIL_IF_TOLD
  current = context;
  return success;
}

Result cuCtxSynchronize() {
  FAIL_IF_TOLD
  NEED_CONTEXT
  note("synchronize " + std::to_string(current->ordinal));
  return success;
}

Result cuThreadExchangeStreamCaptureMode(CaptureMode *mode) {
  std::swap(*mode, captureMode);
  return success;
}

} // namespace eft::cuda::fake
