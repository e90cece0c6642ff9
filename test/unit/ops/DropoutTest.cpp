// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares every element of dropout on the CPU with the definition.
#include "Matrix.h"
#include "Reference.h"
#include "eft/Ops.h"
#include "eft_dropout_kernels.h"
#include "ops/DropoutCompiled.h"

#include <algorithm>
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
  size_t offset; // elements between an aligned address and the arrays
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
      {1, 1},     {3, 5},     {1024, 1},   {1025, 1},   {20000, 1},  {700, 16},
      {2960, 13}, {1087, 17}, {1088, 17},  {1103, 255}, {7, 257},    {1023, 64},
      {9, 1023},  {5, 1024},  {80, 4097},  {1153, 63},  {1260, 100}, {2, 16383},
      {2, 4101},  {7, 16385}, {1025, 513}, {1, 100003}};
  for (auto [rows, columns] : shapes)
    for (size_t offset : {0, 1})
      all.push_back({rows, columns, 0.25f, true, offset});
  for (float p : {0.0f, 1e-9f, 0.1f, 0.5f, std::nextafter(1.0f, 0.0f), 1.0f})
    for (bool scales : {true, false})
      for (auto [rows, columns] : {std::pair<int64_t, int64_t>{40, 2052}, {1100, 33}})
        all.push_back({rows, columns, p, scales, 0});
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
  ASSERT_EQ(dropout_run(X, X, &M, attrs, nullptr), 0) << dropout_message();
  EXPECT_EQ(bitsOf(x.content()), bitsOf(wanted));
  EXPECT_TRUE(x.isGuarded() && mask.isGuarded());
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

// Runs single programs of matrices that are much larger than any memory. The pointers to the arrays
// are computed such that the few elements on which these programs work are the ones that exist.

namespace {

struct FarOut {
  int64_t rows, columns;
  int64_t row, column, count; // the position and number of the existing elements
  Matrix<float> x{1, count}, y{1, count, -1};
  Matrix<int32_t> mask{1, count, -1};

  FarOut(int64_t rows, int64_t columns, int64_t row, int64_t column, int64_t count)
      : rows(rows), columns(columns), row(row), column(column), count(count) {
    fill(x);
  }

  /// Runs `programs` programs, beginning with program number `first`. If `late` is true, `first`
  /// counts from the first program of the late rows: the rows from 1024 on (see ops/dropout.py).
  void run(bool late, int64_t first, int64_t programs) {
    ops::Forward what{{.seed = 99, .threshold = 1u << 31},
                      DataType::F32,
                      before(x.data()),
                      before(y.data()),
                      before(mask.data()),
                      rows,
                      columns};
    ops::CpuForward plan = ops::planForCpu(what);
    if (late)
      first += plan.rowPrograms * ((1024 + plan.programRows - 1) / plan.programRows);
    const uint32_t grid[3] = {UINT32_MAX, 1, 1};
    eft_forward_cpu_mask_fp32_host_function()(ops::kernelFor(plan).slots(plan).values.data(), grid,
                                              uint64_t(first), uint64_t(programs));
  }

  /// Checks that the elements of the pieces were written, and no other existing element.
  void check(std::initializer_list<int64_t> pieces, int64_t length) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t place = column + i;
      bool isWritten = std::ranges::any_of(
          pieces, [&](int64_t first) { return first <= i && i < first + length; });
      bool keeps =
          reference::keeps(99, 0.5f, uint64_t(row + place / columns), uint64_t(place % columns));
      ASSERT_EQ(mask.data()[i], isWritten ? keeps : -1) << i;
      ASSERT_EQ(y.data()[i], !isWritten ? -1 : keeps ? x.data()[i] : 0) << i;
    }
    EXPECT_TRUE(y.isGuarded() && mask.isGuarded());
  }

private:
  /// The array pointer with which a kernel reaches `elements`.
  template <typename T> T *before(T *elements) const {
    uint64_t offset = uint64_t(row) * uint64_t(columns) + uint64_t(column);
    return reinterpret_cast<T *>(reinterpret_cast<uintptr_t>(elements) - offset * sizeof(T));
  }
};

} // namespace

TEST(DropoutFarOut, elements_beyond_two_to_the_31st) {
  // The last block has 48 of its 64 rows, and a program has 4096 draws.
  constexpr int64_t columns = 65536, block = 1076, row = 1024 + block * 64;
  FarOut test(row + 48, columns, row, 0, columns * 33);
  test.run(true, block * columns * 16 / 4096, 1);
  test.check({0, 16 * columns, 32 * columns}, 4096);
}

TEST(DropoutFarOut, columns_beyond_two_to_the_34th) {
  constexpr int64_t first = int64_t(1) << 35;
  FarOut test(1, first + 700, 0, first, 700);
  test.run(false, first / 16384, 1);
  test.check({0}, 700);
}

TEST(DropoutFarOut, late_rows_with_columns_beyond_two_to_the_32nd) {
  constexpr int64_t first = int64_t(1) << 33;
  FarOut test(1026, first + 100, 1024, first,
              4096); // the last elements of a row, and the first of the next
  test.run(true, first / 4096, 1);
  test.check({0}, 4096);
}

TEST(DropoutFarOut, rows_beyond_two_to_the_32nd) {
  constexpr int64_t program = 5368709,
                    row = 1024 + program * 25 * 64; // a program has 25 blocks of 64 rows
  FarOut test(row + 3, 10, row, 0, 30);
  test.run(true, program, 2); // the second program is past the end
  test.check({0}, 30);
}
