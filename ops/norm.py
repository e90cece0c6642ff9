# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout, the sum with a residual and a norm of the rows in one kernel, and the gradients.

    z = residual + where(kept, x * scale, 0)        rounded to the arrays' type
    y = (z - mean) * rstd * weight + bias           with the mean and rstd of each row of z

`kept` is defined in dropout.py. A root mean square norm takes 0 as the mean. All arithmetic is in
fp32.

A program of the forward has four rows that are 16 apart, in a group of 64. A draw gives four
numbers. From row 1024 on, these are for the four rows, one for each. In earlier rows, they are for
four columns that are 16 apart. So 16 bits say what is kept of four rows and four columns. A row is
divided into four blocks of columns, its *parts*: part i has the columns 16 * i to 16 * i + 15 of
every group of 64. A row that is too long for the registers is computed in *pieces* of neighbouring
columns, and each piece has four parts.

The order of sums is part of the meaning and the same on a GPU and a CPU. First the four parts are
added element by element, then the sums of the pieces. Last, `tl.sum` adds the elements of the
resulting block of GROUPS times 16.
"""

import eft
import eft.language as tl
from dropout import EARLY_ROWS, GROUP, LANES, draw, kept_of

PARTS = tl.constexpr(4)  # the parts of a row
QUADS = tl.constexpr(4)  # a program of the backward has QUADS times four rows


@eft.jit
def first_of(program):
    """Returns the first of the four rows of a program. The rows are 16 apart."""
    program = program.to(tl.int64)
    return program // LANES * GROUP + program % LANES


@eft.jit
def rows_from(first_row, rows):
    """Returns how many of a program's four rows are in the matrix."""
    return tl.minimum(tl.cdiv(rows - first_row, LANES), 4).to(tl.int32)


@eft.jit
def part_offsets(GROUPS: tl.constexpr):
    """Returns the columns of part 0, counted from the first column of the row or piece."""
    return tl.arange(0, GROUPS)[:, None] * GROUP + tl.arange(0, LANES)[None, :]


@eft.jit
def columns_of(first, part, GROUPS: tl.constexpr):
    """Returns the columns of a part. `first` is the first column of the row or piece."""
    return first + part_offsets(GROUPS) + part * LANES


@eft.jit
def is_inside(column, columns, IS_WHOLE: tl.constexpr):
    """Returns whether each column is in the row. IS_WHOLE says that all of them are."""
    return tl.full(column.shape, True, tl.int1) if IS_WHOLE else column < columns


@eft.jit
def load_parts(pointer, first, columns, GROUPS: tl.constexpr, IS_WHOLE: tl.constexpr):
    """Loads the four parts of a row, with 0 outside of the row. Callers make all loads of a row
    before its stores, so that the loads are in flight at the same time: the compiler may not move a
    load before a store."""
    parts = ()
    for part in tl.static_range(PARTS):
        column = columns_of(first, part, GROUPS)
        inside = is_inside(column, columns, IS_WHOLE)
        parts = parts + (tl.load(pointer + column, mask=inside, other=0.0),)
    return parts


@eft.jit
def store_parts(pointer, parts, first, columns, GROUPS: tl.constexpr, IS_WHOLE: tl.constexpr):
    for part in tl.static_range(PARTS):
        column = columns_of(first, part, GROUPS)
        tl.store(pointer + column, parts[part], mask=is_inside(column, columns, IS_WHOLE))


@eft.jit
def kept_bits(first_row, column, seed, rule):
    """Returns the 16 bits that say what is kept of four rows and four parts. `column` is the
    columns of part 0. `is_kept` reads the bits."""
    threshold, may_keep, _ = rule
    row_step = tl.where(first_row < EARLY_ROWS, LANES, 0)
    column_step = LANES - row_step
    bits = tl.zeros(column.shape, tl.int32)
    if threshold == 0:
        bits += 0xFFFF
    else:
        for i in range(4):
            words = draw(seed, first_row + i * row_step, column + i * column_step)
            for word in tl.static_range(4):
                kept = kept_of(words[word], threshold, may_keep)
                bits |= kept.to(tl.int32) << (4 * i + word)
    return bits


