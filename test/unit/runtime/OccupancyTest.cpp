// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Occupancy.h"

#include "gtest/gtest.h"

using namespace eft::cuda;

namespace {

GpuProperties hopper() {
  GpuProperties gpu;
  gpu.multiprocessors = 132;
  gpu.maxBlocksPerMultiprocessor = 32;
  gpu.maxThreadsPerMultiprocessor = 2048;
  gpu.maxSharedPerMultiprocessor = 233472;
  gpu.maxRegistersPerMultiprocessor = 65536;
  return gpu;
}

} // namespace

TEST(Occupancy, small_programs_of_a_large_grid_share_blocks) {
  EXPECT_EQ(programsOfBlock(hopper(), {10000, 1, 1}, 7), 4u);
  EXPECT_EQ(programsOfBlock(hopper(), {10002, 1, 1}, 7), 3u);
  EXPECT_EQ(programsOfBlock(hopper(), {10010, 1, 1}, 7), 5u);
  EXPECT_EQ(programsOfBlock(hopper(), {10003, 1, 1}, 7), 7u);
  EXPECT_EQ(programsOfBlock(hopper(), {10006, 1, 1}, 7), 2u);
  EXPECT_EQ(programsOfBlock(hopper(), {10007, 1, 1}, 7), 1u); // a prime number
  EXPECT_EQ(programsOfBlock(hopper(), {2147483644, 1, 1}, 7), 4u);
}

TEST(Occupancy, a_block_has_at_most_the_programs_that_it_may_have) {
  EXPECT_EQ(programsOfBlock(hopper(), {10000, 1, 1}, 1), 1u);
  EXPECT_EQ(programsOfBlock(hopper(), {10000, 1, 1}, 2), 2u);
  EXPECT_EQ(programsOfBlock(hopper(), {10002, 1, 1}, 2), 2u);
  EXPECT_EQ(programsOfBlock(hopper(), {10005, 1, 1}, 2), 1u);
}

TEST(Occupancy, programs_share_blocks_along_x_only) {
  EXPECT_EQ(programsOfBlock(hopper(), {2, 10000, 10000}, 7), 2u);
  EXPECT_EQ(programsOfBlock(hopper(), {1, 10000, 1}, 7), 1u);
  EXPECT_EQ(programsOfBlock(hopper(), {0, 10000, 1}, 7), 1u);
}

TEST(Occupancy, programs_of_a_small_grid_have_blocks_of_their_own) {
  constexpr uint32_t twice = 2 * 132 * 32; // twice the blocks that the multiprocessors hold
  EXPECT_EQ(programsOfBlock(hopper(), {twice - 4, 1, 1}, 7), 1u);
  EXPECT_EQ(programsOfBlock(hopper(), {twice, 1, 1}, 7), 4u);
  EXPECT_EQ(programsOfBlock(hopper(), {twice / 4, 2, 2}, 7), 4u);
}

TEST(Occupancy, a_step_below_is_near) {
  using Limit = RegisterLimit;
  EXPECT_EQ(registerLimit(hopper(), {128, 129, 0, 0}), (Limit{128, 0})); // 4 thread blocks, not 3
  EXPECT_EQ(registerLimit(hopper(), {128, 136, 0, 0}), (Limit{128, 0}));
  EXPECT_EQ(registerLimit(hopper(), {256, 130, 0, 0}), (Limit{128, 0})); // 2 instead of 1
  EXPECT_EQ(registerLimit(hopper(), {128, 172, 0, 0}), (Limit{168, 0})); // 3 instead of 2
  EXPECT_EQ(registerLimit(hopper(), {128, 130, 0, 40}), (Limit{128, 40}));
}

TEST(Occupancy, a_step_is_not_near_or_not_there) {
  EXPECT_EQ(registerLimit(hopper(), {128, 137, 0, 0}), std::nullopt);
  EXPECT_EQ(registerLimit(hopper(), {128, 128, 0, 0}), std::nullopt);
  EXPECT_EQ(registerLimit(hopper(), {128, 69, 0, 0}), std::nullopt); // 8 thread blocks, not 7
  EXPECT_EQ(registerLimit(hopper(), {128, 0, 0, 0}), std::nullopt);
}

TEST(Occupancy, a_second_block_of_many_warps_may_spill_a_little) {
  EXPECT_EQ(registerLimit(hopper(), {1024, 40, 0, 0}), (RegisterLimit{32, 16}));
  EXPECT_EQ(registerLimit(hopper(), {1024, 64, 0, 8}), (RegisterLimit{32, 24}));
  EXPECT_EQ(registerLimit(hopper(), {1024, 32, 0, 0}), std::nullopt); // 2 already
  EXPECT_EQ(registerLimit(hopper(), {512, 96, 0, 0}), std::nullopt);  // few warps
  EXPECT_EQ(registerLimit(hopper(), {1024, 40, 120000, 0}), std::nullopt);
}

TEST(Occupancy, a_block_that_spills_may_use_all_registers) {
  EXPECT_EQ(registerLimit(hopper(), {1024, 32, 0, 100}), (RegisterLimit{64, 99}));
  EXPECT_EQ(registerLimit(hopper(), {512, 64, 0, 100}), (RegisterLimit{128, 99}));
  EXPECT_EQ(registerLimit(hopper(), {512, 128, 0, 100}), std::nullopt); // all in use
  EXPECT_EQ(registerLimit(hopper(), {128, 64, 0, 100}), std::nullopt);  // no block prevents 255
}

TEST(Occupancy, local_memory_is_no_spilled_register) {
  EXPECT_EQ(declaredLocalBytes(".local .align 4 .b8 \t__local_depot0[512];\n"), 512);
  EXPECT_EQ(declaredLocalBytes(".reg .b32 %r<7>;"), 0);
  EXPECT_EQ(declaredLocalBytes(std::string_view("__local_depot0[12", 15)), 0);
}

TEST(Occupancy, a_limit_goes_behind_the_number_of_threads) {
  EXPECT_EQ(withRegisterLimit(")\n.reqntid 32, 1, 1\n{}", 40),
            ")\n.reqntid 32, 1, 1\n.maxnreg 40\n{}");
  EXPECT_EQ(withRegisterLimit(")\n.maxntid 32, 7, 1\n{}", 40),
            ")\n.maxntid 32, 7, 1\n.maxnreg 40\n{}");
  EXPECT_EQ(withRegisterLimit(")\n.reqntid 32, 1, 1\n.maxnreg 64\n{}", 40), std::nullopt);
  EXPECT_EQ(withRegisterLimit("a cubin", 40), std::nullopt);
}

TEST(Occupancy, other_limits_count) {
  EXPECT_EQ(registerLimit(hopper(), {128, 130, 57344, 0}), (RegisterLimit{128, 0}));
  EXPECT_EQ(registerLimit(hopper(), {128, 130, 57345, 0}), std::nullopt);
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
