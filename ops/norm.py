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

PARTS = tl.constexpr(4)  # the number of parts that the columns of a group have
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
def columns_of(first, part, GROUPS: tl.constexpr):
    """The columns of a part, where `first` is the first of all."""
    return first + part_offsets(GROUPS) + part * LANES


@eft.jit
def is_inside(column, columns, IS_WHOLE: tl.constexpr):
    """Whether columns are those of the row. IS_WHOLE says that all are."""
    return tl.full(column.shape, True, tl.int1) if IS_WHOLE else column < columns


@eft.jit
def load_parts(pointer, first, columns, GROUPS: tl.constexpr, IS_WHOLE: tl.constexpr):
    """The four parts of a row of an array, 0 outside. A row's loads stand together, in front of its
    stores, so that all of them are on their way at the same time: none may overtake a store."""
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
def if_any(parts, are_there):
    """The parts in fp32; -0, which changes no sum, if the array is missing. Then another array was
    loaded in its place: a branch would hold up the loads behind it."""
    chosen = ()
    for part in tl.static_range(PARTS):
        chosen = chosen + (tl.where(are_there, parts[part].to(tl.float32), -0.0),)
    return chosen


@eft.jit
def load_z(x_ptr, residual, drawn, first, columns, GROUPS: tl.constexpr, IS_WHOLE: tl.constexpr):
    """The four parts of z as they are stored, in fp32; 0 outside. The pointers are the row's."""
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
    """A program has four rows. Rows of at most GROUPS * 64 columns stay in registers; longer ones,
    with IS_LONG, are read in pieces of so many. If the residual or the bias is missing, its pointer
    is that of another array of its shape."""
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
    """The row that is 16 · i below the first one."""
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
    """The same in pieces, which are read three times. Sums of pieces are added element by element,
    from the first on."""
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
    """The four parts of dy, of its product with the weight, and of the normed z; 0 outside."""
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
    """The sums of all elements of two blocks, for one exchange between the threads."""
    return tl.reduce((one, other), None, add_two)


@eft.jit
def means_of(products, gradients, norm):
    """The means of g n and of g, from what `add_parts` gives."""
    has_mean, count = norm
    along, mean_gradient = total_of_two(products, gradients)
    return along / count, tl.where(has_mean, mean_gradient / count, 0.0)


@eft.jit
def write_gradients(
    outputs, start, row, drawn, means, first, columns, GROUPS: tl.constexpr, IS_WHOLE: tl.constexpr
):
    """Writes the gradients of the residual and of x."""
    dx_ptr, dresidual_ptr = outputs
    gradients, normeds, dzs, has_dz = row
    rstd, along, mean_gradient = means
    bits, first_row, i, scale = drawn
    dresiduals, dxs = (), ()
    for part in tl.static_range(PARTS):
        gradient = (gradients[part] - normeds[part] * along - mean_gradient) * rstd
        # The product has another use, so it is rounded, whether dz is there or not.
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

    where mean(g) is 0 for a root mean square norm. A program has four times four rows. It adds up
    their dy · n, and their dy behind all of these, in a row of its own of `partial`, which
    `add_partials` adds to the gradients of the weight and the bias. All but dy, dz, z, weight and
    rstd may be null. Without `has_dz`, dz is missing, and its pointer that of dy.
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
    """The same in pieces, which are read twice; the sums are in memory."""
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
