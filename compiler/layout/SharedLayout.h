// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared layouts: the offsets of a block's elements in shared memory, through which they move from
// thread to thread.
//
// The problem
// ===========
// All threads write a block to shared memory in one layout, and read it in another. One access of a
// thread moves up to 16 bytes, if the thread has that many elements that are neighbours in shared
// memory. Memory has 32 banks of 4 bytes. A warp's access is done in *phases* of 128 bytes (32
// lanes with 4 bytes each, or 16 with 8, or 8 with 16). A bank delivers one word at a time, so a
// phase takes as long as the bank from which it needs the most words. Take a block of 32 × 32
// floats whose rows the warp writes and whose columns it then reads. In row-major order every
// column lies in one bank: reading takes 32 times as long as it should.
//
// The way out
// ===========
// Any order will do, as long as both sides know it. The map from the element's index to its offset
// is again linear over bits, and an offset has three parts:
//
//   low bits: inside an access     middle bits: the bank     high bits: the row
//
// Choose a basis of the indices, with one vector for each bit of the offset: the vectors V for the
// bits inside an access, B for the bits of the bank, and R for the bits of the row. The offset of
// an index is its coordinates in that basis.
//
//   - The accesses of one side, writing or reading, can be wide if the vectors of V are sums of
//     that side's register bits, and no lane or warp of that side adds any of them: then a thread's
//     registers fall into whole accesses.
//   - A side has no conflicts if two lanes of a phase never differ by a sum of R's vectors (and of
//     those inside a word): such lanes would access different words of one bank.
//
// Let L be the span of the lanes of a phase on the writing side, and M the same on the reading
// side. Vectors outside L + M are good for R. If these are too few, take some x of L but not of M,
// and some y of M but not of L: x + y is in neither. In the example, L is spanned by {1, 2, 4, 8,
// 16}, the columns, and M by {32, …, 512}, the rows. R becomes {1 + 32, 2 + 64, 4 + 128, 8 + 256,
// 16 + 512}: the well-known swizzle, in which row r has its columns permuted by exclusive or with
// r.
//
// There are always enough such sums, unless a wide access on one side takes banks from the other
// side. So all widths are tried, and the fastest layout is taken.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace eft {

class SharedLayout {
public:
  /// Returns the cheapest layout for elements of `elementBytes` that are written in the places of
  /// `from` and read in those of `wanted`. Both have the places (register, lane, warp) over one
  /// block. The indices that are read may differ from those of `wanted` by the xor with one
  /// constant.
  static SharedLayout choose(const LinearLayout &from, const LinearLayout &wanted,
                             unsigned elementBytes);

  /// Returns the layout in which `order` maps each offset to its index, to be read in the places of
  /// `wanted`. Its write run and its cost are not computed.
  static SharedLayout ofOrder(const LinearLayout &order, const LinearLayout &wanted,
                              unsigned elementBytes);

  /// Returns this layout with its rows in another order. The bits of a row's number that lanes or
  /// warps change, in `from` or in `wanted`, become the lower ones, and those that only registers
  /// change become the highest. The offset's bits inside a row stay the lowest. A block that is too
  /// large for shared memory is moved in several rounds, each with a range of offsets. In this
  /// order, each round concerns few of a thread's registers.
  SharedLayout withRegistersLast(const LinearLayout &from, const LinearLayout &wanted,
                                 unsigned elementBytes) const;

  /// Returns the map from offset to index, with `dimension` as the name of the offset's dimension.
  /// `from` is a layout of the block. Every offset must have an element.
  LinearLayout order(const LinearLayout &from, std::string_view dimension) const;

  /// The length of the longest runs, at most `most`, in which consecutive registers of a thread are
  /// neighbours in shared memory, in the same order. One asynchronous copy may bring that many
  /// elements to shared memory. `places` has the dimensions (register, lane, warp).
  int64_t runOfFragments(const LinearLayout &places, int64_t most) const;

  /// The offset of an element in shared memory, counted in elements. It is linear in the packed
  /// index.
  uint64_t offsetOf(uint64_t index) const;
  /// The offset that each bit of the index adds.
  const std::vector<uint64_t> &columns() const { return offsets; }
  /// Offsets are below 2^bits.
  unsigned bits() const { return offsetBits; }

  /// The number of elements that one access of a thread moves, a power of two. A thread's elements
  /// fall into whole runs of this length, whose elements are neighbours in shared memory. Each run
  /// begins at a multiple of its length.
  int64_t writeRun() const { return runs[0]; }
  int64_t readRun() const { return runs[1]; }

  /// The cost of all accesses of one warp, writing and reading: the number of instructions plus the
  /// number of phases.
  uint64_t cost() const { return leastCost; }

private:
  friend class SharedLayoutChooser;
  std::vector<uint64_t> offsets;
  unsigned offsetBits = 0;
  int64_t runs[2] = {1, 1};
  uint64_t leastCost = 0;
};

/// Returns the time of one access of a warp, in units of a phase without conflicts. `laneOffsets`
/// are the offsets of its lanes in bytes, and each lane accesses `bytes`.
unsigned phasesOf(std::span<const uint64_t> laneOffsets, unsigned bytes);

} // namespace eft
