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
#include "runtime/cuda/DriverFunctions.h"
#include "runtime/cuda/DriverTypes.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

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
/// The caller's options for assembling PTX, and its room for messages.
struct Log {
  char *text = nullptr;
  size_t bytes = 0;
  bool hasLines = false;

  Log(unsigned count, JitOption *options, void **values) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == errorLogBuffer)
        text = static_cast<char *>(values[i]);
      if (options[i] == errorLogBytes)
        bytes = reinterpret_cast<size_t>(values[i]);
      if (options[i] == generateLineInfo)
        hasLines = values[i] != nullptr;
    }
  }

  Result refuse(const char *input) const {
    std::snprintf(text, bytes, "ptxas %s, line 3; error   : Unknown symbol 'wrong'\n", input);
    return 218;
  }
};

struct eft::cuda::LinkObject {
  Log log;
  std::string cubin;
};

namespace {

std::recursive_mutex lock;
std::string text;
std::map<std::string, Result> failures;
ContextObject contexts[16];
thread_local ContextHandle current = nullptr;
thread_local CaptureMode captureMode = {}; // global, the strictest
std::atomic<StreamHandle> capturedStream = reinterpret_cast<StreamHandle>(~size_t(0)); // none
int clockTicks = 0;

int setting(const char *name, int fallback) {
  const char *value = std::getenv(name);
  return value && *value ? std::atoi(value) : fallback;
}

void note(const std::string &line) {
  std::lock_guard guard(lock);
  text += line + "\n";
}

// What the call `name` shall return this time.
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

} // namespace

// What was asked since the last fakeClear(), a line for each call of interest.
EXPORT const char *fakeLog() { return text.c_str(); }
EXPORT void fakeClear() { text.clear(); }
// Makes the next call of `name` return `result`.
EXPORT void fakeFail(const char *name, int result) { failures[name] = result; }
// The ordinal of the calling thread's context, or -1.
EXPORT int fakeCurrent() { return current ? current->ordinal : -1; }
// The calling thread's capture mode.
EXPORT int fakeCaptureMode() { return captureMode; }
// The registers and the bytes of stack of code that says nothing of them.
static int usualRegisters = 32, usualStackBytes = 0;
EXPORT void fakeUse(int registers, int stackBytes) {
  usualRegisters = registers;
  usualStackBytes = stackBytes;
}
EXPORT void fakeSetCurrent(int ordinal) { current = ordinal < 0 ? nullptr : &contexts[ordinal]; }

// The variables of a module whose image names them: an address of the host's, and
// a text.
static uint64_t failureAddress = 0;
static const char siteText[] = "kernel.py:7: too large";

Result cuModuleGetGlobal_v2(DevicePointer *pointer, size_t *bytes, ModuleHandle module,
                            const char *name) {
  FAIL_IF_TOLD
  if (module->image.find("eft$failure") == std::string::npos)
    return errorNotFound;
  bool isSites = name == std::string("eft$sites");
  *pointer = isSites ? reinterpret_cast<DevicePointer>(siteText)
                     : reinterpret_cast<DevicePointer>(&failureAddress);
  *bytes = isSites ? sizeof(siteText) : sizeof(failureAddress);
  return success;
}

Result cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  FAIL_IF_TOLD
  *pointer = std::calloc(1, bytes);
  return success;
}

Result cuMemFreeHost(void *pointer) {
  std::free(pointer);
  return success;
}

Result cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  FAIL_IF_TOLD
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return success;
}

Result cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  FAIL_IF_TOLD
  std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return success;
}

// Notes, unless another one is noted, that an assertion fails in a program.
static void noteFailure(unsigned x, unsigned y, unsigned z) {
  std::lock_guard guard(lock);
  auto *record = reinterpret_cast<unsigned *>(failureAddress);
  if (record[0] == 0)
    record[0] = 1, record[1] = x, record[2] = y, record[3] = z;
}

Result cuDriverGetVersion(int *version) {
  *version = setting("FAKE_CUDA_VERSION", 13000);
  return success;
}

