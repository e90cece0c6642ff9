# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forms of dropout.py for rows that begin anywhere, for GPUs.

Where the number of columns is not divisible by 4, or an array begins in the middle of 16 bytes,
threads that begin with the row would access memory across its sectors of 32 bytes, and warps would
write the two halves of one. So a row is walked in *turns* of 16 elements, which begin where y has
16 · k elements, counted from a multiple of 64 bytes. The first turn begins up to 15 columns in
front of the row, at the column `first`. A thread has the same place in every turn, so its columns
are 16 apart, have one lane, and take a word of their draw after the other. A thread that the first
turn has in front of the row is one word behind the others: 20 columns from 50 bytes on,

    turn            0                            1                               2
    column          . . . . . . . . . . . . 0-3  4 … 15, 16 … 19                 . . .
    word of them                            0    0 … 0   1 … 1
    first           -12 … -1                0-3  of each place, the same in all turns

All elements are asked for before the first is written: a thread waits for its memory once. So rows
of more than 32 columns that are aligned take these forms, too.
"""

import eft
import eft.language as tl

LANES = tl.constexpr(16)


@eft.jit
def is_inside(begins, left, TURN: tl.constexpr):
    """Whether each place has an element in a turn. `left` counts the columns from `first` on, and
    `begins` says whether the place is in the row in turn 0 already."""
    return begins & (left > 0) if TURN == 0 else left > TURN * LANES


@eft.jit
def load_turns(x_ptr, begins, left, TURNS: tl.constexpr):
    """The elements of all turns."""
    xs = ()
    for turn in tl.static_range(TURNS):
        xs = xs + (tl.load(x_ptr + turn * LANES, mask=is_inside(begins, left, turn)),)
    return xs


@eft.jit
def write(y_ptr, mask_ptr, x, word, inside, threshold, may_keep, scale):
    """An element of each place: y = where(kept, x * scale, 0), and the mask, if there is one."""
    kept = (word >= threshold) & may_keep
    tl.store(y_ptr, tl.where(kept, x * scale, 0.0), mask=inside)
    if mask_ptr is not None:
        tl.store(mask_ptr, kept.to(tl.int32), mask=inside)


@eft.jit
def write_turns(
    y_ptr,
    mask_ptr,
    xs,
    first,
    begins,
    left,
    seed,
    draw,
    draw_high,
    row,
    row_high,
    before,
    threshold,
    may_keep,
    scale,
    TURNS: tl.constexpr,
):
    """Writes all turns: the first one's draw is `draw`, and the word of what it has in front of
    its columns `before`. A turn that is one more than a multiple of four and the last has none but
    columns that are a word behind."""
    word = before
    for turn in tl.static_range(TURNS):
        before = word
        if turn % 4 == 0 and (turn == 0 or turn + 1 < TURNS):
            words = tl.philox(seed, draw + turn // 4 * LANES, draw_high, row, row_high)
        if turn % 4 != 0 or turn == 0 or turn + 1 < TURNS:
            word = words[turn % 4]
        mask = mask_ptr
        if mask_ptr is not None:
            mask = mask_ptr + turn * LANES
        word_here = tl.where(first < 0, before, word)
        inside = is_inside(begins, left, turn)
        write(y_ptr + turn * LANES, mask, xs[turn], word_here, inside, threshold, may_keep, scale)


@eft.jit
def by_rows(
    x_ptr,
    y_ptr,
    mask_ptr,
    rows,
    columns,
    seed,
    threshold,
    may_keep,
    scale,
    shift,
    ROWS: tl.constexpr,
    BATCHES: tl.constexpr,
    TURNS: tl.constexpr,
):
    """A program has ROWS * BATCHES whole rows, of at most 16 * TURNS - 15 columns, and of 64 for
    each 4 turns if there is one more.

    Program ids count blocks of rows in y and z, as for `forward`. `shift` is how many elements
    there are in front of y in its 64 bytes. ROWS times 16 is the number of threads.
    """
    all_rows = ROWS * BATCHES
    first_row = (tl.program_id(1) + tl.num_programs(1) * tl.program_id(2).to(tl.int64)) * all_rows
    rows_left = tl.minimum(tl.maximum(rows - first_row, 0), all_rows).to(tl.int32)
    base = first_row * columns
    width = columns.to(tl.int32)
    batches = ()
    for batch in tl.static_range(BATCHES):
        row = tl.arange(0, ROWS)[:, None] + batch * ROWS
        start = row * width
        skew = (base.to(tl.int32) + start + shift) & (LANES - 1)
        first = tl.arange(0, LANES)[None, :] - skew
        left = tl.where(row < rows_left, width - first, 0)
        xs = load_turns(x_ptr + base + (start + first), first >= 0, left, TURNS)
        batches = batches + ((row, start, first, left, xs),)
    row_low, row_high = first_row.to(tl.int32), (first_row >> 32).to(tl.int32)
    for batch in tl.static_range(BATCHES):
        row, start, first, left, xs = batches[batch]
        mask = mask_ptr
        if mask_ptr is not None:
            mask = mask_ptr + base + (start + first)
        write_turns(
            *(y_ptr + base + (start + first), mask, xs, first, first >= 0, left),
            *(seed, first & (LANES - 1), 0, row_low + row, row_high),
            *(first, threshold, may_keep, scale, TURNS),
        )


@eft.jit
def by_strips(
    x_ptr,
    y_ptr,
    mask_ptr,
    rows,
    columns,
    seed,
    threshold,
    may_keep,
    scale,
    shift,
    ROWS: tl.constexpr,
    STRIPS: tl.constexpr,
    GROUPS: tl.constexpr,
):
    """A program has ROWS rows of STRIPS strips of GROUPS * 64 places; ROWS * STRIPS * 16 is the
    number of threads.

    Program ids count STRIPS strips along a row in x. Each strip but a row's first draws for what
    its first turn has in front of its first column, of which one word is needed.
    """
    first_row = (tl.program_id(1) + tl.num_programs(1) * tl.program_id(2).to(tl.int64)) * ROWS
    rows_left = tl.minimum(tl.maximum(rows - first_row, 0), ROWS).to(tl.int32)
    place = tl.arange(0, ROWS * STRIPS)[:, None]
    row = place // STRIPS
    strip = place % STRIPS + tl.program_id(0).to(tl.int64) * STRIPS
    strip_column = strip * (GROUPS * LANES * 4)
    start = (first_row + row) * columns
    skew = (start.to(tl.int32) + shift) & (LANES - 1)
    first = tl.arange(0, LANES)[None, :] - skew
    begins = (first >= 0) | (strip > 0)
    left = tl.minimum(columns - strip_column, (GROUPS + 1) * LANES * 4).to(tl.int32)
    left = tl.where(row < rows_left, left - first, 0)
    at = start + strip_column + first
    xs = load_turns(x_ptr + at, begins, left, GROUPS * 4)

    row_low, row_high = first_row.to(tl.int32) + row, (first_row >> 32).to(tl.int32)
    lane = first & (LANES - 1)
    draw = strip * (GROUPS * LANES)
    last = draw - LANES
    before = tl.philox(
        seed, last.to(tl.int32) + lane, (last >> 32).to(tl.int32), row_low, row_high
    )[3]
    mask = mask_ptr
    if mask_ptr is not None:
        mask = mask_ptr + at
    write_turns(
        *(y_ptr + at, mask, xs, first, begins, left),
        *(seed, draw.to(tl.int32) + lane, (draw >> 32).to(tl.int32), row_low, row_high),
        *(before, threshold, may_keep, scale, GROUPS * 4),
    )
