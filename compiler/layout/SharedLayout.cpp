// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of shared layouts. The letters are those of SharedLayout.h.
#include "compiler/layout/SharedLayout.h"

#include "compiler/layout/Echelon.h"

#include <algorithm>
#include <map>
#include <set>

namespace eft {

namespace {

using Vectors = std::vector<uint64_t>;

constexpr uint64_t bitNumber(unsigned bit) { return uint64_t(1) << bit; }
constexpr unsigned laneCount = 32, wordBytes = 4, phaseBytes = 128, widestAccess = 16;

/// Adds to `space` those candidates that are independent of its vectors, at most `most` of them.
/// Returns the added ones.
Vectors addIndependent(Echelon &space, const Vectors &candidates, size_t most = 64) {
  Vectors added;
  for (uint64_t vector : candidates)
    if (added.size() < most && space.insert(vector, space.rank()))
      added.push_back(vector);
  return added;
}

Vectors basisOf(const Vectors &vectors) {
  Echelon space;
  return addIndependent(space, vectors);
}

bool isIn(const Echelon &space, uint64_t vector) { return space.reduce(vector).remainder == 0; }

/// A basis of the intersection of two spans.
Vectors intersection(const Vectors &first, const Vectors &second) {
  Vectors a = basisOf(first), common;
  Echelon space(a);
  unsigned number = a.size();
  for (uint64_t vector : basisOf(second)) {
    Echelon::Reduction reduced = space.reduce(vector);
    if (reduced.remainder != 0) {
      space.insert(vector, number++);
      continue;
    }
    uint64_t shared = 0;
    for (unsigned i = 0; i < a.size(); ++i)
      shared ^= (reduced.columns >> i & 1) ? a[i] : 0;
    common.push_back(shared);
  }
  return common;
}

Vectors joined(Vectors first, const Vectors &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// One side, writing or reading: for each bit of its places, the vector that the bit adds to the
/// index.
struct Side {
  Vectors registers, lanes, threads; // lanes may be zero; threads: lanes and warps

  /// With `leaveOutCopies`, redundant bits add nothing: of several places that hold one element,
  /// only the place without redundant bits accesses memory.
  Side(const LinearLayout &layout, bool leaveOutCopies) {
    for (unsigned dim = 0; dim < 3; ++dim) {
      const Space::Dim &place = layout.source().dims()[dim];
      uint64_t redundant = leaveOutCopies ? layout.redundantBits(place.name) : 0;
      for (unsigned bit = 0; bit < place.bits; ++bit) {
        uint64_t column = layout.applyPacked(bitNumber(place.offset + bit));
        if (redundant >> bit & 1)
          column = 0;
        (dim == 0 ? registers : threads).push_back(column);
        if (dim == 1)
          lanes.push_back(column);
      }
    }
  }

  /// The vectors of the lanes that access shared memory in one phase, if each lane accesses
  /// `bytes`.
  Vectors phase(unsigned bytes) const {
    size_t bits = exponentOf(std::min(laneCount, phaseBytes / std::max(bytes, wordBytes)));
    return Vectors(lanes.begin(), lanes.begin() + std::min(bits, lanes.size()));
  }
};

} // namespace

unsigned phasesOf(std::span<const uint64_t> laneOffsets, unsigned bytes) {
  const size_t lanesPerPhase = phaseBytes / std::max(bytes, wordBytes);
  unsigned phases = 0;
  for (size_t first = 0; first < laneOffsets.size(); first += lanesPerPhase) {
    std::map<uint64_t, std::set<uint64_t>> wordsOfBank;
    size_t count = std::min(lanesPerPhase, laneOffsets.size() - first);
    for (uint64_t offset : laneOffsets.subspan(first, count))
      for (uint64_t word = offset / wordBytes; word * wordBytes < offset + bytes; ++word)
        wordsOfBank[word % (phaseBytes / wordBytes)].insert(word);
    size_t busiest = 0;
    for (const auto &[bank, words] : wordsOfBank)
      busiest = std::max(busiest, words.size());
    phases += static_cast<unsigned>(busiest);
  }
  return phases;
}

uint64_t SharedLayout::offsetOf(uint64_t index) const {
  uint64_t offset = 0;
  for (; index != 0; index &= index - 1)
    offset ^= offsets[std::countr_zero(index)];
  return offset;
}

class SharedLayoutChooser {
public:
  SharedLayoutChooser(const LinearLayout &from, const LinearLayout &wanted, unsigned elementBytes)
      : write(from, /*leaveOutCopies=*/true), read(wanted, /*leaveOutCopies=*/false),
        elementBytes(elementBytes), indexBits(from.target().bits()),
        block(basisOf(joined(write.registers, write.threads))) {}

