// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/DropoutPlan.h"

#include <gtest/gtest.h>

#include <functional>

using namespace eft::ops;

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
  // Late rows are those from row 1024 on. Up to 16 late rows need one row of draws each. From 16 to
  // 64 late rows need 16 rows of draws.
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
  // The first program has fewer elements if y is not aligned: it ends at an aligned address.
  what.rows = 1040, what.columns = 256;
  what.y = reinterpret_cast<void *>(uintptr_t(64 + 20));
  EXPECT_EQ(planForGpu(what).shift, 5);
  EXPECT_EQ(planForGpu(what).programs - 1024, 17);
}

TEST(DropoutPlan, what_y_has_in_front_is_counted_in_its_elements) {
  Forward what;
  what.rows = what.columns = 1;
  what.y = reinterpret_cast<void *>(uintptr_t(128 + 24));
  for (auto [dtype, shift] :
       {std::pair{eft::DataType::F16, 12}, {eft::DataType::F32, 6}, {eft::DataType::F64, 3}}) {
    what.dtype = dtype;
    EXPECT_EQ(planForGpu(what).shift, shift);
  }
}

TEST(DropoutPlan, aligned_rows_of_16_bits_are_wide) {
  Forward what;
  what.dtype = eft::DataType::BF16;
  for (auto [rows, columns, programs] : std::vector<std::array<int64_t, 3>>{{1, 8, 1},
                                                                            {1, 2048, 1},
                                                                            {1, 2056, 2},
                                                                            {1025, 8, 1024 + 1},
                                                                            {1040, 32, 1024 + 1},
                                                                            {1040, 40, 1024 + 2},
                                                                            {1089, 40, 1024 + 2}}) {
    what.rows = rows, what.columns = columns;
    EXPECT_EQ(planForGpu(what).alignment, Alignment::Rows);
    EXPECT_EQ(planForGpu(what).programs, programs) << rows << " x " << columns;
  }
  EXPECT_EQ(planForGpu(what).division.factor, divisionBy(5).factor);
  // With a mask, a thread draws for half as many neighbouring columns.
  what.mask = reinterpret_cast<int32_t *>(uintptr_t(256));
  EXPECT_EQ(planForGpu(what).alignment, Alignment::Rows);
  EXPECT_EQ(planForGpu(what).programs, 1024 + 3);
  EXPECT_EQ(planForGpu(what).division.factor, divisionBy(10).factor);
  for (auto [change, alignment] : std::vector<std::pair<std::function<void(Forward &)>, Alignment>>{
           {[](Forward &it) { it.columns = 42; }, Alignment::None},
           {[](Forward &it) { it.columns = 42, it.mask = nullptr; }, Alignment::Arrays},
           {[](Forward &it) { it.columns = 44, it.mask = nullptr; }, Alignment::Arrays},
           {[](Forward &it) { it.columns = 7, it.mask = nullptr; }, Alignment::None},
           {[](Forward &it) { it.dtype = eft::DataType::F32; }, Alignment::None},
           {[](Forward &it) { it.x = reinterpret_cast<void *>(uintptr_t(8)); }, Alignment::None},
           {[](Forward &it) { it.y = reinterpret_cast<void *>(uintptr_t(18)); }, Alignment::None},
           {[](Forward &it) { it.mask = reinterpret_cast<int32_t *>(uintptr_t(20)); },
            Alignment::None}}) {
    Forward other = what;
    change(other);
    EXPECT_EQ(planForGpu(other).alignment, alignment);
  }
  // In aligned arrays, blocks are twice as long.
  what.mask = nullptr, what.columns = 33, what.rows = 1040;
  EXPECT_EQ(planForGpu(what).programs, 1024 + 2);
}

TEST(DropoutPlan, tiles_of_any_strides_cover_all_draws) {
  Strided what;
  for (auto [rows, columns, alongRows, onGpu, onCpu] :
       std::vector<std::tuple<int64_t, int64_t, bool, int64_t, int64_t>>{
           {1, 1, false, 1, 1},
           {16, 128, false, 1, 2},
           {17, 129, false, 2 * 2, 3},
           {32, 65, true, 2, 2},
           {1025, 33, false, 64 + 2, 16 + 3},
           {1088, 8, true, 32 + 1, 64 + 1}}) {
    what.rows = rows, what.columns = columns, what.axes.alongRows = alongRows;
    EXPECT_EQ(programsOf(what, true), onGpu) << rows << " x " << columns;
    EXPECT_EQ(programsOf(what, false), onCpu) << rows << " x " << columns;
  }
  what.rows = 16, what.columns = 128, what.axes.alongRows = false, what.axes.rowAxes = 2;
  EXPECT_EQ(programsOf(what, true), 1);
  EXPECT_EQ(programsOf(what, false), 2);
}

