// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planning of shuffles. The letters are those of Shuffle.h.
#include "compiler/layout/Shuffle.h"

#include "compiler/layout/Echelon.h"

#include <cassert>

namespace eft {

namespace {

using Columns = std::vector<uint64_t>;

constexpr uint64_t bitNumber(unsigned bit) { return uint64_t(1) << bit; }

/// Linear map times vector.
uint64_t times(const Columns &map, uint64_t vector) {
  uint64_t image = 0;
  for (; vector != 0; vector &= vector - 1)
    image ^= map[std::countr_zero(vector)];
  return image;
}

/// Writes a map from threads to fragments as a list of swaps. Their `fragments` are linearly
/// independent, and each swap has a condition of its own.
std::vector<FragmentSwap> swapsOf(const Columns &map) {
  Echelon echelon;
  std::vector<FragmentSwap> swaps;
  std::vector<int> swapOf(map.size(), -1);
  for (unsigned bit = 0; bit < map.size(); ++bit) {
    if (echelon.insert(map[bit], bit)) {
      swapOf[bit] = static_cast<int>(swaps.size());
      swaps.push_back({bitNumber(bit), map[bit]});
      continue;
    }
    for (uint64_t sum = echelon.reduce(map[bit]).columns; sum != 0; sum &= sum - 1)
      swaps[swapOf[std::countr_zero(sum)]].threads |= bitNumber(bit);
  }
  return swaps;
}

/// The nearest source of each place, as the columns of linear maps: A to D of Shuffle.h, and the
/// same for the warps.
struct Sources {
  struct Place {
    uint64_t fragment, lane;
  };

  static std::optional<Sources> find(const LinearLayout &from, const LinearLayout &wanted,
                                     uint64_t offset);

  Columns lanesOfFragments, lanesOfLanes, lanesOfWarps;             // A, B
  Columns fragmentsOfFragments, fragmentsOfLanes, fragmentsOfWarps; // C, D
  Place offset{};

private:
  enum Dimension { fragment, lane, warp };

  explicit Sources(const LinearLayout &from) : from(from), dims(from.source().dims()) {
    for (unsigned bit = 0; bit < dims[fragment].bits + dims[lane].bits; ++bit) {
      uint64_t column = from.applyPacked(bitNumber(bit));
      if (bit < dims[fragment].bits)
        inThread.insert(column, bit);
      inWarp.insert(column, bit);
    }
  }

  /// Returns a place that holds `index`: `own` or another place of its thread if possible,
  /// otherwise a place of the warp `ownWarp`. Returns nothing if neither holds it.
  std::optional<uint64_t> placeOf(uint64_t index, uint64_t own, uint64_t ownWarp) const {
    Echelon::Reduction near = inThread.reduce(index ^ from.applyPacked(own));
    if (near.remainder == 0)
      return own ^ near.columns;
    Echelon::Reduction far = inWarp.reduce(index ^ from.applyPacked(ownWarp));
    if (far.remainder == 0)
      return ownWarp ^ far.columns;
    return std::nullopt;
  }

  Place split(uint64_t place) const {
    return {place & from.source().mask(fragment),
            (place & from.source().mask(lane)) >> dims[lane].offset};
  }

