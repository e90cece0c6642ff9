// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the CUDA driver, and makes error messages from its results.
#include "runtime/cuda/Driver.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

namespace eft::cuda {
namespace {

// The first CUDA version whose driver reads PTX ISA 8.5, the version that the compiler emits.
constexpr int oldestVersion = 12050;

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Error tooOld(int version) {
  return {ErrorKind::NoDevice, "the NVIDIA driver is too old: it serves CUDA " +
                                   versionText(version) + ", expected at least " +
                                   versionText(oldestVersion) + " (driver 555 or later)"};
}

std::atomic<bool> started = false;
std::atomic<bool> forked = false;

void markChild() {
  if (started)
    forked = true;
}

} // namespace

Error Driver::error(Result result, std::string_view call, std::string_view doing,
                    std::string_view log) const {
  const char *known = nullptr;
  const char *words = nullptr;
  // The driver's library may return error numbers for which it has no name.
  bool named = cuGetErrorName(result, &known) == success && known;
  std::string name = named ? known : "error " + std::to_string(result);
  if (cuGetErrorString(result, &words) != success || !words)
    words = "no description";
  std::string message;
  message.append(call).append(" failed while ").append(doing).append(": ").append(name);
  message.append(" (").append(words).append(")");
  log = log.substr(0, log.find_last_not_of("\n ") + 1);
  if (!log.empty())
    message.append("\n").append(log);
  ErrorKind kind = result == errorOutOfMemory ? ErrorKind::OutOfMemory : ErrorKind::Cuda;
  return {kind, std::move(message)};
}

// Checks the version first: an old driver lacks some of the other entry points, and "too old" is a
// better error message than a missing entry point.
Status Driver::load(void *library) {
  auto version = reinterpret_cast<Result (*)(int *)>(dlsym(library, "cuDriverGetVersion"));
  if (version && version(&cudaVersion) == success && cudaVersion < oldestVersion)
    return tooOld(cudaVersion);
  struct Entry {
    void **slot;
    const char *symbol;
  };
#define EFT_ENTRY(name, symbol, parameters) {reinterpret_cast<void **>(&name), #symbol},
  const Entry entries[] = {EFT_CUDA_DRIVER_FUNCTIONS(EFT_ENTRY)};
#undef EFT_ENTRY
  for (const Entry &entry : entries) {
    *entry.slot = dlsym(library, entry.symbol);
    if (!*entry.slot)
      return Error{ErrorKind::NoDevice,
                   std::string("the NVIDIA driver has no entry point '") + entry.symbol + "'"};
  }
  return {};
}

Expected<std::unique_ptr<const Driver>> Driver::open(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Error{ErrorKind::NoDriver,
                 std::string("no NVIDIA GPU can be used: the driver's library could not be "
                             "opened: ") +
                     (reason ? reason : path.c_str())};
  }
  auto driver = std::make_unique<Driver>();
  if (Status status = driver->load(library); !status.ok())
    return std::move(status).error();
  Result result = driver->cuInit(0);
  if (result == errorNoDevice)
    driver->devices = false;
  else if (result != success)
    return driver->error(result, "cuInit", "starting the CUDA driver");
  return std::unique_ptr<const Driver>(std::move(driver));
}

Expected<const Driver *> driver() {
  if (forked)
    return Error{ErrorKind::NoDevice,
                 "this process was forked after its parent had started CUDA, which does not "
                 "survive that: start workers with multiprocessing's 'spawn' method, or fork "
                 "before the first use of a GPU"};
  // Never destroyed, because modules may outlive every static object.
  static const auto *const opened = [] {
    const char *path = std::getenv("EFT_LIBCUDA");
    auto *result = new Expected(Driver::open(path && *path ? path : "libcuda.so.1"));
    if (result->ok() && (**result)->hasDevices()) {
      started = true;
      pthread_atfork(nullptr, nullptr, markChild);
    }
    return result;
  }();
  if (!opened->ok())
    return opened->error();
  return (**opened).get();
}

bool forkedAfterStart() { return forked; }

} // namespace eft::cuda