/// Transposed heads of attention: x, y and the mask have rows of 64 columns along two axes.
Strided heads(eft::DataType dtype) {
  Strided what;
  what.dtype = dtype;
  what.rows = 2048, what.columns = 64;
  what.x = reinterpret_cast<void *>(uintptr_t(32)),
  what.y = reinterpret_cast<void *>(uintptr_t(64));
  what.mask = reinterpret_cast<int32_t *>(uintptr_t(128));
  what.axes.isUnit = true;
  what.axes.rowAxes = 2, what.axes.rowExtent = 1024;
  what.axes.row = {192, 64, 64}, what.axes.column = {1, 1, 1};
  what.axes.axes[0].jumps = {64 - 1024 * 192, 0, 0};
  return what;
}

/// The same, with the rows and the columns exchanged.
Strided turnedHeads(eft::DataType dtype) {
  Strided what = heads(dtype);
  what.axes.alongRows = true;
  std::swap(what.axes.row, what.axes.column);
  return what;
}

TEST(DropoutPlan, tiles_of_units_cover_all_draws) {
  EXPECT_EQ(programsOf(heads(eft::DataType::F16), true), 32 + 8);
  EXPECT_EQ(programsOf(heads(eft::DataType::F32), true), 128 + 32);
  EXPECT_EQ(programsOf(turnedHeads(eft::DataType::F16), true), 16 + 4 * 2);
  EXPECT_EQ(programsOf(turnedHeads(eft::DataType::F64), true), 16 * 2 + 4 * 8);
  EXPECT_EQ(programsOf(heads(eft::DataType::F16), false),
            programsOf(heads(eft::DataType::F64), false));
}

TEST(DropoutPlan, units_have_16_bytes) {
  using eft::DataType;
  for (DataType dtype : {DataType::F16, DataType::BF16, DataType::F32, DataType::F64}) {
    EXPECT_TRUE(hasUnits(heads(dtype)));
    EXPECT_TRUE(hasUnits(turnedHeads(dtype)));
  }
  for (const auto &change : std::vector<std::function<void(Strided &)>>{
           [](Strided &it) { it.x = reinterpret_cast<void *>(uintptr_t(8)); },
           [](Strided &it) { it.y = reinterpret_cast<void *>(uintptr_t(8)); },
           [](Strided &it) { it.mask = reinterpret_cast<int32_t *>(uintptr_t(8)); },
           [](Strided &it) { it.axes.isUnit = false; }, [](Strided &it) { it.axes.rowAxes = 4; },
           [](Strided &it) { it.axes.axes[0].jumps[1] = 2; }}) {
    for (Strided what : {heads(DataType::F32), turnedHeads(DataType::F32)}) {
      change(what);
      EXPECT_FALSE(hasUnits(what));
    }
  }
  auto expect = [](bool expected, Strided what, const std::function<void(Strided &)> &change) {
    change(what);
    EXPECT_EQ(hasUnits(what), expected);
  };
  // 12 elements are units of fp32 alone.
  for (auto [dtype, are] : {std::pair(DataType::F32, true), {DataType::F16, false}}) {
    expect(are, heads(dtype), [](Strided &it) { it.columns = 12; });
    expect(are, heads(dtype), [](Strided &it) { it.axes.row[2] = 12; });
    expect(are, turnedHeads(dtype), [](Strided &it) { it.axes.rowExtent = 12; });
    expect(are, turnedHeads(dtype), [](Strided &it) { it.axes.column[0] = -12; });
    expect(are, heads(dtype), [](Strided &it) { it.axes.axes[0].jumps[0] = 12; });
  }
  expect(true, heads(DataType::F16), [](Strided &it) { it.axes.rowExtent = 3; });
  expect(true, heads(DataType::F16), [](Strided &it) { it.mask = nullptr; });
  expect(true, turnedHeads(DataType::F16), [](Strided &it) { it.columns = 3; });
}

TEST(DropoutPlan, elements_are_numbered_in_the_order_of_memory) {
  Strided what;
  what.rows = 2 * 8 * 64, what.columns = 64;
  what.x = reinterpret_cast<void *>(uintptr_t(32)),
  what.y = reinterpret_cast<void *>(uintptr_t(64));
  what.mask = reinterpret_cast<int32_t *>(uintptr_t(128));
  const int64_t tiles = programsOf(what, true);
  EXPECT_FALSE(isPermuted(what));
  what.memory.emplace();
  what.memory->extent = 8;
  EXPECT_TRUE(isPermuted(what));
  EXPECT_EQ(programsOf(what, true), 2 * 8 * 64 * 64 / 512);
  EXPECT_NE(programsOf(what, true), tiles);
  EXPECT_NE(programsOf(what, false), programsOf(what, true));
  what.rows += 1;
  EXPECT_EQ(programsOf(what, true), 2 * 8 * 64 * 64 / 512 + 1);
  for (const auto &change : std::vector<std::function<void(Strided &)>>{
           [](Strided &it) { it.x = reinterpret_cast<void *>(uintptr_t(8)); },
           [](Strided &it) { it.y = reinterpret_cast<void *>(uintptr_t(8)); },
           [](Strided &it) { it.mask = reinterpret_cast<int32_t *>(uintptr_t(8)); },
           [](Strided &it) { it.memory->extent = 6; },
           [](Strided &it) { it.memory->axes[1].jumps[2] = 2; }}) {
    Strided other = what;
    change(other);
    EXPECT_FALSE(isPermuted(other));
  }
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
