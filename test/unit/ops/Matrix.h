// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices for the tests of operators.
#pragma once

#include "eft/Tensor.h"

#include <cstring>
#include <numeric>
#include <vector>

/// A matrix whose data begins `offset` elements after an aligned address, with guard elements at
/// both ends.
template <typename T> class Matrix {
public:
  Matrix(int64_t rows, int64_t columns, T value = {}, size_t offset = 0)
      : rows(rows), columns(columns), first(firstAligned() + offset) {
    storage.resize(first + size_t(rows * columns) + guard, T(77));
    first = firstAligned() + offset;
    for (int64_t i = 0; i < rows * columns; ++i)
      data()[i] = value;
  }

  T *data() { return storage.data() + first; }
  T &at(int64_t row, int64_t column) { return data()[row * columns + column]; }
  std::vector<T> content() { return {data(), data() + rows * columns}; }

  /// True if the guard elements are unchanged.
  bool isGuarded() const {
    for (size_t i = 0; i < storage.size(); ++i)
      if ((i < first || i >= first + size_t(rows * columns)) && storage[i] != T(77))
        return false;
    return true;
  }

  eft::Tensor view() {
    return eft::Tensor::matrix(data(), rows, columns,
                               sizeof(T) == 4 && T(0.5) != T(0) ? eft::DataType::F32
                                                                : eft::DataType::I32);
  }

  const int64_t rows, columns;

private:
  static constexpr size_t guard = 64;

  size_t firstAligned() const {
    size_t place = guard;
    while (!storage.empty() && reinterpret_cast<uintptr_t>(&storage[place]) % 64 != 0)
      ++place;
    return storage.empty() ? 2 * guard : place;
  }

  std::vector<T> storage;
  size_t first;
};

/// Numbers of both signs, none of them 0.
inline void fill(Matrix<float> &matrix, float step = 0.25f) {
  for (int64_t i = 0; i < matrix.rows * matrix.columns; ++i)
    matrix.data()[i] = (float(i % 1001) - 500.5f) * step;
}

/// The bits of floats, so that -0 and NaN can be told apart.
inline std::vector<uint32_t> bitsOf(const std::vector<float> &numbers) {
  std::vector<uint32_t> bits(numbers.size());
  if (!numbers.empty())
    std::memcpy(bits.data(), numbers.data(), numbers.size() * sizeof(float));
  return bits;
}
