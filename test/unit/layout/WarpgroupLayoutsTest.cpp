// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the layouts of warpgroups with the formulas of the PTX ISA ("Register Fragments for
// wgmma.mma_async", "Shared Memory Matrix Layout").
#include "compiler/layout/WarpgroupLayouts.h"
#include "compiler/layout/SharedLayout.h"

#include <gtest/gtest.h>

namespace eft {
namespace {

TEST(WarpgroupAccumulator, OneInstruction) {
  LinearLayout layout = *warpgroupAccumulator(64, 32, 4);
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < 16; ++i)
        EXPECT_EQ(
            layout.apply(std::vector<int64_t>{i, lane, warp}),
            (Coordinates{warp * 16 + lane / 4 + (i / 2 % 2) * 8, i / 4 * 8 + lane % 4 * 2 + i % 2}))
            << "warp " << warp << ", lane " << lane << ", register " << i;
}

TEST(WarpgroupAccumulator, GroupsGoDownThenAcross) {
  LinearLayout down = *warpgroupAccumulator(256, 64, 8);
  EXPECT_EQ(down.basis("warp", 2), (Coordinates{128, 0}));
  EXPECT_EQ(down.basis("register", 5), (Coordinates{64, 0}));
  LinearLayout across = *warpgroupAccumulator(128, 64, 16);
  EXPECT_EQ(across.basis("warp", 2), (Coordinates{0, 32}));
  EXPECT_EQ(across.basis("warp", 3), (Coordinates{64, 0}));
}

TEST(WarpgroupAccumulator, NeedsAWholeInstructionForEachGroup) {
  EXPECT_FALSE(warpgroupAccumulator(32, 64, 4));
  EXPECT_FALSE(warpgroupAccumulator(64, 64, 2));
  EXPECT_FALSE(warpgroupAccumulator(64, 16, 16));
  EXPECT_TRUE(warpgroupAccumulator(64, 16, 8));
}

TEST(WarpgroupTiles, OfEachAccumulator) {
  for (auto [rows, columns, warps, width, across, down] :
       std::initializer_list<std::array<int64_t, 6>>{{64, 32, 4, 32, 1, 1},
                                                     {256, 128, 8, 128, 1, 2},
                                                     {64, 512, 4, 256, 2, 1},
                                                     {128, 64, 16, 32, 1, 1}}) {
    std::optional<WarpgroupTiles> tiles =
        warpgroupTiles(*warpgroupAccumulator(rows, columns, warps));
    ASSERT_TRUE(tiles);
    EXPECT_EQ(tiles->columns, width);
    EXPECT_EQ(tiles->acrossTiles, across);
    EXPECT_EQ(tiles->downTiles, down);
  }
}

TEST(WarpgroupTiles, OfNoOtherLayout) {
  LinearLayout wide = LinearLayout::identity("register", std::vector<int64_t>{64, 32});
  EXPECT_FALSE(warpgroupTiles(wide));
}

/// The address of a 2-byte element, with its bits swizzled.
int64_t addressOf(int64_t row, int64_t column, int64_t rows, int64_t rowBytes) {
  const int64_t part = column * 2 / rowBytes, inRow = column * 2 % rowBytes;
  const int64_t address = part * rows * rowBytes + row * rowBytes + inRow;
  return address ^ (address >> 3 & (rowBytes - 16));
}

TEST(WarpgroupOrder, SwizzlesRows) {
  for (int64_t columns : {16, 32, 64, 128}) {
    const int64_t rows = 32, rowBytes = std::min<int64_t>(columns * 2, 128);
    LinearLayout order = warpgroupOrder(std::vector<int64_t>{rows, columns}, 1, 2);
    LinearLayout turned = warpgroupOrder(std::vector<int64_t>{columns, rows}, 0, 2);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        const int64_t offset = addressOf(row, column, rows, rowBytes) / 2;
        EXPECT_EQ(order.apply(std::vector<int64_t>{offset}), (Coordinates{row, column}));
        EXPECT_EQ(turned.apply(std::vector<int64_t>{offset}), (Coordinates{column, row}));
      }
  }
}