  SharedLayout choose() {
    const size_t most = exponentOf(widestAccess / elementBytes);
    Vectors both = intersection(write.registers, read.registers);
    // Tries all widths that both sides can have, each of them also with a wider access on one side.
    for (size_t common = 0; common <= std::min(most, both.size()); ++common) {
      Vectors low(both.begin(), both.begin() + common);
      consider(low, {}, {});
      for (size_t more = 1; common + more <= most; ++more) {
        consider(low, others(low, write.registers, more), {});
        consider(low, {}, others(low, read.registers, more));
      }
    }
    return best;
  }

private:
  static Vectors others(const Vectors &without, const Vectors &candidates, size_t count) {
    Echelon space(without);
    return addIndependent(space, candidates, count);
  }

  /// Makes the layout in which an access of the writing side covers the vectors `low` and
  /// `writing`, and an access of the reading side `low` and `reading`. One of `writing` and
  /// `reading` is empty. Keeps the layout if it is the cheapest so far.
  void consider(const Vectors &low, const Vectors &writing, const Vectors &reading) {
    Vectors access = joined(joined(low, writing), reading);
    std::optional<Vectors> rest = complement(low, access, reading.empty());
    if (!rest)
      return;
    SharedLayout layout;
    layout.runs[0] = int64_t(bitNumber(low.size() + writing.size()));
    layout.runs[1] = int64_t(bitNumber(low.size() + reading.size()));
    setOffsets(layout, joined(access, banksThenRows(layout, access, *rest)));
    uint64_t cost = costOf(layout, write, layout.runs[0]) + costOf(layout, read, layout.runs[1]);
    if (best.leastCost == 0 || cost < best.leastCost) {
      layout.leastCost = cost;
      best = std::move(layout);
    }
  }

  /// Returns vectors that complete `access` to a basis, such that the threads of one side have no
  /// component in `access`, and those of the other side none in `low`. The first side is the one
  /// whose accesses have all vectors of `access`: the writing side if `isForWriting`. Returns
  /// nothing if there is no such basis.
  std::optional<Vectors> complement(const Vectors &low, const Vectors &access,
                                    bool isForWriting) const {
    const Side &whole = isForWriting ? write : read, &other = isForWriting ? read : write;
    Echelon space(access);
    if (space.rank() != access.size())
      return std::nullopt;
    Vectors rest = addIndependent(space, whole.threads);
    Echelon ofWhole(rest);
    for (uint64_t vector : whole.threads)
      if (!isIn(ofWhole, vector))
        return std::nullopt;
    // Threads of the other side may have components in the vectors of `access` beyond `low`, and in
    // those of `rest`.
    Echelon free(joined(Vectors(access.begin() + low.size(), access.end()), rest));
    for (uint64_t vector : other.threads) {
      if (isIn(free, vector))
        continue;
      if (!space.insert(vector, space.rank()))
        return std::nullopt;
      free.insert(vector, free.rank());
      rest.push_back(vector);
    }
    return joined(rest, addIndependent(space, block));
  }