Result cuInit(unsigned) { return setting("FAKE_CUDA_INIT", 0); }

Result cuGetErrorName(Result result, const char **name) {
  static const std::map<Result, const char *> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},     {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},       {201, "CUDA_ERROR_INVALID_CONTEXT"},
      {218, "CUDA_ERROR_INVALID_PTX"},     {500, "CUDA_ERROR_NOT_FOUND"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}};
  auto found = names.find(result);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end() ? 1 : success;
}

Result cuGetErrorString(Result result, const char **words) {
  static const std::map<Result, const char *> texts = {
      {1, "invalid argument"},
      {2, "out of memory"},
      {100, "no CUDA-capable device is detected"},
      {201, "invalid device context"},
      {218, "a PTX JIT compilation failed"},
      {500, "named symbol not found"},
      {700, "an illegal memory access was encountered"},
      {803, "system has unsupported display driver / cuda driver combination"}};
  auto found = texts.find(result);
  *words = found == texts.end() ? nullptr : found->second;
  return found == texts.end() ? 1 : success;
}

Result cuDeviceGetCount(int *count) {
  FAIL_IF_TOLD
  *count = setting("FAKE_CUDA_DEVICES", 2);
  return success;
}

Result cuDeviceGet(DeviceHandle *device, int ordinal) {
  FAIL_IF_TOLD
  *device = ordinal;
  return success;
}

Result cuDeviceGetName(char *name, int size, DeviceHandle device) {
  FAIL_IF_TOLD
  std::snprintf(name, static_cast<size_t>(size), "Paper GPU %d", device);
  return success;
}

Result cuDeviceTotalMem_v2(size_t *bytes, DeviceHandle) {
  FAIL_IF_TOLD
  *bytes = size_t(80) << 30;
  return success;
}

Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute, DeviceHandle) {
  FAIL_IF_TOLD
  static const std::map<int, int> values = {{maxGridX, 2147483647},
                                            {maxGridY, 65535},
                                            {maxGridZ, 65535},
                                            {clockRateKilohertz, 1980000},
                                            {multiprocessorCount, 132},
                                            {l2CacheBytes, 50 << 20},
                                            {maxBlocksPerMultiprocessor, 32},
                                            {maxThreadsPerMultiprocessor, 2048},
                                            {maxSharedPerMultiprocessor, 233472},
                                            {maxRegistersPerMultiprocessor, 65536},
                                            {memoryClockKilohertz, 3201000},
                                            {memoryBusBits, 6144},
                                            {maxRegistersPerBlock, 65536},
                                            {capabilityMajor, 9},
                                            {capabilityMinor, 0},
                                            {maxSharedPerBlockOptIn, 232448}};
  auto found = values.find(attribute);
  if (found == values.end())
    return 1;
  *value = found->second;
  return success;
}

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

// What the launchers of kernels that were compiled ahead of time ask for beside.
EXPORT Result cuCtxGetDevice(DeviceHandle *device) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  *device = current->ordinal;
  return success;
}

EXPORT Result cuModuleLoadData(ModuleHandle *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
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

Result cuLinkCreate_v2(unsigned count, JitOption *options, void **values, LinkHandle *link) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  *link = new LinkObject{{count, options, values}, {}};
  return success;
}

Result cuLinkAddData_v2(LinkHandle link, LinkInput, void *data, size_t size, const char *name,
                        unsigned, JitOption *, void **) {
  FAIL_IF_TOLD
  const char *ptx = static_cast<const char *>(data);
  if (std::strlen(ptx) + 1 != size)
    return 1;
  if (std::strstr(ptx, "wrong"))
    return link->log.refuse(name);
  link->cubin = std::string("cubin of ") + ptx + (link->log.hasLines ? " with lines" : "");
  return success;
}

Result cuLinkComplete(LinkHandle link, void **cubin, size_t *size) {
  FAIL_IF_TOLD
  NEED_ALLOWANCE
  *cubin = link->cubin.data();
  *size = link->cubin.size();
  return success;
}

