// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that replace compiled kernels in the tests of eft._runtime. All have the host's ABI.
#include <stdint.h>
#include <string.h>
#include <unistd.h>

// The parameters, the grid and the number of programs of launches of `record`.
int expected_slots = 0;
uint64_t seen_slots[64];
uint32_t seen_grid[3];
uint64_t seen_programs = 0;

void record(const uint64_t *slots, const uint32_t grid[3], uint64_t first, uint64_t count) {
  memcpy(seen_slots, slots, sizeof(uint64_t) * (size_t)expected_slots);
  memcpy(seen_grid, grid, sizeof(seen_grid));
  __atomic_fetch_add(&seen_programs, count, __ATOMIC_RELAXED);
}

// counts[program] += 1, for int32 counts.
void count(const uint64_t *slots, const uint32_t grid[3], uint64_t first, uint64_t count) {
  int32_t *counts = (int32_t *)slots[0];
  for (uint64_t i = first; i < first + count; ++i)
    counts[i] += 1;
}

// out[i] = x[i] + a for i < n, in fp32. A program computes a block of 64.
void add(const uint64_t *slots, const uint32_t grid[3], uint64_t first, uint64_t count) {
  const float *x = (const float *)slots[0];
  float *out = (float *)slots[1];
  float a;
  memcpy(&a, &slots[2], sizeof(a));
  int32_t n = (int32_t)slots[3];
  for (uint64_t i = first * 64; i < (first + count) * 64 && (int64_t)i < n; ++i)
    out[i] = x[i] + a;
}

// Each program sleeps for as many milliseconds as the first parameter says.
void nap(const uint64_t *slots, const uint32_t grid[3], uint64_t first, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    usleep((useconds_t)slots[0] * 1000);
}

void nothing(const uint64_t *slots, const uint32_t grid[3], uint64_t first, uint64_t count) {}