  /// Returns another basis of the space that `rest` spans: first the vectors inside a word, then
  /// those of the banks, then those of the rows.
  Vectors banksThenRows(const SharedLayout &layout, const Vectors &access,
                        const Vectors &rest) const {
    const size_t perPhase = exponentOf(phaseBytes / elementBytes);
    const size_t rows = block.size() > perPhase ? block.size() - perPhase : 0;
    if (rows == 0)
      return rest;
    Vectors writing = write.phase(layout.runs[0] * elementBytes);
    Vectors reading = read.phase(layout.runs[1] * elementBytes);
    Vectors inWord = wordMates(access, rest, writing, reading);
    writing = intersection(joined(writing, inWord), rest);
    reading = intersection(joined(reading, inWord), rest);

    Vectors common = intersection(writing, reading);
    Echelon ofWriting(common), ofReading(common), ofBoth(common);
    Vectors x = addIndependent(ofWriting, writing), y = addIndependent(ofReading, reading);
    addIndependent(ofBoth, joined(writing, reading));
    Vectors good = addIndependent(ofBoth, rest);
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
      good.push_back(x[i] ^ y[i]);
    // If these are too few, there will be conflicts: first on one side only, for x and y, then on
    // both sides.
    good = joined(joined(good, joined(x, y)), common);

    Echelon taken(inWord);
    Vectors row = addIndependent(taken, good, rows);
    return joined(joined(inWord, addIndependent(taken, rest)), row);
  }

  /// Returns the vectors that are missing in a word of 4 bytes; none if an access has a whole word.
  Vectors wordMates(const Vectors &access, const Vectors &rest, const Vectors &writing,
                    const Vectors &reading) const {
    const size_t perWord = exponentOf(std::max(1u, wordBytes / elementBytes));
    Vectors candidates = intersection(intersection(writing, reading), rest);
    candidates = joined(candidates, intersection(writing, rest));
    candidates = joined(candidates, intersection(reading, rest));
    size_t missing = perWord > access.size() ? perWord - access.size() : 0;
    Echelon space;
    return addIndependent(space, joined(candidates, rest), missing);
  }

  /// Sets the offset of each index bit to its coordinates in `basis`. The basis is completed first,
  /// for index bits outside its span.
  void setOffsets(SharedLayout &layout, const Vectors &basis) const {
    layout.offsetBits = basis.size();
    Echelon space(basis);
    unsigned number = basis.size();
    for (unsigned bit = 0; bit < indexBits; ++bit)
      if (space.insert(bitNumber(bit), number))
        ++number;
    for (unsigned bit = 0; bit < indexBits; ++bit)
      layout.offsets.push_back(space.reduce(bitNumber(bit)).columns &
                               (bitNumber(layout.offsetBits) - 1));
  }

  /// The phases and instructions of all accesses of one warp on one side. They include the
  /// instructions that put words together.
  uint64_t costOf(const SharedLayout &layout, const Side &side, int64_t run) const {
    Vectors lanes(laneCount, 0);
    for (unsigned lane = 0; lane < laneCount; ++lane)
      for (unsigned bit = 0; bit < side.lanes.size(); ++bit)
        if (lane >> bit & 1)
          lanes[lane] ^= layout.offsetOf(side.lanes[bit]) * elementBytes;
    uint64_t accesses = bitNumber(basisOf(side.registers).size()) / run;
    uint64_t bytes = run * elementBytes, rearranging = 0;
    if (bytes > elementBytes && elementBytes < wordBytes && !keepsWords(layout, side))
      rearranging = std::max<uint64_t>(bytes / wordBytes, 1);
    return accesses * (phasesOf(lanes, bytes) + 1 + rearranging);
  }

