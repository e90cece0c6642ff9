// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dropout on the CPU: every element against the definition.
#include "Matrix.h"
#include "Reference.h"
#include "eft/Ops.h"
#include "eft_block1024_by4.h"
#include "eft_block1024_mask.h"
#include "eft_block64_mask.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <thread>

using namespace eft;

namespace {

struct Case {
  int64_t rows, columns;
  float p;
  bool scales;
  size_t offset; // of the arrays, in elements past an aligned address
};

float scaleOf(const Case &test) {
  return !test.scales ? 1.0f : test.p < 1 ? 1.0f / (1.0f - test.p) : 0.0f;
}

struct Dropout : testing::TestWithParam<Case> {
  const Case &test = GetParam();
  DropoutAttrs attrs{test.p, test.scales, 0x123456789abcdef0};
  Matrix<float> x{test.rows, test.columns, 0, test.offset};
  Matrix<float> y{test.rows, test.columns, -1, test.offset};
  Matrix<int32_t> mask{test.rows, test.columns, -1, test.offset};
  Tensor X = x.view(), Y = y.view(), M = mask.view();

  Dropout() { fill(x); }

  bool keeps(int64_t row, int64_t column) const {
    return reference::keeps(attrs.seed, attrs.p, uint64_t(row), uint64_t(column));
  }

