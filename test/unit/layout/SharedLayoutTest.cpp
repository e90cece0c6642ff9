// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the offsets, the orders and the runs of shared layouts, and counts the phases of accesses
// (see SharedLayout.h).
#include "compiler/layout/SharedLayout.h"
#include "RandomLayout.h"
#include "compiler/layout/MatrixLoad.h"
#include "compiler/layout/Placement.h"

#include <set>

namespace eft {
namespace {

using testing::make;
using testing::placesOf;
using testing::RandomLayouts;

/// The phases of the slowest access of a side (write or read), and the fewest phases that are
/// possible.
struct Phases {
  unsigned worst = 0, least = 0;
  bool operator==(const Phases &) const = default;
};

std::ostream &operator<<(std::ostream &os, const Phases &phases) {
  return os << phases.worst << " for " << phases.least;
}

/// Counts the phases of each warp's accesses on one side. Also checks that a thread holds all `run`
/// elements of every run that it accesses. A run begins at a multiple of its length.
Phases phasesOfSide(const SharedLayout &shared, const LinearLayout &side, int64_t run,
                    unsigned elementBytes, bool isWriting) {
  const std::vector<Space::Dim> &dims = side.source().dims();
  Phases phases;
  for (uint64_t warp = 0; warp < uint64_t(1) << dims[2].bits; ++warp) {
    std::set<std::vector<uint64_t>> seen;
    std::vector<std::set<uint64_t>> held(32);
    for (uint64_t lane = 0; lane < 32; ++lane)
      for (uint64_t fragment = 0; fragment < uint64_t(1) << dims[0].bits; ++fragment)
        held[lane].insert(shared.offsetOf(
            side.applyPacked(fragment | lane << dims[1].offset | warp << dims[2].offset)));
    for (uint64_t first = 0; first < uint64_t(1) << dims[0].bits; ++first) {
      std::vector<uint64_t> lanes;
      for (uint64_t lane = 0; lane < 32; ++lane) {
        if (isWriting && (lane & side.redundantBits("lane")) != 0)
          continue;
        uint64_t thread = lane << dims[1].offset | warp << dims[2].offset;
        uint64_t offset = shared.offsetOf(side.applyPacked(first | thread));
        uint64_t start = offset / run * run;
        for (uint64_t i = 0; i < uint64_t(run); ++i)
          EXPECT_TRUE(held[lane].contains(start + i)) << "a run is not whole";
        lanes.push_back(start * elementBytes);
      }
      if (!seen.insert(lanes).second)
        continue;
      unsigned bytes = run * elementBytes;
      phases.worst = std::max(phases.worst, phasesOf(lanes, bytes));
      phases.least = std::max<unsigned>(1, bytes * 32 / 128);
    }
  }
  return phases;
}

struct Trip {
  SharedLayout layout;
  Phases write, read;
};

Trip tripOf(const LinearLayout &from, const LinearLayout &wanted, unsigned elementBytes) {
  Trip trip{SharedLayout::choose(from, wanted, elementBytes), {}, {}};
  trip.write = phasesOfSide(trip.layout, from, trip.layout.writeRun(), elementBytes, true);
  trip.read = phasesOfSide(trip.layout, wanted, trip.layout.readRun(), elementBytes, false);
  return trip;
}

void expectNoConflicts(const Trip &trip) {
  EXPECT_LE(trip.write.worst, trip.write.least);
  EXPECT_LE(trip.read.worst, trip.read.least);
}

LinearLayout placed(std::vector<int64_t> shape, std::vector<unsigned> order, int64_t vector,
                    int64_t warps) {
  return placeOnGpu(shape, order, vector, warps);
}

TEST(Phases, OneForWhatLiesInDifferentBanks) {
  std::vector<uint64_t> row, column, same(32, 64), wide;
  for (uint64_t lane = 0; lane < 32; ++lane) {
    row.push_back(lane * 4);
    column.push_back(lane * 128);
    wide.push_back(lane * 16);
  }
  EXPECT_EQ(phasesOf(row, 4), 1u);
  EXPECT_EQ(phasesOf(column, 4), 32u);
  EXPECT_EQ(phasesOf(same, 4), 1u);
  EXPECT_EQ(phasesOf(wide, 16), 4u);
  EXPECT_EQ(phasesOf(row, 1), 1u);
}

/// The example in SharedLayout.h.
TEST(SharedLayout, TranspositionOfScalars) {
  Trip trip = tripOf(placed({32, 32}, {1, 0}, 1, 32), placed({32, 32}, {0, 1}, 1, 32), 4);
  EXPECT_EQ(trip.write, (Phases{1, 1}));
  EXPECT_EQ(trip.read, (Phases{1, 1}));
}

/// From rows to columns, for several element sizes and vector lengths on both sides.
TEST(SharedLayout, RowsToColumnsHaveNoConflicts) {
  for (unsigned bytes : {1, 2, 4, 8})
    for (int64_t rowVector : {int64_t(1), int64_t(16 / bytes)})
      for (int64_t columnVector : {int64_t(1), int64_t(16 / bytes)})
        for (int64_t extent : {32, 64}) {
          LinearLayout rows = placed({extent, extent}, {1, 0}, rowVector, 4);
          LinearLayout columns = placed({extent, extent}, {0, 1}, columnVector, 4);
          SCOPED_TRACE(std::to_string(bytes) + " bytes, vectors of " + std::to_string(rowVector) +
                       " and " + std::to_string(columnVector) + ", extent " +
                       std::to_string(extent));
          expectNoConflicts(tripOf(rows, columns, bytes));
        }
}

/// Vectors along the same dimension on both sides stay vectors of 16 bytes.
TEST(SharedLayout, BothSidesAreWideIfTheyAgree) {
  for (unsigned bytes : {1, 2, 4, 8}) {
    int64_t vector = 16 / bytes;
    LinearLayout from = placed({64, 64}, {1, 0}, vector, 4);
    std::vector<PlaceBases> bases = from.bases();
    std::swap(bases[1].bases[4], bases[2].bases[0]); // a lane and a warp are swapped
    std::swap(bases[1].bases[0], bases[1].bases[3]);
    Trip trip = tripOf(from, make(bases, {64, 64}), bytes);
    EXPECT_EQ(trip.layout.writeRun(), vector);
    EXPECT_EQ(trip.layout.readRun(), vector);
    expectNoConflicts(trip);
  }
}

/// From the layout of a load to that of operands of mma.m16n8k16 with f16, which are pairs along k.
TEST(SharedLayout, OperandsOfATensorCore) {
  LinearLayout loaded = placed({64, 64}, {1, 0}, 8, 4);
  LinearLayout operand = make({{"register", {{0, 1}, {8, 0}, {0, 8}, {0, 16}, {0, 32}}},
                               {"lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}},
                               {"warp", {{16, 0}, {32, 0}}}},
                              {64, 64});
  Trip trip = tripOf(loaded, operand, 2);
  EXPECT_GE(trip.layout.readRun(), 2);
  expectNoConflicts(trip);
  expectNoConflicts(tripOf(operand, loaded, 2));
}

TEST(SharedLayout, CopiesAreWrittenOnceAndReadTogether) {
  LinearLayout slice = placed({64, 64}, {1, 0}, 4, 4).slice(1);
  LinearLayout own = placed({64}, {0}, 4, 4);
  expectNoConflicts(tripOf(slice, own, 4));
  expectNoConflicts(tripOf(own, slice, 4));
}

TEST(SharedLayoutProperty, EveryElementHasAnOffset) {
  RandomLayouts random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<int64_t> shape = random.shape(2, 4);
    LinearLayout from = random.layout(shape), wanted = from;
    if (random.below(2) == 0)
      from = wanted = random.bijection(shape);
    if (random.below(2) == 0)
      wanted = random.bijection(shape);
    if (from.rank() < wanted.rank())
      continue;
    unsigned bytes = 1u << random.below(4);
    SharedLayout shared = SharedLayout::choose(from, wanted, bytes);
    EXPECT_EQ(shared.bits(), from.rank());
    std::map<uint64_t, uint64_t> offsets;
    std::set<uint64_t> used;
    for (uint64_t place = 0; place < placesOf(from); ++place) {
      uint64_t index = from.applyPacked(place), offset = shared.offsetOf(index);
      ASSERT_LT(offset, uint64_t(1) << shared.bits());
      offsets[index] = offset;
      used.insert(offset);
    }
    ASSERT_EQ(used.size(), offsets.size()) << from.toString();
  }
}

/// True if the fragments of every thread form whole runs of `run` neighbours. If `inOrder`, the
/// fragments must also be in the order of the offsets in each run.
bool hasRuns(const SharedLayout &shared, const LinearLayout &places, uint64_t run, bool inOrder) {
  const uint64_t fragments = uint64_t(1) << places.source().dims()[0].bits;
  for (uint64_t thread = 0; thread < placesOf(places) / fragments; ++thread) {
    std::map<uint64_t, std::set<uint64_t>> found;
    for (uint64_t fragment = 0; fragment < fragments; ++fragment) {
      uint64_t offset = shared.offsetOf(places.applyPacked(thread * fragments + fragment));
      found[offset / run].insert(offset % run);
      if (inOrder && offset % run != fragment % run)
        return false;
    }
    for (const auto &[start, members] : found)
      if (members.size() != run)
        return false;
  }
  return true;
}

TEST(SharedLayoutProperty, TheOrderSaysTheSame) {
  RandomLayouts random(11);
  for (int round = 0; round < 500; ++round) {
    std::vector<int64_t> shape = random.shape(2, 4);
    LinearLayout from = random.bijection(shape);
    LinearLayout wanted = random.below(2) == 0 ? random.bijection(shape) : from;
    const unsigned bytes = 1u << random.below(4);
    SharedLayout chosen = SharedLayout::choose(from, wanted, bytes);
    LinearLayout order = chosen.order(from, "offset");
    SharedLayout again = SharedLayout::ofOrder(order, wanted, bytes);
    ASSERT_EQ(again.bits(), chosen.bits());
    for (uint64_t index = 0; index < placesOf(from); ++index) {
      ASSERT_EQ(again.offsetOf(index), chosen.offsetOf(index));
      ASSERT_EQ(order.applyPacked(chosen.offsetOf(index)), index);
    }
    EXPECT_GE(again.readRun(), chosen.readRun());
    EXPECT_TRUE(hasRuns(again, wanted, uint64_t(again.readRun()), /*inOrder=*/false));
    if (again.readRun() * bytes < 16)
      EXPECT_FALSE(hasRuns(again, wanted, uint64_t(again.readRun()) * 2, /*inOrder=*/false));
  }
}

TEST(SharedLayoutProperty, RowsOfRegistersComeLast) {
  RandomLayouts random(13);
  for (int round = 0; round < 500; ++round) {
    std::vector<int64_t> shape = random.shape(2, 5);
    LinearLayout from = random.bijection(shape), wanted = random.bijection(shape);
    const unsigned bytes = 1u << random.below(4);
    const SharedLayout chosen = SharedLayout::choose(from, wanted, bytes);
    const SharedLayout moved = chosen.withRegistersLast(from, wanted, bytes);
    uint64_t ofThreads = 0;
    for (const LinearLayout *side : {&from, &wanted})
      for (unsigned bit = side->source().dims()[1].offset; bit < side->source().bits(); ++bit)
        ofThreads |= moved.offsetOf(side->applyPacked(uint64_t(1) << bit));
    const uint64_t inRow = 128 / bytes - 1;
    // No bit that threads use is above the lowest row bit that they do not use.
    const uint64_t free = ~(ofThreads | inRow) & ((uint64_t(1) << moved.bits()) - 1);
    EXPECT_EQ(free, free == 0 ? 0 : (uint64_t(1) << moved.bits()) - (free & -free));
    std::set<uint64_t> offsets;
    for (uint64_t index = 0; index < placesOf(from); ++index) {
      EXPECT_EQ(moved.offsetOf(index) & inRow, chosen.offsetOf(index) & inRow);
      EXPECT_TRUE(offsets.insert(moved.offsetOf(index)).second);
    }
  }
}

TEST(SharedLayoutProperty, RunsOfFragmentsAreTheLongest) {
  RandomLayouts random(13);
  for (int round = 0; round < 500; ++round) {
    std::vector<int64_t> shape = random.shape(2, 4);
    LinearLayout from = random.bijection(shape);
    SharedLayout shared = SharedLayout::choose(from, from, 2);
    const int64_t most = int64_t(1) << random.below(4), run = shared.runOfFragments(from, most);
    EXPECT_LE(run, most);
    EXPECT_TRUE(hasRuns(shared, from, uint64_t(run), /*inOrder=*/true));
    if (run < most)
      EXPECT_FALSE(hasRuns(shared, from, uint64_t(run) * 2, /*inOrder=*/true));
  }
}

/// A matrix has eight rows of 16 bytes. A copy writes a row, and `ldmatrix` reads a row.
TEST(SharedLayout, CopiesOfRowsAreReadAsMatrices) {
  LinearLayout from = placed({32, 64}, {1, 0}, 8, 4);
  LinearLayout wanted = make({{"register", {{0, 1}, {8, 0}, {0, 8}, {0, 16}, {0, 32}}},
                              {"lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}},
                              {"warp", {{16, 0}, {0, 0}}}},
                             {32, 64});
  SharedOrder chosen = chooseSharedOrder(from, wanted, 2);
  ASSERT_TRUE(chosen.matrices);
  EXPECT_EQ(chosen.layout.runOfFragments(from, 8), 8);
  SharedOrder read = readSharedOrder(chosen.layout.order(from, "offset"), wanted, 2);
  ASSERT_TRUE(read.matrices);
  EXPECT_EQ(read.matrices->isTransposed, chosen.matrices->isTransposed);
}

} // namespace
} // namespace eft
