// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the layouts of the tiles that `mma` multiplies with the formulas of the PTX ISA ("Matrix
// Fragments for mma.…"), and checks that the layouts of whole blocks give each warp the elements
// that it needs.
#include "compiler/layout/MatrixLayouts.h"

#include <gtest/gtest.h>

#include <functional>

namespace eft {
namespace {

/// The row and column of fragment element i, in the lane with this group and this thread in the
/// group.
using Formula = std::function<Coordinates(int64_t group, int64_t thread, int64_t i)>;

void expectFragment(const LinearLayout &tile, int64_t elements, const Formula &formula) {
  ASSERT_EQ(int64_t(1) << tile.placeBits("register"), elements);
  ASSERT_EQ(tile.placeBits("lane"), 5u);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < elements; ++i)
      EXPECT_EQ(tile.apply(std::vector<int64_t>{i, lane}), formula(lane / 4, lane % 4, i))
          << "lane " << lane << ", element " << i;
}

Coordinates sixteenByEight(int64_t group, int64_t thread, int64_t i) {
  return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}

TEST(MatrixTile, Halves) {
  MatrixTile tile = matrixTile(16, 64);
  expectFragment(tile.a, 8, [](int64_t group, int64_t thread, int64_t i) -> Coordinates {
    bool isUpper = i < 2 || (4 <= i && i < 6);
    return {isUpper ? group : group + 8, thread * 2 + (i & 1) + (i < 4 ? 0 : 8)};
  });
  expectFragment(tile.b, 4, [](int64_t group, int64_t thread, int64_t i) -> Coordinates {
    return {thread * 2 + (i & 1) + (i < 2 ? 0 : 8), group};
  });
  expectFragment(tile.acc, 4, sixteenByEight);
}

TEST(MatrixTile, FloatsOfReducedPrecision) {
  MatrixTile tile = matrixTile(32, 16);
  expectFragment(tile.a, 4, [](int64_t group, int64_t thread, int64_t i) -> Coordinates {
    return {i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4};
  });
  expectFragment(tile.b, 2, [](int64_t group, int64_t thread, int64_t i) -> Coordinates {
    return {i == 0 ? thread : thread + 4, group};
  });
  expectFragment(tile.acc, 4, sixteenByEight);
}

TEST(MatrixTile, Bytes) {
  MatrixTile tile = matrixTile(8, 32);
  expectFragment(tile.a, 16, [](int64_t group, int64_t thread, int64_t i) -> Coordinates {
    bool isUpper = i < 4 || (8 <= i && i < 12);
    return {isUpper ? group : group + 8, thread * 4 + (i & 3) + (i < 8 ? 0 : 16)};
  });
  expectFragment(tile.b, 8, [](int64_t group, int64_t thread, int64_t i) -> Coordinates {
    return {thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
  });
  expectFragment(tile.acc, 4, sixteenByEight);
}

TEST(MatrixTile, BytesWithLittleToSum) {
  MatrixTile tile = matrixTile(8, 16);
  expectFragment(tile.a, 8, [](int64_t group, int64_t thread, int64_t i) -> Coordinates {
    return {i < 4 ? group : group + 8, thread * 4 + (i & 3)};
  });
  expectFragment(tile.b, 4, [](int64_t group, int64_t thread, int64_t i) -> Coordinates {
    return {thread * 4 + (i & 3), group};
  });
}

TEST(MatrixTile, Doubles) {
  MatrixTile tile = matrixTile(64, 16);
  expectFragment(tile.a, 1, [](int64_t group, int64_t thread, int64_t) -> Coordinates {
    return {group, thread};
  });
  expectFragment(tile.b, 1, [](int64_t group, int64_t thread, int64_t) -> Coordinates {
    return {thread, group};
  });
  expectFragment(tile.acc, 2, [](int64_t group, int64_t thread, int64_t i) -> Coordinates {
    return {group, thread * 2 + (i & 1)};
  });
}

TEST(PatchTile, IsNarrowForABlockOfSixteenColumns) {
  EXPECT_EQ(patchTile(16).toString(), "register = [[0, 1], [0, 2]], "
                                      "lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]");
  EXPECT_EQ(patchTile(64).toString(), "register = [[0, 1], [0, 2]], "
                                      "lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]");
}

TEST(AccumulatorLayout, PartsAreNearlySquare) {
  EXPECT_EQ(accumulatorLayout(matrixTile(16, 16).acc, 64, 64, 4).toString(),
            "register = [[0, 1], [8, 0], [0, 8], [0, 16], [16, 0]], "
            "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 32], [32, 0]]");
  EXPECT_EQ(accumulatorLayout(matrixTile(16, 16).acc, 128, 16, 4).toString(),
            "register = [[0, 1], [8, 0], [0, 8], [16, 0]], "
            "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[32, 0], [64, 0]]");
}

TEST(AccumulatorLayout, WarpsWithoutTilesHoldCopies) {
  EXPECT_EQ(accumulatorLayout(matrixTile(16, 16).acc, 16, 16, 8).toString(),
            "register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "
            "warp = [[0, 8], [0, 0], [0, 0]]");
}

TEST(AccumulatorLayoutByRows, FourWarpsHaveSixtyFourRows) {
  EXPECT_EQ(accumulatorLayoutByRows(matrixTile(16, 16).acc, 128, 32, 4).toString(),
            "register = [[0, 1], [8, 0], [0, 8], [0, 16], [64, 0]], "
            "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]");
  // The tile of doubles has eight rows.
  EXPECT_EQ(accumulatorLayoutByRows(matrixTile(64, 16).acc, 64, 16, 2).toString(),
            "register = [[0, 1], [0, 8], [8, 0], [32, 0]], "
            "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]");
}

TEST(AccumulatorLayoutByRows, FurtherWarpsCutAllRows) {
  EXPECT_EQ(accumulatorLayoutByRows(matrixTile(16, 16).acc, 256, 16, 8).toString(),
            "register = [[0, 1], [8, 0], [0, 8], [64, 0]], "
            "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [128, 0]]");
}

TEST(AccumulatorLayoutByRows, WarpsBeyondTheRowsShareTheColumns) {
  EXPECT_EQ(accumulatorLayoutByRows(matrixTile(16, 16).acc, 32, 16, 8).toString(),
            "register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "
            "warp = [[16, 0], [0, 8], [0, 0]]");
}

/// The accumulator of a product can be the first factor of the next product without a move.
TEST(AccumulatorLayoutByRows, IsAFirstFactorOfHalves) {
  MatrixTile tile = matrixTile(16, 64);
  LinearLayout scores = accumulatorLayoutByRows(tile.acc, 128, 64, 4);
  LinearLayout sums = accumulatorLayoutByRows(tile.acc, 128, 32, 4);
  std::optional<FactorLayouts> factors = factorLayouts(tile, sums, 64);
  ASSERT_TRUE(factors);
  EXPECT_EQ(factors->a.toString(), scores.toString());
}

TEST(FactorLayouts, OfABlockOverFourWarps) {
  MatrixTile tile = matrixTile(16, 32);
  std::optional<FactorLayouts> factors =
      factorLayouts(tile, accumulatorLayout(tile.acc, 64, 32, 4), 32);
  ASSERT_TRUE(factors);
  EXPECT_EQ(factors->a.toString(),
            "register = [[0, 1], [8, 0], [0, 8], [0, 16]], "
            "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]");
  EXPECT_EQ(factors->b.toString(),
            "register = [[1, 0], [8, 0], [16, 0], [0, 8], [0, 16]], "
            "lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 0]]");
  EXPECT_EQ(factors->rowBits, std::vector<unsigned>());
  EXPECT_EQ(factors->columnBits, (std::vector<unsigned>{0, 1}));
}

/// Each warp must hold the rows of A and the columns of B that its elements of the accumulator
/// need. The test compares the first row and the first column of each warp.
TEST(FactorLayouts, AWarpHasWhatItMultiplies) {
  for (int64_t bits : {8, 16, 32, 64})
    for (int64_t rows : {16, 64, 128})
      for (int64_t columns : {16, 32, 256})
        for (int64_t warps : {1, 2, 8}) {
          const int64_t k = 64;
          MatrixTile tile = matrixTile(bits, k);
          for (auto layoutOf : {accumulatorLayout, accumulatorLayoutByRows}) {
            LinearLayout acc = layoutOf(tile.acc, rows, columns, warps);
            EXPECT_EQ(acc.shape(), (std::vector<int64_t>{rows, columns}));
            EXPECT_TRUE(acc.isSurjective());
            std::optional<FactorLayouts> factors = factorLayouts(tile, acc, k);
            ASSERT_TRUE(factors);
            EXPECT_EQ(factors->a.shape(), (std::vector<int64_t>{rows, k}));
            EXPECT_EQ(factors->b.shape(), (std::vector<int64_t>{k, columns}));
            EXPECT_TRUE(factors->a.isSurjective());
            EXPECT_TRUE(factors->b.isSurjective());
            for (int64_t warp = 0; warp < warps; ++warp) {
              const std::vector<int64_t> place = {0, 0, warp};
              EXPECT_EQ(factors->a.apply(place)[0], acc.apply(place)[0]);
              EXPECT_EQ(factors->b.apply(place)[1], acc.apply(place)[1]);
            }
          }
        }
}

TEST(FactorLayouts, NothingForOtherAccumulators) {
  MatrixTile tile = matrixTile(16, 16);
  EXPECT_FALSE(factorLayouts(tile, accumulatorLayout(patchTile(32), 32, 32, 1), 16));
  // A register bit that moves along both dimensions.
  LinearLayout askew = tile.acc.product(LinearLayout::fromColumns(
      Space::places(std::vector<std::pair<std::string, unsigned>>{{"register", 2}}),
      Space::block(std::vector<int64_t>{2, 2}), {1, 3}));
  EXPECT_FALSE(factorLayouts(tile, askew, 16));
}

} // namespace
} // namespace eft