@eft.jit
def is_kept(bits, first_row, row, part):
    """Returns whether the elements of a part are kept. `bits` is the result of `kept_bits`, and
    `row` is the number of the row, 0 to 3, among the four rows that begin at `first_row`."""
    place = tl.where(first_row < EARLY_ROWS, 4 * row + part, 4 * part + row)
    return ((bits >> place) & 1) != 0


@eft.jit
def if_any(parts, are_there):
    """Returns the parts in fp32, or -0 if the array is missing. Adding -0 changes no number. If the
    array is missing, the caller loads another array in its place, because a branch around the loads
    would delay the loads that follow."""
    chosen = ()
    for part in tl.static_range(PARTS):
        chosen = chosen + (tl.where(are_there, parts[part].to(tl.float32), -0.0),)
    return chosen


@eft.jit
def load_z(x_ptr, residual, drawn, first, columns, GROUPS: tl.constexpr, IS_WHOLE: tl.constexpr):
    """Computes the four parts of z, rounded as z is stored, and returns them in fp32, with 0
    outside of the row. The pointers point to the row's first column. `drawn` is the tuple (bits,
    first_row, i, scale): the arguments of `is_kept` for row i, and the scale."""
    bits, first_row, i, scale = drawn
    xs = load_parts(x_ptr, first, columns, GROUPS, IS_WHOLE)
    residual_ptr, has_residual = residual
    residuals = load_parts(residual_ptr, first, columns, GROUPS, IS_WHOLE)
    residuals = if_any(residuals, has_residual)
    zs = ()
    for part in tl.static_range(PARTS):
        kept = is_kept(bits, first_row, i, part)
        z = tl.where(kept, xs[part].to(tl.float32) * scale, 0.0) + residuals[part]
        zs = zs + (z.to(x_ptr.dtype.element_ty).to(tl.float32),)
    return zs


@eft.jit
def total(parts):
    """Returns the sum of all elements of a row."""
    return tl.sum(add_parts(parts))


@eft.jit
def add_parts(parts):
    return (parts[0] + parts[1]) + (parts[2] + parts[3])


@eft.jit
def centred(z, mean, inside):
    return tl.where(inside, z - mean, 0.0)


@eft.jit
def write_statistics(mean_ptr, rstd_ptr, row, mean, rstd, has_mean):
    if has_mean:
        tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)


@eft.jit
def write_normed(
    y_ptr, weights_of, zs, row, first, columns, GROUPS: tl.constexpr, IS_WHOLE: tl.constexpr
):
    """Writes the four parts of a row of y."""
    weight_ptr, bias_ptr, has_bias = weights_of
    mean, rstd = row
    weights = load_parts(weight_ptr, first, columns, GROUPS, IS_WHOLE)
    biases = if_any(load_parts(bias_ptr, first, columns, GROUPS, IS_WHOLE), has_bias)
    ys = ()
    for part in tl.static_range(PARTS):
        normed = (zs[part] - mean) * rstd
        ys = ys + (normed * weights[part].to(tl.float32) + biases[part],)
    store_parts(y_ptr, ys, first, columns, GROUPS, IS_WHOLE)


@eft.jit
def squares_of(zs, mean, first, columns, GROUPS: tl.constexpr, IS_WHOLE: tl.constexpr):
    squares = ()
    for part in tl.static_range(PARTS):
        inside = is_inside(columns_of(first, part, GROUPS), columns, IS_WHOLE)
        difference = centred(zs[part], mean, inside)
        squares = squares + (difference * difference,)
    return squares


@eft.jit
def in_fp32(parts):
    return (
        parts[0].to(tl.float32),
        parts[1].to(tl.float32),
        parts[2].to(tl.float32),
        parts[3].to(tl.float32),
    )