  /// Whether elements that share a word of the thread's registers also share a word of shared
  /// memory. If not, instructions have to put each word together.
  bool keepsWords(const SharedLayout &layout, const Side &side) const {
    for (unsigned bit = 0; elementBytes << bit < wordBytes; ++bit)
      if (bit == side.registers.size() || layout.offsetOf(side.registers[bit]) != bitNumber(bit))
        return false;
    return true;
  }

  Side write, read;
  unsigned elementBytes, indexBits;
  Vectors block; // a basis of all indices that are written
  SharedLayout best;
};

SharedLayout SharedLayout::choose(const LinearLayout &from, const LinearLayout &wanted,
                                  unsigned elementBytes) {
  return SharedLayoutChooser(from, wanted, elementBytes).choose();
}

SharedLayout SharedLayout::withRegistersLast(const LinearLayout &from, const LinearLayout &wanted,
                                             unsigned elementBytes) const {
  // The offset bits that choose the bank, and those that lanes or warps change. These become the
  // lowest.
  uint64_t ofThreads = bitNumber(exponentOf(phaseBytes / elementBytes)) - 1;
  for (const LinearLayout *layout : {&from, &wanted})
    for (unsigned bit = layout->source().dims()[1].offset; bit < layout->source().bits(); ++bit)
      ofThreads |= offsetOf(layout->applyPacked(bitNumber(bit)));
  SharedLayout result = *this;
  std::fill(result.offsets.begin(), result.offsets.end(), 0);
  unsigned place = 0;
  for (bool isOfThreads : {true, false})
    for (unsigned bit = 0; bit < offsetBits; ++bit) {
      if (bool(ofThreads >> bit & 1) != isOfThreads)
        continue;
      for (size_t index = 0; index < offsets.size(); ++index)
        result.offsets[index] |= (offsets[index] >> bit & 1) << place;
      ++place;
    }
  return result;
}

LinearLayout SharedLayout::order(const LinearLayout &from, std::string_view dimension) const {
  std::pair<std::string, unsigned> dims[] = {{std::string(dimension), offsetBits}};
  LinearLayout offsetOfIndex =
      LinearLayout::fromColumns(from.target(), Space::places(dims), columns());
  return *offsetOfIndex.rightInverse();
}

SharedLayout SharedLayout::ofOrder(const LinearLayout &order, const LinearLayout &wanted,
                                   unsigned elementBytes) {
  SharedLayout layout;
  const LinearLayout inverse = *order.rightInverse();
  for (unsigned bit = 0; bit < inverse.source().bits(); ++bit)
    layout.offsets.push_back(inverse.applyPacked(bitNumber(bit)));
  layout.offsetBits = order.source().bits();
  Echelon ofRegisters;
  const Side side(wanted, /*leaveOutCopies=*/false);
  for (uint64_t column : side.registers)
    ofRegisters.insert(layout.offsetOf(column), ofRegisters.rank());
  auto isWhole = [&](int64_t run) {
    return isIn(ofRegisters, run / 2) &&
           std::none_of(side.threads.begin(), side.threads.end(),
                        [&](uint64_t column) { return layout.offsetOf(column) & (run - 1); });
  };
  while (layout.runs[1] < widestAccess / elementBytes && isWhole(layout.runs[1] * 2))
    layout.runs[1] *= 2;
  return layout;
}

int64_t SharedLayout::runOfFragments(const LinearLayout &places, int64_t most) const {
  int64_t run = 1;
  most = std::min(most, places.source().extent(0));
  auto isWhole = [&](int64_t run) {
    for (unsigned bit = 0; bit < places.source().bits(); ++bit) {
      const uint64_t offset = offsetOf(places.applyPacked(bitNumber(bit)));
      const bool isInRun = bit < places.source().dims()[0].bits && bitNumber(bit) < uint64_t(run);
      if (isInRun ? offset != bitNumber(bit) : (offset & (run - 1)) != 0)
        return false;
    }
    return true;
  };
  while (run < most && isWhole(run * 2))
    run *= 2;
  return run;
}

} // namespace eft