  std::vector<float> expected() {
    std::vector<float> values;
    for (int64_t row = 0; row < test.rows; ++row)
      for (int64_t column = 0; column < test.columns; ++column)
        values.push_back(keeps(row, column) ? x.at(row, column) * scaleOf(test) : 0.0f);
    return values;
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::pair<int64_t, int64_t> shapes[] = {
      {1, 1},   {3, 5},    {4100, 1}, {700, 16}, {2000, 13}, {500, 17},  {33, 63},   {32, 64},
      {31, 65}, {9, 255},  {8, 256},  {70, 60},  {17, 127},  {18, 128},  {33, 96},   {9, 252},
      {7, 257}, {2, 1023}, {3, 1024}, {5, 1028}, {2, 4101},  {3000, 20}, {1, 100003}};
  for (auto [rows, columns] : shapes)
    for (size_t offset : {0, 1})
      all.push_back({rows, columns, 0.25f, true, offset});
  for (float p : {0.0f, 1e-9f, 0.1f, 0.5f, std::nextafter(1.0f, 0.0f), 1.0f})
    for (bool scales : {true, false})
      all.push_back({40, 2052, p, scales, 0});
  return all;
}

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  return std::to_string(info.index) + "_" + std::to_string(info.param.rows) + "x" +
         std::to_string(info.param.columns);
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Cases, Dropout, testing::ValuesIn(cases()), nameOf);

TEST_P(Dropout, writes_what_is_kept_and_the_mask) {
  ASSERT_EQ(dropout_run(X, Y, &M, attrs, nullptr), 0) << dropout_message();
  EXPECT_EQ(bitsOf(y.content()), bitsOf(expected()));
  for (int64_t row = 0; row < test.rows; ++row)
    for (int64_t column = 0; column < test.columns; ++column)
      ASSERT_EQ(mask.at(row, column), keeps(row, column)) << row << ", " << column;
  EXPECT_TRUE(y.isGuarded() && mask.isGuarded());
}

TEST_P(Dropout, needs_no_mask) {
  ASSERT_TRUE(DropoutCpuLaunch(X, Y, nullptr, attrs).ok());
  EXPECT_EQ(bitsOf(y.content()), bitsOf(expected()));
  EXPECT_TRUE(y.isGuarded());
}

TEST_P(Dropout, works_in_place) {
  std::vector<float> wanted = expected();
  ASSERT_EQ(dropout_run(X, X, nullptr, attrs, nullptr), 0) << dropout_message();
  EXPECT_EQ(bitsOf(x.content()), bitsOf(wanted));
}

TEST_P(Dropout, goes_back_by_mask_and_by_seed_alike) {
  std::vector<float> wanted = expected(); // the gradient is x here
  ASSERT_EQ(dropout_run(X, Y, &M, attrs, nullptr), 0) << dropout_message();
  Matrix<float> dx(test.rows, test.columns, -1, test.offset);
  Tensor dX = dx.view();
  ASSERT_EQ(dropout_backward_run(X, M, dX, attrs, nullptr), 0) << dropout_message();
  EXPECT_EQ(bitsOf(dx.content()), bitsOf(wanted));
  EXPECT_TRUE(dx.isGuarded());
  ASSERT_EQ(dropout_seed_backward_run(X, dX, attrs, nullptr), 0) << dropout_message();
  EXPECT_EQ(bitsOf(dx.content()), bitsOf(wanted));
  EXPECT_TRUE(dx.isGuarded());
}

TEST(DropoutValues, p_of_zero_is_the_identity_for_every_float) {
  float numbers[] = {-0.0f, 1e-45f, std::numeric_limits<float>::infinity(), NAN, 3.4e38f};
  float results[5];
  int32_t kept[5] = {};
  Tensor X = Tensor::matrix(numbers, 1, 5), Y = Tensor::matrix(results, 1, 5);
  Tensor mask = Tensor::matrix(kept, 1, 5, DataType::I32);
  ASSERT_EQ(dropout_run(X, Y, &mask, {0, true, 5}, nullptr), 0);
  EXPECT_EQ(std::memcmp(numbers, results, sizeof(numbers)), 0);
  for (int32_t each : kept)
    EXPECT_EQ(each, 1);
}

TEST(DropoutValues, p_of_one_gives_zeros_whatever_was_there) {
  float numbers[] = {-0.0f, 1e-45f, std::numeric_limits<float>::infinity(), NAN, 3.4e38f};
  Tensor X = Tensor::matrix(numbers, 5, 1);
  ASSERT_EQ(dropout_run(X, X, nullptr, {1, true, 5}, nullptr), 0);
  for (float each : numbers)
    EXPECT_EQ(bitsOf({each})[0], 0u);
}

TEST(DropoutValues, a_mask_of_anything_but_zero_keeps) {
  float numbers[] = {1, 2, 3, 4}, results[4];
  int32_t kept[] = {0, -1, 2, 1 << 30};
  Tensor dX = Tensor::matrix(results, 2, 2);
  ASSERT_TRUE(DropoutCpuBackwardLaunch(Tensor::matrix(numbers, 2, 2),
                                       Tensor::matrix(kept, 2, 2, DataType::I32), dX, {0.5f})
                  .ok());
  EXPECT_EQ(std::vector<float>(results, results + 4), (std::vector<float>{0, 4, 6, 8}));
}

TEST(DropoutValues, the_share_that_is_kept_and_the_mean) {
  constexpr int64_t rows = 2500, columns = 4000;
  constexpr double count = rows * columns;
  Matrix<float> x(rows, columns, 1), y(rows, columns);
  Tensor X = x.view(), Y = y.view();
  for (float p : {0.1f, 0.5f, 0.9f}) {
    ASSERT_EQ(dropout_run(X, Y, nullptr, {p, true, 2026}, nullptr), 0);
    double kept = 0, sum = 0;
    for (float each : y.content()) {
      kept += each != 0;
      sum += double(each);
    }
    double deviation = std::sqrt(count * double(p) * (1 - double(p)));
    EXPECT_NEAR(kept, count * (1 - double(p)), 5 * deviation);
    EXPECT_NEAR(sum / count, 1, 5 * deviation / count / (1 - double(p)));
  }
}

TEST(DropoutValues, other_seeds_give_other_masks) {
  Matrix<float> x(64, 64, 1), y(64, 64);
  Tensor X = x.view(), Y = y.view();
  std::vector<std::vector<float>> all;
  for (uint64_t seed : {uint64_t(1), uint64_t(2), uint64_t(1) << 32, ~uint64_t(0)}) {
    ASSERT_EQ(dropout_run(X, Y, nullptr, {0.5f, true, seed}, nullptr), 0);
    for (const auto &other : all)
      EXPECT_NE(y.content(), other) << seed;
    all.push_back(y.content());
  }
}

TEST(DropoutValues, a_seed_of_zero_is_a_fresh_one_that_is_reported) {
  Matrix<float> x(10, 300, 1), y(10, 300), again(10, 300);
  Tensor X = x.view(), Y = y.view(), Again = again.view();
  uint64_t first = 0, second = 0, third = 7;
  ASSERT_EQ(dropout_run(X, Y, nullptr, {}, nullptr, &first), 0);
  ASSERT_TRUE(DropoutCpuLaunch(X, Y, nullptr, {}, nullptr, &second).ok());
  EXPECT_GT(first, uint64_t(1) << 63);
  EXPECT_EQ(second, first + 1);
  ASSERT_EQ(dropout_run(X, Again, nullptr, {0.5f, true, second}, nullptr, &third), 0);
  EXPECT_EQ(third, second);
  EXPECT_EQ(again.content(), y.content());
}

TEST(DropoutValues, threads_at_once) {
  Matrix<float> x(300, 1000, 1), wanted(300, 1000);
  Tensor X = x.view(), Wanted = wanted.view();
  ASSERT_EQ(dropout_run(X, Wanted, nullptr, {0.5f, true, 9}, nullptr), 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      Matrix<float> y(300, 1000);
      Tensor Y = y.view();
      for (int repeat = 0; repeat < 20; ++repeat)
        EXPECT_EQ(dropout_run(X, Y, nullptr, {0.5f, true, 9}, nullptr), 0);
      EXPECT_EQ(y.content(), wanted.content());
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(DropoutValues, an_empty_matrix_is_a_success) {
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{0, 5}, {5, 0}, {0, 0}}) {
    Tensor X = Tensor::matrix(nullptr, rows, columns);
    Tensor mask = Tensor::matrix(nullptr, rows, columns, DataType::I32);
    EXPECT_EQ(dropout_run(X, X, &mask, {}, nullptr), 0) << dropout_message();
    EXPECT_EQ(dropout_backward_run(X, mask, X, {}, nullptr), 0) << dropout_message();
    EXPECT_EQ(dropout_seed_backward_run(X, X, {0.5f, true, 1}, nullptr), 0);
  }
}

namespace {

/// The pointer from which a kernel comes to `place` by adding `elements`.
template <typename T> uint64_t before(T *place, uint64_t elements) {
  return reinterpret_cast<uintptr_t>(place) - elements * sizeof(T);
}

} // namespace

// One program of matrices that are much larger than any memory: the arrays are given as if they
// began so far in front of the few elements that the program works on.

TEST(DropoutFarOut, elements_beyond_two_to_the_31st) {
  constexpr uint64_t rows = 70000, columns = 65536, row = rows - 1, first = columns - 1024;
  Matrix<float> x(1, 1024), y(1, 1024);
  fill(x);
  const uint64_t offset = row * columns + first;
  const uint32_t grid[3] = {64, 35000, 2};
  const uint64_t slots[] = {before(x.data(), offset),
                            before(y.data(), offset),
                            rows,
                            columns / 4,
                            99,
                            1u << 31,
                            1,
                            0x3f800000};
  eft_block1024_by4_host_function()(slots, grid, 64 * rows - 1, 1);
  for (uint64_t i = 0; i < 1024; ++i)
    ASSERT_EQ(y.data()[i], reference::keeps(99, 0.5f, row, first + i) ? x.data()[i] : 0) << i;
  EXPECT_TRUE(y.isGuarded());
}

TEST(DropoutFarOut, columns_beyond_two_to_the_34th) {
  constexpr uint64_t columns = (uint64_t(1) << 35) + 700, first = uint64_t(1) << 35;
  Matrix<float> x(1, 700), y(1, 700);
  Matrix<int32_t> mask(1, 700);
  fill(x);
  const uint32_t grid[3] = {(1u << 25) + 1, 1, 1};
  const uint64_t slots[] = {before(x.data(), first),
                            before(y.data(), first),
                            before(mask.data(), first),
                            1,
                            columns,
                            99,
                            1u << 31,
                            1,
                            0x40000000};
  eft_block1024_mask_host_function()(slots, grid, 1u << 25, 1);
  for (uint64_t i = 0; i < 700; ++i) {
    bool keeps = reference::keeps(99, 0.5f, 0, first + i);
    ASSERT_EQ(mask.data()[i], keeps) << i;
    ASSERT_EQ(y.data()[i], keeps ? 2 * x.data()[i] : 0) << i;
  }
  EXPECT_TRUE(y.isGuarded() && mask.isGuarded());
}

TEST(DropoutFarOut, rows_beyond_two_to_the_32nd) {
  constexpr uint64_t rows = (uint64_t(1) << 33) + 3, columns = 10, row = uint64_t(1) << 33;
  Matrix<float> x(3, 10), y(3, 10);
  Matrix<int32_t> mask(3, 10);
  fill(x);
  const uint64_t offset = row * columns;
  const uint32_t grid[3] = {1, 65536, 4097};
  const uint64_t slots[] = {before(x.data(), offset),
                            before(y.data(), offset),
                            before(mask.data(), offset),
                            rows,
                            columns,
                            99,
                            1u << 31,
                            1,
                            0x3f800000};
  eft_block64_mask_host_function()(slots, grid, row / 32, 2); // the second one is past the end
  for (uint64_t i = 0; i < 30; ++i)
    ASSERT_EQ(mask.data()[i], reference::keeps(99, 0.5f, row + i / 10, i % 10)) << i;
  EXPECT_TRUE(y.isGuarded() && mask.isGuarded());
}
