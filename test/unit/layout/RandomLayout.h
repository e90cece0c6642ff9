// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random layouts over small spaces, and brute force over their places, for the property tests.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace eft::testing {

class RandomLayouts {
public:
  explicit RandomLayouts(uint32_t seed) : generator(seed) {}

  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(generator);
  }

  std::vector<int64_t> shape(unsigned rank, unsigned maxBitsPerDim = 3) {
    std::vector<int64_t> shape;
    for (unsigned i = 0; i < rank; ++i)
      shape.push_back(int64_t(1) << below(maxBitsPerDim + 1));
    return shape;
  }

  /// A random linear map: about half of its bases are single bits, and the others are any number,
  /// also 0.
  LinearLayout layout(const std::vector<int64_t> &shape) {
    const unsigned bits = Space::block(shape).bits();
    std::vector<std::pair<std::string, unsigned>> dims;
    unsigned placeBits = 0;
    for (const char *name : {"register", "lane", "warp"}) {
      dims.emplace_back(name, below(4));
      placeBits += dims.back().second;
    }
    std::vector<uint64_t> columns;
    for (unsigned i = 0; i < placeBits; ++i)
      columns.push_back(bits == 0       ? 0
                        : below(2) == 0 ? uint64_t(1) << below(bits)
                                        : below(int64_t(1) << bits));
    return LinearLayout::fromColumns(Space::places(dims), Space::block(shape), columns);
  }

  /// A random bijection, whose bases are the single bits of the index in random order.
  LinearLayout bijection(const std::vector<int64_t> &shape) {
    const unsigned bits = Space::block(shape).bits();
    std::vector<uint64_t> columns;
    for (unsigned i = 0; i < bits; ++i)
      columns.push_back(uint64_t(1) << i);
    std::shuffle(columns.begin(), columns.end(), generator);
    const unsigned registers = below(bits + 1), lanes = below(bits - registers + 1);
    std::pair<std::string, unsigned> dims[] = {
        {"register", registers}, {"lane", lanes}, {"warp", bits - registers - lanes}};
    return LinearLayout::fromColumns(Space::places(dims), Space::block(shape), columns);
  }

private:
  std::mt19937 generator;
};

inline uint64_t placesOf(const LinearLayout &layout) {
  return uint64_t(1) << layout.source().bits();
}
inline uint64_t elementsOf(const LinearLayout &layout) {
  return uint64_t(1) << layout.target().bits();
}

/// The places of each element that has one.
inline std::map<uint64_t, std::vector<uint64_t>> holders(const LinearLayout &layout) {
  std::map<uint64_t, std::vector<uint64_t>> result;
  for (uint64_t place = 0; place < placesOf(layout); ++place)
    result[layout.applyPacked(place)].push_back(place);
  return result;
}

/// Makes a layout, and expects that the bases are valid.
inline LinearLayout make(const std::vector<PlaceBases> &places, const std::vector<int64_t> &shape) {
  std::string error;
  std::optional<LinearLayout> layout = LinearLayout::create(places, shape, error);
  EXPECT_TRUE(layout) << error;
  return layout.value_or(LinearLayout::unit(shape.size()));
}

} // namespace eft::testing
