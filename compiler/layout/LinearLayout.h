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
// each. The next example is a 4 × 4 block. Its rows lie along the lanes, and each warp holds two of
// its columns:
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
//    into 32 lanes eight times: lanes that differ only in the upper three bits hold the same
//    element. Place bits with a basis of zero are *free*. In general, two places hold the same
//    element if their xor is in the layout's `kernel`.
//  - *Swizzles*: bases with several bits set. In `register = [[0, 1], [0, 2]], lane = [[1, 1],
//    [2, 2]]` lane r holds row r, its columns permuted by xor with r: the pattern that keeps shared
//    memory free of bank conflicts.
//  - *Operands of tensor cores*: the layouts that the instructions require are such lists, too.
//
// Linear layouts can't express extents that are not powers of two, or arrangements that need a
// carry, such as element 3·lane in each lane. Eft needs neither.
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
//   which place has the element of another place      sourceOf(from, to), from places to places
//   the layout of an expanded block's source          slice, collapse
//   the layout of a tile of a loop over registers     split
//   whether a block consists of tiles of one layout   divide
//
// `sourceOf` tells how to convert between two layouts on a GPU. If its map changes only register
// bits, the conversion renames registers. If the map keeps the warp, the conversion is a shuffle.
// Any other conversion goes through shared memory. The class `LinearLayout` also represents maps
// from a block to places (inverses) and maps from places to places.
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

/// A linear map over bits from one space to another, usually from hardware places to the elements
/// of a block. Objects are immutable. `create` checks input from outside and reports its faults.
/// Functions that may have no answer return an optional. All other conditions on arguments, such as
/// an existing dimension or a valid permutation, are the caller's responsibility and are asserted.
class LinearLayout {
public:
  //===--- Making -----------------------------------------------------------------------------===//

  /// Makes a layout from bases as the IR writes them. If they describe no layout of a block of this
  /// shape, returns nothing and sets `error` to a text with the found and the expected value.
  static std::optional<LinearLayout> create(std::span<const PlaceBases> places,
                                            std::span<const int64_t> shape, std::string &error);

  /// The layout in which place i of the only place dimension holds element i, in row-major order.
  static LinearLayout identity(std::string_view place, std::span<const int64_t> shape);

  /// The layout of a block with one element and without places: the neutral element of `product`.
  static LinearLayout unit(unsigned rank);

  /// Makes any linear map. `columns` has the packed image of each source bit.
  static LinearLayout fromColumns(Space source, Space target, std::vector<uint64_t> columns);

  //===--- Looking at it ----------------------------------------------------------------------===//

  const Space &source() const { return from; }
  const Space &target() const { return to; }
  /// The extents of the target: the block's shape.
  std::vector<int64_t> shape() const { return to.shape(); }
  /// The bases in the form of `create`.
  std::vector<PlaceBases> bases() const;
  /// The coordinates that one bit of a place dimension contributes to the index.
  Coordinates basis(std::string_view place, unsigned bit) const;
  /// The number of bits of a place dimension; 0 for one that the layout doesn't have.
  unsigned placeBits(std::string_view place) const;
  /// Returns the text between the brackets of `#eft.layout<…>`: `register = [[1], [2]], lane =
  /// [[4]]`.
  std::string toString() const;
  bool operator==(const LinearLayout &) const = default;

  //===--- Applying it ------------------------------------------------------------------------===//

  Coordinates apply(std::span<const int64_t> place) const {
    return to.unpack(applyPacked(from.pack(place)));
  }
  uint64_t applyPacked(uint64_t place) const;

  //===--- Its algebra ------------------------------------------------------------------------===//

  /// Returns the composition: this map, then `next`. Returns nothing unless this map's target is
  /// the source of `next`.
  std::optional<LinearLayout> then(const LinearLayout &next) const;

  /// Returns the layout of a larger block that is made of blocks in this layout, arranged as
  /// `other` says. In each place dimension and each block dimension, this layout's bits are the low
  /// bits, and those of `other` lie above them. Place dimensions that occur only in `other` are
  /// appended at the end.
  /// `identity("lane", {4}) × identity("warp", {2})` spreads 8 elements over 2 warps of 4 lanes.
  /// Both must have the same number of block dimensions.
  LinearLayout product(const LinearLayout &other) const;

