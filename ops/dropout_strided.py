# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout of arrays with any strides: the forward, and the backward from a mask.

The last axis of an array is the columns. All other axes together are the rows, in row-major order
of their indices. Divisions find the indices of a row: two for up to three axes of rows, six for up
to seven. Let e be the extents and s the strides of the axes of rows, the innermost first, and let
q[0] = row, q[i + 1] = q[i] // e[i]. Then

    offset of the row = row * s[0] + sum(q[i + 1] * (s[i + 1] - e[i] * s[i]))

A program has a tile of draws, whose length lies along the axis with the smaller strides. If there
are several rows of fewer than 16 columns, it lies along the innermost axis of rows. The program
visits the tile in strips, which are as long as the tile. On a CPU, where each element has
instructions of its own, narrow strips keep the code short. On a GPU, a strip with one draw
for each thread is faster than two draws at a time, but not with several axes of rows.
CMakeLists.txt has the sizes of tiles and strips.
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
    is_deep,
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
    IS_NESTED: tl.constexpr,
    LONG: tl.constexpr,
    SHORT: tl.constexpr,
    STRIP: tl.constexpr,
):
    """Computes y = where(kept, x * scale, 0), and the mask, if it is not null: 1 where kept, else
    0. With `reads_mask` the mask is read, and an element is kept where it is not 0.

    A tile has LONG times SHORT draws, and a strip of it has LONG times STRIP. With `along_rows` a
    tile's length lies along the innermost axis of rows, else along the columns. `is_unit` says that
    all arrays have a stride of 1 along the tile's length. IS_NESTED says that there are several
    axes of rows. Then the factor, exponent and jumps with number i are the division by e[i] and
    s[i + 1] - e[i] * s[i] of each array, and `is_deep` says that there are more than three axes of
    rows, so q[3] and later quotients may differ from 0. Without IS_NESTED all of these are None.
    The first programs have the draws of early rows, the others those of late rows.
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
    rows_of = (rows, is_deep, axes)
    SIDES: tl.constexpr = (LONG, SHORT, STRIP)
    if along_rows:
        if is_unit:
            tile(arrays, rows_of, columns, seed, rule, IS_NESTED, SIDES, True, True)
        else:
            tile(arrays, rows_of, columns, seed, rule, IS_NESTED, SIDES, True, False)
    elif is_unit:
        tile(arrays, rows_of, columns, seed, rule, IS_NESTED, SIDES, False, True)
    else:
        tile(arrays, rows_of, columns, seed, rule, IS_NESTED, SIDES, False, False)


@eft.jit
def tile(
    arrays,
    rows_of,
    columns,
    seed,
    rule,
    IS_NESTED: tl.constexpr,
    SIDES: tl.constexpr,
    ALONG_ROWS: tl.constexpr,
    IS_UNIT: tl.constexpr,
):
    """Computes the elements of the program's tile of draws. SIDES is (length of the tile, width of
    the tile, width of a strip)."""
    rows, _, _ = rows_of
    ROWS: tl.constexpr = SIDES[0] if ALONG_ROWS else SIDES[1]
    COLUMNS: tl.constexpr = SIDES[1] if ALONG_ROWS else SIDES[0]
    program = tl.program_id(0)  # below 2**31, so 32 bits hold all numbers of programs
    early = tl.minimum(rows, EARLY_ROWS).to(tl.int32)
    draw_columns = tl.cdiv(columns, GROUP) * LANES  # the columns of draws in an early row
    across = tl.cdiv(draw_columns, COLUMNS).to(tl.int32)
    early_programs = tl.cdiv(early, ROWS) * across
    if program < early_programs:
        first_row = (program // across * ROWS).to(tl.int64)
        first_column = (program % across).to(tl.int64) * COLUMNS
        rest = draw_columns - first_column if ALONG_ROWS else early - first_row
        for strip in tl.range(0, strips_end(rest, SIDES), SIDES[2]):
            row, column = strip_of(first_row, first_column, strip, SIDES, ALONG_ROWS)
            column = column // LANES * GROUP + column % LANES
            left = tl.minimum(columns - column, GROUP).to(tl.int32)
            places = (row, column, left, row < early)
            visit(arrays, rows_of, seed, rule, places, 0, LANES, IS_NESTED, ALONG_ROWS, IS_UNIT)
    else:
        program -= early_programs
        draw_rows = tl.cdiv(rows - EARLY_ROWS, GROUP) * LANES
        across = tl.cdiv(columns, COLUMNS).to(tl.int32)
        first_row = (program // across).to(tl.int64) * ROWS
        first_column = (program % across).to(tl.int64) * COLUMNS
        rest = columns - first_column if ALONG_ROWS else draw_rows - first_row
        for strip in tl.range(0, strips_end(rest, SIDES), SIDES[2]):
            row, column = strip_of(first_row, first_column, strip, SIDES, ALONG_ROWS)
            row = EARLY_ROWS + (row // LANES * GROUP + row % LANES)
            left = tl.minimum(rows - row, GROUP).to(tl.int32)
            places = (row, column, left, column < columns)
            visit(arrays, rows_of, seed, rule, places, LANES, 0, IS_NESTED, ALONG_ROWS, IS_UNIT)


@eft.jit
def strips_end(rest, SIDES: tl.constexpr):
    """Returns where the strips of a tile end. `rest` draws remain in the array across the tile."""
    if SIDES[1] == SIDES[2]:
        return SIDES[1]
    return tl.minimum(rest, SIDES[1]).to(tl.int32)


@eft.jit
def strip_of(row, column, strip, SIDES: tl.constexpr, ALONG_ROWS: tl.constexpr):
    """Returns the rows and the columns of the draws of a strip. The tile begins at (`row`,
    `column`), and the strip begins `strip` draws further across the tile."""
    along, across = tl.arange(0, SIDES[0])[None, :], strip + tl.arange(0, SIDES[2])[:, None]
    if ALONG_ROWS:
        return row + along, column + across
    return row + across, column + along


@eft.jit
def visit(
    arrays,
    rows_of,
    seed,
    rule,
    places,
    ROW_STEP: tl.constexpr,
    COLUMN_STEP: tl.constexpr,
    IS_NESTED: tl.constexpr,
    ALONG_ROWS: tl.constexpr,
    IS_UNIT: tl.constexpr,
):
    """Computes the four elements of each draw.

    `places` is a tuple: the row and the column of each draw's first element; the number of rows or
    columns from there to the end of the array, in the direction in which the four elements are 16
    apart; and whether the first element is inside in the other direction. ROW_STEP and COLUMN_STEP
    are the rows and columns from one element of a draw to the next. A thread issues all of its
    loads before its first store, so it waits for memory once for each
    strip.
    """
    row, column, left, is_there = places
    reads_mask, threshold, may_keep, scale = rule
    x, y, mask = arrays
    unit_rows, unit_columns = IS_UNIT and ALONG_ROWS, IS_UNIT and not ALONG_ROWS
    offsets = row_offsets(row, arrays, rows_of, IS_NESTED, unit_rows)
    xs, y_ats, mask_ats, insides = (), (), (), ()
    for word in tl.static_range(4):
        inside = (left > word * LANES) & is_there
        if IS_NESTED and ROW_STEP != 0 and word != 0:
            offsets = row_offsets(row + word * ROW_STEP, arrays, rows_of, IS_NESTED, unit_rows)
        on = (0 if IS_NESTED else word * ROW_STEP, word * COLUMN_STEP)
        x_at = at(x, on, offsets[0], column, unit_columns)
        xs = xs + (tl.load(x_at, mask=inside),)
        y_ats = y_ats + (at(y, on, offsets[1], column, unit_columns),)
        mask_ats = mask_ats + (at(mask, on, offsets[2], column, unit_columns),)
        insides = insides + (inside,)
    if reads_mask:
        kepts = read(mask_ats, insides)
    else:
        kepts = decide(draw(seed, row, column), threshold, may_keep)
        if mask[0]:
            for word in tl.static_range(4):
                tl.store(mask_ats[word], kepts[word].to(tl.int32), mask=insides[word])
    for word in tl.static_range(4):
        y_of = tl.where(kepts[word], xs[word] * scale, 0.0)
        tl.store(y_ats[word], y_of, mask=insides[word])


@eft.jit
def read(mask_ats, insides):
    """Returns for each of the four words whether the mask keeps its elements."""
    kepts = ()
    for word in tl.static_range(4):
        kepts = kepts + (tl.load(mask_ats[word], mask=insides[word]) != 0,)
    return kepts


@eft.jit
def decide(words, threshold, may_keep):
    """Returns for each of the four words whether its elements are kept."""
    kepts = ()
    for word in tl.static_range(4):
        kepts = kepts + (kept_of(words[word], threshold, may_keep),)
    return kepts


@eft.jit
def at(array, on, offset, column, IS_UNIT: tl.constexpr):
    """Returns the addresses of elements of an array. `on` is a number of rows and of columns to go
    from the row with this offset and from this column. It is added to the pointer, which all
    threads share, so that each thread keeps a single offset for its four elements."""
    pointer, row_stride, column_stride = array
    pointer += on[0] * row_stride + on[1] * column_stride
    return pointer + (offset + (column if IS_UNIT else column * column_stride))


@eft.jit
def row_offsets(row, arrays, rows_of, IS_NESTED: tl.constexpr, IS_UNIT: tl.constexpr):
    """Returns the offsets of rows in the three arrays. IS_UNIT says that all arrays have a stride
    of 1 along the innermost axis of rows."""
    _, is_deep, axes = rows_of
    x = row if IS_UNIT else row * arrays[0][1]
    y = row if IS_UNIT else row * arrays[1][1]
    mask = row if IS_UNIT else row * arrays[2][1]
    offsets = (x, y, mask)
    if IS_NESTED:
        rest, offsets = jump(row, offsets, axes[0:2])
        if is_deep:
            rest, offsets = jump(rest, offsets, axes[2:6])
    return offsets


@eft.jit
def jump(rest, offsets, axes):
    """Divides by the extents of some axes, one after the other, and adds the jumps times the
    quotients to the offsets. Returns the last quotients and the new offsets."""
    x, y, mask = offsets
    for axis in tl.static_range(len(axes)):
        division, jumps = axes[axis]
        rest = divide(rest, division)
        x += rest * jumps[0]
        y += rest * jumps[1]
        mask += rest * jumps[2]
    return rest, (x, y, mask)
