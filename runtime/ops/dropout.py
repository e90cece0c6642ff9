# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of the dropout operator, compiled ahead of time into eft::ops.

Whether the element of row r and column c is kept is a function of the seed, r and c alone. Philox
draws four words at a time, so 64 columns share 16 draws: with

    group  = c // 64                  lane = c % 16                  word = c // 16 % 4
    column = 16 * group + lane

the element has the random number `philox(seed, low(column), high(column), low(r), high(r))[word]`,
where low and high are the 32-bit halves, and is kept if that is at least `threshold`, which is
p * 2**32. For a given word, 16 neighbours have 16 draws: whole vectors, on a GPU and on a CPU.

`forward` is the general form, `narrow` that for rows of fewer columns than a draw serves. For rows
of more than 32 columns, and for those that begin anywhere, GPUs have those of dropout_unaligned.py.
"""

import eft
import eft.language as tl

LANES = tl.constexpr(16)  # that a group of 64 columns has for each word


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
    UNIT: tl.constexpr,
    ROWS: tl.constexpr,
    GROUPS: tl.constexpr,
):
    """y = where(kept, x * scale, 0), and 1 where kept in the mask, if there is one.

    A program has ROWS rows of GROUPS * 64 columns. Program ids count those along a row in x, and
    blocks of rows in y and z. `may_keep` is false to drop everything, which no threshold of 32 bits
    can do. `columns` counts UNITs of columns: 4 tells the compiler that rows begin at addresses
    that are divisible by 16 if the first one does.
    """
    columns = columns * UNIT
    first_row = (tl.program_id(1) + tl.num_programs(1) * tl.program_id(2).to(tl.int64)) * ROWS
    first_draw = tl.program_id(0).to(tl.int64) * (GROUPS * LANES)
    first_column = first_draw * 4
    columns_left = tl.minimum(columns - first_column, GROUPS * LANES * 4).to(tl.int32)
    rows_left = tl.minimum(tl.maximum(rows - first_row, 0), ROWS).to(tl.int32)

    place = tl.arange(0, ROWS * GROUPS)[:, None]
    row, group = place // GROUPS, place % GROUPS
    lane = tl.arange(0, LANES)[None, :]
    if ROWS == 1:  # which leaves the rows out of the mask of each element
        columns_left = tl.where(rows_left > 0, columns_left, 0)
        row_number = first_row
    else:
        row_number = first_row + row
    words = tl.philox(
        seed,
        group * LANES + lane + first_draw.to(tl.int32),
        (first_draw >> 32).to(tl.int32),
        row_number.to(tl.int32),
        (row_number >> 32).to(tl.int32),
    )
    start = first_row * columns + first_column
    for word in tl.static_range(4):
        column = group * (4 * LANES) + (lane + word * LANES)
        inside = column < columns_left
        offsets = column
        if ROWS > 1:
            inside = inside & (row < rows_left)
            offsets = row * columns + column
        x = tl.load(x_ptr + start + offsets, mask=inside)
        kept = (words[word] >= threshold) & may_keep
        tl.store(y_ptr + start + offsets, tl.where(kept, x * scale, 0.0), mask=inside)
        if mask_ptr is not None:
            tl.store(mask_ptr + start + offsets, kept.to(tl.int32), mask=inside)


@eft.jit
def narrow(
    x_ptr,
    y_ptr,
    mask_ptr,
    rows,
    columns,
    seed,
    threshold,
    may_keep,
    scale,
    eights,
    reciprocal,
    BLOCK: tl.constexpr,
    WORDS: tl.constexpr,
):
    """The same for rows of up to 16 * WORDS columns, which have a draw for each element, and fewer
    than 2**32 of them: as one row of elements, that a program has BLOCK of, or less to end with a
    row.

    A program has 8 * `eights` rows, and `reciprocal` is 2**20 / columns, rounded up: exact enough
    for the numbers below BLOCK, of at most 2048.
    """
    rows_each = eights * 8
    block = tl.program_id(1) + tl.num_programs(1) * tl.program_id(2).to(tl.int64)
    first_row = block * rows_each
    rows_left = tl.minimum(tl.maximum(rows - first_row, 0), rows_each).to(tl.int32)
    start = first_row * columns
    i = tl.arange(0, BLOCK)
    inside = i < rows_left * columns
    x = tl.load(x_ptr + start + i, mask=inside)
    row = i * reciprocal >> 20
    column = i - row * columns
    lane = column if WORDS == 1 else column & (LANES - 1)
    words = tl.philox(seed, lane, 0, first_row.to(tl.int32) + row, 0)
    word = words[0]
    for other in tl.static_range(1, WORDS):
        word = tl.where(column < other * LANES, word, words[other])
    kept = (word >= threshold) & may_keep
    tl.store(y_ptr + start + i, tl.where(kept, x * scale, 0.0), mask=inside)
    if mask_ptr is not None:
        tl.store(mask_ptr + start + i, kept.to(tl.int32), mask=inside)


@eft.jit
def backward(dy_ptr, mask_ptr, dx_ptr, count, scale, BLOCK: tl.constexpr):
    """dx = where(mask != 0, dy * scale, 0)."""
    start = tl.program_id(0).to(tl.int64) * BLOCK
    offsets = tl.arange(0, BLOCK)
    inside = offsets < tl.minimum(count - start, BLOCK).to(tl.int32)
    dy = tl.load(dy_ptr + start + offsets, mask=inside)
    kept = tl.load(mask_ptr + start + offsets, mask=inside) != 0
    tl.store(dx_ptr + start + offsets, tl.where(kept, dy * scale, 0.0), mask=inside)
