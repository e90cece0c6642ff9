// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps from places (fragment, lane, …) to packed indices, for buffers, reductions and scans. In
// maps of reductions and scans, some bits of the indices are cleared: places with different
// elements of the block then have the same index.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include "llvm/ADT/SmallVector.h"

namespace eft {

constexpr uint64_t bitNumber(unsigned bit) { return uint64_t(1) << bit; }

/// The layout of a block on a CPU with its place dimensions in the order lane, step. A buffer holds
/// the vectors of a block in the order of their steps. So the packed place of an element is the
/// element's number in a buffer.
LinearLayout numbered(const LinearLayout &layout);

/// The map with the bits `indexBits` of every index set to zero.
LinearLayout cleared(const LinearLayout &layout, uint64_t indexBits);

/// The map with other fragments: the fragment's number has `images.size()` bits, and its bit i adds
/// `images[i]` to the packed index. The other dimensions of the place stay.
LinearLayout withFragments(const LinearLayout &layout, llvm::ArrayRef<uint64_t> images);

/// The fragment bits that a thread needs in order to hold all its elements. The other fragment bits
/// only make copies.
llvm::SmallVector<unsigned> neededFragmentBits(const LinearLayout &layout);

/// The map without the fragments in whose numbers other bits than `bits` are set. `bits` number the
/// remaining fragments.
LinearLayout keepFragments(const LinearLayout &layout, llvm::ArrayRef<unsigned> bits);

/// The map in which every thread holds, for each of its elements, all elements whose indices differ
/// from that element's index only in `bits`. The upper bits of the fragment's number are these bits
/// of the index.
LinearLayout gathered(const LinearLayout &layout, uint64_t bits);

/// The map in which every warp holds, for each of its elements, all elements whose indices differ
/// from that element's index only in `bits`. The lanes that would only make copies share them. If
/// there are too few such lanes, a lane has several of them, numbered by the upper bits of the
/// fragment.
LinearLayout gatheredInWarp(const LinearLayout &layout, uint64_t bits);

/// The bits of a thread's number that add `indexBit` to the index. The bits of the lane are the
/// lowest of that number.
uint64_t threadsOf(const LinearLayout &layout, uint64_t indexBit);

} // namespace eft
