# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout of arrays with any strides: the forward, and the backward from a mask.

The last axis of an array is the columns. All other axes together are the rows, in row-major order
of their indices. Divisions find the indices of a row: two for up to three axes of rows, six for up
to seven. Let e be the extents and s the strides of the axes of rows, the innermost first, and let
q[0] = row, q[i + 1] = q[i] // e[i]. Then

    offset of the row = row * s[0] + sum(q[i + 1] * (s[i + 1] - e[i] * s[i]))

A program has a tile of draws, whose length lies along the axis with the smaller strides. If there
are several rows of fewer than 16 columns, it lies along the innermost axis of rows. The program
visits the tile in bands, which are as long as the tile. On a CPU, where each vector of elements has
instructions of its own, narrow bands keep the code short. On a GPU, a band with one draw for each
thread is faster than two draws at a time, if there are no units. CMakeLists.txt has the sizes of
tiles and bands.

Other kernels are for arrays that consist of *units* of UNIT neighbours, which are 16 bytes of x.
These arrays have a stride of 1 along the length of tiles, and their units begin at multiples of 16
bytes (`hasUnits` in DropoutPlan.cpp). The signatures say so to the compiler, and a thread accesses
several neighbours at a time.
"""

import eft
import eft.language as tl
from dropout import EARLY_ROWS, GROUP, LANES, divide, draw, kept_of, moved


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
    UNIT: tl.constexpr,
    LENGTH: tl.constexpr,
    WIDTH: tl.constexpr,
    BAND: tl.constexpr,
):
    """Computes y = where(kept, x * scale, 0), and the mask, if it is neither None nor null: 1 where
    kept, else 0. With `reads_mask` the mask is read, and an element is kept where it is not 0.

    A tile has LENGTH times WIDTH draws, and a band of it has LENGTH times BAND. All three are
    powers of two. With `along_rows` a tile's length lies along the innermost axis of rows, else
    along the columns. `is_unit` says that all arrays have a stride of 1 along the tile's length. If
    UNIT is more than 1 and `along_rows`, e[0] is a multiple of UNIT.

    IS_NESTED says that there are several axes of rows. Then the factor, exponent and jumps with
    number i are the division by e[i] and s[i + 1] - e[i] * s[i] of each array. `is_deep` says that
    there are more than three axes of rows, so q[3] and later quotients may differ from 0. If it is
    None, there are at most three, and the later factors, exponents and jumps are None. Without
    IS_NESTED all of these are None.

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
    rule = (reads_mask, mask_ptr, threshold, may_keep, scale)
    rows_of = (rows, is_deep, axes)
    SIDES: tl.constexpr = (LENGTH, WIDTH, BAND, UNIT)
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
    the tile, width of a band, UNIT)."""
    rows, _, _ = rows_of
    ROWS: tl.constexpr = SIDES[0] if ALONG_ROWS else SIDES[1]
    COLUMNS: tl.constexpr = SIDES[1] if ALONG_ROWS else SIDES[0]
    program = tl.program_id(0)  # below 2**31, so 32 bits hold all numbers of programs
    early = tl.minimum(rows, EARLY_ROWS)
    draw_columns = tl.cdiv(columns, GROUP) * LANES  # the columns of draws in an early row
    across = tl.cdiv(draw_columns, COLUMNS).to(tl.int32)
    early_programs = tl.cdiv(early.to(tl.int32), ROWS) * across
    how = (rows_of, seed, rule)
    if program < early_programs:
        row = (program // across * ROWS).to(tl.int64)
        draw_column = (program % across).to(tl.int64) * COLUMNS
        column = first_place(draw_column)
        rest = draw_columns - draw_column if ALONG_ROWS else early - row
        ends = (left(early, row), left(columns, column))
        KIND: tl.constexpr = (True, ALONG_ROWS, IS_UNIT)
        choose(arrays, how, ((row, column), ends, rest), IS_NESTED, SIDES, KIND)
    else:
        program -= early_programs
        draw_rows = tl.cdiv(rows - EARLY_ROWS, GROUP) * LANES
        across = tl.cdiv(columns, COLUMNS).to(tl.int32)
        draw_row = (program // across).to(tl.int64) * ROWS
        row = EARLY_ROWS + first_place(draw_row)
        column = (program % across).to(tl.int64) * COLUMNS
        rest = columns - column if ALONG_ROWS else draw_rows - draw_row
        ends = (left(rows, row), left(columns, column))
        KIND: tl.constexpr = (False, ALONG_ROWS, IS_UNIT)
        choose(arrays, how, ((row, column), ends, rest), IS_NESTED, SIDES, KIND)


@eft.jit
def first_place(number):
    """Returns the place of the first element of the draws with these numbers, along the axis in
    which the elements of a draw are 16 apart. The place of a sum is the sum of the places, if one
    number is a multiple of a power of two, and the other one is below that."""
    return number // LANES * GROUP + number % LANES


@eft.jit
def left(extent, first):
    """Returns how many rows or columns there are from `first` on, or a large number."""
    return tl.minimum(extent - first, 1 << 30).to(tl.int32)


@eft.jit
def choose(arrays, how, where, IS_NESTED: tl.constexpr, SIDES: tl.constexpr, KIND: tl.constexpr):
    """Visits a tile. `where` is a tuple: the row and the column of the tile's first element; the
    numbers of rows and columns from there to the end of the tile's part of the array; and the
    number of draws from there across the tile. KIND is (IS_EARLY, ALONG_ROWS, IS_UNIT), where
    IS_EARLY says that the rows are early.

    If all rows of the tile have the same indices in all axes but the innermost one, the divisions
    of its first row serve all of them.
    """
    (row, _), ends, _ = where
    rows_of, _, _ = how
    IS_EARLY: tl.constexpr = KIND[0]
    ALONG_ROWS: tl.constexpr = KIND[1]
    DRAW_ROWS: tl.constexpr = SIDES[0] if ALONG_ROWS else SIDES[1]
    ROWS: tl.constexpr = DRAW_ROWS if IS_EARLY else (DRAW_ROWS + LANES - 1) // LANES * GROUP
    if IS_NESTED:
        division = rows_of[2][0][0]
        last_row = row + tl.minimum(ends[0], ROWS) - 1
        if divide(row, division) == divide(last_row, division):
            moved_arrays = moved_by_jumps(row, arrays, rows_of)
            visit(moved_arrays, how, where, False, SIDES, KIND)
        else:
            visit(arrays, how, where, True, SIDES, KIND)
    else:
        visit(arrays, how, where, False, SIDES, KIND)


@eft.jit
def moved_by_jumps(row, arrays, rows_of):
    """Returns the arrays with pointers that are moved by all jumps on the way to a row."""
    x, y, mask = arrays
    jumps = all_jumps(row, (0, 0, 0), rows_of)
    mask_ptr = moved(mask[0], jumps[2])
    return (
        (x[0] + jumps[0], x[1], x[2]),
        (y[0] + jumps[1], y[1], y[2]),
        (mask_ptr, mask[1], mask[2]),
    )


@eft.jit
def visit(arrays, how, where, IS_NESTED: tl.constexpr, SIDES: tl.constexpr, KIND: tl.constexpr):
    """Computes the elements of a tile, one band after the other. Only with IS_NESTED the offsets of
    its rows have jumps."""
    LENGTH: tl.constexpr = SIDES[0]
    WIDTH: tl.constexpr = SIDES[1]
    BAND: tl.constexpr = SIDES[2]
    IS_EARLY: tl.constexpr = KIND[0]
    ALONG_ROWS: tl.constexpr = KIND[1]
    first, ends, rest = where
    end = WIDTH if WIDTH == BAND else tl.minimum(rest, WIDTH).to(tl.int32)
    for band in tl.range(0, end, BAND):
        along, across = tl.arange(0, LENGTH)[None, :], band + tl.arange(0, BAND)[:, None]
        row = along if ALONG_ROWS else across
        column = across if ALONG_ROWS else along
        if IS_EARLY:
            column = first_place(column)
        else:
            row = first_place(row)
        visit_band(arrays, how, first, ends, row, column, IS_NESTED, SIDES[3], KIND)


@eft.jit
def visit_band(
    arrays,
    how,
    first,
    ends,
    row,
    column,
    IS_NESTED: tl.constexpr,
    UNIT: tl.constexpr,
    KIND: tl.constexpr,
):
    """Computes the four elements of each draw of a band. `row` and `column` are the places of the
    draws' first elements, counted from the tile's first one. A thread issues all of its loads
    before its first store, so it waits for memory once for each band."""
    rows_of, seed, rule = how
    reads_mask, mask_or_null, threshold, may_keep, scale = rule
    x, y, mask = arrays
    IS_EARLY: tl.constexpr = KIND[0]
    ALONG_ROWS: tl.constexpr = KIND[1]
    IS_UNIT: tl.constexpr = KIND[2]
    ROW_STEP: tl.constexpr = 0 if IS_EARLY else LANES  # from one element of a draw to the next
    COLUMN_STEP: tl.constexpr = LANES if IS_EARLY else 0
    UNIT_ROWS: tl.constexpr = IS_UNIT and ALONG_ROWS
    UNIT_COLUMNS: tl.constexpr = IS_UNIT and not ALONG_ROWS
    rows, columns = first[0] + row, first[1] + column
    # The quotients of the rows of a unit are equal, if its rows are neighbours.
    ROW_UNIT: tl.constexpr = UNIT if ALONG_ROWS else 1
    offsets = row_offsets(rows, arrays, rows_of, IS_NESTED, ROW_UNIT, UNIT_ROWS)
    xs, y_ats, mask_ats, insides = (), (), (), ()
    for word in tl.static_range(4):
        inside = (row < ends[0] - word * ROW_STEP) & (column < ends[1] - word * COLUMN_STEP)
        if IS_NESTED and ROW_STEP != 0 and word != 0:
            at_word = rows + word * ROW_STEP
            offsets = row_offsets(at_word, arrays, rows_of, IS_NESTED, ROW_UNIT, UNIT_ROWS)
        on = (0 if IS_NESTED else word * ROW_STEP, word * COLUMN_STEP)
        xs = xs + (tl.load(at(x, on, offsets[0], columns, UNIT_COLUMNS), mask=inside),)
        y_ats = y_ats + (at(y, on, offsets[1], columns, UNIT_COLUMNS),)
        if mask[0] is not None:
            mask_ats = mask_ats + (at(mask, on, offsets[2], columns, UNIT_COLUMNS),)
        insides = insides + (inside,)
    if mask[0] is None:
        kepts = decide(draw(seed, rows, columns), threshold, may_keep)
    elif reads_mask:
        kepts = read(mask_ats, insides)
    else:
        kepts = decide(draw(seed, rows, columns), threshold, may_keep)
        if mask_or_null:
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
def row_offsets(
    row, arrays, rows_of, IS_NESTED: tl.constexpr, UNIT: tl.constexpr, IS_UNIT: tl.constexpr
):
    """Returns the offsets of rows in the three arrays. IS_UNIT says that all arrays have a stride
    of 1 along the innermost axis of rows. Rows from a multiple of UNIT on to the next one have the
    same indices in all axes but that one."""
    x = row if IS_UNIT else row * arrays[0][1]
    y = row if IS_UNIT else row * arrays[1][1]
    mask = row if IS_UNIT else row * arrays[2][1]
    offsets = (x, y, mask)
    if IS_NESTED:
        # Only an unsigned division tells the compiler that a unit's rows have equal quotients,
        # because it does not know that rows are not negative.
        offsets = all_jumps(row.to(tl.uint64) // UNIT * UNIT, offsets, rows_of)
    return offsets


@eft.jit
def all_jumps(row, offsets, rows_of):
    """Adds to the offsets the jumps of all axes on the way to a row."""
    _, is_deep, axes = rows_of
    rest, offsets = jump(row, offsets, axes[0:2])
    if is_deep is not None and is_deep:
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
