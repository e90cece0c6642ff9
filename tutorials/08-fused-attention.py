# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fused attention
===============

Attention (Vaswani and others, 2017) is softmax(scale × Q Kᵀ) V. The products of a row of Q with all
rows of K, the keys, are the row's scores. Softmax turns these scores into weights. The result for
the row of Q is the mean of the rows of V with these weights. N rows of Q and N keys have N² scores.
For N = 16384 and 32 heads, the scores take 16 GiB in fp16. If each step is a kernel, the first
kernel writes the scores to memory, the second reads and writes them, and the third reads them.

In this lesson you write all of attention as one kernel, which never writes the scores to memory. On
the way you meet

- softmax of rows whose elements come in pieces (Milakov and Gimelshein, 2018),
- a loop with two products, of which the second uses the result of the first (Dao and others, 2022),
- a mask that leaves half of the work out, and costs nothing where no element is masked,
- exponentials to base 2,
- a backward pass that computes the scores again, instead of keeping them.

Run this lesson by itself: `python tutorials/08-fused-attention.py`.
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
# This is the definition of attention, one operation at a time, for arrays of NumPy in any
# precision. In causal attention row i sees only the keys 0 … i, because a text is continued from
# the words before. The function also returns the logarithm to base 2 of each row's sum of
# exponentials. The kernel below computes these logarithms, too.


def attention_in_steps(q, k, v, scale, causal):
    """Computes the attention of each head.

    Args:
        q, k, v: arrays of (heads, length, width) floats.
        scale: the factor of the scores.
        causal: whether row i sees only the keys 0 … i.

    Returns:
        Three arrays: the results, of (heads, length, width); the logarithms to base 2 of each row's
        sum of exp(score), of (heads, length); and the weights, of (heads, length, length).
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
# Softmax in pieces
# -----------------
# A program handles some rows of Q. If K is long, the program can't hold the scores of its rows with
# all keys. So it goes through K and V piece by piece. But softmax needs the maximum of all scores
# for the first exponential, and the sum of all exponentials for the first weight.
#
# The program can begin with a preliminary maximum and a preliminary sum, and correct both later. It
# keeps three things for a row of Q: `m`, the highest score so far; `total`, the sum of exp(s - m)
# over the scores s so far; and `sums`, the sum of the rows of V so far, each multiplied by its
# exp(s - m). Suppose that a new piece has a higher score, m'. Then the earlier exponentials were
# computed with a maximum that is too low. But all of them are wrong by the same factor:
#
#     exp(s - m') = exp(s - m) × exp(m - m')
#
# So the program multiplies `total` and `sums` by exp(m - m'), and continues with the new piece.
# This factor is never above 1, and it is exactly 1 if the maximum stays the same. In the beginning
# m = -∞, and the factor is 0. At the end the result is `sums` / `total`.
#
# Here is one row of Q with sixteen keys, four keys at a time, in NumPy. Each row of V is one
# number.

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
# A program handles ROWS rows of Q of one head, and keeps them from the beginning to the end. Each
# iteration takes COLUMNS rows of K and of V.
#
# - `tl.dot(q, tl.trans(k))` gives a block of ROWS × COLUMNS scores, which stay in registers.
# - Softmax is computed for all rows of the block at once, as above. `m`, `total` and the factor are
#   blocks of ROWS numbers. `sums` is a block of ROWS × WIDTH.
# - `tl.dot(p, v, sums)` multiplies the exponentials by V, and adds the product to `sums`. For this
#   product the exponentials are rounded to the type of V. The sums stay in fp32.
#
# The kernel computes exponentials to base 2, because eˣ = 2^(x log₂ e). The scale is multiplied by
# log₂ e before the launch. So each score takes one fused operation, `qk * scale - m`, and one
# `exp2`. A GPU has an instruction that approximates 2^x. Eft uses this instruction for exponentials
# that depend on products of tensor cores, as here: such products have different bits on different
# devices in any case. For all other numbers Eft computes `exp` and `exp2` with the same bits on
# every device, by more operations.
#
# MASKED is known when the kernel is compiled, so a call with MASKED=False contains no code for
# masks.


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
# Only a few pieces of K need a mask: in causal attention the pieces on the diagonal, and otherwise
# the last piece, if it is not full. The pieces before these need no mask, neither for the scores
# nor for the loads. So the kernel has two loops: the first has no masks, and the second has masks.
# In causal attention the pieces after the diagonal are not computed at all. That is half of the
# work.
#
# The first loop handles the keys before `whole`, all of which each row sees. If there are none,
# each row sees at least one key in the first piece of the second loop. So `m` is finite after the
# first piece. Then exp2(-∞ - m) is 0 for scores that are masked; with m = -∞ it would be NaN.
#
# For each row the kernel also stores m + log₂(total), which is the logarithm to base 2 of the row's
# sum of exp(score). A backward pass needs nothing else to compute the weights from the scores
# again, piece by piece.


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
# A launch has one program for each head and each ROWS rows of Q. With a larger ROWS, K and V are
# read less often. But a larger ROWS or COLUMNS needs more registers. `eft.autotune` measures which
# sizes are the fastest for a length and a width; the lesson on matrix multiplication explains it.
#
# The explanations of GPUs in that lesson apply here, too. The pieces of K and V are copied to
# shared memory ahead of their products. On a GPU of compute capability 9.0 warpgroups multiply.
# They read K and V from shared memory, and the exponentials from the registers in which they were
# computed.

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
    """Computes the attention of each head, on the device that holds the arrays.

    Args:
        q, k, v: arrays of (heads, length, width) elements of one float type, without gaps. The
            width must be a power of two of at least 16. The length may be any number.
        out: an array like q, for the result.
        logs: an array of (heads, length) float32, for the logarithm to base 2 of each row's sum of
            exp(score).
        scale: the factor of the scores; it must be positive.
        causal: whether row i sees only the keys 0 … i.
        kernel: a tuned kernel, which chooses its configuration by itself, or `attention_kernel`.
        configuration: the block sizes and launch options, if the kernel is `attention_kernel`.

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
# The reference is attention in steps, in float64, of the same fp16 numbers. The kernel rounds each
# exponential to fp16, which changes it by at most 2⁻¹¹ of its value. As the weights of a row sum to
# 1, this changes the result by at most 2⁻¹¹ of the mean of |V| with the same weights. The result is
# rounded to fp16, too, which changes it by as much again. Together that is 2⁻¹⁰ of this mean. The
# errors of scores and sums in fp32 are small beside it. fp16 has fewer digits for exponentials
# below 2⁻¹⁴: each of these adds an error of at most 2⁻²⁵ of the largest |V|.
#
# Every configuration is checked, also at lengths that are not a multiple of ROWS or COLUMNS.