TEST(WarpgroupOrder, IsKnownByItsRows) {
  const std::vector<int64_t> shape = {64, 32};
  EXPECT_EQ(rowsOfWarpgroupOrder(warpgroupOrder(shape, 0, 2), 2), 0u);
  EXPECT_EQ(rowsOfWarpgroupOrder(warpgroupOrder(shape, 1, 2), 2), 1u);
  EXPECT_FALSE(rowsOfWarpgroupOrder(LinearLayout::identity("offset", shape), 2));
}

TEST(WarpgroupRows, AreWhereAThreadOrLanesWriteNeighbours) {
  auto across = [](int64_t registers, int64_t lanes) {
    return LinearLayout::identity("register", std::vector<int64_t>{1, registers})
        .product(LinearLayout::identity("lane", std::vector<int64_t>{1, lanes}))
        .product(LinearLayout::identity("warp", std::vector<int64_t>{64 / registers, 1}));
  };
  const std::vector<unsigned> turn = {1, 0};
  for (const LinearLayout &layout : {across(8, 4), across(1, 32)}) {
    EXPECT_EQ(rowsForWarpgroups(layout, 2, 0), 1u);
    EXPECT_EQ(rowsForWarpgroups(layout.permute(turn), 2, 1), 0u);
    EXPECT_EQ(rowsForWarpgroups(layout, 1, 0), 0u) << "bytes have rows along k alone";
  }
  // Neighbours in a thread take precedence over neighbours in lanes.
  LinearLayout both = LinearLayout::identity("register", std::vector<int64_t>{8, 1})
                          .product(LinearLayout::identity("lane", std::vector<int64_t>{1, 32}));
  EXPECT_EQ(rowsForWarpgroups(both, 2, 1), 0u);
}

/// The byte offsets, in `order`, of the elements in the first register of each lane of the first
/// warp.
std::vector<uint64_t> laneOffsets(const LinearLayout &order, const LinearLayout &places,
                                  unsigned elementBytes) {
  const SharedLayout shared = SharedLayout::ofOrder(order, places, elementBytes);
  std::vector<uint64_t> offsets;
  for (uint64_t lane = 0; lane < 32; ++lane)
    offsets.push_back(elementBytes *
                      shared.offsetOf(places.applyPacked(lane << places.placeBits("register"))));
  return offsets;
}

TEST(RewritingPlaces, WriteWithoutConflicts) {
  for (unsigned elementBytes : {1, 4})
    for (unsigned k : {0, 1})
      for (int64_t bytesOfRow : {128, 256, 512})
        for (int64_t outer : {32, 64, 128, 256})
          for (int64_t numWarps : {4, 8}) {
            std::vector<int64_t> shape(2, outer);
            shape[k] = bytesOfRow / elementBytes;
            std::optional<LinearLayout> places = rewritingPlaces(shape, k, elementBytes, numWarps);
            ASSERT_TRUE(places);
            EXPECT_TRUE(places->isInjective() && places->isSurjective());
            EXPECT_EQ(places->placeBits("lane"), 5u);
            EXPECT_EQ(int64_t(1) << places->placeBits("warp"), numWarps);
            EXPECT_EQ(readAtOnce(*places, k).contiguousAlong("register", 1 - k), 4);
            const LinearLayout order = warpgroupOrder(shape, k, elementBytes);
            const unsigned bytes = unsigned(
                SharedLayout::ofOrder(order, *places, elementBytes).readRun() * elementBytes);
            EXPECT_EQ(places->contiguousAlong("register", k) * elementBytes, bytes);
            const int64_t bytesOfThread = bytesOfRow * outer / (numWarps * 32);
            EXPECT_EQ(bytes, std::min<int64_t>(bytesOfThread / 4, 16));
            EXPECT_EQ(phasesOf(laneOffsets(order, *places, elementBytes), bytes), bytes / 4)
                << places->toString();
          }
}

