// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear layouts: which hardware place holds which element of a block.
//
// The idea
// ========
// A block of 16 elements lies in a machine with 2 registers in each of 4 lanes in each of 2 warps.
// Who holds element 11? A layout answers by mapping a *place* (register, lane, warp) to the *index*
// of the element that lies there:
//
//                 warp 0                              warp 1
//              lane 0  lane 1  lane 2  lane 3      lane 0  lane 1  lane 2  lane 3
//   register 0    0       2       4       6           8      10      12      14
//   register 1    1       3       5       7           9      11      13      15
//
// Element 11 lies in register 1 of lane 1 of warp 1. Blocks and machines come in powers of two, so
// places and indices are both strings of bits, and the table has a short form: say where each *bit
// of the place* goes.
//
//   register bit 0 → 1     lane bit 0 → 2     lane bit 1 → 4     warp bit 0 → 8
//
// The index of any place is the xor of the entries of its set bits: register 1, lane 1 and warp 1
// give 1 ^ 2 ^ 8 = 11. The entries are called *bases*. They make the layout a linear map over F2,
// the field of two elements, in which addition is xor. In Eft's IR this layout reads
//
//   #eft.layout<register = [[1]], lane = [[2], [4]], warp = [[8]]>
//
// Each basis is a list because a block may have several dimensions: it holds one coordinate for
// each. A 4 × 4 block with rows over the lanes, and two columns in each warp's thread:
//
//   #eft.layout<register = [[0, 1]], lane = [[1, 0], [2, 0]], warp = [[0, 2]]>
//
//                 warp 0                              warp 1
//              lane 0  lane 1  lane 2  lane 3      lane 0  lane 1  lane 2  lane 3
//   register 0  (0,0)   (1,0)   (2,0)   (3,0)       (0,2)   (1,2)   (2,2)   (3,2)
//   register 1  (0,1)   (1,1)   (2,1)   (3,1)       (0,3)   (1,3)   (2,3)   (3,3)
//
// What bits can say
// =================
//  - *Blocked* arrangements, as above: every basis has one bit set.
//  - *Repetition*: a basis of zero. `lane = [[1], [2], [0], [0], [0]]` puts a block of 4 elements
//    into 32 lanes eight times over; lanes that differ only in the upper three bits hold the same
//    element. These are the layout's *free* bits; the places that hold one element differ by the
//    layout's `kernel`.
//  - *Swizzles*: bases with several bits set. In `register = [[0, 1], [0, 2]], lane = [[1, 1],
//    [2, 2]]` lane r holds row r, its columns permuted by xor with r: the pattern that keeps shared
//    memory free of bank conflicts.
//  - What a tensor core wants of its operands: another list of bases.
//
// They can't say: extents that are no power of two, or arrangements that need a carry (element
// 3·lane). Nor need they.
//
// Why place → index, and not index → place
// =========================================
// A place holds at most one element, so place → index is a function whatever the layout. An element
// may lie in many places (a small block in a large machine; the source of a broadcast), so index →
// place is not. Loads, stores and elementwise code also ask in this direction: "I am lane 5, which
// element is mine?". The other direction, where needed, is `rightInverse`: it picks one of the
// places.
//
// What follows from the map
// =========================
//   question                                          answer
//   the index that a place holds                      apply
//   how many elements one vector access may move      contiguousAlong("register")
//   which of several copies may store                 the one whose redundantBits are zero
//   from where to fetch an element                    sourceOf(from, to), from places to places
//   the layout of what a block was expanded from      slice, collapse
//   the layout of a tile of a loop over registers     split
//   whether a block is made of copies of a tile       divide
//
// A conversion between two layouts is read off `sourceOf`: a map that moves only register bits is a
// renaming; one that keeps the warp, a shuffle; any other, staging through shared memory. A map
// with a block as its source and places as its target (an inverse) is the same kind of map, and so
// is one from places to places: all are of this class.
#pragma once

#include "compiler/layout/Space.h"

namespace eft {

/// The bases of one place dimension: one entry per bit, lowest first; each holds one coordinate per
/// block dimension.
struct PlaceBases {
  std::string name;
  std::vector<Coordinates> bases;
  bool operator==(const PlaceBases &) const = default;
};

/// A linear map over bits from one space to another; usually from hardware places to the elements
/// of a block. An immutable value. Preconditions are about numbers that the caller made (a
/// dimension that exists, a permutation that is one); what can come from outside is checked by
/// `create`, and what may have no answer returns an optional.
class LinearLayout {
public:
  //===--- Making -----------------------------------------------------------------------------===//

  /// From bases, as they stand in the IR. When they describe no layout of a block of this shape,
  /// returns nothing and says in `error` what was found and what was expected.
  static std::optional<LinearLayout> create(std::span<const PlaceBases> places,
                                            std::span<const int64_t> shape, std::string &error);

  /// Place i of the only dimension holds element i, in row-major order.
  static LinearLayout identity(std::string_view place, std::span<const int64_t> shape);

  /// A layout of a one-element block of the given rank, with no places: the 1 of `product`.
  static LinearLayout unit(unsigned rank);

  /// Any linear map: the image of each source bit, packed.
  static LinearLayout fromColumns(Space source, Space target, std::vector<uint64_t> columns);

