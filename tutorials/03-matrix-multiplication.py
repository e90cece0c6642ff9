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
- rows that wrap around, and a mask only where one must be,
- a function that is applied to the product before it is stored,
- an order of the programs in which neighbours share what they fetch,
- copies that run ahead of the products, and what different GPUs make of `tl.dot`,
- `eft.autotune`, which measures which blocks are the best ones.

Run it by itself: `python tutorials/03-matrix-multiplication.py`.
"""

import argparse
import itertools

import eft
import eft.language as tl
import numpy as np
from eft.testing import do_bench
from support import Arrays, announce, console, in_triton, save_plot, show_table, strides, torch

parser = argparse.ArgumentParser(description="A lesson on products of matrices.")
parser.add_argument("--plot", default="matrix-multiplication.png", help="where to save the plot")
parser.add_argument("--largest", type=int, help="log2 of the largest number of rows to time")
arguments = parser.parse_args()

arrays = Arrays()
on_gpu = arrays.device == "cuda"
console.print(f"Running on {arrays.description}.\n")


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
    [
        [f"{m} × {n}", 1 / m + 1 / n]
        for m, n in ((1, 1), (16, 16), (64, 64), (128, 128), (128, 256))
    ],
)

# %%
# The whole row of A need not be there at once. The kernel walks along K: it takes a piece of
# BLOCK_M × BLOCK_K of A and one of BLOCK_K × BLOCK_N of B, and adds their product to `sums`, which
# stays where the arithmetic is done, from the first piece to the last.
#
# `tl.dot(a, b, sums)` is that product and sum. It takes fp16, bf16, fp32, fp64 and int8; what it is
# made of is the compiler's affair. Of fp16 it gives sums in fp32, which are rounded to the type of
# C only once, when they are stored.
#
# Elements outside of the matrices must do no harm. There are two ways to see to that:
#
# - Along K every element counts, so what lies beyond the end must be zero: there is a mask.
# - A row of A beyond the last one only makes a row of C that nobody stores. It may hold anything
#   that can be read. So `m % M` lets rows beyond the end wrap around to the first ones, and the
#   loop has no mask for rows. The same holds for columns of B.
#
# All that moves in the loop is two blocks of pointers. The strides make one kernel do for matrices
# that lie by rows, by columns, or are parts of others.


@eft.jit
def multiply(
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
    ACTIVATION: tl.constexpr,
):
    row, column = place_in_groups(tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP)
    m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_block = a_ptr + (m % M)[:, None] * a_row + k[None, :] * a_column
    b_block = b_ptr + k[:, None] * b_row + (n % N)[None, :] * b_column
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for piece in range(tl.cdiv(K, BLOCK_K)):
        left = K - piece * BLOCK_K
        a = tl.load(a_block, mask=k[None, :] < left, other=0.0)
        b = tl.load(b_block, mask=k[:, None] < left, other=0.0)
        sums = tl.dot(a, b, sums)
        a_block += BLOCK_K * a_column
        b_block += BLOCK_K * b_row
    if ACTIVATION == "leaky_relu":
        sums = leaky_relu(sums)
    inside = (m[:, None] < M) & (n[None, :] < N)
    c_block = c_ptr + m[:, None] * c_row + n[None, :] * c_column
    tl.store(c_block, sums.to(c_ptr.dtype.element_ty), mask=inside)


# %%
# A function on the way out
# -------------------------
# In a network a product is seldom the end: a function follows that changes each element by itself,
# here one that lets what is negative through at a hundredth. As a kernel of its own it would read
# all of C and write it again. In this kernel the sums are still in registers, in fp32, and it costs
# no trip through memory. ACTIVATION is known when the kernel is compiled, so that a variant without
# a function has no trace of it.


@eft.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


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


# %%
# A launch needs as many programs as C has blocks. How many that is depends on the blocks, so the
# grid is a function of them.


def product(a, b, c, kernel=multiply, group=8, activation="", **configuration):
    """C = f(A B), on the device where the matrices lie.

    Args:
        a, b, c: matrices of M × K, K × N and M × N elements of one float type, with any strides.
        kernel: `multiply`, or a kernel that chooses its configuration by itself.
        group: how many rows of blocks programs take together.
        activation: f: "leaky_relu", or "" for none.
        configuration: blocks and options for `multiply`.

    Returns:
        c.
    """
    (m, k), n = a.shape, b.shape[1]

    def grid(meta):
        return (eft.cdiv(m, meta["BLOCK_M"]) * eft.cdiv(n, meta["BLOCK_N"]),)

    kernel[grid](
        a, b, c, m, n, k, *strides(a), *strides(b), *strides(c), GROUP=group,
        ACTIVATION=activation, **configuration,
    )  # fmt: skip
    return c


# %%
# What a GPU makes of it
# ----------------------
# Tensor cores multiply faster than any memory delivers, even with blocks. While they work on one
# pair of pieces, the next ones must be on their way. `num_stages` is how many pairs are under way
# at a time: the loop begins the copies for iteration i + num_stages - 1, and then multiplies what
# has arrived for iteration i. The copies go to shared memory, without a register on the way, and
# each stage has a slot there, of BLOCK_K (BLOCK_M + BLOCK_N) elements. So more stages hide a longer
# way, until shared memory is full. Where it has no room for all of them there are fewer.
#
# The GPU decides how a pair that has arrived is multiplied:
#
# - From compute capability 8.0 on, a warp of 32 threads multiplies small tiles that its registers
#   hold. It reads them from shared memory first (`ldmatrix`), and then gives the order for each
#   product (`mma.sync`).
# - On 9.0 four warps, a warpgroup, multiply together (`wgmma`). One instruction takes 64 rows and
#   up to 256 columns, and reads both factors out of shared memory by itself: no registers hold
#   them, and no instructions fetch them. The warps don't wait for the result either. The loop
#   leaves a product under way until it has begun the next one, so that the tensor cores always have
#   work; for this it keeps one slot more. It takes a number of warps that is a multiple of four,
#   and blocks of C with at least 64 rows.
#
# The sums stay in registers in both cases. 128 × 256 of them, shared by 8 warps, are 128 registers
# for each thread, of the 255 that a thread may have at most. That is why large blocks need many
# warps.
#
# A kernel can be compiled for a GPU that is not here, and looked at. How often an instruction
# stands in the code is not how often it runs, but shows what there is. The `ldmatrix` that is left
# on 9.0 stands behind the loop: it brings C into whole rows, to be stored.

INSTRUCTIONS = ("cp.async.cg", "ldmatrix", "mma.sync", "wgmma.mma_async")
half = eft.MockTensor(tl.float16)
rows = []
for target, stages in itertools.product(("cuda:80", "cuda:90"), (1, 3)):
    compiled = multiply.warmup(
        *(half, half, half), *(4096, 4096, 4096), *(4096, 1), *(4096, 1), *(4096, 1),
        BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, GROUP=8, ACTIVATION="", num_warps=4,
        num_stages=stages, target=target,
    )  # fmt: skip
    ptx = compiled.asm["ptx"]
    rows.append(
        [
            f"{target[-2]}.{target[-1]}, {stages}",
            *(str(ptx.count(name)) for name in INSTRUCTIONS),
            f"{compiled.metadata.shared / 1024:.0f} KiB",
        ]
    )
show_table(
    "Blocks of 128 × 128 × 64 in fp16: instructions in the code, and shared memory",
    ["compute capability, num_stages", *INSTRUCTIONS, "shared"],
    rows,
)

# %%
# Is it right?
# ------------
# Small integers have products and sums without any rounding, in whatever order anybody sums. So
# the sums of fp32 are exact, and C is what NumPy's product is when it is rounded once to fp16, to
# the last bit: with the activation, too, which is one product of fp32 more.
#
# Of other numbers the rounding can be bounded: a sum of K products is off by at most K roundings of
# the sum of their magnitudes, and fp16 adds one of its own.
#
# All that is to be measured later is checked: blocks of several sizes, which have room for more
# stages the smaller they are. Sizes of matrices that fill no block are where mistakes like to hide.

CONFIGURATIONS = [
    eft.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}, num_warps=warps, num_stages=stages)
    for m, n, k, warps, stages in (
        [
            (128, 256, 64, 8, 3),
            (128, 128, 64, 8, 3),
            (128, 128, 64, 4, 3),
            (128, 128, 32, 4, 4),
            (128, 64, 64, 4, 4),
            (64, 64, 64, 4, 4),
        ]
        if on_gpu
        else [(64, 128, 32, 4, 1), (64, 64, 64, 4, 1), (32, 32, 32, 4, 1)]
    )
]
rng = np.random.default_rng(1969)


def check(m, n, k, by_columns, configuration):
    """The largest error of a product of floats, as a part of the sum of magnitudes."""

    def on_device(values):
        # By columns it is the transposed matrix that lies by rows.
        return arrays.put(np.ascontiguousarray(values.T)).T if by_columns else arrays.put(values)

    a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    exact = a.astype(np.float32) @ b.astype(np.float32)
    small = np.where(exact >= 0, exact, np.float32(0.01) * exact)
    for activation, expected in (("", exact), ("leaky_relu", small)):
        c = arrays.put(np.full((m, n), np.nan, np.float16))
        product(on_device(a), arrays.put(b), c, activation=activation, **configuration)
        np.testing.assert_array_equal(arrays.numpy(c), expected.astype(np.float16))
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    found = arrays.numpy(product(on_device(a), arrays.put(b), c, **configuration))
    a, b = a.astype(np.float64), b.astype(np.float64)
    return np.max(np.abs(found - a @ b) / (np.abs(a) @ np.abs(b)))


rows = []
for m, n, k, by_columns in (
    (16, 16, 16, False),
    (37, 200, 70, False),
    (129, 65, 300, True),
    (512, 512, 256, False),
):
    error = max(check(m, n, k, by_columns, each.all_kwargs()) for each in CONFIGURATIONS)
    bound = k * 2.0**-23 + 2.0**-11
    assert error <= bound
    order = "columns" if by_columns else "rows"
    rows.append([f"{m} × {k} × {n}, A by {order}", f"{error:.1e}", f"{bound:.1e}"])
show_table(
    f"Rounding, where there is any, in {len(CONFIGURATIONS)} configurations",
    ["M × K × N", "largest error", "bound"],
    rows,
)

# %%
# Which configuration is the best?
# --------------------------------
# Large blocks fetch less; but a small C has few of them, and many multiprocessors would stay
# without work. How many registers there are, how long memory takes, whether two programs fit on
# a multiprocessor: nobody computes that by hand. `eft.autotune` measures it, once for each
# combination of the arguments that `key` names, and keeps the answer on disk beside the compiled
# code. As a decorator it stands above `@eft.jit`.

tuned = eft.autotune(configs=CONFIGURATIONS, key=["M", "N", "K"])(multiply)

# %%
# What it costs
# -------------
# Time, and from it operations per second: a product and a sum for each of M N K triples. On a large
# GPU the two orders differ once the matrices outgrow the cache. On a CPU a program's pieces lie in
# the cache of its own core, and the order hardly matters. Beside them stands the product of the
# library of arrays, which has been tuned for years: PyTorch asks cuBLAS on a GPU. Where Triton is
# installed, it compiles the same function and tunes it over the same configurations.
#
# A GPU multiplies fp16. A CPU takes fp32, which it multiplies as it is.

dtype = np.float16 if on_gpu else np.float32
unit, unit_name = (1e12, "TFLOP/s") if on_gpu else (1e9, "GFLOP/s")
largest = arguments.largest or (13 if on_gpu else 10)
sizes = [2**bits for bits in range(min(8, largest), largest + 1)]
library_product = torch.matmul if torch else np.matmul
systems = {
    "Eft, row by row": lambda a, b, c: product(a, b, c, tuned, group=1),
    "Eft, in groups of 8": lambda a, b, c: product(a, b, c, tuned, group=8),
}
if on_gpu and (peer := in_triton(tuned)):
    systems["Triton, in groups of 8"] = lambda a, b, c: product(a, b, c, peer, group=8)
systems[arrays.library] = lambda a, b, c: library_product(a, b, out=c)
rates = {name: [] for name in systems}
rows, choices = [], []
announce(len(sizes))
for size in sizes:
    a, b, c = (
        arrays.put(rng.standard_normal((size, size), dtype=np.float32).astype(dtype))
        for _ in range(3)
    )
    product(a, b, c, tuned)  # chooses, for both orders of the programs
    best = tuned.best_config
    blocks = " × ".join(str(best.kwargs[name]) for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K"))
    choices.append([f"{size} × {size}", blocks, str(best.num_warps), str(best.num_stages)])
    row = [f"{size} × {size}"]
    for name, call in systems.items():
        milliseconds = do_bench(
            lambda: call(a, b, c),  # noqa: B023
            device=arrays.device,
            return_mode="median",
        )
        rates[name].append(2 * size**3 / milliseconds * 1e3)
        row += [f"{milliseconds:.3g}", f"{rates[name][-1] / unit:.4g}"]
    rows.append(row)
show_table("Chosen", ["size", "block of C × BLOCK_K", "num_warps", "num_stages"], choices)
show_table(
    f"Products of square matrices of {np.dtype(dtype)}",
    ["size", *(title for name in rates for title in (f"{name}, ms", unit_name))],
    rows,
)
saved = save_plot(
    arguments.plot,
    f"Products of matrices of {np.dtype(dtype)} on {arrays.description}",
    sizes,
    rates,
    axes=("rows and columns", unit_name),
    unit=unit,
)
if saved:
    console.print(f"The plot is in {arguments.plot}")
else:
    console.print("Matplotlib is not installed: no plot was saved.")

# %%
# To go on
# --------
# - Add a vector to each row of C before the activation. Where does it have to be loaded?
# - A matrix with few rows and columns but a large K has few blocks of C. Let several programs share
#   one, each with a part of K, and add their sums by `tl.atomic_add`. From which K on is it faster?
# - Give `eft.autotune` a `prune_configs_by` that leaves out blocks larger than C.