TEST(RewritingPlaces, MeetInBanksWhereRowsAreShort) {
  for (unsigned elementBytes : {1, 4})
    for (unsigned bytesOfRow : {32, 64}) {
      const std::vector<int64_t> shape = {bytesOfRow / elementBytes, 256};
      const LinearLayout places = *rewritingPlaces(shape, 0, elementBytes, 4);
      const LinearLayout order = warpgroupOrder(shape, 0, elementBytes);
      const unsigned bytes = unsigned(places.contiguousAlong("register", 0)) * elementBytes;
      EXPECT_EQ(phasesOf(laneOffsets(order, places, elementBytes), bytes),
                bytes / 4 * (128 / bytesOfRow));
    }
}

TEST(RewritingPlaces, ReadWithoutConflicts) {
  for (unsigned elementBytes : {1, 4})
    for (int64_t outer : {64, 128, 256})
      for (int64_t numWarps : {4, 8}) {
        const int64_t k = 128 / elementBytes, perAccess = 16 / elementBytes;
        const int64_t lanesAcross = std::min<int64_t>(outer / perAccess, 32);
        auto part = [](std::string_view place, int64_t down, int64_t across) {
          return LinearLayout::identity(place, std::vector<int64_t>{down, across});
        };
        // A layout in which warps load rows.
        const LinearLayout loaded = part("register", 1, perAccess)
                                        .product(part("lane", 1, lanesAcross))
                                        .product(part("lane", 32 / lanesAcross, 1))
                                        .product(part("warp", numWarps, 1))
                                        .product(part("register", k * lanesAcross / 32 / numWarps,
                                                      outer / perAccess / lanesAcross));
        const LinearLayout places =
            *rewritingPlaces(std::vector<int64_t>{k, outer}, 0, elementBytes, numWarps);
        const LinearLayout order = SharedLayout::choose(loaded, readAtOnce(places, 0), elementBytes)
                                       .order(loaded, "offset");
        EXPECT_EQ(
            SharedLayout::ofOrder(order, loaded, elementBytes).runOfFragments(loaded, perAccess),
            perAccess);
        EXPECT_EQ(phasesOf(laneOffsets(order, loaded, elementBytes), 16), 4u);
        EXPECT_EQ(phasesOf(laneOffsets(order, places, elementBytes), 4 * elementBytes),
                  elementBytes);
      }
}

TEST(RewritingPlaces, NeedABlockForAllThreads) {
  EXPECT_FALSE(rewritingPlaces(std::vector<int64_t>{16, 16}, 0, 4, 4));
  EXPECT_FALSE(rewritingPlaces(std::vector<int64_t>{2, 1024}, 0, 1, 4));
  EXPECT_FALSE(rewritingPlaces(std::vector<int64_t>{1024, 2}, 0, 4, 4));
  EXPECT_TRUE(rewritingPlaces(std::vector<int64_t>{32, 64}, 0, 4, 4));
}

TEST(WarpgroupDescriptor, SaysSwizzleAndDistances) {
  auto field = [](uint64_t descriptor, unsigned first, unsigned count) {
    return descriptor >> first & ((uint64_t(1) << count) - 1);
  };
  // A stored row of 128 bytes has 64 of the 128 columns. The 32 rows of the first 64 columns come
  // first, and then the 32 rows of the other columns.
  const uint64_t across = warpgroupDescriptor(std::vector<int64_t>{32, 128}, 1, false, 2);
  EXPECT_EQ(field(across, 62, 2), 1u);
  EXPECT_EQ(field(across, 16, 14) * 16, 32u * 128);
  EXPECT_EQ(field(across, 32, 14) * 16, 8u * 128);
  const uint64_t narrow = warpgroupDescriptor(std::vector<int64_t>{64, 32}, 1, true, 2);
  EXPECT_EQ(field(narrow, 62, 2), 2u);
  EXPECT_EQ(field(narrow, 32, 14) * 16, 8u * 64);
  EXPECT_EQ(field(warpgroupDescriptor(std::vector<int64_t>{64, 16}, 1, true, 2), 62, 2), 3u);
}

} // namespace
} // namespace eft
