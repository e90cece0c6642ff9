# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout, the sum with a residual, and a norm of the rows, in one pass; and its gradients.

    z = residual + where(kept, x * scale, 0)        rounded to the arrays' type
    y = (z - mean) * rstd * weight + bias           with the mean and rstd of each row of z

Kept is what dropout.py keeps. Of a root mean square norm the mean is 0. All of it is computed in
fp32.

A program has rows that are 16 apart, four from each 64: from row 1024 on, four such rows share
draws, and before that, four columns that are 16 apart do. So 16 bits for each four rows and four
columns say what is kept, and a row is four blocks of columns: its parts, of 16 columns in each 64.

The order of sums is part of the meaning, the same on a GPU and a CPU: elements of the four parts
are added first, then their sums as `tl.sum` does that in a block of GROUPS times 16.
"""

import eft
import eft.language as tl
from dropout import EARLY_ROWS, GROUP, LANES, draw, kept_of

PARTS = tl.constexpr(4)  # of the columns of each group
QUADS = tl.constexpr(4)  # times four rows that a program of the backward has


@eft.jit
def first_of(program):
    """The first of the four rows of a program, which are 16 apart."""
    program = program.to(tl.int64)
    return program // LANES * GROUP + program % LANES


@eft.jit
def rows_from(first_row, rows):
    """The number of the four rows that are there."""
    return tl.minimum(tl.cdiv(rows - first_row, LANES), 4).to(tl.int32)


@eft.jit
def part_offsets(GROUPS: tl.constexpr):
    """The columns of the first part, as far as they are from the first of all."""
    return tl.arange(0, GROUPS)[:, None] * GROUP + tl.arange(0, LANES)[None, :]


@eft.jit
def is_inside(column, columns, IS_WHOLE: tl.constexpr):
    """Whether columns are those of the row. IS_WHOLE says that all are."""
    return tl.full(column.shape, True, tl.int1) if IS_WHOLE else column < columns


@eft.jit
def kept_bits(first_row, column, seed, rule):
    """The bits that say what is kept of four rows, and of the four parts that begin with `column`,
    at the places that `is_kept` knows."""
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
    """Whether elements of the row, 0 to 3, and the part are kept."""
    place = tl.where(first_row < EARLY_ROWS, 4 * row + part, 4 * part + row)
    return ((bits >> place) & 1) != 0


@eft.jit
def add_dropped(x_ptr, residual_ptr, start, column, inside, kept, scale):
    """The elements of z, 0 outside; in fp32."""
    x = tl.load(x_ptr + start + column, mask=inside).to(tl.float32)
    z = tl.where(kept & inside, x * scale, 0.0)
    if residual_ptr:
        z += tl.load(residual_ptr + start + column, mask=inside, other=0.0)
    return z


@eft.jit
def total(parts):
    """The sum of all elements of a row."""
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
def write_normed(y_ptr, weight_ptr, bias_ptr, start, column, inside, difference, rstd):
    y = difference * rstd * tl.load(weight_ptr + column, mask=inside).to(tl.float32)
    if bias_ptr:
        y += tl.load(bias_ptr + column, mask=inside)
    tl.store(y_ptr + start + column, y, mask=inside)


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
    GROUPS: tl.constexpr,
    IS_LONG: tl.constexpr,
):
    """A program has four rows. Rows of at most GROUPS * 64 columns stay in registers; longer ones,
    with IS_LONG, are read in pieces of so many. The residual and the bias may be null."""
    inputs = (x_ptr, residual_ptr, weight_ptr, bias_ptr)
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
    """The row that is 16 · i below the first one."""
    x_ptr, residual_ptr, weight_ptr, bias_ptr = inputs
    z_ptr, y_ptr, mean_ptr, rstd_ptr = outputs
    has_mean, count, eps = norm
    row = first_row + i * LANES
    start = row * columns
    zs = ()
    for part in tl.static_range(PARTS):
        column = part_offsets(GROUPS) + part * LANES
        inside = is_inside(column, columns, IS_WHOLE)
        kept = is_kept(bits, first_row, i, part)
        z = add_dropped(x_ptr, residual_ptr, start, column, inside, kept, rule[2])
        z = z.to(z_ptr.dtype.element_ty)
        tl.store(z_ptr + start + column, z, mask=inside)
        zs = zs + (z.to(tl.float32),)
    mean = 0.0
    if has_mean:
        mean = total(zs) / count
    squares = ()
    for part in tl.static_range(PARTS):
        column = part_offsets(GROUPS) + part * LANES
        difference = centred(zs[part], mean, is_inside(column, columns, IS_WHOLE))
        squares = squares + (difference * difference,)
    rstd = tl.rsqrt(total(squares) / count + eps)
    write_statistics(mean_ptr, rstd_ptr, row, mean, rstd, has_mean)
    for part in tl.static_range(PARTS):
        column = part_offsets(GROUPS) + part * LANES
        inside = is_inside(column, columns, IS_WHOLE)
        difference = zs[part] - mean
        write_normed(
            *(y_ptr, weight_ptr, bias_ptr, start, column, inside),
            *(difference, rstd),
        )


@eft.jit
def long_row(inputs, outputs, first_row, i, columns, seed, rule, norm, GROUPS: tl.constexpr):
    """The same in pieces, which are read three times. Sums of pieces are added element by element,
    from the first on."""
    x_ptr, residual_ptr, weight_ptr, bias_ptr = inputs
    z_ptr, y_ptr, mean_ptr, rstd_ptr = outputs
    has_mean, count, eps = norm
    row = first_row + i * LANES
    start = row * columns
    sums = tl.zeros((GROUPS, LANES), tl.float32)
    for piece in range(0, columns, GROUPS * GROUP):
        bits = kept_bits(first_row, piece + part_offsets(GROUPS), seed, rule)
        zs = ()
        for part in tl.static_range(PARTS):
            column = piece + part_offsets(GROUPS) + part * LANES
            inside = column < columns
            kept = is_kept(bits, first_row, i, part)
            z = add_dropped(x_ptr, residual_ptr, start, column, inside, kept, rule[2])
            z = z.to(z_ptr.dtype.element_ty)
            tl.store(z_ptr + start + column, z, mask=inside)
            zs = zs + (z.to(tl.float32),)
        sums += add_parts(zs)
    mean = 0.0
    if has_mean:
        mean = tl.sum(sums) / count
    squares = tl.zeros((GROUPS, LANES), tl.float32)
    for piece in range(0, columns, GROUPS * GROUP):
        parts = ()
        for part in tl.static_range(PARTS):
            column = piece + part_offsets(GROUPS) + part * LANES
            inside = column < columns
            z = tl.load(z_ptr + start + column, mask=inside, other=0.0).to(tl.float32)
            difference = centred(z, mean, inside)
            parts = parts + (difference * difference,)
        squares += add_parts(parts)
    rstd = tl.rsqrt(tl.sum(squares) / count + eps)
    write_statistics(mean_ptr, rstd_ptr, row, mean, rstd, has_mean)
    for piece in range(0, columns, GROUPS * GROUP):
        for part in tl.static_range(PARTS):
            column = piece + part_offsets(GROUPS) + part * LANES
            inside = column < columns
            z = tl.load(z_ptr + start + column, mask=inside).to(tl.float32)
            write_normed(
                *(y_ptr, weight_ptr, bias_ptr, start, column, inside),
                *(z - mean, rstd),
            )


@eft.jit
def load_gradient(dy_ptr, weight_ptr, z_ptr, start, column, inside, mean, rstd):
    """dy, its product with the weight, and the normed z; 0 outside."""
    dy = tl.load(dy_ptr + start + column, mask=inside, other=0.0).to(tl.float32)
    gradient = dy * tl.load(weight_ptr + column, mask=inside, other=0.0).to(tl.float32)
    z = tl.load(z_ptr + start + column, mask=inside, other=0.0).to(tl.float32)
    return dy, gradient, centred(z, mean, inside) * rstd


@eft.jit
def write_gradients(outputs, dz_ptr, start, column, inside, gradient, normed, row, kept, scale):
    """Those of the residual and of x."""
    dx_ptr, dresidual_ptr = outputs
    rstd, along, mean_gradient = row
    gradient = (gradient - normed * along - mean_gradient) * rstd
    if dz_ptr:
        gradient += tl.load(dz_ptr + start + column, mask=inside)
    gradient = gradient.to(dx_ptr.dtype.element_ty)
    if dresidual_ptr:
        tl.store(dresidual_ptr + start + column, gradient, mask=inside)
    dx = tl.where(kept, gradient.to(tl.float32) * scale, 0.0)
    if dx_ptr:
        tl.store(dx_ptr + start + column, dx, mask=inside)


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
    GROUPS: tl.constexpr,
    IS_LONG: tl.constexpr,
):
    """With g = dy · weight and the normed n = (z - mean) · rstd,

        dresidual = (g - n · mean(g n) - mean(g)) · rstd + dz
        dx = where(kept, dresidual · scale, 0)

    where mean(g) is 0 for a root mean square norm. A program has four times four rows. It adds up
    their dy · n, and their dy behind all of these, in a row of its own of `partial`, which
    `add_partials` adds to the gradients of the weight and the bias. All but dy, z, weight and rstd
    may be null.
    """
    inputs = (dy_ptr, dz_ptr, z_ptr, weight_ptr, mean_ptr, rstd_ptr)
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
    """All rows of a program of the backward, which fit in registers, and their sums."""
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
    """Gives the sums for the weight and the bias, with this row's added."""
    dy_ptr, dz_ptr, z_ptr, weight_ptr, mean_ptr, rstd_ptr = inputs
    has_mean, count = norm
    row = first_row + i * LANES
    start = row * columns
    mean, rstd = statistics(mean_ptr, rstd_ptr, row, has_mean)
    gradients, normeds, products, new_weights, new_biases = (), (), (), (), ()
    for part in tl.static_range(PARTS):
        column = part_offsets(GROUPS) + part * LANES
        inside = is_inside(column, columns, IS_WHOLE)
        dy, gradient, normed = load_gradient(
            *(dy_ptr, weight_ptr, z_ptr, start, column, inside, mean, rstd)
        )
        gradients, normeds = gradients + (gradient,), normeds + (normed,)
        products = products + (gradient * normed,)
        new_weights = new_weights + (weights[part] + dy * normed,)
        new_biases = new_biases + (biases[part] + dy,)
    along, mean_gradient = total(products) / count, 0.0
    if has_mean:
        mean_gradient = total(gradients) / count
    for part in tl.static_range(PARTS):
        column = part_offsets(GROUPS) + part * LANES
        inside = is_inside(column, columns, IS_WHOLE)
        write_gradients(
            *(outputs, dz_ptr, start, column, inside, gradients[part], normeds[part]),
            *((rstd, along, mean_gradient), is_kept(bits, first_row, i, part), rule[2]),
        )
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
    """The same in pieces, which are read twice; the sums are in memory."""
    dy_ptr, dz_ptr, z_ptr, weight_ptr, mean_ptr, rstd_ptr = inputs
    partial_ptr, weight_at, bias_at = partials
    has_mean, count = norm
    row = first_row + i * LANES
    start = row * columns
    mean, rstd = statistics(mean_ptr, rstd_ptr, row, has_mean)
    product_sums = tl.zeros((GROUPS, LANES), tl.float32)
    gradient_sums = product_sums
    for piece in range(0, columns, GROUPS * GROUP):
        products, gradients = (), ()
        for part in tl.static_range(PARTS):
            column = piece + part_offsets(GROUPS) + part * LANES
            inside = column < columns
            dy, gradient, normed = load_gradient(
                *(dy_ptr, weight_ptr, z_ptr, start, column, inside, mean, rstd)
            )
            products, gradients = products + (gradient * normed,), gradients + (gradient,)
        product_sums += add_parts(products)
        gradient_sums += add_parts(gradients)
    along, mean_gradient = tl.sum(product_sums) / count, 0.0
    if has_mean:
        mean_gradient = tl.sum(gradient_sums) / count
    for piece in range(0, columns, GROUPS * GROUP):
        bits = kept_bits(first_row, piece + part_offsets(GROUPS), seed, rule)
        for part in tl.static_range(PARTS):
            column = piece + part_offsets(GROUPS) + part * LANES
            inside = column < columns
            dy, gradient, normed = load_gradient(
                *(dy_ptr, weight_ptr, z_ptr, start, column, inside, mean, rstd)
            )
            write_gradients(
                *(outputs, dz_ptr, start, column, inside, gradient, normed),
                *((rstd, along, mean_gradient), is_kept(bits, first_row, i, part), rule[2]),
            )
            if partial_ptr:
                add_to(weight_at + column, dy * normed, inside, is_first)
                add_to(bias_at + column, dy, inside, is_first)


@eft.jit
def add_to(at, value, inside, is_first):
    """Adds to sums in memory, which begin with the first value."""
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
    """The sums of `chunks` rows of partial sums, for COLUMNS columns: of the weight in the first
    programs, then of the bias. ROWS rows are added element by element to those before them; then
    `tl.sum` adds the sums."""
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