@eft.jit
def forward(
    x_ptr,
    residual_ptr,
    weight_ptr,
    bias_ptr,
    z_ptr,
    y_ptr,
    mean_ptr,
    rstd_ptr,
    rows,
    columns,
    seed,
    threshold,
    may_keep,
    scale,
    eps,
    has_mean,
    has_residual,
    has_bias,
    GROUPS: tl.constexpr,
    IS_LONG: tl.constexpr,
):
    """Computes z, y and the statistics of four rows. A row of at most GROUPS * 64 columns stays in
    registers. Longer rows, with IS_LONG, are read in pieces of GROUPS * 64 columns. If the residual
    or the bias is missing, its pointer must be that of another array of its shape."""
    inputs = (x_ptr, residual_ptr, weight_ptr, bias_ptr, has_residual, has_bias)
    outputs = (z_ptr, y_ptr, mean_ptr, rstd_ptr)
    rule = (threshold, may_keep, scale)
    first_row = first_of(tl.program_id(0))
    norm = (has_mean, columns.to(tl.float32), eps)
    if IS_LONG:
        for i in range(rows_from(first_row, rows)):
            long_row(inputs, outputs, first_row, i, columns, seed, rule, norm, GROUPS)
    else:
        columns = columns.to(tl.int32)
        bits = kept_bits(first_row, part_offsets(GROUPS), seed, rule)
        count = rows_from(first_row, rows)
        if columns == GROUPS * GROUP:  # no element needs a mask
            for i in range(count):
                short_row(inputs, outputs, first_row, i, columns, bits, rule, norm, GROUPS, True)
        else:
            for i in range(count):
                short_row(inputs, outputs, first_row, i, columns, bits, rule, norm, GROUPS, False)


@eft.jit
def short_row(
    inputs,
    outputs,
    first_row,
    i,
    columns,
    bits,
    rule,
    norm,
    GROUPS: tl.constexpr,
    IS_WHOLE: tl.constexpr,
):
    """Computes row `first_row` + 16 · i, which stays in registers."""
    x_ptr, residual_ptr, weight_ptr, bias_ptr, has_residual, has_bias = inputs
    z_ptr, y_ptr, mean_ptr, rstd_ptr = outputs
    has_mean, count, eps = norm
    row = first_row + i * LANES
    start = row * columns
    drawn = (bits, first_row, i, rule[2])
    residual = (residual_ptr + start, has_residual)
    zs = load_z(x_ptr + start, residual, drawn, 0, columns, GROUPS, IS_WHOLE)
    store_parts(z_ptr + start, zs, 0, columns, GROUPS, IS_WHOLE)
    mean = 0.0
    if has_mean:
        mean = total(zs) / count
    squares = squares_of(zs, mean, 0, columns, GROUPS, IS_WHOLE)
    rstd = tl.rsqrt(total(squares) / count + eps)
    write_statistics(mean_ptr, rstd_ptr, row, mean, rstd, has_mean)
    weights_of = (weight_ptr, bias_ptr, has_bias)
    write_normed(y_ptr + start, weights_of, zs, (mean, rstd), 0, columns, GROUPS, IS_WHOLE)


@eft.jit
def long_row(inputs, outputs, first_row, i, columns, seed, rule, norm, GROUPS: tl.constexpr):
    """Computes row `first_row` + 16 · i in pieces. Each piece is read three times: for the mean,
    for rstd and for y. The sums of the pieces are added element by element, in the order of the
    pieces."""
    x_ptr, residual_ptr, weight_ptr, bias_ptr, has_residual, has_bias = inputs
    z_ptr, y_ptr, mean_ptr, rstd_ptr = outputs
    has_mean, count, eps = norm
    row = first_row + i * LANES
    start = row * columns
    residual = (residual_ptr + start, has_residual)
    sums = tl.zeros((GROUPS, LANES), tl.float32)
    for piece in range(0, columns, GROUPS * GROUP):
        bits = kept_bits(first_row, piece + part_offsets(GROUPS), seed, rule)
        drawn = (bits, first_row, i, rule[2])
        zs = load_z(x_ptr + start, residual, drawn, piece, columns, GROUPS, False)
        store_parts(z_ptr + start, zs, piece, columns, GROUPS, False)
        sums += add_parts(zs)
    mean = 0.0
    if has_mean:
        mean = tl.sum(sums) / count
    squares = tl.zeros((GROUPS, LANES), tl.float32)
    for piece in range(0, columns, GROUPS * GROUP):
        zs = in_fp32(load_parts(z_ptr + start, piece, columns, GROUPS, False))
        squares += add_parts(squares_of(zs, mean, piece, columns, GROUPS, False))
    rstd = tl.rsqrt(tl.sum(squares) / count + eps)
    write_statistics(mean_ptr, rstd_ptr, row, mean, rstd, has_mean)
    weights_of = (weight_ptr, bias_ptr, has_bias)
    for piece in range(0, columns, GROUPS * GROUP):
        zs = in_fp32(load_parts(z_ptr + start, piece, columns, GROUPS, False))
        write_normed(
            *(y_ptr + start, weights_of, zs, (mean, rstd)),
            *(piece, columns, GROUPS, False),
        )


