# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that the benchmarks run by Eft and by Triton. `common.load_kernels` defines `jit` and
`tl` in this module before the kernels."""


@jit
def masked(x_ptr, keep_ptr, output_ptr, n, p, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    keep = tl.load(keep_ptr + offsets, mask=inside)
    tl.store(output_ptr + offsets, tl.where(keep != 0, x / (1 - p), 0.0), mask=inside)


@jit
def seeded(x_ptr, output_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    keep = tl.rand(seed, offsets) > p
    tl.store(output_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=inside)


@jit
def part(x_ptr, output_ptr, offsets, random, n, p):
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(output_ptr + offsets, tl.where(random > p, x / (1 - p), 0.0), mask=inside)


@jit
def seeded_by_four(x_ptr, output_ptr, n, p, seed, BLOCK: tl.constexpr):
    """Calls Philox once for four elements. A program handles 4 * BLOCK elements."""
    first = tl.program_id(0) * BLOCK * 4 + tl.arange(0, BLOCK)
    r0, r1, r2, r3 = tl.rand4x(seed, first)
    part(x_ptr, output_ptr, first, r0, n, p)
    part(x_ptr, output_ptr, first + BLOCK, r1, n, p)
    part(x_ptr, output_ptr, first + 2 * BLOCK, r2, n, p)
    part(x_ptr, output_ptr, first + 3 * BLOCK, r3, n, p)


@jit
def multiply(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr,
):
    """C = A B for row-major matrices without gaps between rows. M, N and K must be multiples of
    BLOCK_M, BLOCK_N and BLOCK_K. To use the cache well, C is divided into groups of GROUP rows of
    blocks. Consecutive programs compute the blocks of one group, column by column."""
    across = tl.cdiv(N, BLOCK_N)
    program = tl.program_id(0)
    group = program // (GROUP * across)
    rows = tl.minimum(tl.cdiv(M, BLOCK_M) - group * GROUP, GROUP)
    within = program % (GROUP * across)
    m = (group * GROUP + within % rows) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = within // rows * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_offsets = m[:, None] * K + k[None, :]
    b_offsets = k[:, None] * N + n[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        sums = tl.dot(tl.load(a_ptr + a_offsets), tl.load(b_ptr + b_offsets), sums)
        a_ptr += BLOCK_K
        b_ptr += BLOCK_K * N
    c = sums.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c)


@jit
def multiply_strided(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    a_row,
    a_column,
    b_row,
    b_column,
    c_row,
    c_column,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr,
    SUM: tl.constexpr = tl.float32,
):
    """C = A B for matrices of any size and strides, in the form of Triton's tutorial. The row
    indices of A and the column indices of B wrap around at the end of the matrix, by `%`. A mask
    excludes elements beyond K. The loop carries blocks of pointers."""
    program = tl.program_id(axis=0)
    across = tl.cdiv(N, BLOCK_N)
    in_group = GROUP * across
    first = program // in_group * GROUP
    rows = min(tl.cdiv(M, BLOCK_M) - first, GROUP)
    program_m = first + (program % in_group) % rows
    program_n = (program % in_group) // rows
    m = (program_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (program_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (m[:, None] * a_row + k[None, :] * a_column)
    b_ptrs = b_ptr + (k[:, None] * b_row + n[None, :] * b_column)
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=SUM)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - step * BLOCK_K
        a = tl.load(a_ptrs, mask=k[None, :] < left, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < left, other=0.0)
        sums = tl.dot(a, b, sums, out_dtype=SUM)
        a_ptrs += BLOCK_K * a_column
        b_ptrs += BLOCK_K * b_row
    c = sums.to(c_ptr.dtype.element_ty)
    m = program_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = program_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + c_row * m[:, None] + c_column * n[None, :]
    tl.store(c_ptrs, c, mask=(m[:, None] < M) & (n[None, :] < N))


@jit
def fused_attention(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    m_ptr,
    scale,
    length,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    """softmax(Q Kᵀ · scale) V, in the form of Triton's tutorial. A program computes one block of
    rows of one head. It goes over the rows of K and V, and after each block rescales the sums to
    the new maximum of the scores. Q, K, V and the output are row-major without gaps, with rows of D
    elements. `m_ptr` gets, for each row, the binary logarithm of the sum of the exponentials of its
    scores."""
    block = tl.program_id(0)
    head = tl.program_id(1)
    base = head.to(tl.int64) * length * D
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + base + rows[:, None] * D + d[None, :])
    k_block = k_ptr + base + columns[:, None] * D + d[None, :]
    v_block = v_ptr + base + columns[:, None] * D + d[None, :]
    m = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    total = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    scale *= 1.44269504  # 1 / ln 2: below, exp2 computes the exponentials
    for first in range(0, (block + 1) * BLOCK_M if CAUSAL else length, BLOCK_N):
        scores = tl.dot(q, tl.trans(tl.load(k_block)))
        if CAUSAL:
            visible = rows[:, None] >= first + columns[None, :]
            scores = scores * scale + tl.where(visible, 0, -1.0e6)
            larger = tl.maximum(m, tl.max(scores, 1))
            scores -= larger[:, None]
        else:
            larger = tl.maximum(m, tl.max(scores, 1) * scale)
            scores = scores * scale - larger[:, None]
        p = tl.math.exp2(scores)
        alpha = tl.math.exp2(m - larger)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_block)
        acc = tl.dot(p.to(v.dtype), v, acc)
        m = larger
        k_block += BLOCK_N * D
        v_block += BLOCK_N * D
    acc = acc / total[:, None]
    tl.store(m_ptr + head * length + rows, m + tl.math.log2(total))
    tl.store(out_ptr + base + rows[:, None] * D + d[None, :], acc.to(out_ptr.dtype.element_ty))


@jit
def _add_to_keys(
    dk, dv, k, v, q_ptr, d_out_ptr, m_ptr, d_ptr, keys, first, steps,
    D: tl.constexpr, ROWS: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Adds the contributions of `steps` blocks of ROWS rows, beginning with row `first`, to `dk`
    and `dv`. These are the gradients of a block of keys and of their values."""
    columns = tl.arange(0, D)
    rows = first + tl.arange(0, ROWS)
    q_block = q_ptr + rows[None, :] * D + columns[:, None]
    d_out_block = d_out_ptr + rows[:, None] * D + columns[None, :]
    for _ in range(steps):
        qt = tl.load(q_block)
        rows = first + tl.arange(0, ROWS)
        pt = tl.math.exp2(tl.dot(k, qt) - tl.load(m_ptr + rows)[None, :])
        if MASKED:
            pt = tl.where(rows[None, :] >= keys[:, None], pt, 0.0)
        d_out = tl.load(d_out_block)
        dv += tl.dot(pt.to(d_out.dtype), d_out)
        d = tl.load(d_ptr + rows)
        dpt = tl.dot(v, tl.trans(d_out))
        dst = (pt * (dpt - d[None, :])).to(qt.dtype)
        dk += tl.dot(dst, tl.trans(qt))
        first += ROWS
        q_block += ROWS * D
        d_out_block += ROWS * D
    return dk, dv


