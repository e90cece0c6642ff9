# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forward of dropout for CPUs: programs that walk over thousands of elements, in vectors that
begin with a row or with 64 of them."""

import eft
import eft.language as tl
from dropout import EARLY_ROWS, GROUP, LANES, draw, moved, places, write


@eft.jit
def cpu_program(
    arrays,
    rows,
    columns,
    seed,
    rule,
    division,
    plan,
    COLUMNS: tl.constexpr,
    DRAWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """`plan` is (row_programs, program_rows, block_programs, program_blocks).

    `row_programs` programs for each `program_rows` of the early rows come first, which have COLUMNS
    columns of these. Then `block_programs` programs for each `program_blocks` blocks of 64 late
    rows, which have DRAWS draws of every block. BLOCK draws are made at a time.
    """
    program = tl.program_id(0).to(tl.int64)
    row_programs, program_rows, block_programs, program_blocks = plan
    early = tl.minimum(rows, EARLY_ROWS)
    early_programs = row_programs * tl.cdiv(early, program_rows)
    if program < early_programs:
        first_row = program // row_programs * program_rows
        end_row = tl.minimum(first_row + program_rows, early)
        begin = program % row_programs * COLUMNS
        end = tl.minimum(begin + COLUMNS, columns)
        if columns <= GROUP:
            for row in range(first_row, end_row, BLOCK // LANES):
                early_rows(arrays, row, end_row, begin, columns, seed, rule, BLOCK // LANES, 1)
        else:
            for row in range(first_row, end_row):
                for column in range(begin, end, BLOCK * 4):
                    early_rows(arrays, row, end_row, column, columns, seed, rule, 1, BLOCK // LANES)
    else:
        program -= early_programs
        begin = program % block_programs * DRAWS
        end = tl.minimum(begin + DRAWS, LANES * columns)
        first_row = EARLY_ROWS + program // block_programs * program_blocks * GROUP
        for row in range(first_row, tl.minimum(first_row + program_blocks * GROUP, rows), GROUP):
            for first in range(begin, end, BLOCK):
                late_rows(arrays, row, rows - row, first, columns, seed, rule, division, BLOCK)


@eft.jit
def early_rows(
    arrays,
    first_row,
    end_row,
    first_column,
    columns,
    seed,
    rule,
    ROWS: tl.constexpr,
    GROUPS: tl.constexpr,
):
    """ROWS rows of GROUPS * 64 columns, from `first_column` on, which is divisible by 64."""
    x_ptr, y_ptr, mask_ptr = arrays
    place = tl.arange(0, ROWS * GROUPS)[:, None]
    row, group = place // GROUPS, place % GROUPS
    lane = tl.arange(0, LANES)[None, :]
    words = draw(seed, first_row + row, first_column + (group * GROUP + lane))
    columns_left = tl.minimum(columns - first_column, GROUPS * GROUP).to(tl.int32)
    rows_left = (end_row - first_row).to(tl.int32)
    start = first_row * columns + first_column
    for word in tl.static_range(4):
        column = group * GROUP + (lane + word * LANES)
        inside = column < columns_left
        offset = column
        if ROWS > 1:
            inside = inside & (row < rows_left)
            offset = row * columns.to(tl.int32) + column
        x = tl.load(x_ptr + start + offset, mask=inside)
        mask = moved(mask_ptr, start + offset)
        write(y_ptr + start + offset, mask, x, words[word], inside, rule)


@eft.jit
def late_rows(
    arrays,
    first_row,
    rows_left,
    first,
    columns,
    seed,
    rule,
    division,
    BLOCK: tl.constexpr,
):
    """BLOCK draws of a block of 64 rows, which is sixteen rows of draws: from `first` on, counted
    along the columns, then over these rows."""
    x_ptr, y_ptr, mask_ptr = arrays
    row, further, column = places(first, columns, division, tl.arange(0, BLOCK), BLOCK)
    words = draw(seed, (first_row + row) + further, column)
    offset = tl.arange(0, BLOCK)
    for word in tl.static_range(4):
        rows_here = tl.minimum(tl.maximum(rows_left - word * LANES, 0), LANES)
        left = tl.minimum(tl.maximum(rows_here * columns - first, 0), BLOCK).to(tl.int32)
        inside = offset < left
        at = (first_row + word * LANES) * columns + first
        x = tl.load(x_ptr + at + offset, mask=inside)
        mask = moved(mask_ptr, at + offset)
        write(y_ptr + at + offset, mask, x, words[word], inside, rule)