@eft.jit
def load_row(inputs, start, row, first, columns, GROUPS: tl.constexpr, IS_WHOLE: tl.constexpr):
    """Returns the four parts of dy, of g = dy · weight, and of n = (z - mean) · rstd, with 0
    outside of the row."""
    dy_ptr, z_ptr, weight_ptr = inputs
    mean, rstd = row
    dys = in_fp32(load_parts(dy_ptr + start, first, columns, GROUPS, IS_WHOLE))
    zs = in_fp32(load_parts(z_ptr + start, first, columns, GROUPS, IS_WHOLE))
    weights = in_fp32(load_parts(weight_ptr, first, columns, GROUPS, IS_WHOLE))
    normeds = ()
    for part in tl.static_range(PARTS):
        inside = is_inside(columns_of(first, part, GROUPS), columns, IS_WHOLE)
        normeds = normeds + (centred(zs[part], mean, inside) * rstd,)
    return dys, products_of(dys, weights), normeds


@eft.jit
def products_of(lefts, rights):
    return (
        lefts[0] * rights[0],
        lefts[1] * rights[1],
        lefts[2] * rights[2],
        lefts[3] * rights[3],
    )


@eft.jit
def add_two(a, b, c, d):
    return a + c, b + d


@eft.jit
def total_of_two(one, other):
    """Returns the sums of all elements of two blocks. One reduction computes both, so threads
    exchange data only once."""
    return tl.reduce((one, other), None, add_two)


@eft.jit
def means_of(products, gradients, norm):
    """Returns the means of g · n and of g, from their sums over parts (by `add_parts`). The mean of
    g is 0 for a root mean square norm."""
    has_mean, count = norm
    along, mean_gradient = total_of_two(products, gradients)
    return along / count, tl.where(has_mean, mean_gradient / count, 0.0)


@eft.jit
def write_gradients(
    outputs, start, row, drawn, means, first, columns, GROUPS: tl.constexpr, IS_WHOLE: tl.constexpr
):
    """Writes the gradients of the residual and of x, unless their pointers are null."""
    dx_ptr, dresidual_ptr = outputs
    gradients, normeds, dzs, has_dz = row
    rstd, along, mean_gradient = means
    bits, first_row, i, scale = drawn
    dresiduals, dxs = (), ()
    for part in tl.static_range(PARTS):
        gradient = (gradients[part] - normeds[part] * along - mean_gradient) * rstd
        # `where` below uses the product twice, so the product is not fused with the addition of dz.
        # It is rounded in the same way whether dz is there or not.
        gradient = tl.where(has_dz, gradient + dzs[part].to(tl.float32), gradient)
        gradient = gradient.to(dx_ptr.dtype.element_ty)
        kept = is_kept(bits, first_row, i, part)
        dresiduals = dresiduals + (gradient,)
        dxs = dxs + (tl.where(kept, gradient.to(tl.float32) * scale, 0.0),)
    if dresidual_ptr:
        store_parts(dresidual_ptr + start, dresiduals, first, columns, GROUPS, IS_WHOLE)
    if dx_ptr:
        store_parts(dx_ptr + start, dxs, first, columns, GROUPS, IS_WHOLE)