@jit
def _add_to_rows(
    dq, q, d_out, m, d, k_ptr, v_ptr, rows, first, steps,
    D: tl.constexpr, KEYS: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Adds the contributions of `steps` blocks of KEYS keys, beginning with key `first`, to `dq`,
    which is the gradient of a block of rows."""
    columns = tl.arange(0, D)
    keys = first + tl.arange(0, KEYS)
    k_block = k_ptr + keys[None, :] * D + columns[:, None]
    v_block = v_ptr + keys[None, :] * D + columns[:, None]
    for _ in range(steps):
        kt = tl.load(k_block)
        vt = tl.load(v_block)
        p = tl.math.exp2(tl.dot(q, kt) - m)
        if MASKED:
            keys = first + tl.arange(0, KEYS)
            p = tl.where(rows[:, None] >= keys[None, :], p, 0.0)
        ds = (p * (tl.dot(d_out, vt) - d[:, None])).to(kt.dtype)
        dq += tl.dot(ds, tl.trans(kt))
        first += KEYS
        k_block += KEYS * D
        v_block += KEYS * D
    return dq


@jit
def attention_backward(
    q_ptr, k_ptr, v_ptr, d_out_ptr, dq_ptr, dk_ptr, dv_ptr, m_ptr, d_ptr, scale, length,
    D: tl.constexpr, LONG: tl.constexpr, SHORT: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """The gradients of attention, in the form of Triton's tutorial. A program first computes dK and
    dV of LONG keys, in a loop over blocks of SHORT rows. Then it computes dQ of LONG rows, in a
    loop over blocks of SHORT keys. Where the causal mask cuts blocks, the blocks of the loop have
    SHORT / 2 rows or keys. `k_ptr` has the keys times scale / ln 2, `m_ptr` has what
    `fused_attention` stores there, and `d_ptr` has for each row the dot product of the output and
    the output's gradient."""
    head = tl.program_id(1).to(tl.int64)
    base = head * length * D
    q_ptr += base
    k_ptr += base
    v_ptr += base
    d_out_ptr += base
    m_ptr += head * length
    d_ptr += head * length
    start = tl.program_id(0) * LONG
    columns = tl.arange(0, D)
    own = start + tl.arange(0, LONG)
    block = own[:, None] * D + columns[None, :]
    PART: tl.constexpr = SHORT // 2

    k = tl.load(k_ptr + block)
    v = tl.load(v_ptr + block)
    dk = tl.zeros([LONG, D], dtype=tl.float32)
    dv = tl.zeros([LONG, D], dtype=tl.float32)
    first = 0
    if CAUSAL:
        dk, dv = _add_to_keys(
            dk, dv, k, v, q_ptr, d_out_ptr, m_ptr, d_ptr, own, start, LONG // PART, D, PART, True
        )
        first = start + LONG
    steps = (length - first) // SHORT
    dk, dv = _add_to_keys(
        dk, dv, k, v, q_ptr, d_out_ptr, m_ptr, d_ptr, own, first, steps, D, SHORT, False
    )
    tl.store(dv_ptr + base + block, dv.to(dv_ptr.dtype.element_ty))
    tl.store(dk_ptr + base + block, (dk * scale).to(dk_ptr.dtype.element_ty))

    q = tl.load(q_ptr + block)
    d_out = tl.load(d_out_ptr + block)
    m = tl.load(m_ptr + own)[:, None]
    d = tl.load(d_ptr + own)
    dq = tl.zeros([LONG, D], dtype=tl.float32)
    first = 0
    steps = length // SHORT
    if CAUSAL:
        dq = _add_to_rows(dq, q, d_out, m, d, k_ptr, v_ptr, own, start, LONG // PART, D, PART, True)
        steps = start // SHORT
    dq = _add_to_rows(dq, q, d_out, m, d, k_ptr, v_ptr, own, first, steps, D, SHORT, False)
    tl.store(dq_ptr + base + block, (dq * 0.6931471824645996).to(dq_ptr.dtype.element_ty))


@jit
def softmax(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * columns + offsets, y, mask=inside)


@jit
def layer_norm(x_ptr, weight_ptr, bias_ptr, y_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(inside, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    weight = tl.load(weight_ptr + offsets, mask=inside)
    bias = tl.load(bias_ptr + offsets, mask=inside)
    tl.store(y_ptr + row * columns + offsets, centred * scale * weight + bias, mask=inside)


@jit
def dropout_add_norm(
    x_ptr,
    residual_ptr,
    weight_ptr,
    bias_ptr,
    z_ptr,
    y_ptr,
    mean_ptr,
    rstd_ptr,
    columns,
    p,
    seed,
    eps,
    BLOCK: tl.constexpr,
    IS_LAYER: tl.constexpr,
):
    """Dropout by a seed, addition of a residual, and layer norm or RMS norm of each row, as a user
    would write it, with a call of Philox for each element."""
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    at = row * columns + offsets
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + at, mask=inside, other=0.0).to(tl.float32)
    z = residual + tl.where(tl.rand(seed, at) > p, x / (1 - p), 0.0)
    tl.store(z_ptr + at, z, mask=inside)
    mean = 0.0
    if IS_LAYER:
        mean = tl.sum(z, axis=0) / columns
        tl.store(mean_ptr + row, mean)
    centred = tl.where(inside, z - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    tl.store(rstd_ptr + row, rstd)
    y = centred * rstd * tl.load(weight_ptr + offsets, mask=inside).to(tl.float32)
    if IS_LAYER:
        y += tl.load(bias_ptr + offsets, mask=inside).to(tl.float32)
    tl.store(y_ptr + at, y, mask=inside)


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


@jit
def attention(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    scale,
    n,
    M: tl.constexpr,
    N: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """softmax(scale Q Kᵀ) V for each head. The loop goes over blocks of N rows of K and V, and
    rescales the sums to the new maximum of the scores. n must be a multiple of M and N."""
    head = tl.program_id(1) * n * WIDTH
    m = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.arange(0, N)
    d = tl.arange(0, WIDTH)
    q = tl.load(q_ptr + head + m[:, None] * WIDTH + d[None, :])
    highest = tl.full((M,), -float("inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    sums = tl.zeros((M, WIDTH), tl.float32)
    for start in range(0, n, N):
        k = tl.load(k_ptr + head + (start + columns)[None, :] * WIDTH + d[:, None])
        scores = tl.dot(q, k) * scale
        higher = tl.maximum(highest, tl.max(scores, axis=1))
        p = tl.exp(scores - higher[:, None])
        shrink = tl.exp(highest - higher)
        v = tl.load(v_ptr + head + (start + columns)[:, None] * WIDTH + d[None, :])
        sums = tl.dot(p.to(v.dtype), v, sums * shrink[:, None])
        total = total * shrink + tl.sum(p, axis=1)
        highest = higher
    out = out_ptr + head + m[:, None] * WIDTH + d[None, :]
    tl.store(out, (sums / total[:, None]).to(out_ptr.dtype.element_ty))
