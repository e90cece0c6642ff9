// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows shuffle plans place by place, and compares the result with a search of all places.
#include "compiler/layout/Shuffle.h"
#include "RandomLayout.h"

#include <bit>
#include <set>

namespace eft {
namespace {

using testing::make;
using testing::placesOf;
using testing::RandomLayouts;

/// A place in the coordinates of the plan.
struct Place {
  uint64_t fragment, lane, warp;
};

Place split(const LinearLayout &layout, uint64_t place) {
  const std::vector<Space::Dim> &dims = layout.source().dims();
  auto part = [&](unsigned dim) { return (place & layout.source().mask(dim)) >> dims[dim].offset; };
  return {part(0), part(1), part(2)};
}

uint64_t join(const LinearLayout &layout, const Place &place) {
  const std::vector<Space::Dim> &dims = layout.source().dims();
  return place.fragment | place.lane << dims[1].offset | place.warp << dims[2].offset;
}

uint64_t swapped(const std::vector<FragmentSwap> &swaps, uint64_t thread, uint64_t fragment) {
  for (const FragmentSwap &swap : swaps)
    if (std::popcount(thread & swap.threads) % 2 != 0)
      fragment ^= swap.fragments;
  return fragment;
}

/// The place from which the plan takes the element for `to`.
Place sourceOf(const ShufflePlan &plan, const Place &to) {
  uint64_t taker = to.lane | to.warp << plan.takingLaneBits;
  uint64_t choice = 0;
  for (unsigned bit = 0; bit < plan.choices.size(); ++bit)
    choice |= uint64_t(std::popcount(to.lane & plan.choices[bit]) % 2) << bit;
  const ShufflePlan::Turn &turn = plan.got[swapped(plan.after, taker, to.fragment)][choice];
  Place from{turn.fragment, turn.lanes, to.warp};
  for (unsigned bit = 0; bit < plan.laneColumns.size(); ++bit)
    if (taker >> bit & 1)
      from.lane ^= plan.laneColumns[bit];
  from.fragment = swapped(plan.before, from.lane | from.warp << plan.givingLaneBits, from.fragment);
  return from;
}

/// True if each warp holds all elements that it needs.
bool isNear(const LinearLayout &from, const LinearLayout &wanted, uint64_t offset) {
  std::set<std::pair<uint64_t, uint64_t>> held;
  for (uint64_t place = 0; place < placesOf(from); ++place)
    held.insert({from.applyPacked(place), split(from, place).warp});
  for (uint64_t place = 0; place < placesOf(wanted); ++place)
    if (!held.contains({wanted.applyPacked(place) ^ offset, split(wanted, place).warp}))
      return false;
  return true;
}

LinearLayout withWarps(const LinearLayout &layout, unsigned warps) {
  std::vector<std::pair<std::string, unsigned>> dims;
  std::vector<uint64_t> columns;
  for (const Space::Dim &dim : layout.source().dims()) {
    dims.emplace_back(dim.name, dim.name == "warp" ? warps : dim.bits);
    for (unsigned bit = 0; bit < dims.back().second; ++bit)
      columns.push_back(bit < dim.bits ? layout.applyPacked(uint64_t(1) << (dim.offset + bit)) : 0);
  }
  return LinearLayout::fromColumns(Space::places(dims), layout.target(), columns);
}

TEST(ShuffleProperty, EveryPlaceGetsWhatItWants) {
  RandomLayouts random(20261121);
  unsigned planned = 0, refused = 0, choosing = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<int64_t> shape = random.shape(1 + random.below(2));
    unsigned warps = random.below(3);
    bool isBijection = random.below(2) == 0;
    LinearLayout from = isBijection ? random.bijection(shape) : random.layout(shape);
    LinearLayout wanted = random.below(2) == 0 ? random.bijection(shape) : random.layout(shape);
    from = withWarps(from, warps);
    wanted = withWarps(wanted, warps);
    uint64_t offset = random.below(int64_t(1) << from.target().bits());

    std::optional<ShufflePlan> plan = planShuffle(from, wanted, offset);
    ASSERT_EQ(plan.has_value(), isNear(from, wanted, offset))
        << from.toString() << " to " << wanted.toString() << " ^ " << offset;
    (plan ? planned : refused) += 1;
    if (!plan)
      continue;
    choosing += !plan->choices.empty();
    for (uint64_t place = 0; place < placesOf(wanted); ++place) {
      uint64_t source = join(from, sourceOf(*plan, split(wanted, place)));
      ASSERT_EQ(from.applyPacked(source), wanted.applyPacked(place) ^ offset)
          << from.toString() << " to " << wanted.toString() << " ^ " << offset << " at " << place;
    }
  }
  EXPECT_GT(planned, 500u);
  EXPECT_GT(refused, 500u);
  EXPECT_GT(choosing, 20u);
}

/// The number of different turns that move elements between lanes.
size_t shufflesOf(const ShufflePlan &plan) {
  std::set<ShufflePlan::Turn> turns;
  for (const std::vector<ShufflePlan::Turn> &each : plan.got)
    for (const ShufflePlan::Turn &turn : each)
      if (turn.lanes != 0 || !plan.keepsLanes())
        turns.insert(turn);
  return turns.size();
}

TEST(Shuffle, RegistersAloneAreRenamed) {
  LinearLayout from =
      make({{"register", {{1}, {2}}}, {"lane", {{4}, {8}}}, {"warp", {{16}}}}, {32});
  LinearLayout to = make({{"register", {{2}, {3}}}, {"lane", {{4}, {8}}}, {"warp", {{16}}}}, {32});
  EXPECT_TRUE(planShuffle(from, to)->isRenaming());
  EXPECT_TRUE(planShuffle(from, from, 3)->isRenaming());
  EXPECT_FALSE(planShuffle(from, from, 4)->isRenaming());
}

TEST(Shuffle, CopiesInOtherLanesAreLeftAlone) {
  LinearLayout from = make({{"register", {}}, {"lane", {{1}, {0}}}, {"warp", {{0}}}}, {2});
  LinearLayout to = make({{"register", {{0}}}, {"lane", {{1}, {0}}}, {"warp", {{0}}}}, {2});
  EXPECT_TRUE(planShuffle(from, to)->isRenaming());
}

TEST(Shuffle, TranspositionKeepsTheDiagonal) {
  LinearLayout from = make({{"register", {{1}, {2}}}, {"lane", {{4}, {8}}}, {"warp", {}}}, {16});
  LinearLayout to = make({{"register", {{4}, {8}}}, {"lane", {{1}, {2}}}, {"warp", {}}}, {16});
  std::optional<ShufflePlan> plan = planShuffle(from, to);
  ASSERT_TRUE(plan);
  EXPECT_EQ(shufflesOf(*plan), 3u);
  EXPECT_EQ(plan->before.size(), 2u);
  EXPECT_EQ(plan->after.size(), 2u);
}

TEST(Shuffle, ButterflySwapsNothing) {
  LinearLayout layout = make({{"register", {{1}}}, {"lane", {{2}, {4}}}, {"warp", {{8}}}}, {16});
  std::optional<ShufflePlan> plan = planShuffle(layout, layout, 4);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->keepsLanes());
  EXPECT_TRUE(plan->before.empty() && plan->after.empty() && plan->choices.empty());
  EXPECT_EQ(shufflesOf(*plan), 2u);
}

/// Lanes 0 and 1 need different elements of lane 0. In a turn, a lane gives only one element, so
/// the plan needs two turns.
TEST(Shuffle, LanesThatWantDifferentFragmentsOfOneChoose) {
  LinearLayout from = make({{"register", {{1}}}, {"lane", {{2}}}, {"warp", {}}}, {4});
  LinearLayout to = make({{"register", {}}, {"lane", {{1}}}, {"warp", {}}}, {4});
  std::optional<ShufflePlan> plan = planShuffle(from, to);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->choices.size(), 1u);
  EXPECT_EQ(shufflesOf(*plan), 2u);
}

TEST(Shuffle, AnotherWarpIsTooFar) {
  LinearLayout from = make({{"register", {}}, {"lane", {{1}}}, {"warp", {{2}}}}, {4});
  LinearLayout to = make({{"register", {}}, {"lane", {{2}}}, {"warp", {{1}}}}, {4});
  EXPECT_FALSE(planShuffle(from, to));
  EXPECT_FALSE(planShuffle(from, from, 2));
}

} // namespace
} // namespace eft