def check(heads, length, width, causal, scale, configuration):
    """Returns the largest error, divided by the error that rounding to fp16 allows."""
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
# The backward pass
# -----------------
# Training needs the gradients dQ, dK and dV, for a given gradient dO of the result. Let P be the
# weights, and S the scores. Then
#
#     dV = Pᵀ dO
#     dP = dO Vᵀ
#     dS = P (dP - D)   element by element; D is the sum of P dP over each row
#     dQ = scale dS K
#     dK = scale dSᵀ Q
#
# These are the gradients of the two products and of the softmax between them. A backward pass in
# steps keeps P from the forward pass. The kernels here compute P again, as 2^(score - logarithm),
# with scores to base 2 and the logarithms that the forward kernel has stored. This takes one
# product and one exponential for each score, which is faster than to read P from memory. D does not
# need P at all: for each row, the sum of P dP is the dot product of the row of dO and the row of
# the result. A small kernel computes D.


@eft.jit
def row_products(out_ptr, d_out_ptr, d_ptr, count, WIDTH: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    places = rows.to(tl.int64)[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    inside = (rows < count)[:, None]
    out = tl.load(out_ptr + places, mask=inside, other=0.0).to(tl.float32)
    d_out = tl.load(d_out_ptr + places, mask=inside, other=0.0).to(tl.float32)
    tl.store(d_ptr + rows, tl.sum(out * d_out, 1), mask=rows < count)


# %%
# dK and dV of a key are sums over the rows of Q, and dQ of a row is a sum over the keys. So there
# are two kernels. A program of the first kernel keeps some keys, and goes through the rows of Q. It
# computes the transposed scores, K Qᵀ, because both sums multiply by transposed blocks: Pᵀ and dSᵀ.
# Rows of Q beyond the end get a logarithm of ∞, and so weights of 0. In causal attention the loop
# over the rows begins at the diagonal.


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
# A program of the second kernel keeps some rows of Q, as in the forward pass, and goes through the
# keys; in causal attention it ends at the diagonal. Keys beyond the end need a mask, because
# nothing else makes their weights 0.


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
    """Computes the gradients of attention.

    Args:
        q, k, v, out, logs, scale, causal: the arguments of a call of `attention`, after the call.
        d_out: the gradient of `out`.
        d: an array of (heads, length) float32, for D.
        dq, dk, dv: arrays like q, for the gradients of q, k and v.
        kernels: the three kernels of `BACKWARD`, as kernels of Eft or of Triton.
    """
    heads, length, width = q.shape
    small = SMALL * 64 // max(width, 64)  # wide rows need more registers
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
# The reference is in float64 again. The kernels round three things to fp16: the weights, dS, and
# the final gradients. They also compute D from a result that was rounded to fp16. The same
# reasoning as above bounds the errors of the gradients.


def gradients_in_steps(q, k, v, d_out, scale, causal):
    """Computes the gradients (dq, dk, dv), the weights P, and dS, in steps."""
    out, _, p = attention_in_steps(q, k, v, scale, causal)
    ds = p * (d_out @ v.swapaxes(-1, -2) - (out * d_out).sum(-1, keepdims=True))
    dq, dk, dv = scale * ds @ k, scale * ds.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ d_out
    return (dq, dk, dv), p, ds


def allowed_errors(q, k, v, d_out, scale, gradients, p, ds):
    """Returns the largest errors of dq, dk and dv that rounding to fp16 allows."""
    q, k, v, d_out = (np.abs(each) for each in (q, k, v, d_out))
    d_off = 2.0**-10 * (d_out * (p @ v)).sum(-1, keepdims=True)
    ds_off = 2.0**-11 * np.abs(ds) + p * d_off + 2.0**-25
    p_off = 2.0**-11 * p + 2.0**-25
    sums = scale * ds_off @ k, scale * ds_off.swapaxes(-1, -2) @ q, p_off.swapaxes(-1, -2) @ d_out
    return [off + 2.0**-11 * np.abs(each) for off, each in zip(sums, gradients, strict=True)]


def check_backward(heads, length, width, causal, scale):
    """Returns the largest errors of dq, dk and dv, divided by the errors that fp16 allows."""
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
# The rate counts the two products. Each has 2 × length² × width operations for each head, which is
# 4 × width operations for each score in total. In causal attention only half of them count. Softmax
# does not count, but it takes time: about nine instructions for each score on a GPU, which do not
# run on tensor cores. So the narrower a head is, the lower is its rate. The backward pass has five
# products for each score, two and a half times as many operations as the forward pass. Its kernels
# compute two of the five twice, but the rate counts each of the five once.
#
# For comparison, the tables have PyTorch's `scaled_dot_product_attention`, or attention in steps if
# only NumPy is installed. Where Triton is installed, it compiles the same functions, and tunes the
# forward kernel over the same configurations. The arrays are fp16 on a GPU, and fp32 on a CPU.

dtype = np.float16 if on_gpu else np.float32
unit, unit_name = (1e12, "TFLOP/s") if on_gpu else (1e9, "GFLOP/s")
largest = arguments.largest or (12 if on_gpu else 10)
lengths = [2**bits for bits in range(min(10 if on_gpu else 8, largest), largest + 1)]
batch, heads = (4, 32) if on_gpu else (1, 4)


def in_heads(*matrices):
    """Reshapes arrays of PyTorch, such that the batch and its heads are separate dimensions."""
    return [each.reshape(batch, heads, *each.shape[1:]) for each in matrices]


def library(q, k, v, out, logs, scale, causal):
    """Computes attention by the library, which allocates the result.

    Has the parameters of `attention`. `out` and `logs` are not used.
    """
    if torch is None:
        return attention_in_steps(q, k, v, scale, causal)[0]
    return torch.nn.functional.scaled_dot_product_attention(
        *in_heads(q, k, v), scale=scale, is_causal=causal
    )


def library_backward(q, k, v, out, logs, d_out, d, dq, dk, dv, scale, causal):
    """Returns a function without parameters that computes the library's backward pass.

    The library allocates the results.
    """
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
    """Measures all systems for heads of one width, and prints a table.

    Returns:
        A dict from the name of each system to its operations per second, one number per length.
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
# - In causal attention the last programs of a head have the most work, and the GPU waits for them
#   at the end. Number the programs in reverse, and measure again.
# - Several heads of Q often share one head of K and V. What changes in the kernel, and what changes
#   in the traffic?
# - The two kernels of the backward pass compute the same scores. One kernel could compute all
#   gradients, and add to dQ by `tl.atomic_add`. Then the order of the sums is no longer fixed. What
#   is lost by that?
