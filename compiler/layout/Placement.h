// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placements: the layout of a block, as a pure function of its shape and of what its accesses
// allow.
//
// Both walk the block's elements in one order, the fastest dimension first, and deal the bits of
// that walk out to the place dimensions from the lowest to the highest:
//
//   GPU     register (one vector)  →  lane (32)  →  warp  →  register (further vectors)
//   CPU     lane (SIMD)            →  step
//
// A warp thus touches consecutive memory with each vector access. The elements of a block beyond
// one vector per thread lie in upper register bits. 1024 elements over 4 warps, with vectors of 4,
// are two vectors per thread, 512 elements apart:
//
//   register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]
//
// A block with fewer elements than that first gets shorter vectors, then leaves lanes and warps
// free (bases of zero: they hold copies):
//
//   64 elements:   register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace eft {

inline constexpr int64_t lanesPerWarp = 32;

/// The fault of a number of warps of a program, as a text; empty if there is none. Diagnostics put
/// the number's name before it.
std::string validateNumWarps(int64_t count);

/// The names of the place dimensions, in order.
namespace place {
inline constexpr std::string_view registers = "register", lane = "lane", warp = "warp",
                                  step = "step", offset = "offset";
}

/// The dimensions of a place on a GPU, and on a CPU.
inline constexpr std::string_view gpuPlaces[] = {place::registers, place::lane, place::warp};
inline constexpr std::string_view cpuPlaces[] = {place::lane, place::step};

/// The layout (register, lane, warp) of a block on a GPU. `order` lists the block's dimensions, the
/// fastest first; a vector access moves `vectorElements` along order[0]; all extents and counts are
/// powers of two.
LinearLayout placeOnGpu(std::span<const int64_t> shape, std::span<const unsigned> order,
                        int64_t vectorElements, int64_t numWarps);

/// The layout (lane, step) of a block on a CPU, where a vector has `laneElements`, or the whole
/// block if that is smaller.
LinearLayout placeOnCpu(std::span<const int64_t> shape, std::span<const unsigned> order,
                        int64_t laneElements);

/// The number of elements of a vector: as many of the widest element in memory as a vector register
/// holds.
int64_t simdLanes(int64_t vectorBits, int64_t widestElementBits);

/// The order in which the last dimension is the fastest.
std::vector<unsigned> rowMajorOrder(unsigned rank);

} // namespace eft
