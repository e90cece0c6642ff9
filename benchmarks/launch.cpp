// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the time of a launch from C++. eft::Kernel::launch and cuLaunchKernel launch the same
// PTX with the same arguments, in batches that take turns. The program needs a GPU and the
// installed package:
//
//   c++ -std=c++20 -O2 launch.cpp -IPREFIX/include -LPREFIX/lib -left-compiler -left-runtime
//   LD_LIBRARY_PATH=PREFIX/lib ./a.out
//
// It prints the median nanoseconds of a launch by each, and the difference.
#include "launches.h"

#include <eft/Compiler.h>

namespace {

// A kernel with the parameters of the seeded dropout kernel. It scales up to 1024 elements by p.
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

  auto byEft = [&](int i) { return kernel.launch({1}, stream, x, out, 1024, 0.5f, i).ok(); };
  auto byDriver = [&](int i) {
    void *xData = x.data(), *outData = out.data();
    int n = 1024;
    float p = 0.5f;
    void *parameters[] = {&xData, &outData, &n, &p, &i};
    return driver.launch(function, 1, 1, 1, 32 * compiled.numWarps, 1, 1, 0, stream.handle(),
                         parameters, nullptr) == 0;
  };
  compare("eft::Kernel::launch", device, stream, byEft, byDriver);
}
