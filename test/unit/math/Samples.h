// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands for the tests.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <thread>
#include <vector>

namespace eft::test {

/// True to test every f32 instead of a sample, which takes minutes instead of a second.
extern bool exhaustive;

/// Repeats the last value until the length is a multiple of 16, the largest number of lanes.
template <typename T> std::vector<T> padded(std::vector<T> values) {
  while (values.size() % 16)
    values.push_back(values.back());
  return values;
}

/// Calls `visit(operands)` with every f32, or with every 997th, in pieces, on all cores.
template <typename Visit> void forEachFloat(Visit visit) {
  const uint64_t stride = exhaustive ? 1 : 997, piece = 1 << 16, total = uint64_t(1) << 32;
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> pool;
  for (unsigned thread = 0; thread < threads; ++thread)
    pool.emplace_back([=, &visit] {
      for (uint64_t start = thread * piece * stride; start < total;
           start += threads * piece * stride) {
        std::vector<float> operands;
        for (uint64_t i = start; i < std::min(total, start + piece * stride); i += stride)
          operands.push_back(std::bit_cast<float>(static_cast<uint32_t>(i)));
        visit(padded(std::move(operands)));
      }
    });
  for (std::thread &thread : pool)
    thread.join();
}

/// All patterns of 16 bits.
inline std::vector<uint16_t> all16() {
  std::vector<uint16_t> values(1 << 16);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint16_t>(i);
  return values;
}

/// Reproducible random bits.
template <typename T> std::vector<T> randomBits(size_t count, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = static_cast<T>(generator());
  return values;
}

} // namespace eft::test
