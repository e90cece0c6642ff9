// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which a reduction combines elements.
//
// A sum of floating-point numbers depends on the order of its additions, so Eft fixes one, for
// every target: the order that costs a GPU nothing when the block lies in the layout below. It
// follows from the block's shape, the size of an element and the number of warps, and from nothing
// else; a CPU, or a GPU with the block in another layout, keeps to it.
//
// Take the layout that deals a row-major walk out to registers (one vector of 16 bytes), lanes,
// warps, and registers again. Each bit of an index along the axis then belongs to one of those:
//
//   what a thread holds beyond its first vector     the `steps`: combined one after the other
//   the first vector's bits                         folded, the highest bit first
//   the lanes' bits                                 folded, likewise, by shuffles
//   the warps' bits                                 folded, likewise, through shared memory
//
// Steps come one after the other, not as a tree, so that a loop over them carries one partial
// result; they are the highest bits of the axis. To fold a bit is to combine x[i] with x[i + bit].
// The highest bits lead because a CPU's vectors have more lanes than a GPU's: the lanes' own bits
// come last, when few vectors are left to be shuffled.
//
// Blocks that are computed element by element from a matrix product lie as a tensor core leaves
// it, and stay there. So their order is the one that costs nothing in an accumulator whose warps
// lie below each other (accumulatorLayoutByRows in MatrixLayouts.h):
//
//   column            1: register    2, 4: lanes       8 …: registers    the highest: warps beyond
//   row               1, 2, 4: lanes 8: register       16, 32: warps     64 …: registers
//                                                      the highest: warps beyond four
//
// Registers fold first, then lanes, then warps; of each, the highest bit leads. A row of 64 is
// folded by 32, 16, 8, 1, 4, 2. Nothing of that depends on the product's types either.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace eft {

struct ReductionOrder {
  int64_t steps = 1;         ///< equal parts of the axis that are combined element by element first
  std::vector<int32_t> tree; ///< then the index bits that are folded, in this order
};

/// The layout (register, lane, warp) in which reducing a block of such elements is cheapest. If
/// accesses to memory move fewer neighbours than a vector has, the lanes come that much lower, for
/// the warp's accesses to have no gaps. Its vectors' other bits then fold by shuffles, or lie
/// higher.
LinearLayout reductionLayout(std::span<const int64_t> shape, int64_t elementBits, int64_t numWarps,
                             int64_t accessElements);

/// The same where accesses move whole vectors.
LinearLayout reductionLayout(std::span<const int64_t> shape, int64_t elementBits, int64_t numWarps);

/// The order along one axis of a block of this shape.
ReductionOrder reductionOrder(std::span<const int64_t> shape, unsigned axis, int64_t elementBits,
                              int64_t numWarps);

/// The order along one axis of a block of this shape that is computed element by element from a
/// matrix product.
ReductionOrder productReductionOrder(std::span<const int64_t> shape, unsigned axis,
                                     int64_t numWarps);

/// The order along one axis that costs least in this layout (register, lane, warp).
ReductionOrder cheapestOrder(const LinearLayout &layout, unsigned axis);

} // namespace eft
