# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forward of dropout for GPUs.

Arrays may begin anywhere, and so may rows. Warps that begin with them would write the two halves of
a sector of 32 bytes. So threads begin where y has 16 · k elements, counted from a multiple of 16
elements' bytes; `shift` is how many there are in front of y's first. All elements are asked for
before the first is written: a thread waits for its memory once.
"""

import eft
import eft.language as tl
from dropout import EARLY_ROWS, GROUP, LANES, divide, draw, moved, places, write


@eft.jit
def gpu_program(
    arrays,
    rows,
    columns,
    seed,
    rule,
    division,
    plan,
    STRIPS: tl.constexpr,
    GROUPS: tl.constexpr,
    BLOCK: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """`plan` is (shift, row_programs).

    Each early row has `row_programs` programs, of STRIPS strips of GROUPS * 64 places. They come
    first; the others have BLOCK draws of late rows each. STRIPS * 16 is the number of threads.
    WIDTH draws lie side by side in memory that begins at a multiple of their size.
    """
    program = tl.program_id(0).to(tl.int64)
    shift, row_programs = plan
    early = row_programs * tl.minimum(rows, EARLY_ROWS)
    if program < early:
        row = program // row_programs
        part = program - row * row_programs
        early_row(arrays, row, part, columns, seed, rule, shift, STRIPS, GROUPS)
    else:
        first = (program - early) * BLOCK - shift
        last_draw_row = divide(first + BLOCK - 1, division)
        if (first >= 0) & (EARLY_ROWS + (last_draw_row // LANES + 1) * GROUP <= rows):
            late_rows(arrays, rows, first, columns, seed, rule, division, True, BLOCK, WIDTH)
        else:
            late_rows(arrays, rows, first, columns, seed, rule, division, False, BLOCK, WIDTH)


@eft.jit
def late_rows(
    arrays,
    rows,
    first,
    columns,
    seed,
    rule,
    division,
    WHOLE: tl.constexpr,
    BLOCK: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """BLOCK draws, counted from `first` on along the columns, then over the rows that are first in
    their draws: 16 of each 64, which follow each other in memory. The four rows of a draw begin at
    like places of 16 elements. WHOLE says that there are all of their elements. A row has more than
    WIDTH columns, or WIDTH is 1."""
    x_ptr, y_ptr, mask_ptr = arrays
    unit = tl.arange(0, BLOCK // WIDTH) * WIDTH
    draw_row, further, column = places(first, columns, division, unit, BLOCK)
    first_row = EARLY_ROWS + draw_row // LANES * GROUP
    place = (draw_row % LANES).to(tl.int32) + further
    row = place // LANES * GROUP + place % LANES
    start = first_row * columns + (row.to(tl.int64) * columns + column)
    row, column = row[:, None], column[:, None]
    lane = tl.arange(0, WIDTH)[None, :]
    at = tl.multiple_of(start, WIDTH)[:, None] + lane
    if WIDTH > 1:
        next_column = lane - tl.minimum(columns - column, WIDTH).to(tl.int32)  # in the next row
        row += (next_column >= 0).to(tl.int32)
        column = tl.where(next_column >= 0, next_column, column + lane)
    rows_left = tl.minimum(rows - first_row, 1 << 30).to(tl.int32)
    loaded = ()  # from four addresses of the whole program's, so threads keep one offset for all
    for word in tl.static_range(4):
        inside = None if WHOLE else (column >= 0) & (row + word * LANES < rows_left)
        skip = word * LANES * columns
        loaded = loaded + ((skip, inside, tl.load(x_ptr + skip + at, mask=inside)),)
    words = draw(seed, first_row + row, column)
    for word in tl.static_range(4):
        skip, inside, x = loaded[word]
        mask = moved(moved(mask_ptr, skip), at)
        write(y_ptr + skip + at, mask, x, words[word], inside, rule)


@eft.jit
def early_row(
    arrays,
    row,
    part,
    columns,
    seed,
    rule,
    shift,
    STRIPS: tl.constexpr,
    GROUPS: tl.constexpr,
):
    """STRIPS strips of GROUPS * 64 places of a row, from `part` * STRIPS on.

    A strip is walked in *turns* of 16 elements. A row's first turn begins up to 15 columns in front
    of the row, at the column `first`. A thread has the same place in every turn, so its columns are
    16 apart and take a word of their draw after the other. A thread that turn 0 has in front of the
    row is one word behind the others. Where the row begins 12 elements behind such a multiple,

        turn      0                            1                               2
        column    . . . . . . . . . . . . 0-3  4 … 15, 16 … 19                 . . .
        word of them                      0    0 … 0   1 … 1
        first     -12 … -1                0-3  of each place, the same in all turns

    What that has in front of a strip's own columns needs one word of the strip before.
    """
    x_ptr, y_ptr, mask_ptr = arrays
    strip = tl.arange(0, STRIPS)[:, None] + part * STRIPS
    strip_column = strip * (GROUPS * GROUP)
    start = row * columns
    skew = (start.to(tl.int32) + shift) & (LANES - 1)
    first = tl.arange(0, LANES)[None, :] - skew
    begins = (first >= 0) | (strip > 0)
    left = tl.minimum(columns - strip_column, (GROUPS + 1) * GROUP).to(tl.int32) - first
    at = start + strip_column + first
    xs = ()
    for turn in tl.static_range(GROUPS * 4):
        inside = is_inside(begins, left, turn)
        xs = xs + (tl.load(x_ptr + at + turn * LANES, mask=inside),)
    draw_column = strip_column + (first & (LANES - 1))
    word = draw(seed, row, draw_column - GROUP)[3]
    for turn in tl.static_range(GROUPS * 4):
        before = word
        if turn % 4 == 0:
            words = draw(seed, row, draw_column + turn * LANES)
        word = words[turn % 4]
        at_turn = at + turn * LANES
        word_here = tl.where(first < 0, before, word)
        inside = is_inside(begins, left, turn)
        mask = moved(mask_ptr, at_turn)
        write(y_ptr + at_turn, mask, xs[turn], word_here, inside, rule)


@eft.jit
def is_inside(begins, left, TURN: tl.constexpr):
    """Whether each place has an element in a turn. `left` counts the columns from `first` on, and
    `begins` says whether the place is in the row in turn 0 already."""
    return begins & (left > 0) if TURN == 0 else left > TURN * LANES
