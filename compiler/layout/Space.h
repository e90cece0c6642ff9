// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spaces: boxes of points with named dimensions, whose extents are powers of two. A layout maps the
// points of one space to the points of another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eft {

/// One number per dimension of a space.
using Coordinates = std::vector<int64_t>;

/// The points of a box whose sides are powers of two. A point is written either as its coordinates,
/// one number per dimension, or *packed*: the coordinates' bits side by side in one word. There are
/// two kinds of spaces, which differ only in where a dimension's bits lie in the packed word:
///
///   - *places* are packed with the first dimension lowest: (register, lane, warp) counts registers
///     first;
///   - a *block* is packed with the last dimension lowest, so that a packed point is the element's
///     row-major number.
///
/// The packing does not affect the meaning of a layout. It decides which of several equivalent
/// choices an algorithm takes (the lowest bits are preferred), and reshaping a block leaves packed
/// points as they are.
class Space {
public:
  struct Dim {
    std::string name;
    unsigned bits;   // the extent is 2^bits
    unsigned offset; // where the dimension's lowest bit lies in the packed word
    bool operator==(const Dim &) const = default;
  };

  /// The most bits of a space: a packed point is one word of 64 bits, and the number of points must
  /// fit into an `int64_t`.
  static constexpr unsigned maxBits = 62;

  /// A space of places: named dimensions with their numbers of bits. The first one has the lowest
  /// bits.
  static Space places(std::span<const std::pair<std::string, unsigned>> dims);

  /// The space of a block: dimensions dim0, dim1, …, of which the last one has the lowest bits.
  /// Extents must be powers of two.
  static Space block(std::span<const int64_t> shape);

  const std::vector<Dim> &dims() const { return all; }
  unsigned rank() const { return static_cast<unsigned>(all.size()); }
  unsigned bits() const;
  int64_t extent(unsigned dim) const { return int64_t(1) << all[dim].bits; }
  std::vector<int64_t> shape() const;

  /// The number of the dimension with this name, if there is one.
  std::optional<unsigned> find(std::string_view name) const;

  uint64_t pack(std::span<const int64_t> coordinates) const;
  Coordinates unpack(uint64_t point) const;

  /// The bits of a packed word that belong to a dimension.
  uint64_t mask(unsigned dim) const {
    return ((uint64_t(1) << all[dim].bits) - 1) << all[dim].offset;
  }

  bool operator==(const Space &) const = default;

private:
  std::vector<Dim> all;
};

/// True for 1, 2, 4, …
constexpr bool isPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

/// The exponent of a power of two: 3 for 8.
constexpr unsigned exponentOf(int64_t powerOfTwo) {
  unsigned bits = 0;
  while ((int64_t(1) << bits) < powerOfTwo)
    ++bits;
  return bits;
}

} // namespace eft
