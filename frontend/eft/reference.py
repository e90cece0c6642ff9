# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans in NumPy, with the bits that kernels compute.

A sum of floats depends on the order of its additions. Eft fixes one, the same for every device: it
follows from the block's shape, the size of an element and the number of warps. The functions here
combine in that order; docs/language.md says where it comes from.
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
    """The order along an axis: first `steps` equal parts of it are combined element by element, one
    after the other. Then each number of `tree` folds one bit of the index: x[i] and x[i + bit] are
    combined."""

    steps: int
    tree: tuple[int, ...]


def reduction_order(
    shape: tuple[int, ...],
    axis: int,
    itemsize: int,
    num_warps: int = 4,
    of_product: bool = False,
) -> ReductionOrder:
    """The order in which a block of this shape is reduced along an axis.

    Take the bits of a row-major index, the lowest first. Those of one 16-byte vector of the last
    dimension come first, then five for the lanes of a warp, then those of the warps; a block with
    fewer elements than that has a shorter vector. What is left makes steps. The bits of the
    vector fold first, then those of the lanes, then those of the warps; of each, the highest leads.

    A block that is computed from a matrix product has the order of its accumulators.

    Args:
        shape: the block's extents, powers of two.
        axis: the dimension that is reduced.
        itemsize: the bytes of an element; of several blocks, of one of the first.
        num_warps: the launch's option.
        of_product: the block is computed element by element from the result of `tl.dot`.
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
    """Registers fold first, then lanes, then warps; of each, the highest bit leads. A warp has 16
    rows, whose bits 0 to 2 are lanes; four warps have the next two bits, and more of them the
    highest. Of the columns, bits 1 and 2 are lanes; warps beyond the rows have the highest bits.
    All else are registers. `rows` and `columns` count bits."""
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
    """The result of `tl.reduce`, and with `combine=np.add`, `tl.sum`.

    Args:
        x: an array, or a tuple of arrays of one shape; extents are powers of two.
        axis: the dimension that goes; None reduces all, in row-major order.
        combine: takes an array for each of `x`, the elements before, then one for each, those
            behind; gives an array, or a tuple of them if `x` is a tuple. It sees arrays of many
            shapes.
        num_warps: the launch's option.
        of_product: one of the blocks is computed element by element from the result of `tl.dot`.
            Without an axis that makes no difference.
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
    """Combines x[i] and x[i + bit] for every i without that bit. Extents stay: where the bit is set
    lies nothing of interest from then on."""
    index = np.arange(len(blocks[0]))
    lower = index & ~bit
    upper = index | bit
    return _combined(
        combine, tuple(block[lower] for block in blocks), tuple(block[upper] for block in blocks)
    )


def scan_in_order(x, axis: int, combine: Callable, reverse: bool = False):
    """The result of `tl.associative_scan`, and with `combine=np.add`, `tl.cumsum`.

    For each bit of the index, from the lowest on, every element that has it is combined with the
    last one of the half before: x[i] becomes combine(x[j], x[i]), where j is i with that bit
    cleared and all lower ones set. With `reverse`, that happens on the reversed axis.

    Args:
        x, combine: as for `reduce_in_order`.
        axis: the dimension along which.
        reverse: go from the last element to the first.
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
