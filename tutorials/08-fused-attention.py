# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fused attention
===============

Attention (Vaswani and others, 2017) is softmax(scale × Q Kᵀ) V. Each row of Q is a question to all
rows of K, and what it gets is a mean of the rows of V, weighted by how well the keys fit. Of N
questions and N keys there are N² scores. For 16384 of each, in 32 heads, that is 16 GiB of fp16:
written by one kernel, read and written by the next, and read by a third.

In this lesson you write all of it as one kernel, and the scores never see memory. On the way you
meet

- softmax of rows that arrive in pieces (Milakov and Gimelshein, 2018),
- two products in one loop, of which the second one takes what the first one gives (Dao and others,
  2022),
- a mask that leaves half of the work out, and costs nothing where it leaves out nothing,
- exponentials to base 2,
- the way back: gradients that compute the scores again, instead of keeping them.

Run it by itself: `python tutorials/08-fused-attention.py`.
"""

import argparse
import math

import eft
import eft.language as tl
import numpy as np
from eft.testing import do_bench
from support import Arrays, announce, console, in_triton, save_plot, show_table, torch, words_of

parser = argparse.ArgumentParser(description="A lesson on attention in one kernel.")
parser.add_argument("--plot", default="fused-attention.png", help="where to save the plot")
parser.add_argument("--largest", type=int, help="log2 of the most rows of Q and K to time")
arguments = parser.parse_args()

arrays = Arrays()
on_gpu = arrays.device == "cuda"
console.print(f"Running on {arrays.description}.\n")


# %%
# In steps
# --------
# This is the definition, an operation at a time, for arrays of NumPy in any precision. In causal
# attention row i sees only the keys 0 … i, because a text is to be continued from what stands
# before. The logarithms are those of the sums of exponentials, to base 2; they come back below.


def attention_in_steps(q, k, v, scale, causal):
    """Attention of each head.

    Args:
        q, k, v: of (heads, length, width) floats.
        scale: what scores are multiplied by.
        causal: whether row i sees the keys 0 … i alone.

    Returns:
        The means of v, of (heads, length, width); for each row the logarithm to base 2 of its sum
        of exp(score), of (heads, length); and the weights, of (heads, length, length).
    """
    scores = q @ k.swapaxes(-1, -2) * scale
    if causal:
        length = q.shape[-2]
        scores = np.where(np.tril(np.ones((length, length), bool)), scores, -np.inf)
    highest = scores.max(-1, keepdims=True)
    numerator = np.exp(scores - highest)
    total = numerator.sum(-1, keepdims=True)
    weights = numerator / total
    return weights @ v, ((highest + np.log(total)) / math.log(2))[..., 0], weights


table = []
for length in (1024, 4096, 16384):
    rows = 32 * length
    table.append([f"{length:,}", words_of(4 * rows * 128 * 2), words_of(rows * length * 2)])
show_table(
    "Bytes in fp16, for 32 heads of width 128", ["rows of Q", "Q, K, V, output", "scores"], table
)

# %%
# A softmax that comes in pieces
# ------------------------------
# A program that has some rows of Q can't hold their scores with all of K, if K is long. It must go
# through K and V a piece at a time. But softmax wants the maximum of all scores before the first
# exponential, and the sum of all exponentials before the first weight.
#
# Neither has to be final. Keep three things for a row: `m`, the highest score so far; `total`, the
# sum of the exponentials exp(s - m) so far; and `sums`, the sum of the rows of V so far, each times
# its exponential. A new piece may have a higher score, m'. Then the exponentials so far were those
# of a maximum that is not the right one any more, but all of them are wrong by the same factor:
#
#     exp(s - m') = exp(s - m) × exp(m - m')
#
# So multiply `total` and `sums` by exp(m - m') and go on. That factor is never above 1, and exactly
# 1 when the maximum stays. In the beginning m = -∞, and the factor is 0. At the end, divide `sums`
# by `total`.
#
# Here is one row that meets sixteen keys, four at a time, in NumPy. The rows of V are numbers.

rng = np.random.default_rng(2017)
scores, values = rng.standard_normal(16) * 3, rng.standard_normal(16)
m, total, sums = -np.inf, 0.0, 0.0
table = []
for start in range(0, 16, 4):
    s = scores[start : start + 4]
    higher = max(m, s.max())
    factor = np.exp(m - higher)
    p = np.exp(s - higher)
    total = total * factor + p.sum()
    sums = sums * factor + p @ values[start : start + 4]
    m = higher
    table.append([f"0 … {start + 3}", s.max(), m, factor, total, sums, sums / total])
whole = np.exp(scores - scores.max())
expected = whole @ values / whole.sum()
assert abs(sums / total - expected) < 1e-12
table.append(["all at once", scores.max(), m, "", whole.sum(), whole @ values, expected])
show_table(
    "One row, four scores at a time",
    ["keys", "max of piece", "m", "factor", "total", "sums", "result"],
    table,
)

# %%
# The kernel
# ----------
# A program takes ROWS rows of Q of one head, and keeps them from the beginning to the end. In each
# iteration it takes COLUMNS rows of K and of V.
#
# - `tl.dot(q, tl.trans(k))` gives a block of ROWS × COLUMNS scores. They stay in registers.
# - Softmax is computed on all rows of the block at once, as above. `m`, `total` and the factor are
#   blocks of ROWS numbers, and `sums` one of ROWS × WIDTH.
# - `tl.dot(p, v, sums)` multiplies the exponentials by V. They are rounded to V's type for that.
#   The sums stay in fp32.
#
# Exponentials are taken to base 2, as eˣ = 2^(x log₂ e): the constant is a part of the scale before
# the kernel begins. `qk * scale - m` is one fused operation for each score, and `exp2` follows. A
# GPU has an instruction that approximates 2^x. Eft takes it for exponentials of what tensor cores
# have summed, as here: they have bits of their own anyway. Elsewhere it computes `exp` and `exp2`
# with the same bits on every device, in more operations.
#
# MASKED is known when the kernel is compiled: the variant without the mask has nothing of it.


@eft.jit
def attend(
    q,
    k_ptr,
    v_ptr,
    rows,
    start,
    stop,
    length,
    m,
    total,
    sums,
    scale,
    CAUSAL: tl.constexpr,
    MASKED: tl.constexpr,
    WIDTH: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    columns = tl.arange(0, COLUMNS)
    places = (start + columns)[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    k_block, v_block = k_ptr + places, v_ptr + places
    for first in range(start, stop, COLUMNS):
        if MASKED:
            k = tl.load(k_block, mask=(first + columns)[:, None] < length, other=0.0)
        else:
            k = tl.load(k_block)
        qk = tl.dot(q, tl.trans(k))
        if MASKED:
            visible = (first + columns)[None, :] < length
            if CAUSAL:
                visible = visible & (rows[:, None] >= (first + columns)[None, :])
            qk = tl.where(visible, qk, -float("inf"))
        higher = tl.maximum(m, tl.max(qk, 1) * scale)
        p = tl.math.exp2(qk * scale - higher[:, None])
        factor = tl.math.exp2(m - higher)
        total = total * factor + tl.sum(p, 1)
        sums = sums * factor[:, None]
        if MASKED:
            v = tl.load(v_block, mask=(first + columns)[:, None] < length, other=0.0)
        else:
            v = tl.load(v_block)
        sums = tl.dot(p.to(v.dtype), v, sums)
        m = higher
        k_block += COLUMNS * WIDTH
        v_block += COLUMNS * WIDTH
    return m, total, sums


# %%
# Which keys a row sees is only a question for a few pieces: those on the diagonal, if attention is
# causal, and else the last one, if it is not full. All pieces before need no mask, neither for the
# scores nor for the loads. So there are two loops. And pieces behind the diagonal are not computed
# at all, which is half of the work.
#
# The first loop sees every key before `whole`. In it, and in the first piece of the second one
# if the first has none, each row sees at least one key; so `m` is a number from then on, and
# exp2(-∞ - m) is 0 for what is masked.
#
# For each row the kernel also stores the logarithm of its total, with the maximum back in it. A
# backward pass needs no more to compute the weights again, piece by piece.


@eft.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    logs_ptr,
    scale,
    length,
    CAUSAL: tl.constexpr,
    WIDTH: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    first_row = tl.program_id(0) * ROWS
    head = tl.program_id(1).to(tl.int64) * length
    rows = first_row + tl.arange(0, ROWS)
    places = rows[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    inside = rows[:, None] < length
    q = tl.load(q_ptr + head * WIDTH + places, mask=inside, other=0.0)
    k_ptr += head * WIDTH
    v_ptr += head * WIDTH
    if CAUSAL:
        whole = first_row // COLUMNS * COLUMNS
        stop = tl.minimum(first_row + ROWS, length)
    else:
        whole = length // COLUMNS * COLUMNS
        stop = length
    m = tl.full((ROWS,), -float("inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    sums = tl.zeros((ROWS, WIDTH), tl.float32)
    m, total, sums = attend(
        q, k_ptr, v_ptr, rows, 0, whole, length, m, total, sums, scale,
        CAUSAL=CAUSAL, MASKED=False, WIDTH=WIDTH, COLUMNS=COLUMNS,
    )  # fmt: skip
    m, total, sums = attend(
        q, k_ptr, v_ptr, rows, whole, stop, length, m, total, sums, scale,
        CAUSAL=CAUSAL, MASKED=True, WIDTH=WIDTH, COLUMNS=COLUMNS,
    )  # fmt: skip
    out = (sums / total[:, None]).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + head * WIDTH + places, out, mask=inside)
    tl.store(logs_ptr + head + rows, m + tl.math.log2(total), mask=rows < length)


# %%
# A launch has a program for each ROWS rows of each head. ROWS and COLUMNS are a trade: more rows
# read K and V less often, more of both need more registers. `eft.autotune`, of which the lesson on
# matrix multiplication has more, measures which are the best for a length and a width.
#
# That lesson's words on GPUs hold here, too. The pieces of K and V are copied to shared memory
# ahead of their products, and on one of compute capability 9.0 warpgroups multiply. They read K and
# V from there, and the exponentials from the registers in which they were computed.

CONFIGURATIONS = [
    eft.Config({"ROWS": rows, "COLUMNS": columns}, num_warps=warps, num_stages=stages)
    for rows, columns, warps, stages in (
        [
            (128, 128, 8, 3),
            (128, 128, 8, 2),
            (128, 64, 8, 3),
            (128, 64, 4, 3),
            (64, 64, 4, 3),
            (64, 128, 4, 2),
        ]
        if on_gpu
        else [(64, 64, 4, 1), (32, 64, 4, 1)]
    )
]
tuned = eft.autotune(configs=CONFIGURATIONS, key=["length", "WIDTH", "CAUSAL"])(attention_kernel)


def attention(q, k, v, out, logs, scale, causal, kernel=tuned, **configuration):
    """Attention of each head, on the device where the arrays lie, without gaps between rows.

    Args:
        q, k, v: of (heads, length, width) elements of one float type. The width must be a power of
            two, at least 16; the length may be any.
        out: as they are, for the result.
        logs: of (heads, length) float32, for the logarithm to base 2 of each row's sum of
            exp(score).
        scale: what scores are multiplied by; positive.
        causal: whether row i sees the keys 0 … i alone.
        kernel: one that chooses its configuration by itself, or `attention_kernel`.
        configuration: blocks and options for `attention_kernel`.

    Returns:
        out.
    """
    heads, length, width = q.shape

    def grid(meta):
        return (eft.cdiv(length, meta["ROWS"]), heads)

    kernel[grid](
        q, k, v, out, logs, scale / math.log(2), length, CAUSAL=causal, WIDTH=width, **configuration
    )
    return out


# %%
# Is it right?
# ------------
# The reference is attention in steps, in float64, of the same numbers of fp16. The weights of a row
# sum to 1, so a result is off by what its weights are off, on average over V: the exponentials are
# rounded to fp16, 2⁻¹¹ of themselves, and the result is as well. That is 2⁻¹⁰ of the mean of |V|
# with the same weights. Scores and sums in fp32 add little to it, and exponentials below 2⁻¹⁴, of
# which fp16 has fewer digits, at most 2⁻²⁵ of the largest |V| each.
#
# Every configuration is checked, at lengths that fill no block.


def check(heads, length, width, causal, scale, configuration):
    """The largest error, in units of what rounding to fp16 allows."""
    q, k, v = (rng.standard_normal((heads, length, width)).astype(np.float16) for _ in range(3))
    out = arrays.put(np.full(q.shape, np.nan, np.float16))
    logs = arrays.put(np.full(q.shape[:2], np.nan, np.float32))
    on_device = [arrays.put(each) for each in (q, k, v)]
    attention(
        *on_device, out, logs, scale, causal, kernel=attention_kernel, **configuration.all_kwargs()
    )
    q, k, v = (each.astype(np.float64) for each in (q, k, v))
    expected, expected_logs, weights = attention_in_steps(q, k, v, scale, causal)
    np.testing.assert_allclose(arrays.numpy(logs), expected_logs, atol=1e-4)
    allowed = 2.0**-10 * (weights @ np.abs(v)) + length * 2.0**-25 * np.abs(v).max()
    return np.max(np.abs(arrays.numpy(out) - expected) / allowed)


table = []
for heads, length, width, scale in ((3, 10, 16, 1.0), (2, 100, 64, 0.3), (2, 257, 64, 0.125)):
    line = [f"{heads} × {length} × {width}", scale]
    for causal in (False, True):
        errors = [check(heads, length, width, causal, scale, each) for each in CONFIGURATIONS]
        assert max(errors) < 1.1
        line.append(f"{max(errors):.2f}")
    table.append(line)
show_table(
    f"Errors in units of what fp16 allows, the largest in {len(CONFIGURATIONS)} configurations",
    ["heads × length × width", "scale", "all keys", "causal"],
    table,
)

# %%
# The way back
# ------------
# Training needs the gradients dQ, dK and dV that belong to a gradient dO of the result. With the
# weights P, and row by row:
#
#     dV = Pᵀ dO
#     dP = dO Vᵀ
#     dS = P (dP - D),  element by element, with D the sum of P dP in each row
#     dQ = scale dS K
#     dK = scale dSᵀ Q
#
# That is the gradient of softmax between those of two products. A step by step program keeps P. But
# 2^(score - log) is P, with the logarithms that the kernel has stored: one more product and one
# exponential for each score cost less than to read it. And D needs no P: the sum of P dP in a row
# is the product of that row of dO with the same row of the result. A small kernel computes D.


@eft.jit
def row_products(out_ptr, d_out_ptr, d_ptr, count, WIDTH: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    places = rows.to(tl.int64)[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    inside = (rows < count)[:, None]
    out = tl.load(out_ptr + places, mask=inside, other=0.0).to(tl.float32)
    d_out = tl.load(d_out_ptr + places, mask=inside, other=0.0).to(tl.float32)
    tl.store(d_ptr + rows, tl.sum(out * d_out, 1), mask=rows < count)


# %%
# dK and dV of a key are sums over rows of Q, and dQ of a row is a sum over keys. So there are two
# kernels. A program of the first one keeps some keys, and goes through the rows of Q; its scores
# are K Qᵀ, which lie as both sums need them. Rows beyond the end have a logarithm of ∞, and so
# weights of 0. If attention is causal, the rows begin at the diagonal.


@eft.jit
def add_rows(
    q_ptr, d_out_ptr, logs_ptr, d_ptr, k, v, columns, start, stop, length, dk, dv, scale,
    MASKED: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    for first in range(start, stop, ROWS):
        rows = first + tl.arange(0, ROWS)
        places = rows[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
        inside = rows < length
        q = tl.load(q_ptr + places, mask=inside[:, None], other=0.0)
        d_out = tl.load(d_out_ptr + places, mask=inside[:, None], other=0.0)
        logs = tl.load(logs_ptr + rows, mask=inside, other=float("inf"))
        d = tl.load(d_ptr + rows, mask=inside, other=0.0)
        p = tl.math.exp2(tl.dot(k, tl.trans(q)) * scale - logs[None, :])
        if MASKED:
            p = tl.where(rows[None, :] >= columns[:, None], p, 0.0)
        dv = tl.dot(p.to(d_out.dtype), d_out, dv)
        ds = p * (tl.dot(v, tl.trans(d_out)) - d[None, :])
        dk = tl.dot(ds.to(q.dtype), q, dk)
    return dk, dv


@eft.jit
def gradients_of_keys(
    q_ptr, k_ptr, v_ptr, d_out_ptr, logs_ptr, d_ptr, dk_ptr, dv_ptr, scale, length,
    CAUSAL: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    first = tl.program_id(0) * COLUMNS
    head = tl.program_id(1).to(tl.int64) * length
    columns = first + tl.arange(0, COLUMNS)
    places = head * WIDTH + columns[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    inside = columns[:, None] < length
    k = tl.load(k_ptr + places, mask=inside, other=0.0)
    v = tl.load(v_ptr + places, mask=inside, other=0.0)
    q_ptr += head * WIDTH
    d_out_ptr += head * WIDTH
    dk = tl.zeros((COLUMNS, WIDTH), tl.float32)
    dv = tl.zeros((COLUMNS, WIDTH), tl.float32)
    whole = 0
    if CAUSAL:
        start = first // ROWS * ROWS
        whole = tl.cdiv(first + COLUMNS, ROWS) * ROWS
        dk, dv = add_rows(
            q_ptr, d_out_ptr, logs_ptr + head, d_ptr + head, k, v, columns, start, whole, length,
            dk, dv, scale * LOG2_OF_E, MASKED=True, WIDTH=WIDTH, ROWS=ROWS,
        )  # fmt: skip
    dk, dv = add_rows(
        q_ptr, d_out_ptr, logs_ptr + head, d_ptr + head, k, v, columns, whole, length, length,
        dk, dv, scale * LOG2_OF_E, MASKED=False, WIDTH=WIDTH, ROWS=ROWS,
    )  # fmt: skip
    tl.store(dk_ptr + places, (dk * scale).to(dk_ptr.dtype.element_ty), mask=inside)
    tl.store(dv_ptr + places, dv.to(dv_ptr.dtype.element_ty), mask=inside)


LOG2_OF_E = tl.constexpr(1 / math.log(2))

# %%
# A program of the second kernel keeps some rows of Q, as in the way there, and goes through the
# keys up to the diagonal. Keys beyond the end need a mask: nothing else makes their weights 0.


@eft.jit
def add_keys(
    q, d_out, logs, d, k_ptr, v_ptr, rows, start, stop, length, dq, scale, CAUSAL: tl.constexpr,
    MASKED: tl.constexpr, WIDTH: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    for first in range(start, stop, COLUMNS):
        columns = first + tl.arange(0, COLUMNS)
        places = columns[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
        if MASKED:
            k = tl.load(k_ptr + places, mask=columns[:, None] < length, other=0.0)
            v = tl.load(v_ptr + places, mask=columns[:, None] < length, other=0.0)
        else:
            k = tl.load(k_ptr + places)
            v = tl.load(v_ptr + places)
        p = tl.math.exp2(tl.dot(q, tl.trans(k)) * scale - logs[:, None])
        if MASKED:
            visible = columns[None, :] < length
            if CAUSAL:
                visible = visible & (rows[:, None] >= columns[None, :])
            p = tl.where(visible, p, 0.0)
        ds = p * (tl.dot(d_out, tl.trans(v)) - d[:, None])
        dq = tl.dot(ds.to(k.dtype), k, dq)
    return dq


@eft.jit
def gradients_of_rows(
    q_ptr, k_ptr, v_ptr, d_out_ptr, logs_ptr, d_ptr, dq_ptr, scale, length, CAUSAL: tl.constexpr,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    first = tl.program_id(0) * ROWS
    head = tl.program_id(1).to(tl.int64) * length
    rows = first + tl.arange(0, ROWS)
    places = head * WIDTH + rows[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    inside = rows[:, None] < length
    q = tl.load(q_ptr + places, mask=inside, other=0.0)
    d_out = tl.load(d_out_ptr + places, mask=inside, other=0.0)
    logs = tl.load(logs_ptr + head + rows, mask=rows < length, other=float("inf"))
    d = tl.load(d_ptr + head + rows, mask=rows < length, other=0.0)
    k_ptr += head * WIDTH
    v_ptr += head * WIDTH
    if CAUSAL:
        whole = first // COLUMNS * COLUMNS
        stop = tl.minimum(first + ROWS, length)
    else:
        whole = length // COLUMNS * COLUMNS
        stop = length
    dq = tl.zeros((ROWS, WIDTH), tl.float32)
    dq = add_keys(
        q, d_out, logs, d, k_ptr, v_ptr, rows, 0, whole, length, dq, scale * LOG2_OF_E,
        CAUSAL=CAUSAL, MASKED=False, WIDTH=WIDTH, COLUMNS=COLUMNS,
    )  # fmt: skip
    dq = add_keys(
        q, d_out, logs, d, k_ptr, v_ptr, rows, whole, stop, length, dq, scale * LOG2_OF_E,
        CAUSAL=CAUSAL, MASKED=True, WIDTH=WIDTH, COLUMNS=COLUMNS,
    )  # fmt: skip
    tl.store(dq_ptr + places, (dq * scale).to(dq_ptr.dtype.element_ty), mask=inside)


LARGE, SMALL, WARPS = (128, 64, 8) if on_gpu else (64, 32, 4)
BACKWARD = (row_products, gradients_of_keys, gradients_of_rows)


def attention_backward(q, k, v, out, logs, d_out, d, dq, dk, dv, scale, causal, kernels=BACKWARD):
    """The gradients of attention.

    Args:
        q, k, v, out, logs, scale, causal: as they were for `attention`, after it.
        d_out: the gradient of `out`.
        d: of (heads, length) float32, for a number of each row.
        dq, dk, dv: for the gradients of q, k and v.
        kernels: of Eft or of Triton.
    """
    heads, length, width = q.shape
    small = SMALL * 64 // max(width, 64)  # wide rows leave registers for fewer of them
    of_rows, of_keys, of_queries = kernels
    of_rows[(eft.cdiv(heads * length, SMALL),)](
        out, d_out, d, heads * length, WIDTH=width, ROWS=SMALL
    )
    grid = (eft.cdiv(length, LARGE), heads)
    of_keys[grid](
        q, k, v, d_out, logs, d, dk, dv, scale, length, CAUSAL=causal, WIDTH=width, ROWS=small,
        COLUMNS=LARGE, num_warps=WARPS,
    )  # fmt: skip
    of_queries[grid](
        q, k, v, d_out, logs, d, dq, scale, length, CAUSAL=causal, WIDTH=width, ROWS=LARGE,
        COLUMNS=small, num_warps=WARPS,
    )  # fmt: skip


# %%
# Again the reference is in float64. The kernels round three things to fp16: the weights, dS, and
# the gradients at the end. D has the rounding of the result in it, too. The same reasoning as above
# bounds what that changes.


def gradients_in_steps(q, k, v, d_out, scale, causal):
    """The gradients dq, dk and dv; the weights; and the gradient of the scores."""
    out, _, p = attention_in_steps(q, k, v, scale, causal)
    ds = p * (d_out @ v.swapaxes(-1, -2) - (out * d_out).sum(-1, keepdims=True))
    dq, dk, dv = scale * ds @ k, scale * ds.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ d_out
    return (dq, dk, dv), p, ds


def allowed_errors(q, k, v, d_out, scale, gradients, p, ds):
    """Bounds what rounding to fp16 may change of each gradient."""
    q, k, v, d_out = (np.abs(each) for each in (q, k, v, d_out))
    d_off = 2.0**-10 * (d_out * (p @ v)).sum(-1, keepdims=True)
    ds_off = 2.0**-11 * np.abs(ds) + p * d_off + 2.0**-25
    p_off = 2.0**-11 * p + 2.0**-25
    sums = scale * ds_off @ k, scale * ds_off.swapaxes(-1, -2) @ q, p_off.swapaxes(-1, -2) @ d_out
    return [off + 2.0**-11 * np.abs(each) for off, each in zip(sums, gradients, strict=True)]


def check_backward(heads, length, width, causal, scale):
    """The largest errors of dq, dk and dv, in units of what rounding to fp16 allows."""
    wide = [rng.standard_normal((heads, length, width)).astype(np.float16) for _ in range(4)]
    q, k, v, d_out = (arrays.put(each) for each in wide)
    out, dq, dk, dv = (arrays.put(np.full(q.shape, np.nan, np.float16)) for _ in range(4))
    logs, d = (arrays.zeros(*q.shape[:2]) for _ in range(2))
    attention(q, k, v, out, logs, scale, causal, attention_kernel, **CONFIGURATIONS[0].all_kwargs())
    attention_backward(q, k, v, out, logs, d_out, d, dq, dk, dv, scale, causal)
    wide = [each.astype(np.float64) for each in wide]
    exact, p, ds = gradients_in_steps(*wide, scale, causal)
    allowed = allowed_errors(*wide, scale, exact, p, ds)
    return [
        np.max(np.abs(arrays.numpy(found) - each) / bound)
        for found, each, bound in zip((dq, dk, dv), exact, allowed, strict=True)
    ]


table = []
for heads, length, width, scale in ((3, 10, 16, 1.0), (2, 100, 64, 0.3), (2, 257, 64, 0.125)):
    for causal in (False, True):
        errors = check_backward(heads, length, width, causal, scale)
        assert max(errors) < 1.1
        seen = "causal" if causal else "all keys"
        case = f"{heads} × {length} × {width}, {seen}"
        table.append([case, *(f"{each:.2f}" for each in errors)])
show_table(
    "Errors of gradients in units of what fp16 allows",
    ["heads × length × width", "dQ", "dK", "dV"],
    table,
)

# %%
# What it costs
# -------------
# Two products, of 2 length² width operations each for each head, and half of that if attention is
# causal. These are 4 × width for each score. What softmax does to a score does not count in the
# rate, but it takes time: some nine instructions on a GPU, and not on tensor cores. So the narrower
# a head is, the lower is the rate. The way back has five products for each score, two and a half
# times as many operations. Its kernels compute two of them twice, which does not count either.
#
# Beside it stands PyTorch's `scaled_dot_product_attention`, or attention in steps where there is
# only NumPy. Where Triton is installed, it compiles the same functions, and tunes the kernel of the
# way there over the same configurations. A GPU takes fp16, a CPU fp32.

dtype = np.float16 if on_gpu else np.float32
unit, unit_name = (1e12, "TFLOP/s") if on_gpu else (1e9, "GFLOP/s")
largest = arguments.largest or (12 if on_gpu else 10)
lengths = [2**bits for bits in range(min(10 if on_gpu else 8, largest), largest + 1)]
batch, heads = (4, 32) if on_gpu else (1, 4)


def in_heads(*matrices):
    """The matrices of PyTorch with dimensions for the batch and for its heads."""
    return [each.reshape(batch, heads, *each.shape[1:]) for each in matrices]


def library(q, k, v, out, logs, scale, causal):
    """The library's attention, of the same arguments; allocates its result."""
    if torch is None:
        return attention_in_steps(q, k, v, scale, causal)[0]
    return torch.nn.functional.scaled_dot_product_attention(
        *in_heads(q, k, v), scale=scale, is_causal=causal
    )


