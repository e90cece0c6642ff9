// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/Grid.h"

#include <gtest/gtest.h>

using namespace eft;

static constexpr Grid cudaLimits = {INT32_MAX, 65535, 65535};

TEST(Grid, counts_its_programs) {
  auto grid = checkGrid({3, 4, 5}, cudaLimits, "k", "cuda:0");
  ASSERT_TRUE(grid.ok());
  EXPECT_EQ(grid->programs, 60u);
  EXPECT_EQ(grid->extents, (std::array<uint32_t, 3>{3, 4, 5}));
}

TEST(Grid, an_extent_of_zero_is_nothing_to_launch) {
  EXPECT_EQ(checkGrid({0, 1, 1}, cudaLimits, "k", "cuda:0")->programs, 0u);
  EXPECT_EQ(checkGrid({1, 1, 0}, hostGridLimits, "k", "cpu")->programs, 0u);
}

TEST(Grid, the_largest_extents_are_allowed) {
  EXPECT_TRUE(checkGrid({INT32_MAX, 65535, 1}, cudaLimits, "k", "cuda:0").ok());
  EXPECT_EQ(checkGrid({INT32_MAX, INT32_MAX, 1}, hostGridLimits, "k", "cpu")->programs,
            uint64_t(INT32_MAX) * INT32_MAX);
}

static std::string refusal(const Grid &grid, const Grid &limits, const char *device) {
  auto checked = checkGrid(grid, limits, "dropout", device);
  if (checked.ok())
    return "";
  EXPECT_EQ(checked.error().kind, ErrorKind::InvalidArgument);
  return checked.error().message;
}

TEST(Grid, what_is_too_large_is_named_with_its_limit) {
  EXPECT_EQ(refusal({1, 65536, 1}, cudaLimits, "cuda:1"),
            "grid of kernel 'dropout' has 65536 programs in y, expected 0 to 65535 on cuda:1");
  EXPECT_EQ(refusal({int64_t(1) << 31, 1, 1}, hostGridLimits, "cpu"),
            "grid of kernel 'dropout' has 2147483648 programs in x, expected 0 to 2147483647 on "
            "cpu");
}

TEST(Grid, a_negative_extent_is_refused_even_beside_a_zero) {
  EXPECT_EQ(refusal({0, 1, -2}, cudaLimits, "cuda:0"),
            "grid of kernel 'dropout' has -2 programs in z, expected 0 to 65535 on cuda:0");
}

TEST(Grid, all_programs_must_be_countable) {
  EXPECT_EQ(refusal({INT32_MAX, INT32_MAX, INT32_MAX}, hostGridLimits, "cpu"),
            "grid of kernel 'dropout' has 2147483647 × 2147483647 × 2147483647 programs, expected "
            "fewer than 2^63 in all");
}
