# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans in NumPy whose results equal those of kernels in every bit.

A sum of floats depends on the order of its additions. Eft fixes this order, and uses the same order
on every device. The order depends on the block's shape, the size of an element, and the number of
warps. The functions of this module combine in the same order. docs/language.md gives the reasons
for the order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

_LANE_BITS = 5
_VECTOR_BYTES = 16
_PRODUCT_EXTENT = 16


@dataclass(frozen=True)
class ReductionOrder:
    """The order in which a reduction combines the elements along an axis. First, the axis is
    divided into `steps` equal parts of consecutive elements. The parts are combined element by
    element, in sequence, which leaves one part. Then each number `bit` of `tree` folds one bit of
    the index: it combines x[i] with x[i + bit]."""

    steps: int
    tree: tuple[int, ...]


def reduction_order(
    shape: tuple[int, ...],
    axis: int,
    itemsize: int,
    num_warps: int = 4,
    of_product: bool = False,
) -> ReductionOrder:
    """Returns the order in which a block of this shape is reduced along an axis.

    Divide the bits of the row-major index, from the lowest bit up, into four groups. The first
    group numbers the elements of a 16-byte vector along the last dimension, the second the 32 lanes
    of a warp (five bits), and the third the warps. The fourth group has the remaining bits. If the
    block has fewer elements than vector, lanes and warps need, the vector is shorter. The tree
    consists of those bits of the first three groups that belong to the axis: first the bits of the
    vector, then those of the lanes, then those of the warps. Within a group the highest bit comes
    first. The bits of the axis in the fourth group number the steps.

    If the block is computed from a matrix product, the order follows the layout of the accumulator;
    see `_order_of_product`.

    Args:
        shape: the block's extents, powers of two.
        axis: the dimension that is reduced.
        itemsize: the size of an element in bytes; if several blocks are reduced together, that of
            the first block.
        num_warps: the launch option.
        of_product: whether the block is computed element by element from the result of `tl.dot`.

    Raises:
        ValueError: with `of_product`, the shape does not have two extents of at least 16.
    """
    bits = [extent.bit_length() - 1 for extent in shape]
    axis %= len(shape)
    if of_product:
        if len(shape) != 2 or min(shape) < _PRODUCT_EXTENT:
            raise ValueError(
                f"a product has two dimensions of at least {_PRODUCT_EXTENT}, got {shape}"
            )
        return _order_of_product(*bits, axis, num_warps)
    start = sum(bits[axis + 1 :])
    threads = _LANE_BITS + num_warps.bit_length() - 1
    vector = min((_VECTOR_BYTES // itemsize).bit_length() - 1, bits[-1])
    vector = min(vector, max(sum(bits) - threads, 0))
    ends = (vector, vector + _LANE_BITS, vector + threads)
    tree: list[int] = []
    for first, end in zip((0, *ends), ends, strict=False):
        own = [1 << bit for bit in range(bits[axis]) if first <= start + bit < end]
        tree += reversed(own)
    return ReductionOrder(1 << (bits[axis] - len(tree)), tuple(tree))


def _order_of_product(rows: int, columns: int, axis: int, num_warps: int) -> ReductionOrder:
    """Returns the order for a block of a product with 2^rows rows and 2^columns columns.

    Bits of registers fold first, then bits of lanes, then bits of warps; within each of these, the
    highest bit folds first. Bits 0 to 2 of the row number and bits 1 and 2 of the column number are
    lanes. Bits 4 and 5 of the row number are warps, for the first four warps. Further bits of the
    warp's number are the highest row bits. If there are too few row bits from bit 4 on for all
    bits of the warp's number, the remaining ones are the highest column bits. All other bits of the
    row and the column number are registers."""
    warp_bits = num_warps.bit_length() - 1
    down = min(warp_bits, rows - 4)
    across = min(warp_bits - down, columns - 3)
    if axis == 0:
        group = min(down, 2)
        warps = [*range(4, 4 + group), *range(rows - (down - group), rows)]
        lanes, bits = range(3), range(rows)
    else:
        lanes, warps, bits = range(1, 3), range(columns - across, columns), range(columns)
    registers = [bit for bit in bits if bit not in lanes and bit not in warps]
    tree = (1 << bit for place in (registers, lanes, warps) for bit in reversed(place))
    return ReductionOrder(1, tuple(tree))


def reduce_in_order(
    x, axis: int | None, combine: Callable, num_warps: int = 4, of_product: bool = False
):
    """Returns the result of `tl.reduce`; with `combine=np.add`, that of `tl.sum`.

    Args:
        x: an array, or a tuple of arrays of one shape. The extents are powers of two.
        axis: the dimension that is reduced. None reduces all elements, in row-major order.
        combine: a function that combines elements pairwise. For n arrays in `x` it takes 2n arrays:
            n arrays with the earlier elements, then n with the later elements. It returns an array,
            or a tuple of n arrays. Calls differ in the shapes of the arrays.
        num_warps: the launch option.
        of_product: whether one of the blocks is computed element by element from the result of
            `tl.dot`. Without an axis this makes no difference.
    """
    blocks = x if isinstance(x, tuple) else (x,)
    if axis is None:
        blocks, axis, of_product = tuple(block.reshape(-1) for block in blocks), 0, False
    itemsize = blocks[0].dtype.itemsize
    order = reduction_order(blocks[0].shape, axis, itemsize, num_warps, of_product)
    blocks = tuple(np.moveaxis(block, axis, 0) for block in blocks)
    parts = list(zip(*(np.split(block, order.steps) for block in blocks), strict=True))
    total = parts[0]
    for part in parts[1:]:
        total = _combined(combine, total, part)
    for bit in order.tree:
        total = _folded(combine, total, bit)
    total = tuple(block[0] for block in total)
    return total if isinstance(x, tuple) else total[0]


def _folded(combine, blocks, bit: int):
    """Combines x[i] with x[i + bit] for every index i in which the bit is not set. The extents stay
    the same. Elements at indices with the bit set are not needed afterwards."""
    index = np.arange(len(blocks[0]))
    lower = index & ~bit
    upper = index | bit
    return _combined(
        combine, tuple(block[lower] for block in blocks), tuple(block[upper] for block in blocks)
    )


def scan_in_order(x, axis: int, combine: Callable, reverse: bool = False):
    """Returns the result of `tl.associative_scan`; with `combine=np.add`, that of `tl.cumsum`.

    The scan goes through the bits of the index, from the lowest to the highest. For each bit, every
    element whose index i has this bit set changes: x[i] becomes combine(x[j], x[i]), where j is i
    with this bit cleared and all lower bits set. With `reverse`, the axis is reversed before and
    after.

    Args:
        x, combine: as in `reduce_in_order`.
        axis: the dimension along which the scan goes.
        reverse: whether the scan goes from the last element to the first.
    """
    blocks = x if isinstance(x, tuple) else (x,)
    blocks = tuple(np.moveaxis(block, axis, 0) for block in blocks)
    if reverse:
        blocks = tuple(block[::-1] for block in blocks)
    index = np.arange(len(blocks[0]))
    bit = 1
    while bit < len(index):
        upper = index[index & bit != 0]
        before = (upper & ~bit) | (bit - 1)
        new = _combined(
            combine,
            tuple(block[before] for block in blocks),
            tuple(block[upper] for block in blocks),
        )
        blocks = tuple(block.copy() for block in blocks)
        for block, values in zip(blocks, new, strict=True):
            block[upper] = values
        bit *= 2
    if reverse:
        blocks = tuple(block[::-1] for block in blocks)
    blocks = tuple(np.moveaxis(block, 0, axis) for block in blocks)
    return blocks if isinstance(x, tuple) else blocks[0]


def _combined(combine, before, behind) -> tuple:
    result = combine(*before, *behind)
    return result if isinstance(result, tuple) else (result,)
