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
- exponentials to base 2.

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
# the kernel begins. `qk * scale - m` is one fused operation for each score, and `exp2` follows. Eft
# computes `exp` and `exp2` in about as many operations, with the same bits on every device. GPUs
# have an instruction for an approximation, but of 2^x alone, so other compilers gain by it.
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
# What it costs
# -------------
# Two products, of 2 length² width operations each for each head, and half of that if attention is
# causal. These are 4 × width for each score. What softmax does to a score does not count in the
# rate, but it takes time: more than twenty operations, and not on tensor cores. So the narrower
# a head is, the lower is the rate.
#
# Beside it stands PyTorch's `scaled_dot_product_attention`, or attention in steps where there is
# only NumPy. Where Triton is installed, it compiles the same functions and tunes them over the same
# configurations. A GPU takes fp16, a CPU fp32.

dtype = np.float16 if on_gpu else np.float32
unit, unit_name = (1e12, "TFLOP/s") if on_gpu else (1e9, "GFLOP/s")
largest = arguments.largest or (12 if on_gpu else 10)
lengths = [2**bits for bits in range(min(10 if on_gpu else 8, largest), largest + 1)]
batch, heads = (4, 32) if on_gpu else (1, 4)


def library(q, k, v, out, logs, scale, causal):
    """The library's attention, of the same arguments; allocates its result."""
    if torch is None:
        return attention_in_steps(q, k, v, scale, causal)[0]
    q, k, v = (each.reshape(batch, heads, *each.shape[1:]) for each in (q, k, v))
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=scale, is_causal=causal)


systems = {"Eft": attention, arrays.library: library}
if on_gpu and (peer := in_triton(tuned)):
    systems["Triton"] = lambda *inputs: attention(*inputs, kernel=peer)


def measure(width, causal):
    """Shows a table with times for heads of a width.

    Returns:
        For each system its operations per second, one number for each length.
    """
    rates = {name: [] for name in systems}
    table = []
    for length in lengths:
        shape = (batch * heads, length, width)
        q, k, v = (
            arrays.put(rng.standard_normal(shape, dtype=np.float32).astype(dtype)) for _ in range(3)
        )
        inputs = (q, k, v, arrays.like(q), arrays.zeros(*shape[:2]), width**-0.5, causal)
        operations = 4 * batch * heads * length**2 * width / (2 if causal else 1)
        line = [f"{length:,}"]
        for name, call in systems.items():
            milliseconds = do_bench(
                lambda: call(*inputs),  # noqa: B023
                device=arrays.device,
                return_mode="median",
            )
            rates[name].append(operations / milliseconds * 1e3)
            line += [f"{milliseconds:.3g}", f"{rates[name][-1] / unit:.4g}"]
        table.append(line)
    seen = "causal" if causal else "all keys"
    show_table(
        f"{batch} × {heads} heads of width {width}, {np.dtype(dtype)}, {seen}",
        ["length", *(title for name in rates for title in (f"{name}, ms", unit_name))],
        table,
    )
    return rates


widths = (64, 128) if on_gpu else (64,)
announce(2 * len(widths) * len(lengths))
for width in widths:
    lines = measure(width, causal=False)
    lines |= {f"{name}, causal": rates for name, rates in measure(width, causal=True).items()}
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
# - Write the backward pass. The logarithms give the weights back: exp2(score - log).
