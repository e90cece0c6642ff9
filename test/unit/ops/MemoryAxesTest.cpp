// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/MemoryAxes.h"
#include "Views.h"
#include "ops/TensorChecks.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace eft;
using namespace eft::ops;
using eft::testing::view;

namespace {

std::optional<MemoryAxes> axesOf(const Tensor &tensor) {
  return memoryAxesOf({&tensor, &tensor, &tensor});
}

/// The offsets in the arrays, the row and the column of an element, computed as dropout_permuted.py
/// computes them.
MemoryAxes::Steps placesOf(const MemoryAxes &axes, int64_t number) {
  MemoryAxes::Steps places;
  for (size_t i = 0; i < places.size(); ++i)
    places[i] = int32_t(number * axes.steps[i]);
  auto rest = uint32_t(number);
  for (const MemoryAxes::Axis &axis : axes.axes) {
    rest = uint32_t(uint64_t(rest * 2) * axis.factor >> 32) >> axis.exponent;
    for (size_t i = 0; i < places.size(); ++i)
      places[i] = int32_t(uint32_t(places[i]) + rest * uint32_t(axis.jumps[i]));
  }
  return places;
}

/// Checks that the numbers of elements count each element once, and give its places.
void checkAll(const std::array<Tensor, 3> &tensors) {
  std::optional<MemoryAxes> axes = memoryAxesOf({&tensors[0], &tensors[1], &tensors[2]});
  ASSERT_TRUE(axes);
  const Tensor &first = tensors[0];
  std::map<std::pair<int32_t, int32_t>, std::array<int64_t, 3>> offsets;
  const int64_t elements = elementsOf(first);
  const int64_t columns = first.shape[first.rank - 1];
  for (int64_t element = 0; element < elements; ++element) {
    std::array<int64_t, 3> &at = offsets[{element / columns, element % columns}];
    int64_t rest = element;
    for (unsigned axis = first.rank; axis-- > 0; rest /= first.shape[axis])
      for (size_t array = 0; array < 3; ++array)
        at[array] += rest % first.shape[axis] * tensors[array].strides[axis];
  }
  int64_t last = -1;
  for (int64_t number = 0; number < elements; ++number) {
    const auto [x, y, mask, row, column] = placesOf(*axes, number);
    const auto found = offsets.extract({row, column});
    ASSERT_FALSE(found.empty()) << "row " << row << ", column " << column;
    EXPECT_EQ(found.mapped(), (std::array<int64_t, 3>{x, y, mask}));
    EXPECT_GT(x, last) << "the elements are in the order of memory";
    last = x;
  }
}

} // namespace

TEST(MemoryAxes, number_elements_in_the_order_of_memory) {
  const Tensor images = view({2, 8, 5, 7}, {280, 1, 56, 8});
  checkAll({images, images, images});
  checkAll({images, view({2, 8, 5, 7}, {500, 1, 98, 14}), view({2, 8, 5, 7}, {281, 1, 56, 8})});
  const Tensor reversed = view({3, 4, 5, 6}, {1, 3, 12, 60});
  checkAll({reversed, reversed, reversed});
  const Tensor volumes = view({2, 8, 5, 6, 7}, {1680, 1, 336, 56, 8});
  checkAll({volumes, volumes, volumes});
  const Tensor vector = view({1, 9}, {77, 1});
  checkAll({vector, vector, vector});
}

TEST(MemoryAxes, are_merged_where_all_quantities_allow_it) {
  // The depth and the height of a volume are one axis.
  EXPECT_TRUE(axesOf(view({2, 8, 5, 6, 7}, {1680, 1, 336, 56, 8})));
  EXPECT_FALSE(axesOf(view({2, 8, 5, 6, 7}, {1690, 1, 338, 56, 8})));
  // The height and the width of an image are one axis in memory, but not in the matrix.
  EXPECT_NE(axesOf(view({2, 8, 5, 7}, {280, 1, 56, 8}))->axes[2].factor, uint32_t(1) << 31);
  EXPECT_EQ(axesOf(view({2, 3, 4, 5}, {60, 20, 5, 1}))->extent, 5);
  EXPECT_EQ(axesOf(view({6, 4, 5}, {1, 30, 6}))->extent, 6);
  // An axis whose extent is 1 does not count.
  EXPECT_TRUE(axesOf(view({3, 1, 4, 1, 5, 6, 1}, {1, 9, 3, 9, 12, 60, 9})));
  EXPECT_FALSE(axesOf(view({3, 4, 5, 6, 2}, {1, 3, 12, 60, 360})));
}

TEST(MemoryAxes, need_one_order_and_small_arrays) {
  EXPECT_TRUE(axesOf(view({40, 50}, {1, 40})));
  EXPECT_FALSE(axesOf(view({40, 50}, {2, 80}))) << "no stride is 1";
  EXPECT_FALSE(axesOf(view({40, 50}, {-1, 40})));
  EXPECT_FALSE(axesOf(view({40, 50}, {0, 1})));
  EXPECT_FALSE(axesOf(view({}, {})));
  const Tensor byRows = view({40, 50}, {50, 1}), byColumns = view({40, 50}, {1, 40});
  EXPECT_FALSE(memoryAxesOf({&byRows, &byColumns, &byRows}));
  EXPECT_FALSE(memoryAxesOf({&byRows, &byRows, &byColumns}));
  const int64_t most = INT32_MAX;
  EXPECT_TRUE(axesOf(view({2, 2}, {1, most - 1})));
  EXPECT_FALSE(axesOf(view({2, 2}, {1, most})));
  EXPECT_FALSE(axesOf(view({2, 3}, {1, INT64_MAX / 2 + 1})));
  EXPECT_FALSE(axesOf(view({1 << 16, 1 << 15}, {1, 1 << 16})));
  EXPECT_TRUE(axesOf(view({1 << 16, (1 << 15) - 1}, {1, 1 << 16})));
}

TEST(MemoryAxes, divide_numbers_of_31_bits_exactly) {
  std::mt19937_64 random(2026);
  for (int64_t extent : {2, 3, 5, 7, 641, 1000, 46341, 65537, 1 << 20, 1 << 29, (1 << 30) - 1}) {
    const MemoryAxes axes = *axesOf(view({extent, 2}, {1, extent}));
    const MemoryAxes::Axis &axis = axes.axes[0];
    for (int i = 0; i < 1000; ++i) {
      const auto multiple = uint32_t(random() % (uint64_t(INT32_MAX) / extent) * extent);
      for (uint32_t number : {multiple, multiple + uint32_t(extent) - 1, uint32_t(INT32_MAX)})
        ASSERT_EQ(uint32_t(uint64_t(number * 2) * axis.factor >> 32) >> axis.exponent,
                  number / uint32_t(extent));
    }
  }
}

TEST(MemoryAxes, consist_of_units) {
  const MemoryAxes images = *axesOf(view({2, 24, 5, 7}, {840, 1, 168, 24}));
  EXPECT_TRUE(images.consistOfUnits(4));
  EXPECT_TRUE(images.consistOfUnits(8));
  EXPECT_FALSE(images.consistOfUnits(16));
  EXPECT_FALSE(axesOf(view({2, 24, 5, 7}, {844, 1, 168, 24}))->consistOfUnits(8));
  EXPECT_TRUE(axesOf(view({2, 24, 5, 7}, {844, 1, 168, 24}))->consistOfUnits(4));
}
