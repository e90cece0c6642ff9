// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dropout by a seed, written by hand with the intrinsics of AVX2 and AVX-512. Like the kernel
// `seeded` of kernels/dropout.py, it calls Philox4x32-10 once for each element. It gives the same
// bits as that kernel if 1 - p is a power of two. For other p, bits differ: this code multiplies by
// the scale 1 / (1 - p), and the kernel divides by 1 - p. dropout_cpu.py compiles and loads this
// file.
//
// Each 32-bit word of Philox lies in the lower half of a 64-bit lane; the upper half is arbitrary.
// The multiplication reads only the lower halves, and its 64-bit product has two words of the next
// round. A round consists of two products, two shifts and four exclusive ors.
#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

constexpr uint32_t factor0 = 0xD2511F53, factor1 = 0xCD9E8D57;
constexpr uint32_t step0 = 0x9E3779B9, step1 = 0xBB67AE85;
constexpr int rounds = 10;

struct Numbers {
  uint64_t seed;
  uint32_t least; // the least folded word whose float is greater than p
  float scale;
};

/// Converts a word to a float in [0, 1): folds it to 31 bits by word ^ (word >> 31), and scales it.
float uniform(int32_t word) { return float(word ^ (word >> 31)) * 4.6566127342e-10f; }

Numbers numbersFor(float p, uint64_t seed) {
  uint32_t least = 0;
  for (uint32_t bit = 1u << 30; bit; bit >>= 1) // binary search: floats grow with words
    if (!(uniform(int32_t(least + bit - 1)) > p))
      least += bit;
  return {seed, least, 1 / (1 - p)};
}

bool isKept(const Numbers &numbers, uint64_t place) {
  uint32_t c0 = uint32_t(place), c1 = uint32_t(place >> 32), c2 = 0, c3 = 0;
  uint32_t k0 = uint32_t(numbers.seed), k1 = uint32_t(numbers.seed >> 32);
  for (int round = 0; round < rounds; ++round, k0 += step0, k1 += step1) {
    uint64_t product0 = uint64_t(factor0) * c0, product1 = uint64_t(factor1) * c2;
    c0 = uint32_t(product1 >> 32) ^ c1 ^ k0;
    c1 = uint32_t(product1);
    c2 = uint32_t(product0 >> 32) ^ c3 ^ k1;
    c3 = uint32_t(product0);
  }
  return (c0 ^ uint32_t(int32_t(c0) >> 31)) >= numbers.least;
}

void scalar(const float *x, float *y, size_t first, size_t end, const Numbers &numbers) {
  for (size_t i = first; i < end; ++i)
    y[i] = isKept(numbers, i) ? x[i] * numbers.scale : 0.0f;
}

/// Computes elements from `first` on with AVX2. An iteration computes 4 * `chains` elements, in
/// `chains` vectors of four draws. Returns the first element that is not computed, since fewer than
/// 4 * `chains` elements are left.
template <int chains>
__attribute__((target("avx2"))) size_t avx2(const float *x, float *y, size_t first, size_t end,
                                            const Numbers &numbers) {
  constexpr size_t width = 4 * chains;
  const __m256i m0 = _mm256_set1_epi64x(factor0), m1 = _mm256_set1_epi64x(factor1);
  // An element is dropped if its folded word is below `least`. That means -least <= word < least,
  // or word + least < 2 * least as unsigned numbers. AVX2 only compares signed numbers, so `sign`
  // is added to both sides.
  constexpr uint32_t sign = 1u << 31;
  const __m256i shift = _mm256_set1_epi32(int32_t(numbers.least + sign));
  const __m256i dropped = _mm256_set1_epi32(int32_t(2 * numbers.least + sign));
  const __m256 scale = _mm256_set1_ps(numbers.scale);
  for (; first + width <= end; first += width) {
    __m256i c0[chains], c1[chains], c2[chains], c3[chains];
    for (int i = 0; i < chains; ++i) {
      // Of eight elements, one vector has elements 0, 1, 4, 5, and the next one 2, 3, 6, 7. The
      // shuffle below works within halves of 128 bits, and so gives the elements in order.
      __m256i offsets =
          i % 2 == 0 ? _mm256_setr_epi64x(0, 1, 4, 5) : _mm256_setr_epi64x(2, 3, 6, 7);
      c0[i] = _mm256_add_epi64(_mm256_set1_epi64x(int64_t(first + size_t(i / 2 * 8))), offsets);
      c1[i] = _mm256_srli_epi64(c0[i], 32);
      c2[i] = c3[i] = _mm256_setzero_si256();
    }
    uint32_t k0 = uint32_t(numbers.seed), k1 = uint32_t(numbers.seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < rounds; ++round, k0 += step0, k1 += step1) {
      const __m256i key0 = _mm256_set1_epi64x(k0), key1 = _mm256_set1_epi64x(k1);
      for (int i = 0; i < chains; ++i) {
        __m256i product0 = _mm256_mul_epu32(c0[i], m0), product1 = _mm256_mul_epu32(c2[i], m1);
        c0[i] = _mm256_xor_si256(_mm256_srli_epi64(product1, 32), _mm256_xor_si256(c1[i], key0));
        c1[i] = product1;
        c2[i] = _mm256_xor_si256(_mm256_srli_epi64(product0, 32), _mm256_xor_si256(c3[i], key1));
        c3[i] = product0;
      }
    }
    for (int i = 0; i < chains; i += 2) {
      __m256i words = _mm256_castps_si256(_mm256_shuffle_ps(
          _mm256_castsi256_ps(c0[i]), _mm256_castsi256_ps(c0[i + 1]), _MM_SHUFFLE(2, 0, 2, 0)));
      __m256 drop =
          _mm256_castsi256_ps(_mm256_cmpgt_epi32(dropped, _mm256_add_epi32(words, shift)));
      __m256 scaled = _mm256_mul_ps(_mm256_loadu_ps(x + first + 4 * i), scale);
      _mm256_storeu_ps(y + first + 4 * i, _mm256_andnot_ps(drop, scaled));
    }
  }
  return first;
}

