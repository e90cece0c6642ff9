// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts during a reduction or a scan: maps from places (fragment, lane, …) to packed indices of
// which some bits have been cleared, so that several elements have the same index.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include "llvm/ADT/SmallVector.h"

namespace eft {

constexpr uint64_t bitNumber(unsigned bit) { return uint64_t(1) << bit; }

/// A CPU's layout whose places are numbered in the order in which a buffer holds their elements:
/// the lane's bits are the lowest.
LinearLayout numbered(const LinearLayout &layout);

/// The map with some bits of the index set to zero.
LinearLayout cleared(const LinearLayout &layout, uint64_t indexBits);

/// The map with other fragments: bit i of the fragment adds `images[i]` to the packed index.
LinearLayout withFragments(const LinearLayout &layout, llvm::ArrayRef<uint64_t> images);

/// The numbers of the fragment bits that a thread needs for all its elements; the others only make
/// copies.
llvm::SmallVector<unsigned> neededFragmentBits(const LinearLayout &layout);

/// The map with some of its fragment bits only.
LinearLayout keepFragments(const LinearLayout &layout, llvm::ArrayRef<unsigned> bits);

/// The map in which every thread holds, beside each of its elements, those whose indices differ in
/// `bits` alone. Upper bits of the fragment tell them apart.
LinearLayout gathered(const LinearLayout &layout, uint64_t bits);

/// The bits of a thread's number, lanes lowest, that add `indexBit` to the index.
uint64_t threadsOf(const LinearLayout &layout, uint64_t indexBit);

} // namespace eft
