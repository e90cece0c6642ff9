# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout of arrays with any strides: the forward, and the backward by a mask.

Of an array, the last axis is the columns and all others are the rows, in row-major order of their
indices. Up to seven axes of rows are told apart by six divisions: with e the extents and s the
strides from the innermost axis on, and q[0] = row, q[i + 1] = q[i] // e[i],

    offset of the row = row * s[0] + sum(q[i + 1] * (s[i + 1] - e[i] * s[i]))

A program has a tile of draws, whose longer side lies along the axis with the smaller stride.
"""

import eft
import eft.language as tl
from dropout import EARLY_ROWS, GROUP, LANES, divide, draw, kept_of


@eft.jit
def strided(
    x_ptr,
    y_ptr,
    mask_ptr,
    x_row,
    y_row,
    mask_row,
    x_column,
    y_column,
    mask_column,
    rows,
    columns,
    seed,
    threshold,
    may_keep,
    scale,
    reads_mask,
    along_rows,
    is_unit,
    is_nested,
    factor0,
    exponent0,
    x_jump0,
    y_jump0,
    mask_jump0,
    factor1,
    exponent1,
    x_jump1,
    y_jump1,
    mask_jump1,
    factor2,
    exponent2,
    x_jump2,
    y_jump2,
    mask_jump2,
    factor3,
    exponent3,
    x_jump3,
    y_jump3,
    mask_jump3,
    factor4,
    exponent4,
    x_jump4,
    y_jump4,
    mask_jump4,
    factor5,
    exponent5,
    x_jump5,
    y_jump5,
    mask_jump5,
    LONG: tl.constexpr,
    SHORT: tl.constexpr,
):
    """y = where(kept, x * scale, 0), and 1 where kept in the mask, if it is not null; with
    `reads_mask` kept is where the mask is not 0.

    `along_rows` says along which axis tiles are longer, `is_unit` that all arrays have a stride of
    1 there, and `is_nested` that there is more than one axis of rows. The jumps are the factors of
    q[1] to q[6]. The draws of early rows come first, then those of late rows.
    """
    arrays = ((x_ptr, x_row, x_column), (y_ptr, y_row, y_column), (mask_ptr, mask_row, mask_column))
    axes = (
        ((factor0, exponent0), (x_jump0, y_jump0, mask_jump0)),
        ((factor1, exponent1), (x_jump1, y_jump1, mask_jump1)),
        ((factor2, exponent2), (x_jump2, y_jump2, mask_jump2)),
        ((factor3, exponent3), (x_jump3, y_jump3, mask_jump3)),
        ((factor4, exponent4), (x_jump4, y_jump4, mask_jump4)),
        ((factor5, exponent5), (x_jump5, y_jump5, mask_jump5)),
    )
    rule = (reads_mask, threshold, may_keep, scale)
    rows_of = (rows, is_nested, axes)
    if along_rows:
        if is_unit:
            tile(arrays, rows_of, columns, seed, rule, LONG, SHORT, True, True)
        else:
            tile(arrays, rows_of, columns, seed, rule, LONG, SHORT, True, False)
    elif is_unit:
        tile(arrays, rows_of, columns, seed, rule, SHORT, LONG, False, True)
    else:
        tile(arrays, rows_of, columns, seed, rule, SHORT, LONG, False, False)


@eft.jit
def tile(
    arrays,
    rows_of,
    columns,
    seed,
    rule,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    ALONG_ROWS: tl.constexpr,
    IS_UNIT: tl.constexpr,
):
    """The program's ROWS times COLUMNS draws."""
    rows = rows_of[0]
    program = tl.program_id(0).to(tl.int64)
    early = tl.minimum(rows, EARLY_ROWS)
    draw_columns = tl.cdiv(columns, GROUP) * LANES
    across = tl.cdiv(draw_columns, COLUMNS)
    early_programs = tl.cdiv(early, ROWS) * across
    row, column = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    if ALONG_ROWS:
        row, column = row[None, :], column[:, None]
    else:
        row, column = row[:, None], column[None, :]
    if program < early_programs:
        row = (program // across * ROWS).to(tl.int64) + row
        column = column + (program % across * COLUMNS).to(tl.int64)
        column = column // LANES * GROUP + column % LANES
        rows_here = (early, *rows_of[1:])
        visit(
            *(arrays, rows_here, columns, seed, rule, row, column),
            *(0, LANES, ALONG_ROWS, IS_UNIT),
        )
    else:
        program -= early_programs
        across = tl.cdiv(columns, COLUMNS)
        row = (program // across * ROWS).to(tl.int64) + row
        row = EARLY_ROWS + (row // LANES * GROUP + row % LANES)
        column = column + (program % across * COLUMNS).to(tl.int64)
        visit(
            *(arrays, rows_of, columns, seed, rule, row, column),
            *(LANES, 0, ALONG_ROWS, IS_UNIT),
        )


@eft.jit
def visit(
    arrays,
    rows_of,
    columns,
    seed,
    rule,
    row,
    column,
    ROW_STEP: tl.constexpr,
    COLUMN_STEP: tl.constexpr,
    ALONG_ROWS: tl.constexpr,
    IS_UNIT: tl.constexpr,
):
    """The four elements of each draw: the first ones are at `row` and `column`."""
    rows, is_nested, axes = rows_of
    reads_mask, threshold, may_keep, scale = rule
    x, y, mask = arrays
    words = draw(seed, row, column)
    for word in range(4):
        word_row, word_column = row + word * ROW_STEP, column + word * COLUMN_STEP
        inside = (word_row < rows) & (word_column < columns)
        offsets = row_offsets(word_row, arrays, is_nested, axes, ALONG_ROWS and IS_UNIT)
        x_at = at(x, offsets[0], word_column, IS_UNIT and not ALONG_ROWS)
        y_at = at(y, offsets[1], word_column, IS_UNIT and not ALONG_ROWS)
        mask_at = at(mask, offsets[2], word_column, IS_UNIT and not ALONG_ROWS)
        if reads_mask:
            kept = tl.load(mask_at, mask=inside) != 0
        else:
            low = tl.where(word == 0, words[0], words[1])
            high = tl.where(word == 2, words[2], words[3])
            kept = kept_of(tl.where(word < 2, low, high), threshold, may_keep)
            if mask[0]:
                tl.store(mask_at, kept.to(tl.int32), mask=inside)
        tl.store(y_at, tl.where(kept, tl.load(x_at, mask=inside) * scale, 0.0), mask=inside)


@eft.jit
def at(array, offset, column, IS_UNIT: tl.constexpr):
    """Where elements of an array are."""
    pointer, _, column_stride = array
    return pointer + (offset + (column if IS_UNIT else column * column_stride))


@eft.jit
def row_offsets(row, arrays, is_nested, axes, IS_UNIT: tl.constexpr):
    """The offsets of rows in the three arrays. IS_UNIT says that all have a stride of 1 along the
    innermost axis of rows."""
    x = row if IS_UNIT else row * arrays[0][1]
    y = row if IS_UNIT else row * arrays[1][1]
    mask = row if IS_UNIT else row * arrays[2][1]
    if is_nested:
        rest = row
        for axis in tl.static_range(6):
            division, jumps = axes[axis]
            rest = divide(rest, division)
            x += rest * jumps[0]
            y += rest * jumps[1]
            mask += rest * jumps[2]
    return x, y, mask
