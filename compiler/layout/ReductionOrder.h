// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which a reduction combines elements.
//
// A sum of floating-point numbers depends on the order of its additions, so Eft fixes one order for
// all targets. It is the cheapest order on a GPU for a block in the layout below. The order depends
// only on the block's shape, the size of an element and the number of warps. A CPU, or a GPU with
// the block in another layout, uses the same order.
//
// The layout assigns the bits of a row-major walk to registers (one vector of 16 bytes), then to
// lanes, then to warps, and the rest to registers again. So each bit of an index along the axis
// belongs to one of these:
//
//   what a thread holds beyond its first vector     the `steps`: combined one after the other
//   the first vector's bits                         folded, the highest bit first
//   the lanes' bits                                 folded, likewise, by shuffles
//   the warps' bits                                 folded, likewise, through shared memory
//
// To fold a bit is to combine x[i] with x[i + bit]. Steps are the highest bits of the axis. They
// are combined one after the other, not as a tree, so that a loop over them carries one partial
// result. Lane bits and warp bits are folded from the highest to the lowest for the sake of CPUs. A
// CPU's vectors have more lanes than a GPU's vectors have elements, so the lowest of a GPU's lane
// bits are lane bits of the CPU, too. These are folded after the other lane bits, when fewer
// vectors remain to be shuffled.
//
// Blocks that are computed element by element from a matrix product stay in the places where a
// tensor core leaves the product. So their order is the cheapest one for an accumulator whose warps
// lie below each other (accumulatorLayoutByRows in MatrixLayouts.h). The bits of its index belong
// to these places:
//
//   column   1: register       2, 4: lanes   8 …: registers                    the highest: warps
//   row      1, 2, 4: lanes    8: register   16, 32: warps    64 …: registers  the highest: warps
//
// The highest row bits belong to warps only if there are more than four warps, and the highest
// column bits only if there are more warps than parts of 16 rows.
//
// Register bits are folded first, then lane bits, then warp bits; in each group, the highest bit
// first. A row of 64 elements is folded by 32, 16, 8, 1, 4, 2. This order does not depend on the
// product's types.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace eft {

struct ReductionOrder {
  /// The number of equal parts into which the axis is divided. These are combined first, in
  /// sequence.
  int64_t steps = 1;
  /// The index bits that are folded then, in this order.
  std::vector<int32_t> tree;
};

/// The layout (register, lane, warp) in which it is cheapest to reduce a block with elements of
/// `elementBits`. If accesses to memory move `accessElements` neighbours, fewer than a vector has,
/// the lane bits follow directly above those of one access, so that a warp's accesses have no gaps.
/// The other bits of the vector then become lane bits, and the highest lane bits become register
/// bits.
LinearLayout reductionLayout(std::span<const int64_t> shape, int64_t elementBits, int64_t numWarps,
                             int64_t accessElements);

/// The same for accesses that move whole vectors of 16 bytes.
LinearLayout reductionLayout(std::span<const int64_t> shape, int64_t elementBits, int64_t numWarps);

/// The order in which a reduction combines a block of this shape along an axis.
ReductionOrder reductionOrder(std::span<const int64_t> shape, unsigned axis, int64_t elementBits,
                              int64_t numWarps);

/// The order in which a reduction combines a block of this shape along an axis, if the block is
/// computed element by element from a matrix product.
ReductionOrder productReductionOrder(std::span<const int64_t> shape, unsigned axis,
                                     int64_t numWarps);

/// The order along an axis that is cheapest for a block in this layout (register, lane, warp).
/// Reductions that are free of order use it.
ReductionOrder cheapestOrder(const LinearLayout &layout, unsigned axis);

} // namespace eft
