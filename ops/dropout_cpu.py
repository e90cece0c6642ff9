# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forward of dropout for CPUs. A program walks over thousands of elements. dropout.py defines
early and late rows, and draws. The vectors of a program begin where an early row begins, or where a
group of 64 late rows begins."""

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
    """Runs one program of the forward. `plan` is (row_programs, program_rows, block_programs,
    program_blocks).

    The first programs have the early rows: `row_programs` programs share each `program_rows` rows,
    and each program has COLUMNS columns of them. The other programs have the late rows:
    `block_programs` programs share each `program_blocks` groups of 64 rows, and each program has
    DRAWS draws of every group. A program makes BLOCK draws at a time.
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
    """Computes ROWS early rows of GROUPS * 64 columns, from `first_column` on. `first_column` is
    divisible by 64."""
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
    """Computes the elements of BLOCK draws in the group of 64 late rows that begins at `first_row`.
    The first 16 rows of a group have the first elements of its draws. The draws are numbered row by
    row over these 16 rows, and the first draw here has the number `first`. `rows_left` is the
    number of rows from `first_row` to the end of the matrix."""
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
