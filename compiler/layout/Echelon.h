// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gaussian elimination over bits, one column at a time. The algebra of layouts needs no other
// linear algebra.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace eft {

/// A growing set of linearly independent columns over F2, in echelon form. Columns are inserted one
/// by one, numbered from 0. A column that is a sum (xor) of earlier ones is refused. Every vector
/// that the set spans is the sum of accepted columns in exactly one way. Rank, kernel, inverse and
/// membership all follow from that sum.
class Echelon {
public:
  /// The result of subtracting (xor) columns from a vector: `remainder` is what is left of the
  /// vector, and `columns` is a bit mask of the subtracted columns' numbers.
  struct Reduction {
    uint64_t remainder;
    uint64_t columns;
  };

  Echelon() = default;
  explicit Echelon(std::span<const uint64_t> columns) {
    for (unsigned i = 0; i < columns.size(); ++i)
      insert(columns[i], i);
  }

  /// Writes the vector as a sum of accepted columns plus a remainder. The remainder is 0 if and
  /// only if the set spans the vector.
  Reduction reduce(uint64_t vector) const {
    uint64_t columns = 0;
    while (vector != 0) {
      const Reduction &row = rows[leadingBit(vector)];
      if (row.remainder == 0)
        // Every accepted row has a leading bit of its own, so no row below could remove this bit.
        break;
      vector ^= row.remainder;
      columns ^= row.columns;
    }
    return {vector, columns};
  }

  /// Adds the column to the set and returns true. If the column is a sum of accepted ones, leaves
  /// the set as it is and returns false.
  bool insert(uint64_t column, unsigned number) {
    Reduction reduced = reduce(column);
    if (reduced.remainder == 0)
      return false;
    reduced.columns ^= uint64_t(1) << number;
    rows[leadingBit(reduced.remainder)] = reduced;
    ++accepted;
    return true;
  }

  unsigned rank() const { return accepted; }

private:
  static unsigned leadingBit(uint64_t vector) { return 63 - std::countl_zero(vector); }

  std::array<Reduction, 64> rows{}; // the row with leading bit i, or zeros
  unsigned accepted = 0;
};

} // namespace eft
