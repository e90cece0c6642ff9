// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Examples of the layout algebra, and its diagnostics. LinearLayoutPropertyTest.cpp checks it by
// brute force.
#include "RandomLayout.h"

namespace eft {
namespace {

using testing::make;

/// The layout of the first table in LinearLayout.h.
LinearLayout essayLayout() {
  return make({{"register", {{1}}}, {"lane", {{2}, {4}}}, {"warp", {{8}}}}, {16});
}

std::string errorOf(const std::vector<PlaceBases> &places, const std::vector<int64_t> &shape) {
  std::string error;
  EXPECT_FALSE(LinearLayout::create(places, shape, error));
  return error;
}

TEST(Space, PlacesArePackedFirstDimensionLowest) {
  std::pair<std::string, unsigned> dims[] = {{"register", 1}, {"lane", 2}};
  Space space = Space::places(dims);
  EXPECT_EQ(space.pack(Coordinates{1, 2}), 5u);
  EXPECT_EQ(space.unpack(5), (Coordinates{1, 2}));
  EXPECT_EQ(space.find("lane"), 1u);
  EXPECT_EQ(space.find("warp"), std::nullopt);
}

TEST(Space, BlocksArePackedInRowMajorOrder) {
  Space space = Space::block(std::vector<int64_t>{4, 8});
  EXPECT_EQ(space.pack(Coordinates{2, 3}), 2u * 8 + 3);
  EXPECT_EQ(space.unpack(19), (Coordinates{2, 3}));
  EXPECT_EQ(space.shape(), (std::vector<int64_t>{4, 8}));
}

TEST(LinearLayout, EssaysFirstTable) {
  LinearLayout layout = essayLayout();
  EXPECT_EQ(layout.apply(Coordinates{1, 1, 1}), Coordinates{11});
  for (int64_t warp = 0; warp < 2; ++warp)
    for (int64_t lane = 0; lane < 4; ++lane)
      for (int64_t reg = 0; reg < 2; ++reg)
        EXPECT_EQ(layout.apply(Coordinates{reg, lane, warp}),
                  Coordinates{8 * warp + 2 * lane + reg});
}

TEST(LinearLayout, EssaysSecondTable) {
  LinearLayout layout =
      make({{"register", {{0, 1}}}, {"lane", {{1, 0}, {2, 0}}}, {"warp", {{0, 2}}}}, {4, 4});
  EXPECT_EQ(layout.apply(Coordinates{1, 2, 0}), (Coordinates{2, 1}));
  EXPECT_EQ(layout.apply(Coordinates{0, 3, 1}), (Coordinates{3, 2}));
  EXPECT_TRUE(layout.isInjective());
  EXPECT_TRUE(layout.isSurjective());
}

TEST(LinearLayout, PrintsTheAttributesForm) {
  EXPECT_EQ(essayLayout().toString(), "register = [[1]], lane = [[2], [4]], warp = [[8]]");
  EXPECT_EQ(make({{"lane", {}}, {"step", {{0, 0}}}}, {2, 2}).toString(),
            "lane = [], step = [[0, 0]]");
  EXPECT_EQ(LinearLayout::unit(1).toString(), "");
}

TEST(LinearLayout, BasesGoInAndComeOut) {
  std::vector<PlaceBases> places = {{"register", {{1, 0}, {3, 1}}}, {"lane", {}}};
  EXPECT_EQ(make(places, {4, 2}).bases(), places);
  EXPECT_EQ(make(places, {4, 2}).basis("register", 1), (Coordinates{3, 1}));
  EXPECT_EQ(make(places, {4, 2}).placeBits("register"), 2u);
  EXPECT_EQ(make(places, {4, 2}).placeBits("warp"), 0u);
}

TEST(LinearLayout, CreateSaysWhatIsWrong) {
  EXPECT_EQ(errorOf({}, {24}), "extent of dimension 0 must be a power of two, got 24");
  EXPECT_EQ(errorOf({}, {4, 0}), "extent of dimension 1 must be a power of two, got 0");
  EXPECT_EQ(errorOf({}, {-4}), "extent of dimension 0 must be a power of two, got -4");
  EXPECT_EQ(errorOf({}, {int64_t(1) << 40, int64_t(1) << 40}),
            "block must have at most 2^62 elements, got 2^80");
  EXPECT_EQ(errorOf({{"", {}}}, {4}), "place dimension 0 must have a name");
  EXPECT_EQ(errorOf({{"lane", {}}, {"lane", {}}}, {4}),
            "place dimension must be given once, got 'lane' twice");
  EXPECT_EQ(errorOf({{"lane", std::vector<Coordinates>(63, {0})}}, {4}),
            "layout must have at most 62 place bits, got 63");
  EXPECT_EQ(errorOf({{"lane", {{1}, {2, 0}}}}, {4}),
            "basis of lane bit 1 must have one coordinate per block dimension (1), got 2");
  EXPECT_EQ(errorOf({{"lane", {{0, 4}}}}, {4, 4}),
            "basis of lane bit 0 must lie inside the block, whose extent in dimension 1 is 4, "
            "got 4");
  EXPECT_EQ(errorOf({{"lane", {{-1}}}}, {4}),
            "basis of lane bit 0 must lie inside the block, whose extent in dimension 0 is 4, "
            "got -1");
}

TEST(LinearLayout, ProductOfATileAndItsCopies) {
  const std::vector<int64_t> two = {2}, four = {4};
  LinearLayout layout = LinearLayout::identity("register", two)
                            .product(LinearLayout::identity("lane", four))
                            .product(LinearLayout::identity("warp", two));
  EXPECT_EQ(layout, essayLayout());
  EXPECT_EQ(layout.product(LinearLayout::identity("register", two)),
            make({{"register", {{1}, {16}}}, {"lane", {{2}, {4}}}, {"warp", {{8}}}}, {32}));
}

TEST(LinearLayout, DivideByATile) {
  LinearLayout layout =
      make({{"register", {{1}, {16}}}, {"lane", {{2}, {4}}}, {"warp", {{8}}}}, {32});
  EXPECT_EQ(layout.divide(essayLayout()),
            make({{"register", {{1}}}, {"lane", {}}, {"warp", {}}}, {2}));
  // A tile with another arrangement, a tile with a place that the layout lacks, and a tile that is
  // larger.
  EXPECT_EQ(layout.divide(make({{"register", {{2}}}, {"lane", {{1}}}}, {4})), std::nullopt);
  EXPECT_EQ(layout.divide(make({{"step", {{1}}}}, {2})), std::nullopt);
  EXPECT_EQ(layout.divide(LinearLayout::identity("register", std::vector<int64_t>{64})),
            std::nullopt);
  // The lanes' elements lie between the tile's elements, so the layout is not a multiple of this
  // tile.
  EXPECT_EQ(make({{"register", {{1}, {4}}}, {"lane", {{2}}}}, {8})
                .divide(make({{"register", {{1}, {4}}}}, {8})),
            std::nullopt);
}

TEST(LinearLayout, SplitAtTheVectorsOfOneStep) {
  LinearLayout layout =
      make({{"register", {{1}, {2}, {16}, {32}}}, {"lane", {{4}}}, {"warp", {{8}}}}, {64});
  auto [step, begins] = layout.split("register", 2);
  EXPECT_EQ(step, make({{"register", {{1}, {2}}}, {"lane", {{4}}}, {"warp", {{8}}}}, {64}));
  EXPECT_EQ(begins, make({{"register", {{16}, {32}}}}, {64}));
  EXPECT_EQ(step.imageBox(), std::vector<int64_t>{16});
}

TEST(LinearLayout, FreeBitsHoldCopies) {
  LinearLayout layout = make({{"lane", {{1}, {2}, {0}, {0}, {0}}}, {"warp", {{2}}}}, {4});
  EXPECT_FALSE(layout.isInjective());
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.redundantBits("lane"), 0b11100u);
  EXPECT_EQ(layout.redundantBits("warp"), 1u);
  EXPECT_EQ(layout.redundantBits("register"), 0u);
  EXPECT_EQ(layout.kernel(), (std::vector<uint64_t>{1 << 2, 1 << 3, 1 << 4, (1 << 5) | (1 << 1)}));
}

TEST(LinearLayout, ImageBoxIsTheCornerThatIsFilled) {
  EXPECT_EQ(make({{"lane", {{1, 0}, {0, 1}}}}, {4, 4}).imageBox(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(make({{"lane", {{2}}}}, {4}).imageBox(), std::nullopt);
  EXPECT_EQ(make({{"lane", {{3}}}}, {4}).imageBox(), std::nullopt);
  EXPECT_EQ(make({{"lane", {{3}, {1}}}}, {4}).imageBox(), std::vector<int64_t>{4});
}

TEST(LinearLayout, ContiguousAlongIsTheVectorWidth) {
  EXPECT_EQ(essayLayout().contiguousAlong("register"), 2);
  EXPECT_EQ(essayLayout().contiguousAlong("lane"), 1);
  EXPECT_EQ(essayLayout().contiguousAlong("step"), 1);
  // The third register bit adds 8, not 4, so the run has only the elements of the first two bits.
  EXPECT_EQ(
      make({{"register", {{1}, {2}, {8}}}, {"lane", {{4}}}}, {16}).contiguousAlong("register"), 4);
  // The run may lie along another dimension than the last.
  LinearLayout columns = make({{"register", {{1, 0}, {2, 0}}}, {"lane", {{0, 1}}}}, {4, 2});
  EXPECT_EQ(columns.contiguousAlong("register"), 1);
  EXPECT_EQ(columns.contiguousAlong("register", 0), 4);
  // Bit 0 of the lane adds 4 ^ 2, which also exchanges elements inside the run of 4.
  EXPECT_EQ(make({{"register", {{1}, {2}}}, {"lane", {{4 | 2}}}}, {8}).contiguousAlong("register"),
            2);
  EXPECT_EQ(LinearLayout::unit(0).contiguousAlong("register"), 1);
}

TEST(LinearLayout, SourceOfTellsAShuffleFromARenaming) {
  LinearLayout from = make({{"register", {{1}}}, {"lane", {{2}}}}, {4});
  LinearLayout to = make({{"register", {{2}}}, {"lane", {{1}}}}, {4});
  std::optional<LinearLayout> source = sourceOf(from, to);
  ASSERT_TRUE(source);
  // Register 1 of lane 0 needs element 2, which is in register 0 of lane 1.
  EXPECT_EQ(source->apply(Coordinates{1, 0}), (Coordinates{0, 1}));
  EXPECT_EQ(sourceOf(make({{"lane", {{1}}}}, {4}), to), std::nullopt);
  EXPECT_EQ(sourceOf(make({{"lane", {{1}}}}, {2}), to), std::nullopt);
}

TEST(LinearLayout, RightInverseNeedsEveryElement) {
  EXPECT_EQ(make({{"lane", {{1}}}}, {4}).rightInverse(), std::nullopt);
  LinearLayout copies = make({{"lane", {{1}, {0}, {2}}}}, {4});
  std::optional<LinearLayout> inverse = copies.rightInverse();
  ASSERT_TRUE(inverse);
  EXPECT_EQ(inverse->apply(Coordinates{3}), Coordinates{5});
}

TEST(LinearLayout, ExpandDimsAndSliceAreInverse) {
  LinearLayout layout = make({{"register", {{1, 0}}}, {"lane", {{0, 1}, {2, 2}}}}, {4, 4});
  EXPECT_EQ(layout.slice(1), make({{"register", {{1}}}, {"lane", {{0}, {2}}}}, {4}));
  EXPECT_EQ(layout.collapse(1), make({{"register", {{1, 0}}}, {"lane", {{0, 0}, {2, 0}}}}, {4, 1}));
  EXPECT_EQ(layout.slice(1).expandDims(1), layout.collapse(1));
  EXPECT_EQ(layout.expandDims(0).slice(0), layout);
}

TEST(LinearLayout, CoveringPutsMissingElementsIntoHighPlaceBits) {
  LinearLayout even = make({{"register", {{0, 2}}}, {"lane", {{1, 0}}}}, {4, 4});
  EXPECT_EQ(even.covering("register"),
            make({{"register", {{0, 2}, {0, 1}, {2, 0}}}, {"lane", {{1, 0}}}}, {4, 4}));
  EXPECT_EQ(even.covering("step"),
            make({{"register", {{0, 2}}}, {"lane", {{1, 0}}}, {"step", {{0, 1}, {2, 0}}}}, {4, 4}));
}

TEST(LinearLayout, CoveringLeavesACompleteLayoutAsItIs) {
  LinearLayout full = make({{"register", {{1}, {0}}}, {"lane", {{3}}}}, {4});
  EXPECT_EQ(full.covering("register"), full);
  EXPECT_EQ(full.covering("step"), full);
}

TEST(LinearLayout, PermuteAndReshape) {
  LinearLayout layout = make({{"register", {{0, 1}}}, {"lane", {{1, 0}, {2, 2}}}}, {4, 4});
  const unsigned order[] = {1, 0};
  EXPECT_EQ(layout.permute(order),
            make({{"register", {{1, 0}}}, {"lane", {{0, 1}, {2, 2}}}}, {4, 4}));
  EXPECT_EQ(layout.reshape(std::vector<int64_t>{2, 8}),
            make({{"register", {{0, 1}}}, {"lane", {{0, 4}, {1, 2}}}}, {2, 8}));
}

} // namespace
} // namespace eft
