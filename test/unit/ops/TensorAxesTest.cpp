// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/TensorAxes.h"
#include "Views.h"

#include <gtest/gtest.h>
#include <random>

using namespace eft;
using namespace eft::ops;
using eft::testing::view;

namespace {

__extension__ using Wide = unsigned __int128;

/// number / divisor, computed as `divide` in dropout.py computes it.
uint64_t divide(uint64_t number, Division by) {
  return uint64_t(Wide(number * 16) * by.factor >> 64) >> by.exponent;
}

/// Checks the division of 60-bit numbers: numbers near multiples of the divisor, where errors are
/// likeliest, and random numbers.
void checkDivision(uint64_t divisor, std::mt19937_64 &random) {
  constexpr uint64_t most = (uint64_t(1) << 60) - 1;
  Division by = divisionBy(int64_t(divisor));
  uint64_t last = most / divisor * divisor;
  std::vector<uint64_t> numbers = {0, 1, divisor - 1, divisor, last - 1, last, most};
  for (int i = 0; i < 20; ++i) {
    uint64_t multiple = random() % most / divisor * divisor;
    numbers.insert(numbers.end(), {multiple, multiple ? multiple - 1 : 0, random() % (most + 1)});
  }
  for (uint64_t number : numbers)
    ASSERT_EQ(divide(number, by), number / divisor) << number << " by " << divisor;
}

TensorAxes axesOf(const Tensor &tensor) { return ops::axesOf({&tensor, &tensor, &tensor}); }

/// The offset of a row, computed as dropout_strided.py computes it.
int64_t offsetOf(const TensorAxes &axes, int64_t row) {
  uint64_t offset = uint64_t(row) * uint64_t(axes.row[0]), rest = uint64_t(row);
  for (const TensorAxes::Axis &axis : axes.axes) {
    rest = divide(rest, axis.division);
    offset += rest * uint64_t(axis.jumps[0]);
  }
  return int64_t(offset);
}

} // namespace

TEST(TensorAxes, divides_exactly) {
  std::mt19937_64 random(2026);
  for (uint64_t divisor = 1; divisor < 3000; ++divisor)
    checkDivision(divisor, random);
  for (int bits = 1; bits <= 60; ++bits)
    for (uint64_t other : {uint64_t(-1), uint64_t(0), uint64_t(1), random() % 1000})
      if (uint64_t divisor = (uint64_t(1) << bits) + other; divisor < uint64_t(1) << 60)
        checkDivision(divisor, random);
}

TEST(TensorAxes, rows_are_all_axes_but_the_last) {
  EXPECT_EQ(rowsOf(view({}, {})), 1);
  EXPECT_EQ(columnsOf(view({}, {})), 1);
  EXPECT_EQ(rowsOf(view({7}, {1})), 1);
  EXPECT_EQ(columnsOf(view({7}, {1})), 7);
  EXPECT_EQ(rowsOf(view({2, 3, 4}, {12, 4, 1})), 6);
  EXPECT_EQ(columnsOf(view({2, 3, 4}, {12, 4, 1})), 4);
}

TEST(TensorAxes, axes_of_rows_are_merged_where_all_arrays_allow_it) {
  Tensor gaps = view({2, 3, 32}, {300, 100, 1}), other = view({2, 3, 32}, {96, 32, 1});
  EXPECT_EQ(ops::axesOf({&gaps, &other, &other}).rowAxes, 1u);
  other.strides[0] = 97;
  EXPECT_EQ(ops::axesOf({&gaps, &other, &other}).rowAxes, 2u);
  EXPECT_EQ(axesOf(view({2, 1, 32}, {300, 77, 1})).rowAxes, 1u);
  EXPECT_EQ(axesOf(view({2, 3, 32}, {300, 100, 1})).rowExtent, 6);
  EXPECT_EQ(axesOf(view({2, 3, 32}, {301, 100, 1})).rowExtent, 3);
}

TEST(TensorAxes, programs_walk_along_the_smaller_stride) {
  EXPECT_FALSE(axesOf(view({40, 50}, {100, 1})).alongRows);
  EXPECT_TRUE(axesOf(view({40, 50}, {1, 40})).alongRows);
  EXPECT_TRUE(axesOf(view({40, 50}, {1, 40})).isUnit);
  EXPECT_FALSE(axesOf(view({40, 50}, {2, 80})).isUnit);
  EXPECT_TRUE(axesOf(view({40, 3}, {4, 1})).alongRows) << "there are few columns";
  EXPECT_FALSE(axesOf(view({50}, {3})).alongRows);
  EXPECT_TRUE(axesOf(view({40, 50}, {-1, INT64_MIN})).alongRows);
}

TEST(TensorAxes, offsets_of_rows_follow_from_quotients) {
  const int64_t extents[] = {2, 3, 1, 4, 2, 5, 3};
  Tensor tensor = view({2, 3, 1, 4, 2, 5, 3, 16}, {-7, 1000, 5, 0, -333, 90000, 2, 1});
  TensorAxes axes = axesOf(tensor);
  EXPECT_GT(axes.rowAxes, 1u);
  for (int64_t row = 0; row < rowsOf(tensor); ++row) {
    int64_t expected = 0, rest = row;
    for (int axis = 6; axis >= 0; --axis) {
      expected += rest % extents[axis] * tensor.strides[size_t(axis)];
      rest /= extents[axis];
    }
    ASSERT_EQ(offsetOf(axes, row), expected) << row;
  }
}
