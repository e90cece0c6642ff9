// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared layouts: where the elements of a block lie in shared memory while they change threads.
//
// The problem
// ===========
// All threads write a block to shared memory, in one layout, and read it in another. An access of a
// thread takes up to 16 bytes, if it has as many elements that are neighbours there. Memory has 32
// banks of 4 bytes; a warp's access is done in *phases* of 128 bytes (32 lanes with 4 bytes each,
// or 16 with 8, or 8 with 16), and a phase takes as long as its busiest bank has different words to
// give. Take a block of 32 × 32 floats whose rows the warp writes and whose columns it then reads.
// In row-major order every column lies in one bank: reading takes 32 times as long as it should.
//
// The way out
// ===========
// Any order will do, as long as both sides know it. The map from the element's index to its offset
// is again linear over bits, and an offset has three parts:
//
//   low bits: inside an access     middle bits: the bank     high bits: the row
//
// Choose a basis of the indices, one vector for each bit of the offset: V for the accesses, B for
// the banks, R for the rows. The offset of an index is its coordinates in that basis.
//
//   - An access can be wide if the vectors of V are sums of register bits, and no lane or warp of
//     that side adds any of them: then a thread's registers fall into whole accesses.
//   - A side has no conflicts if two lanes of a phase never differ by a sum of R's vectors (and of
//     those inside a word): they would be in one bank, and not in one word.
//
// So let L be what the lanes of a phase span on the writing side, and M the same on the reading
// side. Vectors outside L + M are good for R. Where these are too few, take x of L but not of M and
// y of M but not of L: x + y is in neither. In the example L is {1, 2, 4, 8, 16}, the columns, M is
// {32, …, 512}, the rows, and R becomes {1 + 32, 2 + 64, 4 + 128, 8 + 256, 16 + 512}: the
// well-known swizzle, in which row r has its columns permuted by exclusive or with r.
//
// There are always enough such sums, unless wide accesses of one side alone take banks away from
// the other. The widths are tried, and the quickest taken.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace eft {

class SharedLayout {
public:
  /// For elements of `elementBytes` that are written in the places of `from` and read in those of
  /// `wanted`, both (register, lane, warp) over one block, the latter up to a constant.
  static SharedLayout choose(const LinearLayout &from, const LinearLayout &wanted,
                             unsigned elementBytes);

  /// The layout in which `order` says the index at each offset, read in the places of `wanted`.
  static SharedLayout ofOrder(const LinearLayout &order, const LinearLayout &wanted,
                              unsigned elementBytes);
  /// The same with its rows in another order: the bits of an offset that no thread of either side
  /// adds come last. If the block is moved row by row, a thread's fragments then have few rows in
  /// which they may be.
  SharedLayout withRegistersLast(const LinearLayout &from, const LinearLayout &wanted,
                                 unsigned elementBytes) const;

  /// The index at each offset, as the places of one dimension `dimension`. Needs a layout in which
  /// every offset has an element.
  LinearLayout order(const LinearLayout &from, std::string_view dimension) const;

  /// The longest run, of at most `most`, in which the fragments of a thread, in their own order,
  /// are neighbours in shared memory: what one copy may bring there. Places are (register, lane,
  /// warp).
  int64_t runOfFragments(const LinearLayout &places, int64_t most) const;

  /// Where an element lies, in elements; linear in the packed index.
  uint64_t offsetOf(uint64_t index) const;
  /// The offset that each bit of the index adds.
  const std::vector<uint64_t> &columns() const { return offsets; }
  /// Offsets are below 2^bits.
  unsigned bits() const { return offsetBits; }

  /// The number of elements that one access of a thread moves, a power of two. The elements of a
  /// thread fall into whole runs of neighbours, which begin at multiples of their length.
  int64_t writeRun() const { return runs[0]; }
  int64_t readRun() const { return runs[1]; }

  /// The cost of all a warp's accesses on both sides: the instructions, and the phases.
  uint64_t cost() const { return leastCost; }

private:
  friend class SharedLayoutChooser;
  std::vector<uint64_t> offsets;
  unsigned offsetBits = 0;
  int64_t runs[2] = {1, 1};
  uint64_t leastCost = 0;
};

/// The time of a warp's access, in units of the shortest time of a phase. `laneOffsets` are the
/// offsets of its lanes in bytes, and each lane accesses `bytes`.
unsigned phasesOf(std::span<const uint64_t> laneOffsets, unsigned bytes);

} // namespace eft
