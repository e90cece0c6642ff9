// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers for the programs that measure launches from C++: access to the CUDA driver without Eft,
// and `compare`, which times two ways to launch a kernel in batches that take turns.
#pragma once

#include <eft/Runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

// The number of launches in a batch. After each batch the program waits for the stream.
constexpr int launches = 200;

[[noreturn]] inline void fail(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

template <typename T> T valueOf(eft::Expected<T> result) {
  if (!result.ok())
    fail(result.error().message);
  return *std::move(result);
}

// The CUDA driver's library. It is opened in the same way as Eft opens it: the file that the
// environment variable EFT_LIBCUDA names, or else libcuda.so.1.
struct Driver {
  using Launch = int(void *function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     unsigned shared, void *stream, void **parameters, void **extra);

  Driver() {
    const char *path = std::getenv("EFT_LIBCUDA");
    library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW);
    if (!library)
      fail("there is no CUDA driver");
    launch = get<Launch>("cuLaunchKernel");
  }

  template <typename Function> Function *get(const char *name) const {
    auto *found = reinterpret_cast<Function *>(dlsym(library, name));
    if (!found)
      fail(std::string("the driver has no ") + name);
    return found;
  }

  // Loads the PTX and returns its kernel `name`. Makes the primary context of the first GPU the
  // current context of this thread.
  void *load(const std::string &ptx, const char *name) const {
    void *context = nullptr, *module = nullptr, *function = nullptr;
    if (get<int(void **, int)>("cuDevicePrimaryCtxRetain")(&context, 0) ||
        get<int(void *)>("cuCtxSetCurrent")(context) ||
        get<int(void **, const void *)>("cuModuleLoadData")(&module, ptx.c_str()) ||
        get<int(void **, void *, const char *)>("cuModuleGetFunction")(&function, module, name))
      fail("the driver did not load the kernel");
    return function;
  }

  void *library;
  Launch *launch;
};

// Returns the median of the times; of an even number of times, the upper one of the middle two.
inline double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// Times the launches `ours` (by Eft, called `name`) and `theirs` (by cuLaunchKernel), and prints
// the median nanoseconds of each. Both functions get the number of the launch in its batch, and
// return whether the launch succeeded.
template <typename Ours, typename Theirs>
void compare(const char *name, const eft::Device &device, eft::Stream &stream, Ours ours,
             Theirs theirs) {
  constexpr int batches = 200;
  bool right = true;
  auto nanoseconds = [&](auto &launch) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i)
      right &= launch(i);
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    right &= stream.synchronize().ok();
    return time.count() / launches;
  };
  nanoseconds(ours);
  std::vector<double> ourTimes, theirTimes;
  for (int batch = 0; batch < batches; ++batch) {
    ourTimes.push_back(nanoseconds(ours));
    theirTimes.push_back(nanoseconds(theirs));
  }
  if (!right)
    fail("a launch failed");
  std::printf("%s: %s %.0f ns, cuLaunchKernel %.0f ns, %.0f more\n",
              valueOf(device.product()).c_str(), name, median(ourTimes), median(theirTimes),
              median(ourTimes) - median(theirTimes));
}
