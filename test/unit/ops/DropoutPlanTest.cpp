// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/DropoutPlan.h"

#include <gtest/gtest.h>
#include <random>

using namespace eft::ops;

namespace {

__extension__ using Wide = unsigned __int128;

/// What `divide` in dropout.py makes of it.
uint64_t divide(uint64_t number, Division by) {
  return uint64_t(Wide(number * 16) * by.factor >> 64) >> by.exponent;
}

/// Where a quotient of 60-bit numbers is likeliest to be wrong, and anywhere.
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

} // namespace

TEST(DropoutPlan, divides_exactly) {
  std::mt19937_64 random(2026);
  for (uint64_t divisor = 1; divisor < 3000; ++divisor)
    checkDivision(divisor, random);
  for (int bits = 1; bits <= 60; ++bits)
    for (uint64_t other : {uint64_t(-1), uint64_t(0), uint64_t(1), random() % 1000})
      if (uint64_t divisor = (uint64_t(1) << bits) + other; divisor < uint64_t(1) << 60)
        checkDivision(divisor, random);
}

TEST(DropoutPlan, the_early_rows_of_a_gpu_have_strips) {
  Forward what;
  for (auto [rows, columns, programs] :
       std::vector<std::array<int64_t, 3>>{{1, 1, 1},
                                           {1, 1009, 1},
                                           {1, 1010, 2},
                                           {1024, 2033, 2048},
                                           {1, int64_t(1) << 32, 4194305}}) {
    what.rows = rows, what.columns = columns;
    EXPECT_EQ(planForGpu(what).programs, programs) << rows << " x " << columns;
  }
}

TEST(DropoutPlan, the_late_rows_of_a_gpu_have_blocks_of_draws) {
  Forward what;
  // Up to 16 rows draw for themselves, up to 64 no more than these.
  for (auto [rows, columns, programs] :
       std::vector<std::array<int64_t, 3>>{{1025, 256, 1},
                                           {1040, 256, 16},
                                           {1088, 256, 16},
                                           {1089, 256, 17},
                                           {1024 + 64 * 5, 1, 1},
                                           {1024 + 64 * 17, 1, 2}}) {
    what.rows = rows, what.columns = columns;
    EXPECT_EQ(planForGpu(what).programs - 1024, programs) << rows << " x " << columns;
  }
  // The first one is short of what y has in front of it.
  what.rows = 1040, what.columns = 256;
  what.y = reinterpret_cast<float *>(uintptr_t(64 + 20));
  EXPECT_EQ(planForGpu(what).shift, 5);
  EXPECT_EQ(planForGpu(what).programs - 1024, 17);
}

TEST(DropoutPlan, programs_of_a_cpu_have_thousands_of_elements) {
  Forward what;
  for (auto [rows, columns, programs] :
       std::vector<std::array<int64_t, 3>>{{1, 1, 1},
                                           {1024, 16, 1},
                                           {1024, 17, 2},
                                           {3, 16384, 3},
                                           {3, 16385, 6},
                                           {1025, 256, 16 + 1},
                                           {1089, 257, 17 + 2 * 2},
                                           {1024 + 64 * 256, 1, 2},
                                           {1025 + 64 * 256, 1, 3}}) {
    what.rows = rows, what.columns = columns;
    EXPECT_EQ(planForCpu(what).programs, programs) << rows << " x " << columns;
  }
}
