// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call of an operator from C++ costs: eft::dropout_run beside cuLaunchKernel of the same
// kernel with the same arguments, in batches that take turns. Needs a GPU, the installed package,
// and the kernel's PTX from the build:
//
//   c++ -std=c++20 -O2 dropout_launch.cpp -IPREFIX/include -LPREFIX/lib -left-ops -left-runtime
//   -ldl LD_LIBRARY_PATH=PREFIX/lib ./a.out
//   build/release/runtime/ops/kernels/eft_block64_by4.compute_90.ptx
//
// Prints the median nanoseconds of each, and their difference.
#include <eft/Ops.h>
#include <eft/Runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <sstream>
#include <vector>

namespace {

constexpr int batches = 200, launches = 200;
constexpr int64_t rows = 32, columns = 32; // one program of the kernel
constexpr unsigned threads = 128;

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "dropout_launch: %s\n", message.c_str());
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
  void *load(const std::string &image, const char *name) const {
    void *context = nullptr, *module = nullptr, *function = nullptr;
    if (get<int(void **, int)>("cuDevicePrimaryCtxRetain")(&context, 0) ||
        get<int(void *)>("cuCtxSetCurrent")(context) ||
        get<int(void **, const void *)>("cuModuleLoadData")(&module, image.c_str()) ||
        get<int(void **, void *, const char *)>("cuModuleGetFunction")(&function, module, name))
      fail("the driver did not load the kernel");
    return function;
  }

  void *library;
  Launch *launch;
};

std::string contentOf(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  if (!file)
    fail(std::string("can't read ") + path);
  return content.str();
}

double nanoseconds(const std::function<void()> &batch) {
  auto start = std::chrono::steady_clock::now();
  batch();
  std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  return time.count() / launches;
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

} // namespace

int main(int count, char **words) {
  if (count != 2)
    fail("give the file of the kernel's PTX");
  eft::Device device = eft::Device::cuda(0);
  auto stream = valueOf(eft::Stream::create(device));
  auto x = valueOf(eft::Buffer::allocate(device, rows * columns * sizeof(float)));
  auto y = valueOf(eft::Buffer::allocate(device, rows * columns * sizeof(float)));
  auto X = eft::Tensor::matrix(x.data(), rows, columns, eft::DataType::F32, device);
  auto Y = eft::Tensor::matrix(y.data(), rows, columns, eft::DataType::F32, device);
  Driver driver;
  void *function = driver.load(contentOf(words[1]), "forward");

  bool right = true;
  auto byEft = [&] {
    for (int i = 0; i < launches; ++i)
      right &= eft::dropout_run(X, Y, nullptr, {0.5f, true, uint64_t(i + 1)}, stream.handle()) == 0;
  };
  auto byDriver = [&] {
    for (int i = 0; i < launches; ++i) {
      void *xData = x.data(), *yData = y.data();
      int64_t rowCount = rows, fours = columns / 4, seed = i + 1;
      uint32_t threshold = 1u << 31;
      bool mayKeep = true;
      float scale = 2;
      void *parameters[] = {&xData, &yData, &rowCount, &fours, &seed, &threshold, &mayKeep, &scale};
      right &= driver.launch(function, 1, 1, 1, threads, 1, 1, 0, stream.handle(), parameters,
                             nullptr) == 0;
    }
  };
  byEft();
  std::vector<double> eftTimes, driverTimes;
  for (int batch = 0; batch < batches; ++batch) {
    eftTimes.push_back(nanoseconds(byEft));
    right &= stream.synchronize().ok();
    driverTimes.push_back(nanoseconds(byDriver));
    right &= stream.synchronize().ok();
  }
  if (!right)
    fail(std::string("a launch failed: ") + eft::dropout_message());
  double ours = median(eftTimes), theirs = median(driverTimes);
  std::printf("%s: dropout_run %.0f ns, cuLaunchKernel %.0f ns, %.0f more\n",
              valueOf(device.product()).c_str(), ours, theirs, ours - theirs);
}