  //===--- Looking at it ----------------------------------------------------------------------===//

  const Space &source() const { return from; }
  const Space &target() const { return to; }
  /// The extents of the target: the block's shape.
  std::vector<int64_t> shape() const { return to.shape(); }
  /// The bases in the form of `create`.
  std::vector<PlaceBases> bases() const;
  /// The index that one bit of a place dimension adds.
  Coordinates basis(std::string_view place, unsigned bit) const;
  /// The number of bits of a place dimension; 0 for one that the layout doesn't have.
  unsigned placeBits(std::string_view place) const;
  /// `register = [[1], [2]], lane = [[4]]`: what stands between the brackets of `#eft.layout<…>`.
  std::string toString() const;
  bool operator==(const LinearLayout &) const = default;

  //===--- Applying it ------------------------------------------------------------------------===//

  Coordinates apply(std::span<const int64_t> place) const {
    return to.unpack(applyPacked(from.pack(place)));
  }
  uint64_t applyPacked(uint64_t place) const;

  //===--- Its algebra ------------------------------------------------------------------------===//

  /// First this map, then the next one; nothing unless this one's target is the next one's source.
  std::optional<LinearLayout> then(const LinearLayout &next) const;

  /// The block made of copies of this one arranged as the other says: this layout's bits are the
  /// low bits of each place dimension and of each block dimension, the other's bits come above
  /// them. Place dimensions that only the other has come last. `identity("lane", {4}) ×
  /// identity("warp", {2})` spreads 8 elements over 2 warps of 4 lanes. Both must have the same
  /// number of block dimensions.
  LinearLayout product(const LinearLayout &other) const;

  /// The other factor: a layout `rest` with this map's place dimensions such that
  /// `tile.product(rest)` is this map (up to the order of place dimensions). Nothing when the block
  /// is not made of such tiles.
  std::optional<LinearLayout> divide(const LinearLayout &tile) const;

  /// The map on the low bits of one place dimension alone (all the other dimensions in full), and
  /// the map on the other bits of that dimension alone. The index of a place is the xor of both.
  /// Splitting `register` at the vectors of one tile gives the layout of a tile, and the index at
  /// which each tile begins.
  std::pair<LinearLayout, LinearLayout> split(std::string_view place, unsigned lowBits) const;

  /// A map from index to place that picks one place for every element, with all redundant bits
  /// zero. Nothing when an element has no place.
  std::optional<LinearLayout> rightInverse() const;

  unsigned rank() const;
  bool isInjective() const { return rank() == from.bits(); } ///< No element lies in two places.
  bool isSurjective() const { return rank() == to.bits(); }  ///< Every element lies somewhere.

  /// Places (packed) whose xors are all the places that hold index 0. Two places hold the same
  /// element just where their xor is one of those. Empty when the map is injective.
  std::vector<uint64_t> kernel() const;

  /// The bits of a place dimension that add no new element to what the bits below them (and the
  /// dimensions before) reach. Of all places that hold one element, exactly one has every redundant
  /// bit of every dimension zero.
  uint64_t redundantBits(std::string_view place) const;

  /// The extents of the corner of the block that the map fills, when what it reaches is such a
  /// corner: all elements whose coordinates are below some power of two in each dimension.
  std::optional<std::vector<int64_t>> imageBox() const;

  /// The number of elements that lie next to each other along the low bits of the place dimension:
  /// the largest 2^k such that places 0 … 2^k − 1 hold a run of the block dimension that starts at
  /// a multiple of 2^k, wherever the other place bits put it. The vector width of an access.
  int64_t contiguousAlong(std::string_view place, unsigned blockDim) const;
  /// The same along the block's last dimension.
  int64_t contiguousAlong(std::string_view place) const;

  //===--- The same places, another block -----------------------------------------------------===//

  /// The block without some of its dimensions: what `expand_dims` along that axis started from.
  LinearLayout slice(unsigned axis) const;
  /// The block with one dimension's extent cut to 1: what `broadcast` along that axis started from.
  LinearLayout collapse(unsigned axis) const;
  /// A new dimension of extent 1 before the given one.
  LinearLayout expandDims(unsigned axis) const;
  /// Dimension i of the result is dimension order[i] of this block.
  LinearLayout permute(std::span<const unsigned> order) const;
  /// New high bits of the place dimension for the elements that lie nowhere, the lowest elements
  /// first. Every element then lies somewhere.
  LinearLayout covering(std::string_view place) const;
  /// The same elements in row-major order under another shape of as many.
  LinearLayout reshape(std::span<const int64_t> newShape) const;

private:
  LinearLayout(Space source, Space target, std::vector<uint64_t> images)
      : from(std::move(source)), to(std::move(target)), columns(std::move(images)) {}

  /// The same map with every image rewritten into another block.
  template <typename Function> LinearLayout withTarget(Space target, Function coordinates) const;

  Space from, to;
  std::vector<uint64_t> columns; // the packed image of each packed source bit
};

/// For each place of `to`, a place of `from` that holds the same element: what a conversion between
/// two layouts of one block has to fetch. Nothing when the blocks differ or `from` lacks an
/// element.
std::optional<LinearLayout> sourceOf(const LinearLayout &from, const LinearLayout &to);

} // namespace eft