  const LinearLayout &from;
  const std::vector<Space::Dim> &dims;
  Echelon inThread, inWarp;
};

std::optional<Sources> Sources::find(const LinearLayout &from, const LinearLayout &wanted,
                                     uint64_t offset) {
  Sources sources(from);
  const std::vector<Space::Dim> &dims = wanted.source().dims();
  assert(dims.size() == sources.dims.size() && "places of the same kinds");
  for (unsigned dim = 0; dim < dims.size(); ++dim)
    for (unsigned bit = 0; bit < dims[dim].bits; ++bit) {
      bool hasOwn = dim != fragment && bit < sources.dims[dim].bits;
      uint64_t own = hasOwn ? bitNumber(sources.dims[dim].offset + bit) : 0;
      uint64_t index = wanted.applyPacked(bitNumber(dims[dim].offset + bit));
      std::optional<uint64_t> found = sources.placeOf(index, own, dim == warp ? own : 0);
      if (!found)
        return std::nullopt;
      Place place = sources.split(*found);
      (dim == fragment ? sources.lanesOfFragments
       : dim == lane   ? sources.lanesOfLanes
                       : sources.lanesOfWarps)
          .push_back(place.lane);
      (dim == fragment ? sources.fragmentsOfFragments
       : dim == lane   ? sources.fragmentsOfLanes
                       : sources.fragmentsOfWarps)
          .push_back(place.fragment);
    }
  std::optional<uint64_t> found = sources.placeOf(offset, 0, 0);
  if (!found)
    return std::nullopt;
  sources.offset = sources.split(*found);
  return sources;
}

/// A vector of B's kernel for which two lanes need different fragments of one lane. F resolves the
/// conflict, or a choice does.
struct Conflict {
  uint64_t vector;      // two lanes that differ by it look into one lane
  uint64_t coefficient; // a lane contains the vector if it has an odd number of these bits
  unsigned bit;         // the one bit that no other conflict's vector has
};

class Planner {
public:
  Planner(const Sources &sources, unsigned sourceLaneBits)
      : s(sources), sourceLaneBits(sourceLaneBits), seenLanes(s.lanesOfLanes),
        seenFragments(s.fragmentsOfLanes), turnOfLane(s.lanesOfLanes.size(), 0) {}

  ShufflePlan plan() {
    findConflicts();
    for (const Conflict &conflict : conflicts)
      resolve(conflict);
    findGiven();

    ShufflePlan plan;
    plan.givingLaneBits = sourceLaneBits;
    plan.takingLaneBits = seenLanes.size();
    plan.laneColumns = seenLanes;
    plan.laneColumns.insert(plan.laneColumns.end(), s.lanesOfWarps.begin(), s.lanesOfWarps.end());
    Columns before = given;
    for (unsigned bit = 0; bit < s.lanesOfWarps.size(); ++bit)
      before.push_back(times(given, s.lanesOfWarps[bit]) ^ s.fragmentsOfWarps[bit]);
    plan.before = swapsOf(before);
    plan.choices = choices;
    for (uint64_t turn = 0; turn < bitNumber(s.fragmentsOfFragments.size()); ++turn)
      plan.got.push_back(turnsOf(turn));
    plan.after = swapsOf(turnOfLane);
    return plan;
  }

private:
  void findConflicts() {
    const Columns &b = s.lanesOfLanes;
    std::vector<Conflict> kernel;
    for (unsigned bit = 0; bit < b.size(); ++bit)
      if (image.insert(b[bit], bit))
        basis.push_back(bitNumber(bit));
      else
        kernel.push_back({image.reduce(b[bit]).columns | bitNumber(bit), bitNumber(bit), bit});
    // A vector of the kernel is no conflict if the lanes that differ by it need the same fragment.
    Echelon fragments;
    std::vector<unsigned> conflictOf(kernel.size());
    for (unsigned i = 0; i < kernel.size(); ++i) {
      uint64_t wanted = times(s.fragmentsOfLanes, kernel[i].vector);
      if (fragments.insert(wanted, i)) {
        conflictOf[i] = static_cast<unsigned>(conflicts.size());
        conflicts.push_back(kernel[i]);
        continue;
      }
      for (uint64_t sum = fragments.reduce(wanted).columns; sum != 0; sum &= sum - 1)
        conflicts[conflictOf[std::countr_zero(sum)]].coefficient |= bitNumber(kernel[i].bit);
    }
  }

