# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplication
=====================

Two matrices of 4096 × 4096 elements have 33 million elements together, and their product needs 137
billion operations. Every element takes part in 4096 products. So what decides the speed of a matrix
product is not the arithmetic, but how often each element is fetched from memory.

In this lesson you write a kernel that uses every element many times after it has fetched it. On the
way you meet

- blocks of two dimensions, and how many accesses to memory a product of blocks saves,
- `tl.dot`, which multiplies blocks: on a GPU's tensor cores or a CPU's vector units,
- row numbers that wrap around, so that only one dimension needs a mask,
- a function that is applied to the product before it is stored,
- an order of the programs in which programs that run together share what they fetch,
- copies that run ahead of the products, and the code that different GPUs get for `tl.dot`,
- `eft.autotune`, which measures which block sizes are the fastest.

Run this lesson by itself: `python tutorials/03-matrix-multiplication.py`.
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
# products. A program that computes a block of R × S elements fetches R rows of A and S columns of
# B: (R + S) K numbers for R S K products. With blocks of 128 × 128 this is one number for 64
# products, in place of two numbers for each product. So memory may be 128 times as slow.

show_table(
    "Numbers fetched for one product",
    ["block of C", "fetched"],
    [
        [f"{m} × {n}", 1 / m + 1 / n]
        for m, n in ((1, 1), (16, 16), (64, 64), (128, 128), (128, 256))
    ],
)

# %%
# A program does not need whole rows of A at once. It walks along K: in each iteration it loads a
# piece of BLOCK_M × BLOCK_K of A and a piece of BLOCK_K × BLOCK_N of B, and adds their product to
# `sums`. `sums` stays in the program from the first piece to the last, on a GPU in registers.
#
# `tl.dot(a, b, sums)` computes this product, plus `sums`. The factors may be fp16, bf16, fp32,
# fp64, int8 or 8-bit floats. The compiler chooses the instructions. If the factors are fp16, the
# sums are fp32: they are rounded to the type of C only once, before they are stored.
#
# The blocks may reach beyond the matrices. The elements there must not change the result. The
# kernel uses two ways to ensure this:
#
# - Along K every element is part of a sum. So elements beyond the end must be zero, and the loads
#   have a mask for K.
# - A row beyond the last row of A contributes only to a row of C that is not stored. So it may have
#   any elements that can be read. `m % M` makes the rows beyond the end wrap around to the first
#   rows, and the loads in the loop need no mask for rows. The same holds for the columns of B.
#
# From one iteration to the next, only two blocks of pointers change. The kernel takes the strides
# of all matrices as arguments. So it works for matrices that are stored by rows or by columns, and
# for parts of larger matrices.


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
# A function before the store
# ---------------------------
# In a network, a function that changes each element by itself often follows a product. This kernel
# can apply the leaky ReLU, which multiplies negative elements by 0.01. A separate kernel for the
# function would read all of C from memory and write it again. Here the sums are still in registers,
# in fp32, so the function needs no accesses to memory. ACTIVATION is known when the kernel is
# compiled, so the variant without a function contains no code for it.


@eft.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


# %%
# Which program takes which block
# -------------------------------
# Programs that run at the same time share a cache. Suppose that 64 programs run at the same time.
# If their blocks of C lie in one row of blocks, the programs need one band of rows of A, but 64
# bands of columns of B. If their blocks form a square of 8 × 8, they need 8 bands of A and 8 of B.
# That is a quarter as many bands.
#
# So the programs are numbered in groups. A group has GROUP rows of blocks. The programs of a group
# go down its first column of blocks, then down its second column, and so on. The last group may
# have fewer rows. With GROUP = 1 the programs go through C row by row. For a C of 4 × 4 blocks, the
# programs are
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
# A launch needs as many programs as C has blocks. The number of blocks depends on BLOCK_M and
# BLOCK_N, so the grid is a function of these.


