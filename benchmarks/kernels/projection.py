# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product with a matrix that is made from a seed.

`common.load_kernels` defines `jit` and `tl` in this module before the kernels.
"""


@jit
def add_group(sums, x_ptr, half, start, columns, S: tl.constexpr):
    place = start + (half & (S - 1)).to(tl.int32)
    sign = tl.where((half & 0x8000) == 0, 1.0, -1.0)
    sign = tl.where(place < columns, sign, 0.0)
    return sums + sign * tl.load(x_ptr + tl.minimum(place, columns - 1))


@jit
def project(
    x_ptr,
    y_ptr,
    points,
    columns,
    outputs,
    seed,
    S: tl.constexpr,
    POINTS: tl.constexpr,
    OUTPUTS: tl.constexpr,
):
    """Y = X R. In each column of R, each group of S consecutive rows has one entry that is not
    zero: √(S/outputs) with a random sign, in a random row of the group. See
    tutorials/07-projection-without-a-matrix.py."""
    output = tl.program_id(0) * OUTPUTS + tl.arange(0, OUTPUTS)[None, :]
    point = tl.program_id(1) * POINTS + tl.arange(0, POINTS)[:, None]
    x_ptr += tl.minimum(point, points - 1).to(tl.int64) * columns
    sums = tl.zeros((POINTS, OUTPUTS), tl.float32)
    for eight in range(0, tl.cdiv(columns, 8 * S)):
        start = eight * 8 * S
        a, b, c, d = tl.randint4x(seed, eight * outputs + output)
        sums = add_group(sums, x_ptr, a, start, columns, S)
        sums = add_group(sums, x_ptr, a >> 16, start + S, columns, S)
        sums = add_group(sums, x_ptr, b, start + 2 * S, columns, S)
        sums = add_group(sums, x_ptr, b >> 16, start + 3 * S, columns, S)
        sums = add_group(sums, x_ptr, c, start + 4 * S, columns, S)
        sums = add_group(sums, x_ptr, c >> 16, start + 5 * S, columns, S)
        sums = add_group(sums, x_ptr, d, start + 6 * S, columns, S)
        sums = add_group(sums, x_ptr, d >> 16, start + 7 * S, columns, S)
    inside = (point < points) & (output < outputs)
    y_ptr += point.to(tl.int64) * outputs
    tl.store(y_ptr + output, sums * tl.sqrt(S / tl.cast(outputs, tl.float32)), mask=inside)
