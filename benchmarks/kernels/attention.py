# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and its gradients.

`common.load_kernels` defines `jit` and `tl` in this module before the kernels.
"""


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
