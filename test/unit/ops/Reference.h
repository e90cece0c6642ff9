// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The definition of dropout for each element, by Philox4x32-10 (Salmon and others, "Parallel random
// numbers: as easy as 1, 2, 3", 2011).
#pragma once

#include <array>
#include <cstdint>

namespace reference {

inline std::array<uint32_t, 4> philox(uint64_t seed, std::array<uint32_t, 4> counter) {
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t(0xD2511F53) * counter[0];
    uint64_t product1 = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(product1 >> 32) ^ counter[1] ^ key0, uint32_t(product1),
               uint32_t(product0 >> 32) ^ counter[3] ^ key1, uint32_t(product0)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

/// The random number in [0, 1) of an element.
inline double uniform(uint64_t seed, uint64_t row, uint64_t column) {
  uint64_t &along = row < 1024 ? column : row;
  uint64_t word = along / 16 % 4;
  along -= 16 * word;
  auto words =
      philox(seed, {uint32_t(column), uint32_t(column >> 32), uint32_t(row), uint32_t(row >> 32)});
  return words[word] * 0x1p-32;
}

inline bool keeps(uint64_t seed, float p, uint64_t row, uint64_t column) {
  return uniform(seed, row, column) >= p;
}

} // namespace reference