def library_backward(q, k, v, out, logs, d_out, d, dq, dk, dv, scale, causal):
    """The library's way back, as a function without arguments; allocates its results."""
    if torch is None:
        return lambda: gradients_in_steps(q, k, v, d_out, scale, causal)
    *leaves, d_out = in_heads(q, k, v, d_out)
    leaves = [each.detach().requires_grad_() for each in leaves]
    out = torch.nn.functional.scaled_dot_product_attention(*leaves, scale=scale, is_causal=causal)
    return lambda: torch.autograd.grad(out, leaves, d_out, retain_graph=True)


forward = {
    "Eft": lambda *inputs: lambda: attention(*inputs),
    arrays.library: lambda *inputs: lambda: library(*inputs),
}
backward = {
    "Eft": lambda *inputs: lambda: attention_backward(*inputs),
    arrays.library: library_backward,
}
if on_gpu and (peer := in_triton(tuned)):
    forward["Triton"] = lambda *inputs: lambda: attention(*inputs, kernel=peer)
    peers = [in_triton(kernel) for kernel in BACKWARD]
    backward["Triton"] = lambda *inputs: lambda: attention_backward(*inputs, kernels=peers)


def measure(width, causal, is_backward=False):
    """Shows a table with times for heads of a width.

    Returns:
        For each system its operations per second, one number for each length.
    """
    systems = backward if is_backward else forward
    rates = {name: [] for name in systems}
    table = []
    for length in lengths:
        shape = (batch * heads, length, width)
        q, k, v, d_out = (
            arrays.put(rng.standard_normal(shape, dtype=np.float32).astype(dtype)) for _ in range(4)
        )
        scale, out, logs = width**-0.5, arrays.like(q), arrays.zeros(*shape[:2])
        inputs = (q, k, v, out, logs, scale, causal)
        if is_backward:
            attention(*inputs)
            gradients = (arrays.zeros(*shape[:2]), *(arrays.like(q) for _ in range(3)))
            inputs = (q, k, v, out, logs, d_out, *gradients, scale, causal)
        operations = (10 if is_backward else 4) * batch * heads * length**2 * width
        line = [f"{length:,}"]
        for name, prepare in systems.items():
            milliseconds = do_bench(prepare(*inputs), device=arrays.device, return_mode="median")
            rates[name].append(operations / (2 if causal else 1) / milliseconds * 1e3)
            line += [f"{milliseconds:.3g}", f"{rates[name][-1] / unit:.4g}"]
        table.append(line)
    seen = "causal" if causal else "all keys"
    show_table(
        f"{'Back: ' if is_backward else ''}{batch} × {heads} heads of width {width}, "
        f"{np.dtype(dtype)}, {seen}",
        ["length", *(title for name in rates for title in (f"{name}, ms", unit_name))],
        table,
    )
    return rates


widths = (64, 128) if on_gpu else (64,)
announce(4 * len(widths) * len(lengths))
for width in widths:
    lines = measure(width, causal=False)
    lines |= {f"{name}, causal": rates for name, rates in measure(width, causal=True).items()}
    for causal in (False, True):
        measure(width, causal, is_backward=True)
title = f"Attention of {batch} × {heads} heads of width {width} on {arrays.description}"
axes = ("rows of Q and K", unit_name)
if save_plot(arguments.plot, title, lengths, lines, axes=axes, unit=unit):
    console.print(f"The plot is in {arguments.plot}")
else:
    console.print("Matplotlib is not installed: no plot was saved.")

# %%
# To go on
# --------
# - Let row i see only the last 1024 keys before it: a sliding window. Which pieces need a mask now?
# - In causal attention the last programs of a head have the most to do, and the GPU waits for them.
#   Count the programs from the other end, and measure again.
# - Several heads of Q often share one of K and V. What changes in the kernel, what in the traffic?
# - The two kernels of the way back compute the same scores. One kernel could do both, and add to dQ
#   by `tl.atomic_add`. What is lost with the order of the sums?
