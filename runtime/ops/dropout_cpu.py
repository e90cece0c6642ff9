# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forward of dropout for CPUs: programs that walk over thousands of elements, in vectors that
begin with a row or with 64 of them."""

import eft
import eft.language as tl
from dropout import EARLY_ROWS, GROUP, LANES, draw, moved, places, write


@eft.jit
def forward(
    x_ptr,
    y_ptr,
    mask_ptr,
    rows,
    columns,
    seed,
    threshold,
    may_keep,
    scale,
    strips,
    strip_rows,
    pieces,
    piece_blocks,
    factor,
    exponent,
    STRIP: tl.constexpr,
    PIECE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """y = where(kept, x * scale, 0), and 1 where kept in the mask, if there is one.

    `strips` programs for each `strip_rows` of the early rows come first, each with STRIP columns of
    these. Then `pieces` programs for each `piece_blocks` blocks of 64 late rows, each with PIECE
    draws of every block. BLOCK draws are made at a time.
    """
    program = tl.program_id(0).to(tl.int64)
    early = tl.minimum(rows, EARLY_ROWS)
    early_programs = strips * tl.cdiv(early, strip_rows)
    arrays = (x_ptr, y_ptr, mask_ptr)
    numbers = (columns, seed, threshold, may_keep, scale)
    if program < early_programs:
        begin = program % strips * STRIP
        end = tl.minimum(begin + STRIP, columns)
        first_row = program // strips * strip_rows
        for row in range(first_row, tl.minimum(first_row + strip_rows, early)):
            for column in range(begin, end, BLOCK * 4):
                early_row(*arrays, row, column, *numbers, BLOCK)
    else:
        program -= early_programs
        begin = program % pieces * PIECE
        end = tl.minimum(begin + PIECE, LANES * columns)
        block = program // pieces * piece_blocks
        first_row = EARLY_ROWS + block * GROUP
        for row in range(first_row, tl.minimum(first_row + piece_blocks * GROUP, rows), GROUP):
            for first in range(begin, end, BLOCK):
                late_rows(*arrays, rows - row, row, first, *numbers, factor, exponent, BLOCK)


@eft.jit
def early_row(
    x_ptr,
    y_ptr,
    mask_ptr,
    row,
    column,
    columns,
    seed,
    threshold,
    may_keep,
    scale,
    BLOCK: tl.constexpr,
):
    """BLOCK draws for the columns of a row, from `column` on, which is divisible by 64."""
    group = tl.arange(0, BLOCK // LANES)[:, None]
    lane = tl.arange(0, LANES)[None, :]
    words = draw(seed, row, column + (group * GROUP + lane))
    columns_left = tl.minimum(columns - column, BLOCK * 4).to(tl.int32)
    start = row * columns + column
    for word in tl.static_range(4):
        offset = group * GROUP + (lane + word * LANES)
        inside = offset < columns_left
        x = tl.load(x_ptr + start + offset, mask=inside)
        mask = moved(mask_ptr, start + offset)
        write(y_ptr + start + offset, mask, x, words[word], inside, threshold, may_keep, scale)


@eft.jit
def late_rows(
    x_ptr,
    y_ptr,
    mask_ptr,
    rows_left,
    first_row,
    first,
    columns,
    seed,
    threshold,
    may_keep,
    scale,
    factor,
    exponent,
    BLOCK: tl.constexpr,
):
    """BLOCK draws of a block of 64 rows, which is sixteen rows of draws: from `first` on, counted
    along the columns, then over these rows."""
    row, further, column = places(first, columns, factor, exponent, BLOCK)
    words = draw(seed, (first_row + row) + further, column)
    offset = tl.arange(0, BLOCK)
    for word in tl.static_range(4):
        rows_here = tl.minimum(tl.maximum(rows_left - word * LANES, 0), LANES)
        left = tl.minimum(tl.maximum(rows_here * columns - first, 0), BLOCK).to(tl.int32)
        inside = offset < left
        at = (first_row + word * LANES) * columns + first
        x = tl.load(x_ptr + at + offset, mask=inside)
        mask = moved(mask_ptr, at + offset)
        write(y_ptr + at + offset, mask, x, words[word], inside, threshold, may_keep, scale)
