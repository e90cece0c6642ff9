// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeded dropout by hand, with AVX2 and AVX-512: the peer that no compiler made. One call of
// Philox4x32-10 an element, as in the kernel `seeded` of kernels.py, and the same bits where 1 - p
// is a power of two. dropout_cpu.py compiles it and loads it.
//
// Words lie in 64-bit lanes whose upper halves are anything: a product takes the lower halves, and
// gives both halves of the next words. A round is two products, two shifts and four exclusive ors.
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
  uint32_t least; // the least folded word whose float is above p
  float scale;
};

/// A word as a float: folded to 31 bits, and scaled to [0, 1).
float uniform(int32_t word) { return float(word ^ (word >> 31)) * 4.6566127342e-10f; }

Numbers numbersFor(float p, uint64_t seed) {
  uint32_t least = 0;
  for (uint32_t bit = 1u << 30; bit; bit >>= 1) // the float grows with the word
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

/// `chains` vectors of four draws at a time, which are `2 * chains` groups of two neighbours.
template <int chains>
__attribute__((target("avx2"))) size_t avx2(const float *x, float *y, size_t first, size_t end,
                                            const Numbers &numbers) {
  constexpr size_t width = 4 * chains;
  const __m256i m0 = _mm256_set1_epi64x(factor0), m1 = _mm256_set1_epi64x(factor1);
  // A word is kept unless -least <= word < least: unless word + least is below 2 · least.
  constexpr uint32_t sign = 1u << 31;
  const __m256i shift = _mm256_set1_epi32(int32_t(numbers.least + sign));
  const __m256i dropped = _mm256_set1_epi32(int32_t(2 * numbers.least + sign));
  const __m256 scale = _mm256_set1_ps(numbers.scale);
  for (; first + width <= end; first += width) {
    __m256i c0[chains], c1[chains], c2[chains], c3[chains];
    for (int i = 0; i < chains; ++i) {
      // Of two vectors, the one has the neighbours 0, 1, 4, 5, the other 2, 3, 6, 7.
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

/// `chains` vectors of eight draws at a time.
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

/// The forms that this processor has, the fastest first where that was seen.
std::vector<Run> forms() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f"))
    return {avx512<4>, avx512<6>, avx512<2>};
  if (__builtin_cpu_supports("avx2"))
    return {avx2<2>, avx2<4>};
  return {};
}

} // namespace

/// The number of forms for this processor.
extern "C" int dropout_forms() { return int(forms().size()); }

/// y = where(rand(seed, i) > p, x / (1 - p), 0) for n elements, by `threads` threads, in the form
/// of this number.
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
