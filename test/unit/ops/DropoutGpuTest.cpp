// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares dropout on the first GPU, if there is one, bit for bit with dropout on the CPU. It is a
// separate program, because the others use the fake driver. It is small, so that compute-sanitizer
// can run it.
#include "Matrix.h"
#include "eft/Ops.h"
#include "eft/Runtime.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <thread>

using namespace eft;

namespace {

const Device gpu = Device::cuda(0);
constexpr size_t guard = 64; // elements at either end of an array

struct Case {
  int64_t rows, columns;
  size_t offset; // elements between an aligned address and the arrays
};

/// A copy of a matrix in the GPU's memory, with guard elements around it.
template <typename T> class OnGpu {
public:
  explicit OnGpu(Matrix<T> &matrix, size_t offset) : matrix(matrix), first(guard + offset) {
    content.assign(first + size_t(matrix.rows * matrix.columns) + guard, T(77));
    std::copy_n(matrix.data(), matrix.rows * matrix.columns, content.begin() + first);
    auto allocated = Buffer::allocate(gpu, bytes());
    EXPECT_TRUE(allocated.ok());
    buffer = *std::move(allocated);
    EXPECT_TRUE(buffer.copyFromHost(content.data(), bytes()).ok());
  }

  Tensor view() {
    Tensor tensor = matrix.view();
    tensor.data = static_cast<T *>(buffer.data()) + first;
    tensor.device = gpu;
    return tensor;
  }

  /// True if the GPU's copy equals the matrix, and the guards are unchanged.
  bool isAlike() {
    std::vector<T> found(content.size());
    EXPECT_TRUE(buffer.copyToHost(found.data(), bytes()).ok());
    std::copy_n(matrix.data(), matrix.rows * matrix.columns, content.begin() + first);
    return std::memcmp(found.data(), content.data(), bytes()) == 0;
  }

private:
  size_t bytes() const { return content.size() * sizeof(T); }

  Matrix<T> &matrix;
  size_t first;
  std::vector<T> content;
  Buffer buffer;
};

void skipWithoutGpu() {
  auto count = Device::cudaCount();
  if (!count.ok() || *count == 0)
    GTEST_SKIP() << "there is no GPU";
}

struct DropoutGpu : testing::TestWithParam<Case> {
  void SetUp() override { skipWithoutGpu(); }
};

struct DropoutOnGpu : testing::Test {
  void SetUp() override { skipWithoutGpu(); }
};

/// Shapes at the limits of the kernel's two parts, which draw for the rows before row 1024 and for
/// the later rows. The arrays are at aligned and unaligned addresses.
std::vector<Case> cases() {
  const std::pair<int64_t, int64_t> shapes[] = {
      {1, 1},     {3, 5},       {1024, 1},   {1025, 1},   {5057, 1}, {1660, 5},
      {1089, 16}, {1137, 17},   {1023, 255}, {1025, 257}, {9, 256},  {1041, 256},
      {1088, 64}, {1089, 63},   {1153, 40},  {7, 1009},   {7, 1010}, {9, 1023},
      {80, 1024}, {1026, 1025}, {9, 3076},   {7, 4101},   {1, 4096}, {1, 100003}};
  std::vector<Case> all;
  for (auto [rows, columns] : shapes)
    for (size_t offset : {0, 1, 7})
      all.push_back({rows, columns, offset});
  return all;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Cases, DropoutGpu, testing::ValuesIn(cases()), [](const auto &info) {
  return std::to_string(info.param.rows) + "x" + std::to_string(info.param.columns) + "_" +
         std::to_string(info.param.offset);
});

TEST_P(DropoutGpu, gives_the_bits_of_the_cpu) {
  auto [rows, columns, offset] = GetParam();
  Matrix<float> x(rows, columns), y(rows, columns, -1), dx(rows, columns, -1);
  Matrix<int32_t> mask(rows, columns, -1);
  fill(x);
  OnGpu<float> gpuX(x, offset), gpuY(y, offset), gpuOther(y, offset), gpuDx(dx, offset);
  OnGpu<int32_t> gpuMask(mask, offset);
  DropoutAttrs attrs{0.25f, true, 0x123456789abcdef0};

  Tensor X = x.view(), Y = y.view(), M = mask.view(), dX = dx.view();
  ASSERT_EQ(dropout_run(X, Y, &M, attrs, nullptr), 0) << dropout_message();
  ASSERT_EQ(dropout_backward_run(X, M, dX, attrs, nullptr), 0) << dropout_message();

  X = gpuX.view(), M = gpuMask.view();
  Tensor first = gpuY.view(), second = gpuOther.view(), third = gpuDx.view();
  ASSERT_EQ(dropout_run(X, first, &M, attrs, nullptr), 0) << dropout_message();
  EXPECT_TRUE(gpuY.isAlike() && gpuMask.isAlike());
  ASSERT_EQ(dropout_run(X, second, nullptr, attrs, nullptr), 0) << dropout_message();
  EXPECT_TRUE(gpuOther.isAlike());
  ASSERT_EQ(dropout_backward_run(X, M, third, attrs, nullptr), 0) << dropout_message();
  EXPECT_TRUE(gpuDx.isAlike() && gpuX.isAlike());
  ASSERT_EQ(dropout_seed_backward_run(X, X, attrs, nullptr), 0) << dropout_message();
  std::copy_n(dx.data(), rows * columns, x.data());
  EXPECT_TRUE(gpuX.isAlike());
}

TEST_F(DropoutOnGpu, p_of_zero_and_of_one) {
  Matrix<float> x(1100, 33), y(1100, 33, -1);
  Matrix<int32_t> mask(1100, 33, -1);
  fill(x);
  x.at(0, 0) = std::bit_cast<float>(0x7fffffff); // the bits that a GPU gives every NaN
  x.at(0, 1) = -0.0f;
  x.at(0, 2) = INFINITY;
  OnGpu<float> gpuX(x, 0), gpuY(y, 0);
  OnGpu<int32_t> gpuMask(mask, 0);
  Tensor X = gpuX.view(), Y = gpuY.view(), M = gpuMask.view();
  ASSERT_EQ(dropout_run(X, Y, &M, {0, true, 5}, nullptr), 0);
  std::copy_n(x.data(), 1100 * 33, y.data());
  std::fill_n(mask.data(), 1100 * 33, 1);
  EXPECT_TRUE(gpuY.isAlike() && gpuMask.isAlike());
  ASSERT_EQ(dropout_run(X, Y, &M, {1, true, 5}, nullptr), 0);
  std::fill_n(y.data(), 1100 * 33, 0.0f);
  std::fill_n(mask.data(), 1100 * 33, 0);
  EXPECT_TRUE(gpuY.isAlike() && gpuMask.isAlike());
}

TEST_F(DropoutOnGpu, threads_with_streams_of_their_own) {
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([] {
      Matrix<float> x(300, 1001), y(300, 1001);
      fill(x);
      OnGpu<float> gpuX(x, 0), gpuY(y, 0);
      Tensor X = x.view(), Y = y.view();
      ASSERT_EQ(dropout_run(X, Y, nullptr, {0.5f, true, 9}, nullptr), 0);
      auto stream = Stream::create(gpu);
      ASSERT_TRUE(stream.ok());
      X = gpuX.view(), Y = gpuY.view();
      for (int repeat = 0; repeat < 10; ++repeat)
        ASSERT_EQ(dropout_run(X, Y, nullptr, {0.5f, true, 9}, stream->handle()), 0);
      ASSERT_TRUE(stream->synchronize().ok());
      EXPECT_TRUE(gpuY.isAlike());
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(DropoutOnGpu, an_empty_matrix_and_a_device_that_is_not_there) {
  Tensor X = Tensor::matrix(nullptr, 0, 5, DataType::F32, gpu);
  EXPECT_EQ(dropout_run(X, X, nullptr, {}, nullptr), 0) << dropout_message();
  float number = 1;
  X = Tensor::matrix(&number, 1, 1, DataType::F32, Device::cuda(99));
  EXPECT_EQ(dropout_run(X, X, nullptr, {}, nullptr), -7);
  EXPECT_NE(std::string(dropout_message()).find("there is no device cuda:99"), std::string::npos);
}
