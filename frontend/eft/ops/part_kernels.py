# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout of a part of a matrix. It drops the same elements of the part as dropout of the whole
matrix does. docs/operators.md defines the random number of an element.

Unlike the kernels of the other operators, these are compiled at their first use.
"""

from __future__ import annotations

import eft
import eft.language as tl

EARLY_ROWS = 1024  # in the first 1024 rows, the four words of a draw are for four columns
LANES = tl.constexpr(16)  # 16 neighbours use the same word of 16 different draws
GROUP = tl.constexpr(64)  # the elements of 16 draws: four for each draw


@eft.jit
def drop_part(
    x_ptr,
    y_ptr,
    first_row: tl.int64,
    first_column: tl.int64,
    rows: tl.int64,
    columns: tl.int64,
    seed: tl.int64,
    threshold: tl.uint32,
    may_keep: tl.int1,
    scale: tl.float64,
    EARLY: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    """Computes y = where(kept, x * scale, 0) for a part of a matrix: `rows` rows and `columns`
    columns, from (`first_row`, `first_column`) on. x and y hold only the part, row-major without
    gaps.

    A program has a tile of ROWS by COLUMNS elements. In the matrix a tile begins at a multiple of
    ROWS and a multiple of COLUMNS. The four elements of a draw lie in a group of 64 elements: a
    group of columns if EARLY, else a group of rows. All rows of a launch are early or none are.
    Along the groups, the extent of a tile is a multiple of 64, so all four elements of a draw lie
    in one tile.
    """
    left = first_column // COLUMNS * COLUMNS
    top = first_row // ROWS * ROWS
    across = tl.cdiv(first_column + columns - left, COLUMNS)
    program = tl.program_id(0).to(tl.int64)
    row = top + program // across * ROWS + group_places(ROWS, not EARLY)[:, None]
    column = left + program % across * COLUMNS + group_places(COLUMNS, EARLY)[None, :]
    words = tl.philox(
        *(seed, column.to(tl.int32), (column >> 32).to(tl.int32)),
        *(row.to(tl.int32), (row >> 32).to(tl.int32)),
    )
    for word in tl.static_range(4):
        down = row - first_row + (0 if EARLY else word * LANES)
        along = column - first_column + (word * LANES if EARLY else 0)
        inside = (down >= 0) & (down < rows) & (along >= 0) & (along < columns)
        x = tl.load(x_ptr + down * columns + along, mask=inside)
        if x.dtype != tl.float64:
            x = x.to(tl.float32)
        kept = (words[word] >= threshold) & may_keep
        y = tl.where(kept, x * scale.to(x.dtype), 0.0)
        tl.store(y_ptr + down * columns + along, y, mask=inside)


@eft.jit
def group_places(EXTENT: tl.constexpr, IN_GROUPS: tl.constexpr):
    """Returns the indices, along one side of a tile, of the elements that use the first word of a
    draw: the first 16 of each group of 64 if IN_GROUPS, else all."""
    if IN_GROUPS:
        place = tl.arange(0, EXTENT // 4)
        return place // LANES * GROUP + place % LANES
    else:
        return tl.arange(0, EXTENT)


def launch(x, y, first_row: int, first_column: int, rows: int, columns: int, seed: int, p, scale):
    """Computes y from x, a part of a matrix, with `drop_part`.

    Args:
        x, y: arrays of floats of one type, without gaps.
        first_row, first_column: where the part begins in the matrix.
        rows, columns: its extents.
        seed: a signed integer of 64 bits.
        p, scale: the probability of dropping an element, and the factor of the kept elements.
    """
    import math

    may_keep = p < 1
    threshold = math.ceil(p * 2**32) if may_keep else 2**32 - 1
    early = max(min(rows, EARLY_ROWS - first_row), 0)
    for begin, end in ((0, early), (early, rows)):
        if begin == end or columns == 0:
            continue
        is_early = first_row + begin < EARLY_ROWS
        tile = (8, 512) if is_early else (64, 64)
        starts, ends = (first_row + begin, first_column), (first_row + end, first_column + columns)
        down, across = (
            -(-last // extent) - first // extent
            for first, last, extent in zip(starts, ends, tile, strict=True)
        )
        skipped = begin * columns
        drop_part[(down * across,)](
            *(x[skipped:], y[skipped:], *starts, end - begin, columns),
            *(seed, threshold, may_keep, scale),
            *(is_early, *tile),
        )
