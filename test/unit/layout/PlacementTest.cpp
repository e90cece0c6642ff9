// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the layout of a block in each situation that Placement.h describes.
#include "compiler/layout/Placement.h"
#include "RandomLayout.h"

namespace eft {
namespace {

using testing::make;

LinearLayout onGpu(std::vector<int64_t> shape, int64_t vectorElements, int64_t numWarps) {
  return placeOnGpu(shape, rowMajorOrder(shape.size()), vectorElements, numWarps);
}

TEST(PlaceOnGpu, UpperRegisterBitsAreTheSteps) {
  EXPECT_EQ(onGpu({1024}, 4, 4).toString(),
            "register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], "
            "warp = [[128], [256]]");
}

TEST(PlaceOnGpu, BlockOfJustOneVectorPerThread) {
  EXPECT_EQ(onGpu({512}, 4, 4).toString(),
            "register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]");
}

TEST(PlaceOnGpu, SmallBlockShortensTheVectorFirst) {
  EXPECT_EQ(onGpu({256}, 4, 4).toString(),
            "register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]");
}

TEST(PlaceOnGpu, SmallerBlockLeavesWarpsFree) {
  EXPECT_EQ(onGpu({64}, 4, 4).toString(),
            "register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]");
}

TEST(PlaceOnGpu, SmallestBlockLeavesLanesFree) {
  EXPECT_EQ(onGpu({4}, 4, 2).toString(),
            "register = [], lane = [[1], [2], [0], [0], [0]], warp = [[0]]");
  EXPECT_EQ(onGpu({1}, 4, 1).toString(),
            "register = [], lane = [[0], [0], [0], [0], [0]], warp = []");
}

TEST(PlaceOnGpu, VectorStaysInTheFastestDimension) {
  EXPECT_EQ(onGpu({256, 2}, 4, 1).toString(),
            "register = [[0, 1], [32, 0], [64, 0], [128, 0]], "
            "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []");
}

TEST(PlaceOnGpu, OrderPutsTheFirstDimensionFastest) {
  const int64_t shape[] = {8, 64};
  const unsigned order[] = {0, 1};
  EXPECT_EQ(placeOnGpu(shape, order, 4, 1).toString(),
            "register = [[1, 0], [2, 0], [0, 16], [0, 32]], "
            "lane = [[4, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = []");
}

TEST(PlaceOnGpu, BlockWithoutDimensions) {
  EXPECT_EQ(onGpu({}, 4, 1).toString(), "register = [], lane = [[], [], [], [], []], warp = []");
}

TEST(PlaceOnCpu, LanesThenSteps) {
  EXPECT_EQ(placeOnCpu(std::vector<int64_t>{32}, rowMajorOrder(1), 8).toString(),
            "lane = [[1], [2], [4]], step = [[8], [16]]");
}

TEST(PlaceOnCpu, BlockSmallerThanAVector) {
  EXPECT_EQ(placeOnCpu(std::vector<int64_t>{2}, rowMajorOrder(1), 8).toString(),
            "lane = [[1]], step = []");
}

TEST(PlaceOnCpu, RowsShorterThanAVectorShareOne) {
  EXPECT_EQ(placeOnCpu(std::vector<int64_t>{8, 4}, rowMajorOrder(2), 16).toString(),
            "lane = [[0, 1], [0, 2], [1, 0], [2, 0]], step = [[4, 0]]");
}

TEST(SimdLanes, AsManyAsARegisterHolds) {
  EXPECT_EQ(simdLanes(512, 32), 16);
  EXPECT_EQ(simdLanes(256, 16), 16);
  EXPECT_EQ(simdLanes(128, 64), 2);
  EXPECT_EQ(simdLanes(32, 64), 1);
}

TEST(Placements, EveryElementHasAPlaceAndStepsFillCorners) {
  testing::RandomLayouts random(1);
  for (int i = 0; i < 300; ++i) {
    std::vector<int64_t> shape = random.shape(1 + i % 3, 6);
    int64_t vector = int64_t(1) << random.below(4), warps = int64_t(1) << random.below(6);
    LinearLayout gpu = onGpu(shape, vector, warps);
    EXPECT_TRUE(gpu.isSurjective());
    EXPECT_EQ(gpu.placeBits("lane"), 5u);
    EXPECT_EQ(int64_t(1) << gpu.placeBits("warp"), warps);
    // No register holds a copy, and the elements that any number of low register bits reach form a
    // box at the origin.
    EXPECT_EQ(gpu.redundantBits("register"), 0u);
    for (unsigned bits = 0; bits <= gpu.placeBits("register"); ++bits)
      if (int64_t(1) << bits >= gpu.contiguousAlong("register")) {
        EXPECT_TRUE(gpu.split("register", bits).first.imageBox()) << gpu.toString();
      }

    LinearLayout cpu = placeOnCpu(shape, rowMajorOrder(shape.size()), vector);
    EXPECT_TRUE(cpu.isSurjective());
    EXPECT_TRUE(cpu.isInjective());
    for (unsigned bits = 0; bits <= cpu.placeBits("step"); ++bits)
      EXPECT_TRUE(cpu.split("step", bits).first.imageBox());
  }
}

} // namespace
} // namespace eft
