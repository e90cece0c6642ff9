# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplication
=====================

Two matrices of 4096 × 4096 numbers have 33 million of them, and their product needs 137 billion
operations. Every number takes part in 4096 products. So the question that decides how fast a
product is computed is not how to compute it, but how often each number is fetched on the way.

In this lesson you write a kernel in which every number that a program has fetched is used many
times. On the way you meet

- blocks of two dimensions, and what a product of blocks saves,
- `tl.dot`, behind which a GPU's tensor cores work, and a CPU's vector units,
- sums that a loop carries on,
- an order of the programs in which neighbours share what they fetch.

Run it with `scripts/tutorial`, or by itself: `python tutorials/03-matrix-multiplication.py`.
"""

import argparse

import eft
import eft.language as tl
import numpy as np
from eft.testing import do_bench
from support import Arrays, announce, console, save_plot, show_table, torch

parser = argparse.ArgumentParser(description="A lesson on products of matrices.")
parser.add_argument("--plot", default="matrix-multiplication.png", help="where to save the plot")
parser.add_argument("--largest", type=int, help="log2 of the largest number of rows to time")
arguments = parser.parse_args()

arrays = Arrays()
on_gpu = arrays.device == "cuda"
console.print(f"Running on {arrays.description}.\n")

# Tensor cores multiply fp16, and sum in fp32. A CPU takes fp32 as it is.
dtype = np.float16 if on_gpu else np.float32


# %%
# Why blocks
# ----------
# A program that computes one element of C fetches a row of A and a column of B: 2 K numbers for K
# products. One that computes a block of R × S elements fetches R rows and S columns, (R + S) K
# numbers, for R S K products. With blocks of 128 × 128 each number that arrives is good for 64
# products on average, and memory has 64 times as long to deliver it.

show_table(
    "Numbers fetched for one product",
    ["block of C", "fetched"],
    [[f"{size} × {size}", 2 / size] for size in (1, 16, 64, 128)],
)

# %%
# The whole row of A need not be there at once. The kernel walks along K: it takes a piece of
# BLOCK_M × BLOCK_K of A and one of BLOCK_K × BLOCK_N of B, and adds their product to `sums`, which
# stays where the arithmetic is done, from the first piece to the last.
#
# `tl.dot(a, b, sums)` is that product and sum. It takes fp16, bf16, fp32, fp64 and int8; what it is
# made of is the compiler's affair. Masks keep the pieces inside the matrices: what lies outside is
# read as zero, which adds nothing.


@eft.jit
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
    row, column = place_in_groups(tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP)
    m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_offsets = m[:, None] * K + k[None, :]
    b_offsets = k[:, None] * N + n[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = K - start
        a = tl.load(a_ptr + a_offsets, mask=(m[:, None] < M) & (k[None, :] < left))
        b = tl.load(b_ptr + b_offsets, mask=(k[:, None] < left) & (n[None, :] < N))
        sums = tl.dot(a, b, sums)
        a_ptr += BLOCK_K
        b_ptr += BLOCK_K * N
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], sums, mask=inside)


# %%
# Which program takes which block
# -------------------------------
# Programs that run at the same time share a cache. If they go through C row by row, as one reads,
# then 64 programs in a row of blocks want one band of A, but 64 bands of B. If the same 64 programs
# stand in a square of 8 × 8, they want 8 bands of each: a quarter.
#
# So the programs are counted in groups of GROUP rows of blocks, and inside of a group column by
# column. The last group may have fewer rows. With GROUP = 1 this is the order in which one reads.
#
#     GROUP = 1:   0  1  2  3        GROUP = 2:   0  2  4  6
#                  4  5  6  7                     1  3  5  7
#                  8  9 10 11                     8 10 12 14
#                 12 13 14 15                     9 11 13 15


@eft.jit
def place_in_groups(down, across, GROUP: tl.constexpr):
    program = tl.program_id(0)
    group = program // (GROUP * across)
    rows = tl.minimum(down - group * GROUP, GROUP)
    within = program % (GROUP * across)
    return group * GROUP + within % rows, within // rows


BLOCKS = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32} if on_gpu else {
    "BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 32
}  # fmt: skip


def product(a, b, c, group=8):
    """C = A B, for matrices without gaps between their rows."""
    (m, k), n = a.shape, b.shape[1]
    grid = (eft.cdiv(m, BLOCKS["BLOCK_M"]) * eft.cdiv(n, BLOCKS["BLOCK_N"]),)
    multiply[grid](a, b, c, m, n, k, **BLOCKS, GROUP=group)
    return c


# %%
# Is it right?
# ------------
# Numbers that are small integers have products and sums without any rounding, so that NumPy's
# product must come out to the last bit, in whatever order anybody sums. Of other numbers the
# rounding can be bounded: a sum of K products is off by at most K roundings of the sum of their
# magnitudes.

rng = np.random.default_rng(1969)
rows = []
for m, n, k in ((16, 16, 16), (37, 200, 70), (129, 65, 300), (512, 512, 256)):
    a = rng.integers(-4, 5, (m, k)).astype(dtype)
    b = rng.integers(-4, 5, (k, n)).astype(dtype)
    c = arrays.put(np.full((m, n), np.nan, np.float32))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(arrays.numpy(product(arrays.put(a), arrays.put(b), c)), exact)
    a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    found = arrays.numpy(product(arrays.put(a), arrays.put(b), c))
    error = np.abs(found - wide_a @ wide_b) / (np.abs(wide_a) @ np.abs(wide_b))
    # tf32 plays no part: the factors are fp16 on a GPU, and a CPU multiplies fp32 as it is.
    assert error.max() <= k * 2.0**-23
    rows.append([f"{m} × {k} × {n}", f"{error.max():.1e}", f"{k * 2.0**-23:.1e}"])
show_table(
    "Rounding, where there is any",
    ["M × K × N", "largest error", "bound"],
    rows,
)

# %%
# What it costs
# -------------
# Time, and from it operations per second: a product and a sum for each of M N K triples. On a large
# GPU the two orders differ once the matrices outgrow the cache. On a CPU a program's pieces lie in
# the cache of its own core, and the order hardly matters. Beside them stands the product of the
# library of arrays, which has been tuned for years.

largest = arguments.largest or (12 if on_gpu else 10)
sizes = [2**bits for bits in range(min(8, largest), largest + 1)]
library_product = torch.matmul if torch else np.matmul
rates = {"row by row": [], "in groups of 8": [], arrays.library: []}
rows = []
announce(len(sizes))
for size in sizes:
    a = arrays.put(rng.standard_normal((size, size)).astype(dtype))
    b = arrays.put(rng.standard_normal((size, size)).astype(dtype))
    c = arrays.put(np.zeros((size, size), np.float32))
    row = [f"{size} × {size}"]
    calls = {
        "row by row": lambda: product(a, b, c, group=1),  # noqa: B023
        "in groups of 8": lambda: product(a, b, c, group=8),  # noqa: B023
        arrays.library: lambda: library_product(a, b),  # noqa: B023
    }
    for name, call in calls.items():
        milliseconds = do_bench(call, device=arrays.device, return_mode="median")
        rates[name].append(2 * size**3 / milliseconds * 1e3)
        row += [f"{milliseconds:.3g}", f"{rates[name][-1] / 1e9:.4g}"]
    rows.append(row)
show_table(
    f"Products of square matrices of {np.dtype(dtype)}",
    ["size", *(title for name in rates for title in (f"{name}, ms", "GFLOP/s"))],
    rows,
)
saved = save_plot(
    arguments.plot,
    f"Products of matrices on {arrays.description}",
    sizes,
    rates,
    axes=("rows and columns", "GFLOP/s"),
)
if saved:
    console.print(f"The plot is in {arguments.plot}")
else:
    console.print("Matplotlib is not installed: no plot was saved.")

# %%
# To go on
# --------
# - Give `multiply` strides, so that it takes a transposed matrix without a copy.
# - Let it do something to `sums` before it stores them: add a vector to each row, and set what is
#   negative to zero. The product is still there, so this costs no trip through memory.
# - Try other blocks. Larger ones fetch less and need more registers; where is the best?