  /// Resolves a conflict between lanes that differ by its vector. If possible, these lanes fetch
  /// for different fragments in one turn, so that the elements lie in different lanes. Otherwise
  /// each lane gets all of the fragments that they need, and chooses.
  void resolve(const Conflict &conflict) {
    int chosen = -1;
    uint64_t seen = s.lanesOfLanes[conflict.bit], wished = seen ^ bitNumber(conflict.bit);
    for (unsigned fragment = 0; fragment < s.lanesOfFragments.size(); ++fragment) {
      uint64_t lane = s.lanesOfFragments[fragment];
      // The best fragment is one for which the lane looks into itself.
      if (image.reduce(lane).remainder != 0 && (chosen < 0 || lane == wished))
        chosen = static_cast<int>(fragment);
    }
    if (chosen < 0) {
      choices.push_back(conflict.coefficient);
      choiceOffsets.push_back(times(s.fragmentsOfLanes, conflict.vector));
      return;
    }
    image.insert(s.lanesOfFragments[chosen], 63);
    basis.push_back(conflict.vector);
    for (uint64_t lanes = conflict.coefficient; lanes != 0; lanes &= lanes - 1) {
      unsigned bit = std::countr_zero(lanes);
      turnOfLane[bit] ^= bitNumber(chosen);
      seenLanes[bit] ^= s.lanesOfFragments[chosen];
      seenFragments[bit] ^= s.fragmentsOfFragments[chosen];
    }
  }

  /// Computes G, the map from a lane that is looked into to the fragment that it must give.
  void findGiven() {
    Echelon looked;
    Columns fragments;
    for (uint64_t vector : basis) {
      [[maybe_unused]] bool isNew = looked.insert(times(seenLanes, vector), fragments.size());
      assert(isNew && "P is injective on the basis");
      fragments.push_back(times(seenFragments, vector));
    }
    // Lanes that no lane looks into may give any fragment.
    for (unsigned bit = 0; bit < sourceLaneBits; ++bit)
      if (looked.insert(bitNumber(bit), fragments.size()))
        fragments.push_back(0);
    for (unsigned bit = 0; bit < sourceLaneBits; ++bit)
      given.push_back(times(fragments, looked.reduce(bitNumber(bit)).columns));
  }

  std::vector<ShufflePlan::Turn> turnsOf(uint64_t turn) const {
    uint64_t lanes = times(s.lanesOfFragments, turn) ^ s.offset.lane;
    uint64_t fragment =
        times(s.fragmentsOfFragments, turn) ^ s.offset.fragment ^ times(given, lanes);
    std::vector<ShufflePlan::Turn> turns;
    for (uint64_t choice = 0; choice < bitNumber(choices.size()); ++choice)
      turns.push_back({fragment ^ times(choiceOffsets, choice), lanes});
    return turns;
  }

  const Sources &s;
  unsigned sourceLaneBits;
  Echelon image;                    // of B, then of P
  Columns basis;                    // lanes on which P is injective
  Columns seenLanes, seenFragments; // P = B + A·F and D + C·F
  Columns turnOfLane;               // F
  Columns given;                    // G
  Columns choices, choiceOffsets;
  std::vector<Conflict> conflicts;
};

} // namespace

bool ShufflePlan::keepsLanes() const {
  for (unsigned bit = 0; bit < laneColumns.size(); ++bit)
    if (laneColumns[bit] != (bit < takingLaneBits ? bitNumber(bit) : 0))
      return false;
  return givingLaneBits == takingLaneBits;
}

bool ShufflePlan::isRenaming() const {
  if (!before.empty() || !after.empty() || !choices.empty() || !keepsLanes())
    return false;
  for (const std::vector<Turn> &turns : got)
    if (turns.front().lanes != 0)
      return false;
  return true;
}

std::optional<ShufflePlan> planShuffle(const LinearLayout &from, const LinearLayout &wanted,
                                       uint64_t offset) {
  std::optional<Sources> sources = Sources::find(from, wanted, offset);
  if (!sources)
    return std::nullopt;
  return Planner(*sources, from.source().dims()[1].bits).plan();
}

} // namespace eft
