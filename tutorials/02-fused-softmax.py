# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fused softmax
=============

Softmax turns each row of a matrix into positive numbers that sum to 1: exp(x) divided by the row's
sum of exp(x). Nearly all of its time is spent on memory, so the way to make it fast is to touch
memory less often. In this lesson you write it as one kernel. On the way you meet

- why five simple operations cost more than one that does the same,
- reductions, `tl.max` and `tl.sum`, which turn a block into a number,
- rows of any length in blocks whose size is a power of two,
- the address of a row: a stride.

Run it by itself: `python tutorials/02-fused-softmax.py`.
"""

import argparse

import eft
import eft.language as tl
import numpy as np
from eft.testing import do_bench
from support import Arrays, announce, console, save_plot, show_table, strides, torch, words_of

parser = argparse.ArgumentParser(description="A lesson on fusing operations into one kernel.")
parser.add_argument("--plot", default="fused-softmax.png", help="where to save the plot")
parser.add_argument("--largest", type=int, help="log2 of the longest row to time")
arguments = parser.parse_args()

arrays = Arrays()
console.print(f"Running on {arrays.description}.\n")


# %%
# Five passes over memory
# -----------------------
# This is how one writes softmax with a library of arrays. The maximum is there because exp grows so
# fast: float32 ends at exp(88.7). Subtracting the same number from all elements of a row doesn't
# change the result, and when it is the maximum, no exponent is above 0.


def softmax_in_steps(x):
    """Softmax of each row, an operation at a time, for arrays of NumPy and of PyTorch."""
    exp = torch.exp if torch else np.exp
    maximum = x.amax(1) if torch else x.max(1)  # reads x
    shifted = x - maximum[:, None]  # reads x, writes a matrix
    numerator = exp(shifted)  # reads a matrix, writes one
    denominator = numerator.sum(1)  # reads a matrix
    return numerator / denominator[:, None]  # reads a matrix, writes the result


# %%
# Count what large arrays move, for each element of x: five numbers are read and three written,
# where the least that any softmax can do is to read one and write one. Between two operations
# everything goes to memory and comes back, though the next operation could have had it at once.

rows, columns = 4096, 16384
element = 4
show_table(
    f"Bytes that softmax of {rows:,} × {columns:,} float32 moves",
    ["", "in steps", "fused"],
    [
        ["read", words_of(5 * rows * columns * element), words_of(rows * columns * element)],
        ["written", words_of(3 * rows * columns * element), words_of(rows * columns * element)],
    ],
)


# %%
# One pass
# --------
# A program takes a row. It loads all of it into one block, and everything that follows happens
# where the block is: in registers. A block's size is a power of two and a row's length need not be,
# so BLOCK is the next one, and the mask ends the row. What the mask leaves out must not change the
# result: `other` makes it -inf, which is no maximum, and whose exp is 0 and adds nothing.
#
# `tl.max` and `tl.sum` reduce along an axis; along the only one, they give a number. Rows need not
# follow each other in memory, they only need to be equally far apart: that is the row's stride,
# counted in elements.


@eft.jit
def softmax_kernel(x_ptr, output_ptr, x_stride, output_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * x_stride + offsets, mask=inside, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    output = numerator / tl.sum(numerator, axis=0)
    tl.store(output_ptr + row * output_stride + offsets, output, mask=inside)


def softmax_into(output, x):
    rows, columns = x.shape
    # A long row is more work than four warps like to share.
    block = eft.next_power_of_2(columns)
    warps = 4 if block <= 4096 else 8
    softmax_kernel[(rows,)](
        x, output, strides(x)[0], strides(output)[0], columns, BLOCK=block, num_warps=warps
    )


# %%
# Is it right?
# ------------
# The reference is softmax in float64. The kernel's exp is within two units in the last place, and
# a sum of float32 rounds at every addition, so the results agree to some millionths of themselves.
# The shapes are the ones where mistakes hide: rows of one element, of a power of two and one more,
# rows with huge elements, and rows that are part of longer ones.

rng = np.random.default_rng(2)


def reference(values):
    exponents = values.astype(np.float64)
    exponents = np.exp(exponents - exponents.max(1, keepdims=True))
    return exponents / exponents.sum(1, keepdims=True)


def check(rows, columns, scale, wider):
    values = (rng.standard_normal((rows, columns + wider)) * scale).astype(np.float32)
    x = arrays.put(values)[:, :columns]
    output = arrays.like(x)
    softmax_into(output, x)
    got, expected = arrays.numpy(output), reference(values[:, :columns])
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-30)
    return np.max(np.abs(got - expected) / np.maximum(expected, 1e-30))


table = []
for rows, columns, scale, wider in ((3, 1, 1, 0), (7, 100, 1, 0), (5, 1025, 50, 0), (9, 333, 9, 5)):
    error = check(rows, columns, scale, wider)
    table.append(
        [f"{rows} × {columns}", str(eft.next_power_of_2(columns)), str(columns + wider), error]
    )
show_table("Compared with float64", ["rows × columns", "BLOCK", "stride", "worst error"], table)

# %%
# What it costs
# -------------
# The rate is that of the bytes which softmax has to move at the least, 8 for each element; so the
# steps don't look better for moving more. On a GPU the fused kernel comes near to the speed of a
# copy. On a CPU the steps gain from its caches while the matrix fits there.

longest = arguments.largest or (14 if arrays.device == "cuda" else 12)
rows = 4096 if arrays.device == "cuda" else 256
lengths = [2**bits for bits in range(min(8, longest), longest + 1, 2)]
rates = {"fused": [], "in steps": []}
table = []
announce(len(lengths))
for columns in lengths:
    x = arrays.put(rng.standard_normal((rows, columns), dtype=np.float32))
    output = arrays.like(x)
    calls = {
        "fused": lambda: softmax_into(output, x),  # noqa: B023
        "in steps": lambda: softmax_in_steps(x),  # noqa: B023
    }
    line = [f"2^{columns.bit_length() - 1}"]
    for name, call in calls.items():
        seconds = do_bench(call, device=arrays.device, return_mode="median") / 1e3
        rates[name].append(8 * rows * columns / seconds)
        line += [f"{seconds * 1e6:.1f}", f"{rates[name][-1] / 1e9:.1f}"]
    table.append(line)
show_table(
    f"Time and memory traffic for {rows:,} rows, float32",
    ["columns", *(f"{name}, {unit}" for name in rates for unit in ("µs", "GB/s"))],
    table,
)
title = f"Softmax of {rows:,} rows on {arrays.description}"
if save_plot(arguments.plot, title, lengths, rates, axes=("columns", "GB/s")):
    console.print(f"The plot is in {arguments.plot}")
else:
    console.print("Matplotlib is not installed: no plot was saved.")

# %%
# To go on
# --------
# - Rows that are too long for a block: walk over them with a `for` loop, once for the maximum and
#   the sum and once for the results. How often does x have to be read?
# - Let a program handle several short rows, in a block of two dimensions and with `axis=1`.
# - Write the kernel's backward pass: the gradient of x is output × (g - sum(output × g)).
