// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts on the way through a reduction or a scan: maps from places (fragment, lane, …) to packed
// indices that no longer tell all elements apart.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include "llvm/ADT/SmallVector.h"

namespace eft {

constexpr uint64_t bitNumber(unsigned bit) { return uint64_t(1) << bit; }

/// A CPU's layout with the places numbered as their elements lie in a buffer: the lane's bits are
/// the lowest.
LinearLayout numbered(const LinearLayout &layout);

/// The map with some bits of the index set to zero.
LinearLayout cleared(const LinearLayout &layout, uint64_t indexBits);

/// The map with other fragments: bit i of the fragment adds `images[i]` to the packed index.
LinearLayout withFragments(const LinearLayout &layout, llvm::ArrayRef<uint64_t> images);

/// The numbers of the fragment bits without which a thread still holds all that it does.
llvm::SmallVector<unsigned> neededFragmentBits(const LinearLayout &layout);

/// The map with some of its fragment bits only.
LinearLayout keepFragments(const LinearLayout &layout, llvm::ArrayRef<unsigned> bits);

/// Every thread holds, for each of its elements without the index bits `bits`, those with all
/// settings of them, in upper bits of the fragment.
LinearLayout gathered(const LinearLayout &layout, uint64_t bits);

/// The bits of a thread's number, lanes lowest, that add `indexBit` to the index.
uint64_t threadsOf(const LinearLayout &layout, uint64_t indexBit);

} // namespace eft