/// Computes elements as `avx2` does, but with AVX-512, in vectors of eight draws.
template <int chains>
__attribute__((target("avx512f"))) size_t avx512(const float *x, float *y, size_t first, size_t end,
                                                 const Numbers &numbers) {
  constexpr size_t width = 8 * chains;
  constexpr int xor3 = 0x96;
  const __m512i m0 = _mm512_set1_epi64(factor0), m1 = _mm512_set1_epi64(factor1);
  const __m512i least = _mm512_set1_epi32(int32_t(numbers.least));
  const __m512i twice = _mm512_set1_epi32(int32_t(2 * numbers.least));
  const __m512i lower =
      _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512 scale = _mm512_set1_ps(numbers.scale);
  for (; first + width <= end; first += width) {
    __m512i c0[chains], c1[chains], c2[chains], c3[chains];
    for (int i = 0; i < chains; ++i) {
      c0[i] = _mm512_add_epi64(_mm512_set1_epi64(int64_t(first + size_t(8 * i))),
                               _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
      c1[i] = _mm512_srli_epi64(c0[i], 32);
      c2[i] = c3[i] = _mm512_setzero_si512();
    }
    uint32_t k0 = uint32_t(numbers.seed), k1 = uint32_t(numbers.seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < rounds; ++round, k0 += step0, k1 += step1) {
      const __m512i key0 = _mm512_set1_epi64(k0), key1 = _mm512_set1_epi64(k1);
      for (int i = 0; i < chains; ++i) {
        __m512i product0 = _mm512_mul_epu32(c0[i], m0), product1 = _mm512_mul_epu32(c2[i], m1);
        c0[i] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(product1, 32), c1[i], key0, xor3);
        c1[i] = product1;
        c2[i] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(product0, 32), c3[i], key1, xor3);
        c3[i] = product0;
      }
    }
    for (int i = 0; i < chains; i += 2) {
      __m512i words = _mm512_permutex2var_epi32(c0[i], lower, c0[i + 1]);
      __mmask16 keep = _mm512_cmpge_epu32_mask(_mm512_add_epi32(words, least), twice);
      __m512 values = _mm512_loadu_ps(x + first + 8 * i);
      _mm512_storeu_ps(y + first + 8 * i, _mm512_maskz_mul_ps(keep, values, scale));
    }
  }
  return first;
}

using Run = size_t (*)(const float *, float *, size_t, size_t, const Numbers &);

/// Returns the forms that this processor can run. dropout_cpu.py measures all of them.
std::vector<Run> forms() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f"))
    return {avx512<4>, avx512<6>, avx512<2>};
  if (__builtin_cpu_supports("avx2"))
    return {avx2<2>, avx2<4>};
  return {};
}

} // namespace

/// Returns the number of forms that this processor can run.
extern "C" int dropout_forms() { return int(forms().size()); }

/// Computes y[i] = rand(seed, i) > p ? x[i] / (1 - p) : 0 for n elements, with `threads` threads,
/// in form number `form`.
extern "C" void dropout_seeded(const float *x, float *y, size_t n, float p, uint64_t seed,
                               int threads, int form) {
  Numbers numbers = numbersFor(p, seed);
  Run run = forms()[size_t(form)];
  auto part = [=](size_t first, size_t end) {
    scalar(x, y, run(x, y, first, end, numbers), end, numbers);
  };
  size_t each = (n / size_t(threads) + 64) / 64 * 64;
  std::vector<std::thread> others;
  for (size_t first = each; first < n; first += each)
    others.emplace_back(part, first, std::min(first + each, n));
  part(0, std::min(each, n));
  for (std::thread &thread : others)
    thread.join();
}