@eft.jit
def backward(
    dy_ptr,
    dz_ptr,
    z_ptr,
    weight_ptr,
    mean_ptr,
    rstd_ptr,
    dx_ptr,
    dresidual_ptr,
    partial_ptr,
    rows,
    columns,
    seed,
    threshold,
    may_keep,
    scale,
    has_mean,
    has_dz,
    GROUPS: tl.constexpr,
    IS_LONG: tl.constexpr,
):
    """With g = dy · weight and the normed n = (z - mean) · rstd,

        dresidual = (g - n · mean(g n) - mean(g)) · rstd + dz
        dx = where(kept, dresidual · scale, 0)

    where mean(g) is 0 for a root mean square norm. A program has QUADS times four rows. It writes
    two rows of sums into `partial`: the sum of dy · n over its rows, and the sum of dy. The sums of
    dy · n of all programs come first, then the sums of dy. `add_partials` adds them up; the results
    are the gradients of the weight and the bias. The pointers of mean, dx, dresidual and partial
    may be null. Without `has_dz`, dz is missing, and its pointer must be that of dy.
    """
    inputs = (dy_ptr, dz_ptr, z_ptr, weight_ptr, mean_ptr, rstd_ptr, has_dz)
    outputs = (dx_ptr, dresidual_ptr)
    rule = (threshold, may_keep, scale)
    norm = (has_mean, columns.to(tl.float32))
    program = tl.program_id(0).to(tl.int64)
    weight_at = partial_ptr + program * columns
    bias_at = partial_ptr + (program + tl.num_programs(0)) * columns
    partials = (partial_ptr, weight_at, bias_at)
    first_quad = first_of(program * QUADS)
    if IS_LONG:
        for quad in range(QUADS):
            first_row = first_quad + quad
            for i in range(rows_from(first_row, rows)):
                is_first = (quad == 0) & (i == 0)
                long_gradient(
                    *(inputs, outputs, partials, is_first),
                    *(first_row, i, columns, seed, rule, norm, GROUPS),
                )
    else:
        columns = columns.to(tl.int32)
        sizes = (rows, columns)
        if columns == GROUPS * GROUP:  # no element needs a mask
            short_rows(inputs, outputs, partials, first_quad, sizes, seed, rule, norm, GROUPS, True)
        else:
            short_rows(
                inputs, outputs, partials, first_quad, sizes, seed, rule, norm, GROUPS, False
            )


@eft.jit
def short_rows(
    inputs,
    outputs,
    partials,
    first_quad,
    sizes,
    seed,
    rule,
    norm,
    GROUPS: tl.constexpr,
    IS_WHOLE: tl.constexpr,
):
    """Computes the gradients and the sums of all rows of a program, for rows that stay in
    registers."""
    partial_ptr, weight_at, bias_at = partials
    rows, columns = sizes
    zero = tl.zeros((GROUPS, LANES), tl.float32)
    weights, biases = (zero, zero, zero, zero), (zero, zero, zero, zero)
    for quad in range(QUADS):
        first_row = first_quad + quad
        bits = kept_bits(first_row, part_offsets(GROUPS), seed, rule)
        for i in range(rows_from(first_row, rows)):
            weights, biases = short_gradient(
                *(inputs, outputs, weights, biases),
                *(first_row, i, columns, bits, rule, norm, GROUPS, IS_WHOLE),
            )
    if partial_ptr:
        for part in tl.static_range(PARTS):
            column = part_offsets(GROUPS) + part * LANES
            inside = is_inside(column, columns, IS_WHOLE)
            tl.store(weight_at + column, weights[part], mask=inside)
            tl.store(bias_at + column, biases[part], mask=inside)


@eft.jit
def statistics(mean_ptr, rstd_ptr, row, has_mean):
    mean = 0.0
    if has_mean:
        mean = tl.load(mean_ptr + row)
    return mean, tl.load(rstd_ptr + row)


@eft.jit
def short_gradient(
    inputs,
    outputs,
    weights,
    biases,
    first_row,
    i,
    columns,
    bits,
    rule,
    norm,
    GROUPS: tl.constexpr,
    IS_WHOLE: tl.constexpr,
):
    """Writes the gradients of one row. Returns the sums for the weight and the bias, with this row
    added."""
    dy_ptr, dz_ptr, z_ptr, weight_ptr, mean_ptr, rstd_ptr, has_dz = inputs
    row = first_row + i * LANES
    start = row * columns
    mean, rstd = statistics(mean_ptr, rstd_ptr, row, norm[0])
    dzs = load_parts(dz_ptr + start, 0, columns, GROUPS, IS_WHOLE)
    loaded = (dy_ptr, z_ptr, weight_ptr)
    dys, gradients, normeds = load_row(loaded, start, (mean, rstd), 0, columns, GROUPS, IS_WHOLE)
    products = products_of(gradients, normeds)
    along, mean_gradient = means_of(add_parts(products), add_parts(gradients), norm)
    write_gradients(
        *(outputs, start, (gradients, normeds, dzs, has_dz)),
        *((bits, first_row, i, rule[2]), (rstd, along, mean_gradient)),
        *(0, columns, GROUPS, IS_WHOLE),
    )
    new_weights, new_biases = (), ()
    for part in tl.static_range(PARTS):
        new_weights = new_weights + (weights[part] + dys[part] * normeds[part],)
        new_biases = new_biases + (biases[part] + dys[part],)
    return new_weights, new_biases


