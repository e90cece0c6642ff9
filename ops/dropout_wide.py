# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forward of dropout for GPUs, for arrays whose rows all begin at multiples of 16 bytes.

WIDTH neighbouring columns of a row are a *unit*. WIDTH is chosen such that a unit has 16 bytes in
the array with the widest elements. A thread makes the draws of one unit, and so computes four units
of elements: in late rows units of four rows that are 16 apart, in early rows units of one row that
are 16 columns apart. It loads and stores each unit as a whole. A unit lies either entirely inside
the matrix or entirely outside.
"""

import eft
import eft.language as tl
from dropout import EARLY_ROWS, GROUP, LANES, halves, places


@eft.jit
def wide(
    x_ptr,
    y_ptr,
    mask_ptr,
    rows,
    columns,
    seed,
    threshold,
    may_keep,
    scale,
    factor,
    exponent,
    row_programs,
    WIDTH: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Computes y = where(kept, x * scale, 0), and the mask, if there is one: 1 where kept, else 0.

    A program makes the draws of BLOCK units. The first programs have the early rows, `row_programs`
    programs for each row. The other programs have the late rows. `factor` and `exponent` divide by
    `columns` / WIDTH; see `divide`. If `may_keep` is false, the threshold must not be 0.
    """
    program = tl.program_id(0).to(tl.int64)
    early = row_programs * tl.minimum(rows, EARLY_ROWS)
    # The places of the draws, with `row` counted from `first_row`. The elements of a draw are
    # `step` elements apart in memory. `left` is the number of late rows, or columns of an early
    # row, from a draw's first element to the end of the matrix.
    if program < early:
        first_row = program // row_programs
        units: tl.constexpr = LANES // WIDTH  # the units in the first 16 columns of a group
        first_group = (program - first_row * row_programs) * (BLOCK // units)
        unit = tl.arange(0, BLOCK)
        row = tl.zeros((BLOCK,), tl.int32)
        column = first_group * GROUP + (unit // units * GROUP + unit % units * WIDTH)
        step = tl.cast(LANES, tl.int64)
        left = tl.minimum(columns - column, GROUP).to(tl.int32)
    else:
        first = (program - early) * BLOCK
        draw_row, further, unit = places(
            first, columns // WIDTH, (factor, exponent), tl.arange(0, BLOCK), BLOCK
        )
        first_row = EARLY_ROWS + draw_row // LANES * GROUP
        row = (draw_row % LANES).to(tl.int32) + further
        row = row // LANES * GROUP + row % LANES
        column = unit * WIDTH
        step = tl.cast(LANES * columns, tl.int64)
        left = tl.minimum(rows - first_row, 1 << 30).to(tl.int32) - row
    lane = tl.arange(0, WIDTH)[None, :]
    at = first_row * columns + ((row.to(tl.int64) * columns + column)[:, None] + lane)
    xs = ()
    for word in tl.static_range(4):
        inside = (left > word * LANES)[:, None]
        xs = xs + (tl.load(x_ptr + word * step + at, mask=inside),)
    words = draw_units(seed, first_row + row, column, lane, may_keep)
    for word in tl.static_range(4):
        inside = (left > word * LANES)[:, None]
        kept = words[word] >= threshold
        y = tl.where(kept, xs[word] * scale, 0.0)
        tl.store(y_ptr + word * step + at, y, mask=inside)
        if mask_ptr is not None:
            tl.store(mask_ptr + word * step + at, kept.to(tl.int32), mask=inside)


@eft.jit
def draw_units(seed, row, column, lane, may_keep):
    """Returns the words of the draws of units that begin at these columns.

    If nothing may be kept, the words are zeros, which are below the threshold. This branch takes
    fewer instructions than a test for each element.
    """
    row_low, row_high = halves(row[:, None])
    low, high = halves(column[:, None])
    zeros = tl.zeros((row.shape[0], lane.shape[1]), tl.uint32)
    words = (zeros, zeros, zeros, zeros)
    if may_keep:
        words = tl.philox(seed, low + lane, high, row_low, row_high)
    return words