Result cuLinkDestroy(LinkHandle link) {
  delete link;
  note("link destroyed");
  return success;
}

Result cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned count,
                          JitOption *options, void **values) {
  FAIL_IF_TOLD
  NEED_ALLOWANCE
  NEED_CONTEXT
  const char *text = static_cast<const char *>(image);
  const Log log(count, options, values);
  if (std::strstr(text, "wrong"))
    return log.refuse("application ptx input");
  *module = new ModuleObject{text, {}};
  note(std::string("load ") + (log.hasLines || count == 0 ? "" : "without lines ") + "on " +
       std::to_string(current->ordinal));
  return success;
}

Result cuModuleUnload(ModuleHandle module) {
  NEED_CONTEXT
  delete module;
  note("unload on " + std::to_string(current->ordinal));
  return success;
}

Result cuModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  FAIL_IF_TOLD
  const char *count = std::strstr(module->image.c_str(), "params=");
  bool asserts = module->image.find("eft$failure") != std::string::npos;
  module->function = {name, count ? std::atoi(count + 7) : 0, asserts, module->image};
  *function = &module->function;
  return success;
}

Result cuFuncLoad(FunctionHandle) {
  FAIL_IF_TOLD
  NEED_ALLOWANCE
  return success;
}

Result cuThreadExchangeStreamCaptureMode(CaptureMode *mode) {
  std::swap(*mode, captureMode);
  return success;
}

/// As many as the code says by "registers=" and "stack=", and by "limited stack=" if it has a
/// limit.
Result cuFuncGetAttribute(int *value, FunctionAttribute attribute, FunctionHandle function) {
  FAIL_IF_TOLD
  const int limit = function->number(".maxnreg ", 0);
  if (attribute == localBytes)
    *value = limit ? function->number("spilled=", 0) : function->number("stack=", usualStackBytes);
  else if (attribute == registersPerThread)
    *value = limit ? limit - 1 : function->number("registers=", usualRegisters);
  else
    return 1;
  return success;
}

Result cuFuncSetAttribute(FunctionHandle function, FunctionAttribute attribute, int value) {
  FAIL_IF_TOLD
  if (attribute != maxDynamicSharedBytes)
    return 1;
  function->sharedLimit = value;
  note("shared limit " + std::to_string(value));
  return success;
}

Result cuLaunchKernel(FunctionHandle function, unsigned x, unsigned y, unsigned z, unsigned blockX,
                      unsigned blockY, unsigned blockZ, unsigned shared, StreamHandle stream,
                      void **parameters, void **extra) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  if (extra || static_cast<int>(shared) > function->sharedLimit)
    return 1;
  char line[256];
  std::snprintf(
      line, sizeof(line),
      "launch %s on %d grid %u %u %u block %u %u %u shared %u stream %zu:", function->name.c_str(),
      current->ordinal, x, y, z, blockX, blockY, blockZ, shared, reinterpret_cast<size_t>(stream));
  std::string whole = line;
  for (int i = 0; i < function->parameters; ++i) {
    uint64_t value;
    std::memcpy(&value, parameters[i], sizeof(value));
    std::snprintf(line, sizeof(line), " %llx", static_cast<unsigned long long>(value));
    whole += line;
  }
  note(whole);
  // An assertion fails in the last program of a grid of two layers.
  if (function->asserts && z == 2)
    noteFailure(x - 1, y - 1, z - 1);
  return success;
}

Result cuStreamCreate(StreamHandle *stream, unsigned) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  *stream = new StreamObject;
  return success;
}

Result cuStreamDestroy_v2(StreamHandle stream) {
  delete stream;
  note("stream destroyed");
  return success;
}

static int questionsWhileBusy = 0;

static Result busyOrDone() {
  std::lock_guard guard(lock);
  if (questionsWhileBusy == 0)
    return success;
  if (questionsWhileBusy > 0)
    --questionsWhileBusy;
  return errorNotReady;
}

