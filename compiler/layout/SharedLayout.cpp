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

/// Adds those of `candidates` that are independent of what `space` has, up to `most` of them.
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

/// A basis of what two spans have in common.
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

/// The writing or the reading side: the vectors that the bits of its places add to the index.
struct Side {
  Vectors registers, lanes, threads; // lanes may have zeros; threads are lanes and warps

  /// Of places that hold one element, all but the one without redundant bits can be left out.
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

  /// The lanes that access shared memory at the same time, in a phase, if each accesses `bytes`.
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
    // Wide accesses on both sides, then wider ones on one.
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

  /// Takes the layout with these accesses if it is the quickest so far: `low` for both sides, then
  /// `writing` or `reading` for one.
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

  /// The rest of a basis that begins with `access`, such that the threads of the side for which all
  /// of `access` is made add none of it, and those of the other side none of `low`.
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
    // Threads of the other side may differ in the upper part of `access`, as in the vectors of
    // `rest`.
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

  /// Orders (and changes) the vectors of `rest`: those inside a word, the banks, then the rows.
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
    // If that is not enough there will be conflicts, first of one side alone.
    good = joined(joined(good, joined(x, y)), common);

    Echelon taken(inWord);
    Vectors row = addIndependent(taken, good, rows);
    return joined(joined(inWord, addIndependent(taken, rest)), row);
  }

  /// Vectors that fill a word, if an access is smaller than that.
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

  /// The coordinates in a basis, which is completed for indices outside the block.
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

  /// Phases and instructions of all accesses of one warp.
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

  /// Whether elements that share a word of the thread's registers do so in shared memory. If not,
  /// each word has to be put together.
  bool keepsWords(const SharedLayout &layout, const Side &side) const {
    for (unsigned bit = 0; elementBytes << bit < wordBytes; ++bit)
      if (bit == side.registers.size() || layout.offsetOf(side.registers[bit]) != bitNumber(bit))
        return false;
    return true;
  }

  Side write, read;
  unsigned elementBytes, indexBits;
  Vectors block; // a basis of all that is written
  SharedLayout best;
};

SharedLayout SharedLayout::choose(const LinearLayout &from, const LinearLayout &wanted,
                                  unsigned elementBytes) {
  return SharedLayoutChooser(from, wanted, elementBytes).choose();
}

SharedLayout SharedLayout::withRegistersLast(const LinearLayout &from, const LinearLayout &wanted,
                                             unsigned elementBytes) const {
  // The offset's bits that choose the bank, and those that threads add.
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
