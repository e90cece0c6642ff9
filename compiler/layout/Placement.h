// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placements: layouts of blocks on a GPU or a CPU, as pure functions of a block's shape and of what
// its accesses allow.
//
// A placement walks the block's elements in one order, the fastest dimension first. It assigns the
// bits of that walk to the place dimensions, from the lowest bit to the highest:
//
//   GPU     register (one vector)  →  lane (32)  →  warp  →  register (further vectors)
//   CPU     lane (SIMD)            →  step
//
// So a warp touches consecutive memory with each vector access. If a block has more elements than
// one vector per thread, the other vectors lie in upper register bits. 1024 elements over 4 warps,
// with vectors of 4, are two vectors per thread, 512 elements apart:
//
//   register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]
//
// If a block has less than one vector per thread, the vectors become shorter. If it has fewer
// elements than there are threads, the highest bits of lane and warp get bases of zero: threads
// that differ only in these bits hold copies.
//
//   64 elements:   register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace eft {

inline constexpr int64_t lanesPerWarp = 32;

/// Checks a number of warps per program. Returns "" if it is valid: a power of two up to 32.
/// Otherwise returns an error message that begins with "must be", so that a caller can put the name
/// of the number before it.
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
/// fastest first. A vector access moves `vectorElements` along order[0]. All extents and counts are
/// powers of two.
LinearLayout placeOnGpu(std::span<const int64_t> shape, std::span<const unsigned> order,
                        int64_t vectorElements, int64_t numWarps);

/// The layout (lane, step) of a block on a CPU. A vector has `laneElements` elements, or the whole
/// block if that is smaller.
LinearLayout placeOnCpu(std::span<const int64_t> shape, std::span<const unsigned> order,
                        int64_t laneElements);

/// The number of elements in a SIMD vector: as many of the widest element type in memory as a
/// vector register holds.
int64_t simdLanes(int64_t vectorBits, int64_t widestElementBits);

/// The order in which the last dimension is the fastest.
std::vector<unsigned> rowMajorOrder(unsigned rank);

} // namespace eft