def product(a, b, c, kernel=multiply, group=8, activation="", **configuration):
    """Computes C = f(A B), on the device that holds the matrices.

    Args:
        a, b, c: matrices of M × K, K × N and M × N elements of one float type, with any strides.
        kernel: `multiply`, or a tuned kernel, which chooses its configuration by itself.
        group: the number of rows of blocks in a group of programs.
        activation: the function f: "leaky_relu", or "" for f(x) = x.
        configuration: the block sizes and launch options, if the kernel is `multiply`.

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
# The code for a GPU
# ------------------
# Tensor cores multiply faster than memory delivers numbers, even with blocks. So while the tensor
# cores multiply one pair of pieces of A and B, copies must already bring the next pairs.
# `num_stages` is the number of pairs that are under way at a time: iteration i of the loop begins
# the copies for iteration i + num_stages - 1, and multiplies the pair of iteration i, whose copies
# have arrived. The copies go to shared memory without passing through registers. Each stage has a
# slot in shared memory, of BLOCK_K (BLOCK_M + BLOCK_N) elements. More stages hide a longer latency
# of memory. If shared memory has no room for all of the stages, the loop gets fewer.
#
# The instructions that multiply a pair depend on the GPU:
#
# - From compute capability 8.0 on, a warp of 32 threads multiplies small tiles that are in its
#   registers. The warp first reads the tiles from shared memory (`ldmatrix`), and then needs one
#   instruction for each product of two tiles (`mma.sync`).
# - On compute capability 9.0, a warpgroup of four warps multiplies together (`wgmma`). One
#   instruction multiplies 64 rows by up to 256 columns, and reads both factors from shared memory
#   by itself. So the factors need no registers, and no instructions to load them. The warps do not
#   wait for the result either: the loop leaves a product under way until it has begun the next one,
#   so that the tensor cores always have work. For this the loop takes one slot more, unless that
#   would cost a stage, or leave room for fewer programs on a multiprocessor, as with the blocks
#   below. Warpgroups multiply if the number of warps is a multiple of four, and blocks of C have at
#   least 64 rows.
#
# The sums stay in registers in both cases. A block of 128 × 256 sums that 8 warps share takes 128
# registers of each thread, and a thread can have 255 at most. So large blocks need many warps.
#
# You can compile a kernel for a GPU that is not here, and look at its code. The following table
# counts how often an instruction is in the code, which is not how often it runs. On 9.0 all of the
# `ldmatrix` come after the loop: they rearrange C so that threads can store whole rows.

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
# Products and sums of small integers are exact in fp32, in whatever order they are summed. So C
# must equal NumPy's product, rounded once to fp16, to the last bit. The activation only adds one
# more multiplication in fp32, which NumPy rounds in the same way.
#
# For other numbers the error has a bound. K additions in fp32 give a sum an error of at most K ×
# 2⁻²³ times the sum of the products' magnitudes. The rounding to fp16 adds at most 2⁻¹¹ of that
# sum.
#
# All configurations that are measured below are checked here. Their blocks have several sizes;
# smaller blocks leave room for more stages. Some of the matrices do not fill their last blocks,
# because mistakes are most likely there.

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
    """Checks products of integers, and returns the largest error of a product of floats.

    The error of an element is divided by the sum of the magnitudes of its products.
    """

    def on_device(values):
        # A matrix is stored by columns if its transpose is stored by rows.
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
# Large blocks fetch each number less often. But a small C has only a few large blocks, and then
# many multiprocessors have no work. The best configuration also depends on the number of registers,
# on the latency of memory, and on whether two programs fit on a multiprocessor. Nobody computes
# that by hand. So `eft.autotune` measures the configurations, once for each combination of values
# of the arguments that `key` names. It keeps the fastest configuration in the disk cache, beside
# the compiled code. `eft.autotune` is also a decorator, to be written above `@eft.jit`.

tuned = eft.autotune(configs=CONFIGURATIONS, key=["M", "N", "K"])(multiply)

# %%
# What it costs
# -------------
# The table shows times, and operations per second: one multiplication and one addition for each of
# the M N K products. On a large GPU the two orders of the programs differ once the matrices are
# larger than the cache. On a CPU the pieces of a program lie in the cache of its own core, so the
# order hardly matters. For comparison, the table has the product of the library of arrays, which
# has been tuned for years: on a GPU PyTorch calls cuBLAS. Where Triton is installed, it compiles
# the same function, and tunes it over the same configurations.
#
# The matrices are fp16 on a GPU. On a CPU they are fp32, which it multiplies without a conversion.

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
    product(a, b, c, tuned)  # chooses the configuration for both orders
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
# - Add a vector to each row of C before the activation. Where does the kernel have to load it?
# - A matrix C with few rows and columns has few blocks, even if K is large. Let several programs
#   compute the same block, each for a part of K, and add their sums by `tl.atomic_add`. From which
#   K on is this faster?
# - Give `eft.autotune` a `prune_configs_by` that leaves out blocks larger than C.
