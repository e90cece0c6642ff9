// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/UpperBound.h"

#include <gtest/gtest.h>

namespace eft {
namespace {

constexpr int64_t most = INT64_MAX;

TEST(UpperBound, is_linear_in_the_numbers_of_programs) {
  const UpperBound x{{1, 0, 0}, -1}, y{{0, 2, 0}, 5};
  EXPECT_EQ((x * 1024 + y), (UpperBound{{1024, 2, 0}, -1019}));
  EXPECT_EQ((x * 1024 + y).at({100, 10, 1}), 102400 + 20 - 1019);
  EXPECT_EQ(maximum(x, y), (UpperBound{{1, 2, 0}, 5}));
  EXPECT_TRUE(x.dependsOnPrograms());
  EXPECT_FALSE((UpperBound{{}, 7}).dependsOnPrograms());
}

TEST(UpperBound, is_not_below_a_quotient) {
  for (int64_t rest : {-1000, -57, -56, -1, 0, 1, 55, 56, 57})
    for (int64_t factor : {0, 1, 56, 1024}) {
      const UpperBound bound{{factor, 0, 0}, rest};
      for (int64_t programs : {1, 2, 57, 1000})
        if (const int64_t number = *bound.at({programs, 1, 1}); number >= 0) {
          EXPECT_GE(*(bound / 56).at({programs, 1, 1}), number / 56);
        }
    }
}

TEST(UpperBound, is_none_where_it_would_overflow) {
  const UpperBound large{{}, most - 1}, steep{{most / 2, 0, 0}, 0};
  EXPECT_TRUE((large + UpperBound{{}, 1}).isNone());
  EXPECT_TRUE((large + UpperBound{{}, 2}).isNone());
  EXPECT_TRUE((steep * 3).isNone());
  EXPECT_TRUE((UpperBound::none() + UpperBound{{}, -5}).isNone());
  EXPECT_TRUE((UpperBound::none() * 0).isNone());
  EXPECT_TRUE((UpperBound::none() / 2).isNone());
  EXPECT_TRUE(maximum(large, UpperBound::none()).isNone());
  EXPECT_EQ(steep.at({2, 1, 1}), most - 1);
  EXPECT_EQ(steep.at({3, 1, 1}), std::nullopt);
  EXPECT_EQ(UpperBound::none().at({1, 1, 1}), std::nullopt);
}

TEST(UpperBound, prints) {
  auto text = [](const UpperBound &bound) {
    std::string result;
    llvm::raw_string_ostream(result) << bound;
    return result;
  };
  EXPECT_EQ(text({{1, 0, 0}, -1}), "1 X - 1");
  EXPECT_EQ(text({{0, 3, 4}, 0}), "3 Y + 4 Z");
  EXPECT_EQ(text({{}, 9}), "9");
  EXPECT_EQ(text(UpperBound::none()), "none");
}

} // namespace
} // namespace eft
