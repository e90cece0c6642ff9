# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forward of dropout for GPUs where rows begin at places for wide accesses.

WIDTH neighbouring columns of a row are a *unit*: so many that they have 16 bytes in the widest of
the arrays. A thread has the draws of one, and so four units of elements, each of which it loads and
stores as a whole: in late rows those of four rows, in early rows of four times 16 columns. All of a
unit is in the matrix, or nothing.
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
    """y = where(kept, x * scale, 0), and 1 where kept in the mask, if there is one.

    A program has the draws of BLOCK units. Each early row has `row_programs` programs, which come
    first; the others go along the late rows. `factor` and `exponent` divide by `columns` / WIDTH;
    see `divide`. Where `may_keep` is false, the threshold is not 0.
    """
    program = tl.program_id(0).to(tl.int64)
    early = row_programs * tl.minimum(rows, EARLY_ROWS)
    # The places of the draws, rows counted from `first_row`. A draw's words are for elements that
    # are `step` apart; `left` is how many rows or columns there are from its place on.
    if program < early:
        first_row = program // row_programs
        units: tl.constexpr = LANES // WIDTH  # in the first 16 columns of a group
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
    """The words of the draws of units that begin with these columns.

    Where nothing may be kept they are zeros, which are below the threshold: that branch takes fewer
    instructions than a test for each element.
    """
    row_low, row_high = halves(row[:, None])
    low, high = halves(column[:, None])
    zeros = tl.zeros((row.shape[0], lane.shape[1]), tl.uint32)
    words = (zeros, zeros, zeros, zeros)
    if may_keep:
        words = tl.philox(seed, low + lane, high, row_low, row_high)
    return words