  /// Returns the layout `rest` for which `tile.product(rest)` is this map, up to the order of place
  /// dimensions. `rest` has all place dimensions of this map. Returns nothing if the block is not
  /// made of such tiles.
  std::optional<LinearLayout> divide(const LinearLayout &tile) const;

  /// Splits the map into two. The first one maps the lowest `lowBits` bits of `place` and all bits
  /// of the other dimensions. The second one maps only the remaining bits of `place`. The index of
  /// a place is the xor of both images. If `register` is split where a tile's registers end, the
  /// first map is the layout of a tile, and the second gives the index at which each tile begins.
  std::pair<LinearLayout, LinearLayout> split(std::string_view place, unsigned lowBits) const;

  /// Returns a map from index to place that picks one place for every element: the one whose
  /// redundant bits are zero. Returns nothing if an element has no place.
  std::optional<LinearLayout> rightInverse() const;

  unsigned rank() const;
  bool isInjective() const { return rank() == from.bits(); } ///< No element lies in two places.
  bool isSurjective() const { return rank() == to.bits(); }  ///< Every element lies somewhere.

  /// Returns a basis of the kernel: packed places whose xors are exactly the places that hold index
  /// 0. Two places hold the same element if and only if their xor is in the kernel. Empty if the
  /// map is injective.
  std::vector<uint64_t> kernel() const;

  /// A mask of the bits of a place dimension that are redundant: they reach no element beyond those
  /// that the lower bits, and the dimensions before, reach. Of all places that hold one element,
  /// exactly one has zeros in the redundant bits of all dimensions.
  uint64_t redundantBits(std::string_view place) const;

  /// If the map reaches exactly the elements whose coordinates lie below some power of two in each
  /// dimension, returns these powers of two. Otherwise returns nothing.
  std::optional<std::vector<int64_t>> imageBox() const;

  /// The width of a vector access: the largest 2^k such that places 0 … 2^k − 1 of the place
  /// dimension hold 2^k neighbours along the block dimension, in order, for any values of the other
  /// place bits. The first neighbour's index is always a multiple of 2^k.
  int64_t contiguousAlong(std::string_view place, unsigned blockDim) const;
  /// The same along the block's last dimension.
  int64_t contiguousAlong(std::string_view place) const;

  //===--- The same places, another block -----------------------------------------------------===//

  /// The layout without block dimension `axis`: that of the source of an `expand_dims` along the
  /// axis.
  LinearLayout slice(unsigned axis) const;
  /// The layout with the extent of block dimension `axis` cut to 1: that of the source of a
  /// `broadcast` along the axis.
  LinearLayout collapse(unsigned axis) const;
  /// The layout with a new block dimension of extent 1 before dimension `axis`.
  LinearLayout expandDims(unsigned axis) const;
  /// The layout of the permuted block, whose dimension i is dimension order[i] of this block.
  LinearLayout permute(std::span<const unsigned> order) const;
  /// The layout with additional high bits in the place dimension, so that every element lies
  /// somewhere. The new bits' bases are single bits of the index, of which the lowest come first.
  LinearLayout covering(std::string_view place) const;
  /// The same places over a block of another shape, which has the same elements in the same
  /// row-major order.
  LinearLayout reshape(std::span<const int64_t> newShape) const;

private:
  LinearLayout(Space source, Space target, std::vector<uint64_t> images)
      : from(std::move(source)), to(std::move(target)), columns(std::move(images)) {}

  /// The same map, with every image rewritten to a point of another block by `coordinates`.
  template <typename Function> LinearLayout withTarget(Space target, Function coordinates) const;

  Space from, to;
  std::vector<uint64_t> columns; // the packed image of each packed source bit
};

/// Returns the map from each place of `to` to a place of `from` that holds the same element. A
/// conversion between two layouts of one block has to move elements in this way. Returns nothing if
/// the blocks differ, or if an element has no place in `from`.
std::optional<LinearLayout> sourceOf(const LinearLayout &from, const LinearLayout &to);

} // namespace eft
