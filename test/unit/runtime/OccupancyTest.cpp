// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Occupancy.h"

#include "gtest/gtest.h"

using namespace eft::cuda;

namespace {

GpuProperties hopper() {
  GpuProperties gpu;
  gpu.maxBlocksPerMultiprocessor = 32;
  gpu.maxThreadsPerMultiprocessor = 2048;
  gpu.maxSharedPerMultiprocessor = 233472;
  gpu.maxRegistersPerMultiprocessor = 65536;
  return gpu;
}

} // namespace

TEST(Occupancy, a_step_below_is_near) {
  EXPECT_EQ(registersForOneMore(hopper(), {128, 129, 0}), 128); // 4 thread blocks, not 3
  EXPECT_EQ(registersForOneMore(hopper(), {128, 136, 0}), 128);
  EXPECT_EQ(registersForOneMore(hopper(), {256, 130, 0}), 128); // 2 instead of 1
  EXPECT_EQ(registersForOneMore(hopper(), {128, 172, 0}), 168); // 3 instead of 2
}

TEST(Occupancy, a_step_is_not_near_or_not_there) {
  EXPECT_EQ(registersForOneMore(hopper(), {128, 137, 0}), std::nullopt);
  EXPECT_EQ(registersForOneMore(hopper(), {128, 128, 0}), std::nullopt);
  EXPECT_EQ(registersForOneMore(hopper(), {128, 69, 0}), std::nullopt); // 8 thread blocks, not 7
  EXPECT_EQ(registersForOneMore(hopper(), {128, 0, 0}), std::nullopt);
}

TEST(Occupancy, other_limits_count) {
  EXPECT_EQ(registersForOneMore(hopper(), {128, 130, 57344}), 128);
  EXPECT_EQ(registersForOneMore(hopper(), {128, 130, 57345}), std::nullopt);
}

TEST(Occupancy, a_limit_stands_in_the_kernels_header) {
  EXPECT_EQ(withRegisterLimit("(\n)\n.reqntid 128, 1, 1\n{\n", 128),
            "(\n)\n.reqntid 128, 1, 1\n.maxnreg 128\n{\n");
  EXPECT_EQ(withRegisterLimit("\n.reqntid 128, 1, 1\n.maxnreg 64\n{\n", 128), std::nullopt);
  EXPECT_EQ(withRegisterLimit("\x7f"
                              "ELF",
                              128),
            std::nullopt);
}
