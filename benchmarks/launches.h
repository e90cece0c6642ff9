// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers of the programs that measure launches from C++: the CUDA driver's own interface, and two
// kinds of launches in batches that take turns.
#pragma once

#include <eft/Runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

// Each batch makes as many launches as this, and then the stream is waited for.
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

// The driver's own interface, opened as Eft opens it.
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

  // The first GPU's primary context becomes the thread's.
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

// The median nanoseconds of a launch.
inline double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// Prints what a launch of each kind costs; a launch is given its number and says whether it worked.
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