@eft.jit
def long_gradient(
    inputs,
    outputs,
    partials,
    is_first,
    first_row,
    i,
    columns,
    seed,
    rule,
    norm,
    GROUPS: tl.constexpr,
):
    """Writes the gradients of one row in pieces, each of which is read twice. Adds the row to the
    sums in memory."""
    dy_ptr, dz_ptr, z_ptr, weight_ptr, mean_ptr, rstd_ptr, has_dz = inputs
    partial_ptr, weight_at, bias_at = partials
    row = first_row + i * LANES
    start = row * columns
    mean, rstd = statistics(mean_ptr, rstd_ptr, row, norm[0])
    loaded = (dy_ptr, z_ptr, weight_ptr)
    product_sums = tl.zeros((GROUPS, LANES), tl.float32)
    gradient_sums = product_sums
    for piece in range(0, columns, GROUPS * GROUP):
        _, gradients, normeds = load_row(loaded, start, (mean, rstd), piece, columns, GROUPS, False)
        product_sums += add_parts(products_of(gradients, normeds))
        gradient_sums += add_parts(gradients)
    along, mean_gradient = means_of(product_sums, gradient_sums, norm)
    for piece in range(0, columns, GROUPS * GROUP):
        bits = kept_bits(first_row, piece + part_offsets(GROUPS), seed, rule)
        dzs = load_parts(dz_ptr + start, piece, columns, GROUPS, False)
        dys, gradients, normeds = load_row(
            loaded, start, (mean, rstd), piece, columns, GROUPS, False
        )
        write_gradients(
            *(outputs, start, (gradients, normeds, dzs, has_dz)),
            *((bits, first_row, i, rule[2]), (rstd, along, mean_gradient)),
            *(piece, columns, GROUPS, False),
        )
        if partial_ptr:
            for part in tl.static_range(PARTS):
                column = columns_of(piece, part, GROUPS)
                inside = column < columns
                add_to(weight_at + column, dys[part] * normeds[part], inside, is_first)
                add_to(bias_at + column, dys[part], inside, is_first)


@eft.jit
def add_to(at, value, inside, is_first):
    """Adds a value to sums in memory. The first value is stored and not added."""
    if is_first:
        tl.store(at, value, mask=inside)
    else:
        tl.store(at, tl.load(at, mask=inside) + value, mask=inside)


@eft.jit
def add_partials(
    partial_ptr,
    dweight_ptr,
    dbias_ptr,
    chunks,
    columns,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    """Adds `chunks` rows of partial sums, for COLUMNS columns. The first programs compute the
    gradient of the weight, the others that of the bias. A block of ROWS rows is added element by
    element to the blocks before it; then `tl.sum` adds the ROWS rows of the result."""
    program = tl.program_id(0).to(tl.int64)
    across = tl.cdiv(columns, COLUMNS)
    is_bias = program >= across
    if is_bias:
        program -= across
        partial_ptr += chunks * columns
    column = program * COLUMNS + tl.arange(0, COLUMNS)
    inside = column[None, :] < columns
    sums = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(0, chunks, ROWS):
        row = first + tl.arange(0, ROWS)[:, None]
        at = partial_ptr + (row * columns + column[None, :])
        sums += tl.load(at, mask=inside & (row < chunks), other=0.0)
    gradient = tl.sum(sums, axis=0)
    if is_bias:
        tl.store(dbias_ptr + column, gradient, mask=column < columns)
    else:
        tl.store(dweight_ptr + column, gradient, mask=column < columns)
