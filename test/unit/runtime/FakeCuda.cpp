// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fake CUDA driver: a shared library with the driver's entry points that Eft uses. It logs the
// calls, and fails on request. If EFT_LIBCUDA names it, the code for GPUs runs on a machine without
// a GPU.
//
// Environment variables, to be set before the library is opened: FAKE_CUDA_VERSION (default 13000),
// FAKE_CUDA_DEVICES (2), FAKE_CUDA_INIT (the result of cuInit, 0), FAKE_CUDA_FAIL (for example
// "cuLaunchKernel=2": the result of the first call of that function). The functions whose names
// begin with "fake" control it later. A "cubin" is any text. If it contains "params=N", launches
// log N parameters. PTX that contains the word "wrong" does not link. Pointers of device d are from
// (16 + d) << 32 on.
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
thread_local CaptureMode captureMode = {}; // the "global" mode, which is the strictest

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

// The logged calls since the last fakeClear(), one on each line.
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

// Launchers of kernels that are compiled ahead of time also call this function.
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
