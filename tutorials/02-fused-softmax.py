# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fused softmax
=============

Softmax turns each row of a matrix into positive numbers that sum to 1: it divides exp(x) by the
row's sum of exp(x). Nearly all of its time goes into memory accesses, so a fast softmax accesses
memory as seldom as it can. In this lesson you write softmax as one kernel. On the way you meet

- the reason why five simple operations take longer than one kernel that does the same,
- the reductions `tl.max` and `tl.sum`, which turn a block into a number,
- blocks, whose size is a power of two, for rows of any length,
- the row stride, from which a program computes the address of its row.

Run this lesson by itself: `python tutorials/02-fused-softmax.py`.
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
# This is softmax as one writes it with a library of arrays. The maximum is needed because exp grows
# so fast: in float32, exp(x) overflows for x above 88.7. Subtracting the same number from all
# elements of a row does not change the result. If that number is the row's maximum, exp gets no
# positive argument, and can't overflow.


def softmax_in_steps(x):
    """Computes softmax of each row by one operation at a time, for arrays of NumPy or PyTorch."""
    exp = torch.exp if torch else np.exp
    maximum = x.amax(1) if torch else x.max(1)  # reads x
    shifted = x - maximum[:, None]  # reads x, writes a matrix
    numerator = exp(shifted)  # reads a matrix, writes one
    denominator = numerator.sum(1)  # reads a matrix
    return numerator / denominator[:, None]  # reads a matrix, writes the result


# %%
# Count the numbers that these steps move for each element of a large x: they read five and write
# three. Any softmax must read one number and write one. The steps move more because each operation
# writes its result to memory, and the next operation reads it from there. A single kernel can pass
# the result on in registers.

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
# A program handles one row. It loads the whole row into one block, and computes everything else
# from this block, in registers. The size of a block must be a power of two, but the length of a row
# may be any number. So BLOCK is the smallest power of two that is not below the length, and the
# mask is false beyond the end of the row. The elements beyond the end must not change the result.
# So `other` gives them the value -∞, which never raises the row's maximum. The exp of -∞ is 0,
# which adds nothing to the sum.
#
# `tl.max` and `tl.sum` reduce a block along an axis. If the block has only one axis, the result is
# a number. The rows may have gaps between them in memory, if each row begins at the same distance
# from the previous one. This distance is the row stride, counted in elements.


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
    # Rows of more than 4096 elements get eight warps in place of four.
    block = eft.next_power_of_2(columns)
    warps = 4 if block <= 4096 else 8
    softmax_kernel[(rows,)](
        x, output, strides(x)[0], strides(output)[0], columns, BLOCK=block, num_warps=warps
    )


# %%
# Is it right?
# ------------
# The reference is softmax in float64. The kernel's exp is within two units in the last place, and
# sums in float32 round at every addition. So the results have relative errors of some millionths.
# The shapes are those in which mistakes are likely: rows of one element, rows with one element more
# than a power of two, rows with huge elements, and rows that are parts of longer rows.

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
# The rate counts the bytes that any softmax must move, 8 for each element. So the steps do not get
# a better rate for moving more bytes. On a GPU the fused kernel comes near to the speed of a copy.
# On a CPU the steps are faster as long as the matrix fits in the CPU's caches.

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
# - Some rows are too long for one block. Walk over such a row with `for` loops: one loop for the
#   maximum and the sum, and one loop for the results. How often must the kernel read x?
# - Let a program handle several short rows, in a block of two dimensions and with `axis=1`.
# - Write a kernel for the backward pass: if g is the gradient of the output, the gradient of x is
#   output × (g - sum(output × g)).
