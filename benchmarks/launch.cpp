// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch from C++ costs: eft::Kernel::launch beside cuLaunchKernel, the same PTX and
// arguments, in batches that take turns. Needs a GPU and the installed package:
//
//   c++ -std=c++20 -O2 launch.cpp -IPREFIX/include -LPREFIX/lib -left-compiler -left-runtime
//   LD_LIBRARY_PATH=PREFIX/lib ./a.out
//
// Prints the median nanoseconds of each, and their difference.
#include <eft/Compiler.h>
#include <eft/Runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>

namespace {

constexpr int batches = 200, launches = 200;

// The parameters of the seeded dropout kernel.
constexpr const char *text = R"(
func.func @seeded(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32},
                  %out: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32, %p: f32, %seed: i32) {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %ns = eft.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %xp = eft.addptr %xs, %i : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  %v = eft.load %xp, mask %inside : tensor<1024x!eft.ptr<f32>>
  %ps = eft.splat %p : f32 -> tensor<1024xf32>
  %w = arith.mulf %v, %ps : tensor<1024xf32>
  %outs = eft.splat %out : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %outp = eft.addptr %outs, %i : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  eft.store %outp, %w, mask %inside : tensor<1024x!eft.ptr<f32>>
  return
}
)";

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "launch: %s\n", message.c_str());
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

  Driver() : library(dlopen("libcuda.so.1", RTLD_NOW)) {
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

int main() {
  eft::Device device = eft::Device::cuda(0);
  auto compiled = valueOf(eft::compile(text, valueOf(eft::Target::of(device))));
  auto kernel = valueOf(eft::load(compiled, device));
  auto stream = valueOf(eft::Stream::create(device));
  auto x = valueOf(eft::Buffer::allocate(device, 4096));
  auto out = valueOf(eft::Buffer::allocate(device, 4096));
  Driver driver;
  void *function = driver.load(compiled.binary, compiled.name.c_str());

  bool right = true;
  auto byEft = [&] {
    for (int i = 0; i < launches; ++i)
      right &= kernel.launch({1}, stream, x, out, 1024, 0.5f, i).ok();
  };
  auto byDriver = [&] {
    for (int i = 0; i < launches; ++i) {
      void *xData = x.data(), *outData = out.data();
      int n = 1024;
      float p = 0.5f;
      void *parameters[] = {&xData, &outData, &n, &p, &i};
      right &= driver.launch(function, 1, 1, 1, 32 * compiled.numWarps, 1, 1, 0, stream.handle(),
                             parameters, nullptr) == 0;
    }
  };
  std::vector<double> eftTimes, driverTimes;
  for (int batch = 0; batch < batches; ++batch) {
    eftTimes.push_back(nanoseconds(byEft));
    right &= stream.synchronize().ok();
    driverTimes.push_back(nanoseconds(byDriver));
    right &= stream.synchronize().ok();
  }
  if (!right)
    fail("a launch failed");
  double ours = median(eftTimes), theirs = median(driverTimes);
  std::printf("%s: eft::Kernel::launch %.0f ns, cuLaunchKernel %.0f ns, %.0f more\n",
              valueOf(device.product()).c_str(), ours, theirs, ours - theirs);
}
