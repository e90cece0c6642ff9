# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layer normalisation
===================

Layer normalisation (Ba, Kiros, Hinton, 2016) brings each row of a matrix to mean 0 and variance 1.
Then it multiplies each column by a learned weight, and adds a learned bias. In the forward pass
each row can be computed by itself, as in the lesson on softmax. The backward pass must also sum
gradients along columns: over all rows, and so over all programs. In this lesson you write both
passes. On the way you meet

- sums to which many programs add, by `tl.atomic_add`,
- programs that handle many rows each, so that fewer atomic additions are needed,
- sums in two stages, which need no atomic additions and give the same bits every time,
- a backward pass that computes some values again, because to store them would take longer.

Run this lesson by itself: `python tutorials/05-layer-normalisation.py`.
"""

import argparse

import eft
import eft.language as tl
import numpy as np
from eft.testing import do_bench
from support import Arrays, announce, console, save_plot, show_table, torch

parser = argparse.ArgumentParser(description="A lesson on sums that programs share.")
parser.add_argument("--plot", default="layer-normalisation.png", help="where to save the plot")
parser.add_argument("--largest", type=int, help="log2 of the longest row to time")
arguments = parser.parse_args()

arrays = Arrays()
on_gpu = arrays.device == "cuda"
console.print(f"Running on {arrays.description}.\n")


# %%
# Forward
# -------
# For each row, y = (x - mean) / √(variance + eps) × weight + bias. One program has the whole row in
# a block, so it reads x once. It computes the variance as the mean of (x - mean)². In exact
# arithmetic mean(x²) - mean² would be the same. But where the mean is large, that formula is the
# small difference of two large numbers, and most of its digits are rounding errors.
#
# Columns beyond the end are zero after the load, so they do not change the sum. But after the mean
# is subtracted they are no longer zero. So `tl.where` sets them to zero again.
#
# The kernel stores two numbers of each row for the backward pass: the mean, and scale = 1 /
# √(variance + eps).


@eft.jit
def normalise(
    x_ptr, weight_ptr, bias_ptr, y_ptr, mean_ptr, scale_ptr, stride, columns, eps,
    BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * stride + offsets, mask=inside)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(inside, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    weight = tl.load(weight_ptr + offsets, mask=inside)
    bias = tl.load(bias_ptr + offsets, mask=inside)
    tl.store(y_ptr + row * stride + offsets, centred * scale * weight + bias, mask=inside)
    tl.store(mean_ptr + row, mean)
    tl.store(scale_ptr + row, scale)


# %%
# Backward
# --------
# Let g be the gradient of y, x̂ = (x - mean) × scale the normalised row, and h = g × weight the
# gradient of x̂. Then
#
# - the gradient of the bias is the sum of g over all rows,
# - the gradient of the weight is the sum of g × x̂ over all rows,
# - the gradient of x is scale × (h - mean(h) - x̂ × mean(h × x̂)). The two terms that are
#   subtracted are the parts of h that would change the mean or the variance of x̂. No x can change
#   these: they are always 0 and 1.
#
# The gradient of x needs only numbers of the same row. The forward pass has not stored x̂. The
# backward pass computes x̂ again from x, the mean and the scale. That takes less time than to write
# x̂ to memory and to read it back.
#
# The sums over all rows are harder. If there is a program for each row, it can add its part to the
# two vectors by `tl.atomic_add`. The result is right, because atomic additions of several programs
# to the same element can't overwrite each other. But the programs of all rows wait for access to
# the same two vectors. So this kernel has fewer programs, each of which loops over many rows. It
# sums the parts of its rows in two blocks that the loop carries, and adds these blocks to the
# vectors once, at the end.
#
# The atomic additions happen in any order, and the last bits of a sum of floats depend on the
# order. If the result must have the same bits in every run, each program writes its sums to a row
# of its own, and a second kernel adds up these rows. IN_TURN chooses between the two ways. It is a
# `tl.constexpr`, known when the kernel is compiled, so each variant contains only the code of its
# own way.


@eft.jit
def differentiate(
    g_ptr, x_ptr, weight_ptr, mean_ptr, scale_ptr, dx_ptr, dweight_ptr, dbias_ptr, stride, rows,
    columns, IN_TURN: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    weight = tl.load(weight_ptr + offsets, mask=inside)
    dweight = tl.zeros((BLOCK,), tl.float32)
    dbias = tl.zeros((BLOCK,), tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        g = tl.load(g_ptr + row * stride + offsets, mask=inside)
        x = tl.load(x_ptr + row * stride + offsets, mask=inside)
        scale = tl.load(scale_ptr + row)
        # Beyond the end g is zero, and so is every term of the sums below.
        normalised = (x - tl.load(mean_ptr + row)) * scale
        h = g * weight
        mean_h = tl.sum(h, axis=0) / columns
        mean_hx = tl.sum(h * normalised, axis=0) / columns
        dx = scale * (h - mean_h - normalised * mean_hx)
        tl.store(dx_ptr + row * stride + offsets, dx, mask=inside)
        dweight += g * normalised
        dbias += g
    if IN_TURN:
        tl.store(dweight_ptr + program * columns + offsets, dweight, mask=inside)
        tl.store(dbias_ptr + program * columns + offsets, dbias, mask=inside)
    else:
        tl.atomic_add(dweight_ptr + offsets, dweight, mask=inside)
        tl.atomic_add(dbias_ptr + offsets, dbias, mask=inside)


# %%
# The second stage adds up the rows of a matrix. A program handles COLUMNS columns, and loads ROWS
# rows of them at a time. A block of two dimensions can be reduced along either of them. Along axis
# 0, the sums are those of the columns.


@eft.jit
def add_rows(x_ptr, sums_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    row = tl.arange(0, ROWS)[:, None]
    sums = tl.zeros((COLUMNS,), tl.float32)
    for first in range(0, rows, ROWS):
        inside = (first + row < rows) & (column[None, :] < columns)
        x = tl.load(x_ptr + (first + row) * columns + column[None, :], mask=inside)
        sums += tl.sum(x, axis=0)
    tl.store(sums_ptr + column, sums, mask=column < columns)


def options(columns):
    """Returns the size of a row's block, and the number of warps that share the block on a GPU."""
    block = eft.next_power_of_2(columns)
    return {"BLOCK": block, "num_warps": min(max(block // 512, 4), 16)}


def forward(x, weight, bias, eps=1e-5):
    """Returns the normalised rows, and the mean and the scale of each row."""
    rows, columns = x.shape
    y, mean, scale = arrays.like(x), arrays.zeros(rows), arrays.zeros(rows)
    normalise[(rows,)](
        x, weight, bias, y, mean, scale, columns, columns, eps, **options(columns)
    )  # fmt: skip
    return y, mean, scale


def backward(g, x, weight, mean, scale, programs=256, in_turn=False):
    """Returns the gradients of x, weight and bias. The matrices have no gaps between their rows."""
    rows, columns = x.shape
    programs = min(programs, rows)
    dx, dweight, dbias = arrays.like(x), arrays.zeros(columns), arrays.zeros(columns)
    parts = [arrays.zeros(programs, columns) for _ in range(2)] if in_turn else [dweight, dbias]
    differentiate[(programs,)](
        g, x, weight, mean, scale, dx, *parts, columns, rows, columns, IN_TURN=in_turn,
        **options(columns),
    )  # fmt: skip
    if in_turn:
        for part, sums in zip(parts, (dweight, dbias), strict=True):
            add_rows[(eft.cdiv(columns, 32),)](part, sums, programs, columns, ROWS=32, COLUMNS=32)
    return dx, dweight, dbias


# %%
# Is it right?
# ------------
# The reference computes the same formulas in float64, on whole matrices. If PyTorch is installed,
# its own layer normalisation and its autograd are a second reference.

rng = np.random.default_rng(5)


def reference(x, weight, bias, g, eps=1e-5):
    """Computes y, and the gradients of x, weight and bias, in float64."""
    x, weight, bias, g = (each.astype(np.float64) for each in (x, weight, bias, g))
    scale = 1 / np.sqrt(x.var(1, keepdims=True) + eps)
    normalised = (x - x.mean(1, keepdims=True)) * scale
    h = g * weight
    away = h.mean(1, keepdims=True) + normalised * (h * normalised).mean(1, keepdims=True)
    return normalised * weight + bias, scale * (h - away), (g * normalised).sum(0), g.sum(0)


def second_opinion(x, weight, bias, g):
    """Computes y, and the gradients of x, weight and bias, with PyTorch."""
    inputs = [arrays.put(each).requires_grad_() for each in (x, weight, bias)]
    y = torch.nn.functional.layer_norm(inputs[0], weight.shape, *inputs[1:], eps=1e-5)
    y.backward(arrays.put(g))
    return [arrays.numpy(each) for each in (y.detach(), *(each.grad for each in inputs))]


def error(found, expected):
    """Returns the largest difference, divided by the largest magnitude of an expected number."""
    return np.max(np.abs(found - expected)) / np.max(np.abs(expected))


def check(rows, columns, mean):
    """Returns the largest errors of y, dx, dweight and dbias."""
    x = (rng.standard_normal((rows, columns)) * 2 + mean).astype(np.float32)
    g = rng.standard_normal((rows, columns), dtype=np.float32)
    weight, bias = rng.standard_normal((2, columns), dtype=np.float32)
    expected = reference(x, weight, bias, g)
    opinions = [second_opinion(x, weight, bias, g)] if torch else []
    put_x, put_g, put_weight = arrays.put(x), arrays.put(g), arrays.put(weight)
    y, *kept = forward(put_x, put_weight, arrays.put(bias))
    for in_turn in (False, True):
        gradients = backward(put_g, put_x, put_weight, *kept, in_turn=in_turn)
        opinions.append([arrays.numpy(each) for each in (y, *gradients)])
    return [
        max(error(found, each) for found in all_found)
        for each, *all_found in zip(expected, *opinions, strict=True)
    ]


table = []
for rows, columns, mean in ((1, 1000, 0), (100, 37, 0), (33, 513, 10), (1000, 64, 0)):
    errors = check(rows, columns, mean)
    # The rounding error of a mean grows with the mean. Each element of the row gets this error.
    assert max(errors) < 3e-6 * (1 + mean)
    table.append([f"{rows} × {columns}", str(mean), *(f"{each:.1e}" for each in errors)])
show_table(
    "Compared with float64: the largest errors, in units of the largest number",
    ["rows × columns", "mean", "y", "gradient of x", "of the weight", "of the bias"],
    table,
)

# %%
# The sums in two stages have the same bits in every run. Those of atomic additions have the same
# bits only by chance.

x, g = (arrays.put(rng.standard_normal((512, 200), dtype=np.float32)) for _ in range(2))
weight, bias = (arrays.put(rng.standard_normal(200, dtype=np.float32)) for _ in range(2))
_, *kept = forward(x, weight, bias)
seen = {False: set(), True: set()}
for in_turn, bits in seen.items():
    for _ in range(20):
        dweight = backward(g, x, weight, *kept, in_turn=in_turn)[1]
        bits.add(arrays.numpy(dweight).tobytes())
assert len(seen[True]) == 1
console.print(f"20 gradients of the weight by atomic additions: {len(seen[False])} different.")
console.print(f"20 gradients of the weight in two stages: {len(seen[True])} different.\n")

if torch:

    class LayerNormalisation(torch.autograd.Function):
        """Layer normalisation for PyTorch's autograd."""

        @staticmethod
        def forward(context, x, weight, bias):
            y, *kept = forward(x, weight, bias)
            context.save_for_backward(x, weight, *kept)
            return y

        @staticmethod
        def backward(context, g):
            # The kernels need rows without gaps. Autograd may pass a gradient with any strides.
            return backward(g.contiguous(), *context.saved_tensors)

    grads = []
    for function in (
        LayerNormalisation.apply,
        lambda x, *vectors: torch.nn.functional.layer_norm(x, (200,), *vectors),
    ):
        inputs = [each.clone().requires_grad_() for each in (x, weight, bias)]
        function(*inputs).square().mean().backward()
        grads.append([each.grad for each in inputs])
    torch.testing.assert_close(*grads, rtol=1e-4, atol=1e-6)
    console.print("A training step gets the same gradients from it as from PyTorch's own.\n")

# %%
# What it costs
# -------------
# The forward pass reads x and writes y: at least 8 bytes for each element of x. The backward pass
# reads x and g, and writes dx: at least 12 bytes for each element. The rates count only these
# bytes. The weight, the bias and the two numbers of each row are left out, because they are few. "A
# row each" is the backward pass with a program for each row: for each element of x, it makes an
# atomic addition for the weight and another for the bias. Compare its time with that of "256
# programs", where each program handles several rows.

longest = arguments.largest or (13 if on_gpu else 10)
rows = 4096 if on_gpu else 1024
lengths = [2**bits for bits in range(min(8, longest), longest + 1)]
rates = {name: [] for name in ("forward", "a row each", "256 programs", "two stages")}
table = []
announce(len(lengths))
for columns in lengths:
    x, g = (arrays.put(rng.standard_normal((rows, columns), dtype=np.float32)) for _ in range(2))
    weight, bias = (arrays.put(rng.standard_normal(columns, dtype=np.float32)) for _ in range(2))
    _, *kept = forward(x, weight, bias)
    calls = {
        "forward": lambda: forward(x, weight, bias),  # noqa: B023
        "a row each": lambda: backward(g, x, weight, *kept, programs=rows),  # noqa: B023
        "256 programs": lambda: backward(g, x, weight, *kept),  # noqa: B023
        "two stages": lambda: backward(g, x, weight, *kept, in_turn=True),  # noqa: B023
    }
    line = [f"{rows} × {columns}"]
    for name, call in calls.items():
        seconds = do_bench(call, device=arrays.device, return_mode="median") / 1e3
        moved = (8 if name == "forward" else 12) * rows * columns
        rates[name].append(moved / seconds)
        line += [f"{seconds * 1e6:.1f}", f"{moved / seconds / 1e9:.3g}"]
    table.append(line)
show_table(
    "Time, µs, and memory traffic, GB/s: forward, and three ways backward",
    ["rows × columns", *(title for name in rates for title in (name, "GB/s"))],
    table,
)
saved = save_plot(
    arguments.plot,
    f"Layer normalisation on {arrays.description}",
    lengths,
    rates,
    axes=("columns", "GB/s"),
)
if saved:
    console.print(f"The plot is in {arguments.plot}")
else:
    console.print("Matplotlib is not installed: no plot was saved.")

# %%
# To go on
# --------
# - Give the kernels a row stride for each matrix, so that the rows may be parts of longer rows.
# - RMS normalisation is layer normalisation that does not subtract the mean. What is its backward
#   pass?
# - Protect the vectors by a lock, in place of atomic additions. `tl.atomic_cas` acquires the lock,
#   and `tl.atomic_xchg` releases it. Which way is the fastest, and with how many programs?