// The GPUs are busy until they were asked so often whether they are done; with -1, for ever.
EXPORT void fakeBusy(int questions) {
  std::lock_guard guard(lock);
  questionsWhileBusy = questions;
}

// Work in this stream becomes part of a graph from now on.
EXPORT void fakeCapture(void *stream) { capturedStream = static_cast<StreamHandle>(stream); }

Result cuStreamIsCapturing(StreamHandle stream, CaptureStatus *status) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  *status = stream == capturedStream ? captureActive : captureNone;
  return success;
}

Result cuStreamQuery(StreamHandle) {
  FAIL_IF_TOLD
  return busyOrDone();
}

Result cuStreamSynchronize(StreamHandle) {
  FAIL_IF_TOLD
  std::this_thread::yield(); // others may do something while this one waits
  note("stream synchronized");
  return success;
}

Result cuEventCreate(EventHandle *event, unsigned) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  *event = new EventObject{0};
  return success;
}

Result cuEventDestroy_v2(EventHandle event) {
  delete event;
  note("event destroyed");
  return success;
}

// The clock ticks a millisecond with every mark.
Result cuEventRecord(EventHandle event, StreamHandle stream) {
  FAIL_IF_TOLD
  event->time = ++clockTicks;
  note("record in stream " + std::to_string(reinterpret_cast<size_t>(stream)));
  return success;
}

Result cuEventQuery(EventHandle) {
  FAIL_IF_TOLD
  return busyOrDone();
}

Result cuCtxRecordEvent(ContextHandle context, EventHandle) {
  FAIL_IF_TOLD
  note("record behind all work on " + std::to_string(context->ordinal));
  return success;
}

Result cuEventSynchronize(EventHandle) {
  FAIL_IF_TOLD
  return success;
}

Result cuEventElapsedTime(float *milliseconds, EventHandle start, EventHandle end) {
  FAIL_IF_TOLD
  *milliseconds = static_cast<float>(end->time - start->time);
  return success;
}

// Memory of the host stands for the GPU's.
Result cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  void *memory = bytes <= size_t(1) << 30 ? std::malloc(bytes) : nullptr;
  if (!memory)
    return errorOutOfMemory;
  *pointer = reinterpret_cast<DevicePointer>(memory);
  note("allocate " + std::to_string(bytes) + " on " + std::to_string(current->ordinal));
  return success;
}

Result cuMemFree_v2(DevicePointer pointer) {
  NEED_CONTEXT
  std::free(reinterpret_cast<void *>(pointer));
  note("free on " + std::to_string(current->ordinal));
  return success;
}

Result cuMemcpyHtoDAsync_v2(DevicePointer target, const void *source, size_t bytes,
                            StreamHandle stream) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  std::memcpy(reinterpret_cast<void *>(target), source, bytes);
  note("copy " + std::to_string(bytes) + " to the device in stream " +
       std::to_string(reinterpret_cast<size_t>(stream)));
  return success;
}

Result cuMemcpyDtoHAsync_v2(void *target, DevicePointer source, size_t bytes, StreamHandle stream) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  std::memcpy(target, reinterpret_cast<const void *>(source), bytes);
  note("copy " + std::to_string(bytes) + " to the host in stream " +
       std::to_string(reinterpret_cast<size_t>(stream)));
  return success;
}

Result cuMemsetD8Async(DevicePointer target, unsigned char value, size_t bytes,
                       StreamHandle stream) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  std::memset(reinterpret_cast<void *>(target), value, bytes);
  note("fill " + std::to_string(bytes) + " in stream " +
       std::to_string(reinterpret_cast<size_t>(stream)));
  return success;
}

Result cuPointerGetAttribute(void *value, PointerAttribute, DevicePointer pointer) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  int device = static_cast<int>(pointer >> 32) - 16;
  if (device < 0 || device >= setting("FAKE_CUDA_DEVICES", 2))
    return 1;
  *static_cast<int *>(value) = device;
  return success;
}
