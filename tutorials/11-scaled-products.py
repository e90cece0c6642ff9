# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scaled products
===============

A number of fp16 takes two bytes, and most of the bytes that a large network moves are its weights.
With one byte for each weight, half of the traffic is gone. Tensor cores that multiply 8-bit floats
also multiply twice as many of them at a time. But a byte has only 256 values. A matrix keeps enough
precision if its numbers are first brought to a suitable size, by scales.

In this lesson you convert matrices to 8-bit floats, and multiply them. On the way you meet

- the numbers that an 8-bit float can represent,
- a scale for each row, and the place where a product applies it,
- a scale for each 32 numbers: a microscaling format (Rouhani and others, 2023),
- `tl.dot_scaled`, which multiplies matrices in such formats,
- conversions of the bits of floats to integers, and back.

Run this lesson by itself: `python tutorials/11-scaled-products.py`.
"""

import argparse

import eft
import eft.language as tl
import numpy as np
from eft.testing import do_bench
from support import Arrays, announce, console, in_triton, save_plot, show_table, torch

parser = argparse.ArgumentParser(description="A lesson on products of 8-bit floats.")
parser.add_argument("--plot", default="scaled-products.png", help="where to save the plot")
parser.add_argument("--largest", type=int, help="log2 of the largest number of rows to time")
arguments = parser.parse_args()

arrays = Arrays()
on_gpu = arrays.device == "cuda"
console.print(f"Running on {arrays.description}.\n")

# %%
# A float in a byte
# -----------------
# `tl.float8e4nv` has a sign bit, four exponent bits with a bias of 7, and three fraction bits. So
# there are eight numbers from each power of two up to the next, and rounding changes a number by at
# most one part in 16. There are no infinities. The code whose exponent and fraction bits are all 1
# is NaN. The largest number is 448, and a conversion of a larger number gives 448.
#
# Not all libraries of arrays have such a type. So the matrices are arrays of bytes here, `uint8`,
# and the kernels reinterpret the bytes: `.to(tl.float8e4nv, bitcast=True)` changes the type, and no
# bit.


def values_of_codes():
    """Returns the numbers that the bytes 0 … 255 represent as float8e4nv."""
    codes = np.arange(256)
    exponent, fraction = codes >> 3 & 15, (codes & 7) / 8
    size = np.where(exponent == 0, fraction * 2.0**-6, (1 + fraction) * 2.0 ** (exponent - 7))
    size[codes & 127 == 127] = np.nan
    return np.where(codes < 128, size, -size)


VALUES = values_of_codes()
show_table(
    "Bytes as float8e4nv",
    ["byte", "value"],
    [[f"0x{code:02X}", VALUES[code]] for code in (0x00, 0x01, 0x08, 0x38, 0x39, 0x7E, 0x7F, 0xB8)],
)

# %%
# A scale for each row
# --------------------
# If a row of A is divided by a number, the same row of C is divided by this number. So each row of
# A may be divided by a scale: the product is computed without the scale, and multiplied by it at
# the end. The same holds for the columns of B. The best scale makes the largest magnitude of the
# row 448, the largest number of the format.
#
# Each program handles one row. It finds the largest magnitude, and writes the bytes and the scale.


@eft.jit
def scale_rows(x_ptr, codes_ptr, scales_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    at, inside = row * columns + column, column < columns
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    greatest = tl.max(tl.abs(x), 0)
    scale = tl.where(greatest > 0, greatest / 448, 1.0)
    codes = (x / scale).to(tl.float8e4nv)
    tl.store(codes_ptr + at, codes.to(tl.uint8, bitcast=True), mask=inside)
    tl.store(scales_ptr + row, scale)


# %%
# A scale for each 32 numbers
# ---------------------------
# One large number in a row makes the scale of the row large. Divided by this scale, the other
# numbers become small, and quotients below 2⁻¹⁰ become 0. In a microscaling format each run of 32
# numbers along k has a scale of its own. So a large number affects at most the 31 other numbers of
# its run. The scale is a power of two, 2ᵉ, and is stored as a byte, e + 127. Multiplication by a
# power of two is exact, so the scales cost no accuracy.
#
# The exponent of an fp32 is stored in the same form, as a byte e + 127, above 23 fraction bits. Let
# y be the largest magnitude of a run, divided by 448. The kernel finds 2ᵉ, the smallest power of
# two that is not below y, by integers: it adds 2²³ - 1 to the bits of y, which carries into the
# exponent if any fraction bit is set. The exponent byte of the sum is e + 127. The exponent byte of
# 1 / 2ᵉ is 254 - (e + 127).


@eft.jit
def scale_runs(x_ptr, codes_ptr, scales_ptr, runs, RUNS: tl.constexpr):
    run = tl.program_id(0) * RUNS + tl.arange(0, RUNS)
    at = run[:, None] * 32 + tl.arange(0, 32)[None, :]
    inside = (run < runs)[:, None]
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    least = tl.max(tl.abs(x), 1) / 448
    scale = (least.to(tl.int32, bitcast=True) + 0x7FFFFF) >> 23
    inverse = ((254 - scale) << 23).to(tl.float32, bitcast=True)
    codes = (x * inverse[:, None]).to(tl.float8e4nv)
    tl.store(codes_ptr + at, codes.to(tl.uint8, bitcast=True), mask=inside)
    tl.store(scales_ptr + run, scale.to(tl.uint8), mask=run < runs)


def in_bytes(x, microscaled):
    """Converts a matrix to 8-bit floats, on its device.

    Args:
        x: a matrix of M × K floats, without gaps. K is a multiple of 32.
        microscaled: True for a scale for each run of 32 numbers, False for a scale for each row.

    Returns:
        The codes, as M × K bytes; and the scales, as M × K / 32 bytes or as M numbers of fp32.
    """
    rows, columns = x.shape
    codes = arrays.put(np.empty((rows, columns), np.uint8))
    if not microscaled:
        scales = arrays.zeros(rows)
        scale_rows[(rows,)](x, codes, scales, columns, BLOCK=eft.next_power_of_2(columns))
        return codes, scales
    scales = arrays.put(np.empty((rows, columns // 32), np.uint8))
    runs = rows * columns // 32
    scale_runs[(eft.cdiv(runs, 64),)](x, codes, scales, runs, RUNS=64)
    return codes, scales


def out_of_bytes(codes, scales):
    """Returns the numbers that the codes and scales of `in_bytes` represent, in fp64."""
    codes, scales = arrays.numpy(codes), arrays.numpy(scales)
    if scales.ndim == 1:
        return VALUES[codes] * scales[:, None].astype(np.float64)
    return VALUES[codes] * np.repeat(2.0 ** (scales.astype(np.float64) - 127), 32, axis=1)


# %%
# Here are matrices of normally distributed numbers. In the second and the third matrix, every 128th
# column is a thousand or a million times as large as the others. The values in language models have
# such columns. The table shows the mean of |x - x'| / |x| over the other columns, and the share of
# their numbers that become 0.

rng = np.random.default_rng(2023)
table = []
for factor in (1, 1e3, 1e6):
    x = rng.standard_normal((256, 1024)).astype(np.float32)
    x[:, ::128] *= np.float32(factor)
    row = [f"{factor:g}"]
    for microscaled in (False, True):
        written = out_of_bytes(*in_bytes(arrays.put(x), microscaled))
        others = np.ones(1024, bool)
        others[::128] = False
        error = (np.abs(written - x) / np.abs(x))[:, others].mean()
        row += [f"{error:.1%}", f"{np.mean(written[:, others] == 0):.1%}"]
    table.append(row)
show_table(
    "Numbers between great ones, in 8-bit floats",
    ["great ones times", "a scale each row: error", "lost", "each 32: error", "lost"],
    table,
)

# %%
# The products
# ------------
# With a scale for each row, the loop is the loop of any product. `tl.dot` takes 8-bit floats, and
# sums in fp32. Tensor cores of compute capability 8.9 or later multiply 8-bit floats directly.
#
# B is stored by columns: the rows of `b` are the columns of B. So the runs of both matrices are
# along k.


@eft.jit
def multiply_rows(
    a, a_scales, b, b_scales, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):  # fmt: skip
    m, n = place(M, BLOCK_M, BLOCK_N)
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        a_block = a.load([m, k]).to(tl.float8e4nv, bitcast=True)
        b_block = b.load([n, k]).to(tl.float8e4nv, bitcast=True)
        sums = tl.dot(a_block, b_block.T, sums)
    of_rows = tl.load(a_scales + (m + tl.arange(0, BLOCK_M)) % M)
    of_columns = tl.load(b_scales + (n + tl.arange(0, BLOCK_N)) % N)
    c.store([m, n], (sums * of_rows[:, None] * of_columns[None, :]).to(c.dtype))


@eft.jit
def place(M, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    program, down = tl.program_id(0), tl.cdiv(M, BLOCK_M)
    return program % down * BLOCK_M, program // down * BLOCK_N


# %%
# Scales that change along k must be applied before the sum over k. `tl.dot_scaled` takes blocks
# with their scales: a block of BLOCK_M × BLOCK_K numbers of A has BLOCK_M × BLOCK_K / 32 scales,
# and B has a row of scales for each of its columns. GPUs up to compute capability 9.0 must convert
# the scaled numbers to bf16 before they multiply. bf16 has seven fraction bits and the exponents of
# fp32, so the conversion loses nothing. Newer GPUs have tensor cores that apply the scales by
# themselves; Eft does not use these yet. So microscaling saves memory traffic here, but the tensor
# cores multiply at the speed of bf16.


@eft.jit
def multiply_runs(
    a, a_scales, b, b_scales, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):  # fmt: skip
    m, n = place(M, BLOCK_M, BLOCK_N)
    runs = tl.arange(0, BLOCK_K // 32)
    a_runs = a_scales + ((m + tl.arange(0, BLOCK_M)) % M)[:, None] * (K // 32) + runs[None, :]
    b_runs = b_scales + ((n + tl.arange(0, BLOCK_N)) % N)[:, None] * (K // 32) + runs[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        inside = (runs < (K - k) // 32)[None, :]
        a_scale = tl.load(a_runs + k // 32, mask=inside, other=0)
        b_scale = tl.load(b_runs + k // 32, mask=inside, other=0)
        a_block, b_block = a.load([m, k]), b.load([n, k])
        sums = tl.dot_scaled(a_block, a_scale, "e4m3", b_block.T, b_scale, "e4m3", sums)
    c.store([m, n], sums.to(c.dtype))


def product(
    a, b, c, block, kernels=(multiply_rows, multiply_runs), descriptor=eft.TensorDescriptor,
    **options,
):  # fmt: skip
    """Computes C = A Bᵀ, on the device that holds the matrices.

    Args:
        a, b: matrices of M × K and N × K 8-bit floats with their scales, as `in_bytes` returns
            them.
        c: a matrix of M × N floats, whose row stride is a multiple of 16 bytes.
        block: the block's extents along M, N and K.
        kernels, descriptor: the two kernels and the class of tensor descriptors, of Eft or of
            Triton.
        options: the options of the launch.

    Returns:
        c.
    """
    (a_codes, a_scales), (b_codes, b_scales) = a, b
    (m, k), n = a_codes.shape, b_codes.shape[0]
    block_m, block_n, block_k = block
    kernels[a_scales.ndim - 1][(eft.cdiv(m, block_m) * eft.cdiv(n, block_n),)](
        descriptor.from_tensor(a_codes, [block_m, block_k]), a_scales,
        descriptor.from_tensor(b_codes, [block_n, block_k]), b_scales,
        descriptor.from_tensor(c, [block_m, block_n]), m, n, k,
        BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k, **options,
    )  # fmt: skip
    return c


# %%
# The code for a GPU
# ------------------
# GPUs multiply 8-bit floats from compute capability 8.9 on. For an older GPU `tl.dot` converts them
# to fp16.

INSTRUCTIONS = ("f32.f16.f16", "f32.e4m3.e4m3", "f32.bf16.bf16")


def describe_code(kernel, scale, target):
    """Counts each kind of `INSTRUCTIONS`, products on tensor cores, in the code of a kernel."""

    def of(dtype, rows, columns):
        matrix = eft.MockTensor(dtype, (4096, 4096))
        return eft.TensorDescriptor.from_tensor(matrix, [rows, columns])

    compiled = kernel.warmup(
        of(tl.uint8, 128, 128), scale, of(tl.uint8, 128, 128), scale, of(tl.float16, 128, 128),
        4096, 4096, 4096, BLOCK_M=128, BLOCK_N=128, BLOCK_K=128, num_warps=8, target=target,
    )  # fmt: skip
    return [str(compiled.asm["ptx"].count(name)) for name in INSTRUCTIONS]


show_table(
    "Blocks of 128 × 128 × 128: products on tensor cores, by the types of sums and factors",
    ["kernel, compute capability", *INSTRUCTIONS],
    [
        [f"{kernel.__name__}, {target[-2]}.{target[-1]}", *describe_code(kernel, scale, target)]
        for kernel, scale in ((multiply_rows, tl.float32), (multiply_runs, tl.uint8))
        for target in ("cuda:80", "cuda:90")
    ],
)

# %%
# Is it right?
# ------------
# Small integers are exact in 8-bit floats, and their products are exact in fp32. If the scales are
# powers of two, multiplication by the scales is exact, too. So C must be exact in both kernels. The
# random bytes represent the integers -4 … 4, and the scales are 2⁻² … 2². All sums have less than
# 24 bits, so fp32 holds them.

block, options = ((128, 128, 128), {"num_warps": 8}) if on_gpu else ((32, 64, 64), {})
table = []
for m, n, k in ((256, 128, 256), (129, 72, 96), (40, 200, 224)):
    wrong = []
    for microscaled in (False, True):
        factors = []
        for rows in (m, n):
            codes = np.array([0x00, 0x38, 0x40, 0x44, 0x48, 0xB8, 0xC0, 0xC4, 0xC8], np.uint8)
            exponents = rng.integers(-2, 3, (rows, k // 32) if microscaled else rows)
            if microscaled:
                scales = (exponents + 127).astype(np.uint8)
            else:
                scales = (2.0**exponents).astype(np.float32)
            codes = codes[rng.integers(0, 9, (rows, k))]
            factors.append((arrays.put(codes), arrays.put(scales)))
        exact = out_of_bytes(*factors[0]) @ out_of_bytes(*factors[1]).T
        c = arrays.put(np.full((m, n), np.nan, np.float32))
        product(*factors, c, block, **options)
        wrong.append(np.count_nonzero(arrays.numpy(c) != exact))
    assert wrong == [0, 0]
    table.append([f"{m} × {k} × {n}", *map(str, wrong)])
show_table(
    "Wrong elements, of products without rounding",
    ["M × K × N", "a scale each row", "a scale each 32"],
    table,
)

# %%
# For other numbers the error of C comes mostly from the rounding to 8-bit floats. The table shows
# this error, as the root mean square of the differences divided by that of the exact C, for
# matrices whose columns 0, 128, … are large by a factor. Products of fp16 matrices would have an
# error of 0.03 % for the first two factors. Numbers of the third row are beyond the range of fp16.

table = []
exact_b = rng.standard_normal((256, 1024)).astype(np.float32)
for factor in (1, 1e3, 1e6):
    x = rng.standard_normal((256, 1024)).astype(np.float32)
    x[:, ::128] *= np.float32(factor)
    y = exact_b.copy()
    y[:, ::128] /= np.float32(factor)  # the weights for large values are small
    exact = x.astype(np.float64) @ y.T.astype(np.float64)
    row = [f"{factor:g}"]
    for microscaled in (False, True):
        c = arrays.put(np.empty((256, 256), np.float32))
        written = (in_bytes(arrays.put(each), microscaled) for each in (x, y))
        product(*written, c, block, **options)
        error = np.sqrt(np.mean((arrays.numpy(c) - exact) ** 2) / np.mean(exact**2))
        row.append(f"{error:.1%}")
    table.append(row)
show_table(
    "Errors of products, with a great column in each 128",
    ["great ones times", "a scale each row", "a scale each 32"],
    table,
)

# %%
# What it costs
# -------------
# The times are those of the products alone, because weights are converted once and used many times.
# For comparison, the table has the library's product, of fp16 on a GPU and of fp32 on a CPU. Where
# Triton is installed, it compiles the same functions. A CPU has no instructions for 8-bit floats:
# it converts them to fp32 by integer operations, and multiplies fp32.

dtype = np.float16 if on_gpu else np.float32
unit, unit_name = (1e12, "TFLOP/s") if on_gpu else (1e9, "GFLOP/s")
library_product = torch.matmul if torch else np.matmul
systems = {
    "a scale each row": lambda rows, runs, plain, c: product(*rows, c, block, **options),
    "a scale each 32": lambda rows, runs, plain, c: product(*runs, c, block, **options),
}
if on_gpu and (peer := in_triton(multiply_rows)):
    from triton.tools.tensor_descriptor import TensorDescriptor

    peers = peer, in_triton(multiply_runs)
    for name, number in (("Triton, each row", 0), ("Triton, each 32", 1)):
        systems[name] = lambda *inputs, number=number: product(
            *inputs[number], inputs[3], block, peers, TensorDescriptor, num_stages=3, **options
        )
systems[f"{arrays.library}, {np.dtype(dtype)}"] = lambda rows, runs, plain, c: library_product(
    plain[0], plain[1].T, out=c
)

largest = arguments.largest or (13 if on_gpu else 9)
sizes = [2**bits for bits in range(min(9 if on_gpu else 7, largest), largest + 1)]
rates = {name: [] for name in systems}
table = []
announce(len(sizes))
for size in sizes:
    plain = [
        arrays.put(rng.standard_normal((size, size), dtype=np.float32).astype(dtype))
        for _ in range(2)
    ]
    inputs = [[in_bytes(each, microscaled) for each in plain] for microscaled in (False, True)]
    c = arrays.like(plain[0])
    row = [f"{size} × {size}"]
    for name, call in systems.items():
        milliseconds = do_bench(
            lambda: call(*inputs, plain, c),  # noqa: B023
            device=arrays.device,
            return_mode="median",
        )
        rates[name].append(2 * size**3 / milliseconds * 1e3)
        row += [f"{milliseconds:.3g}", f"{rates[name][-1] / unit:.4g}"]
    table.append(row)
show_table(
    "Products of square matrices",
    ["size", *(title for name in systems for title in (f"{name}, ms", unit_name))],
    table,
)
saved = save_plot(
    arguments.plot,
    f"Products of 8-bit floats on {arrays.description}",
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
# - `dot_scaled` also takes 4-bit floats, "e2m1", two in a byte. Convert weights to these, and use
#   them with activations in "e4m3". What happens to the errors?
# - Let the kernel that computes C store it as 8-bit floats with scales, for the next layer. Which
#   of the two kinds of scales needs a whole row of C first?
# - The scale here is never too small for the largest number of a run. The scale of the standard is
#   half as large for some runs, and the numbers that would be beyond 448 become 448. Which of the
#   two scales has the smaller error?
