# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forward of dropout for GPUs.

Arrays and rows may begin at any address. If the accesses of a warp began where a row begins, two
warps would each write a part of the same sector of 32 bytes. So accesses to y begin at multiples of
16 elements in memory. `shift` is the number of elements between the last such multiple and y's
first element. A thread issues all of its loads before its first store, so it waits for memory once.
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
    """Runs one program of the forward. `plan` is (shift, row_programs).

    The first programs have the early rows: each early row has `row_programs` programs, and each
    program has STRIPS strips of GROUPS * 64 columns. Every other program has BLOCK draws of late
    rows. STRIPS * 16 is the number of threads. A thread has WIDTH neighbouring draws, and the first
    elements of these draws begin at a multiple of WIDTH elements in memory.
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
    """Computes the elements of BLOCK draws of late rows. The draws are numbered row by row over the
    rows that use word 0: the first 16 of each 64 rows, which follow each other in memory. The first
    draw has the number `first`. The four rows of a draw are 16 rows apart, so they have the same
    offset from a multiple of 16 elements. WHOLE says that all elements of the draws are in the
    matrix. A row has more than WIDTH columns, or WIDTH is 1."""
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
    loaded = ()  # from four addresses that all threads share, plus one offset for each thread
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
    """Computes STRIPS strips of an early row, from the strip `part` * STRIPS on. A strip has GROUPS
    * 64 columns.

    16 threads walk over each strip in *turns* of 16 elements, one for each thread. Turns begin at
    multiples of 16 elements in memory, so turn 0 of a row begins up to 15 columns before the row. A
    thread's column in turn 0 is `first`. Its columns in the following turns are 16 apart, so they
    use the words of a draw one after the other. A thread with a negative `first` is one word behind
    the other threads. If the row begins 12 elements after a multiple of 16,

        turn      0                            1                               2
        column    . . . . . . . . . . . . 0-3  4 … 15, 16 … 19                 . . .
        word of them                      0    0 … 0   1 … 1
        first     -12 … -1                0-3  of each place, the same in all turns

    The columns of a strip's turn 0 that belong to the strip before need one word of that strip's
    last draw.
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
    """Returns whether each thread has an element of the strip in a turn. `left` is the number of
    columns from `first` on. `begins` says whether the thread's column in turn 0 is in the row."""
    return begins & (left > 0) if TURN == 0 else left > TURN * LANES
