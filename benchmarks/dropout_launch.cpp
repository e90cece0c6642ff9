// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the time of a call of an operator from C++. eft::dropout_run and cuLaunchKernel launch
// the same kernel with the same arguments, in batches that take turns. The program needs a GPU, the
// installed package, and the kernel's PTX from the build:
//
//   c++ -std=c++20 -O2 dropout_launch.cpp -IPREFIX/include -LPREFIX/lib -left-ops -left-runtime
//   LD_LIBRARY_PATH=PREFIX/lib ./a.out KERNELS/eft_forward_gpu_fp32.compute_90.ptx
//
// KERNELS is build/release/ops/kernels. The program prints the median nanoseconds of a call of
// each, and the difference.
#include "launches.h"

#include <eft/Ops.h>

#include <fstream>
#include <sstream>

namespace {

constexpr int64_t rows = 1, columns = 64; // handled by one program of the kernel
constexpr unsigned threads = 64;

std::string contentOf(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  if (!file)
    fail(std::string("can't read ") + path);
  return content.str();
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

  auto byEft = [&](int i) {
    if (eft::dropout_run(X, Y, nullptr, {0.5f, true, uint64_t(i + 1)}, stream.handle()) != 0)
      fail(eft::dropout_message());
    return true;
  };
  auto byDriver = [&](int i) {
    void *xData = x.data(), *yData = y.data();
    int64_t rowCount = rows, columnCount = columns, seed = i + 1, strips = 1;
    uint32_t threshold = 1u << 31;
    bool mayKeep = true;
    float scale = 2;
    int32_t shift = 0;
    uint64_t factor = 0, exponent = 0; // divide by `columns`; not used for one row
    void *parameters[] = {&xData,   &yData, &rowCount, &columnCount, &seed,   &threshold,
                          &mayKeep, &scale, &factor,   &exponent,    &strips, &shift};
    return driver.launch(function, 1, 1, 1, threads, 1, 1, 0, stream.handle(), parameters,
                         nullptr) == 0;
  };
  compare("dropout_run", device, stream, byEft, byDriver);
}
