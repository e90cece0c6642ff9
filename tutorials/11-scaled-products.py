# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scaled products
===============

A number of fp16 takes two bytes, and most of the bytes that a large network moves are its weights.
In one byte each, half of the traffic is gone, and tensor cores that take bytes multiply twice as
many of them at a time. But a byte has only 256 values. A matrix survives that if its numbers are
brought to the right size first: they get scales.

In this lesson you write matrices in 8-bit floats, and multiply them. On the way you meet

- what an 8-bit float can hold,
- a scale for each row, and where it goes in a product,
- a scale for each 32 numbers: a microscaling format (Rouhani and others, 2023),
- `tl.dot_scaled`, which multiplies matrices in such formats,
- bits of floats as integers, and back.

Run it by itself: `python tutorials/11-scaled-products.py`.
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
# `tl.float8e4nv` has a sign, four bits of exponent with a bias of 7, and three bits of fraction.
# That is eight numbers for each power of two: rounding changes a number by up to one part in 16.
# There are no infinities. The pattern of all ones is NaN, and 448 is the greatest number. Beyond
# that a conversion gives 448.
#
# Not all libraries of arrays have such a type. So here they are arrays of bytes, `uint8`, and the
# kernels say what the bytes mean: `.to(tl.float8e4nv, bitcast=True)` changes the type, and no bit.


def values_of_codes():
    """Reads each byte as a float8e4nv."""
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
# If a row of A is divided by a number, so is the row of C. So a row of A may have any scale: the
# product is computed without it, and multiplied by it at the end. The same goes for the columns of
# B. The best scale makes the greatest element of the row 448, the greatest number that there is.
#
# One program for each row finds the greatest, and writes bytes and the scale.


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
# One great number in a row makes all others of it small, and what falls below 2⁻¹⁰ becomes 0. In
# a microscaling format each run of 32 numbers along k has a scale of its own, so a great number
# costs 31 others at most. The scale is a power of two. It takes one byte, its exponent plus 127,
# and it costs no accuracy: multiplication by it is exact.
#
# That byte is what an fp32 has as its exponent, above 23 bits of fraction. The least power of two
# that is not below y is found by integers: adding 2²³ - 1 to the bits of y carries into the
# exponent if there is any fraction. And the bits of 1 / 2ᵉ are the exponent 254 - (e + 127).


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
    """A matrix in 8-bit floats, on its device.

    Args:
        x: of M × K floats, without gaps. K is a multiple of 32.
        microscaled: whether each run of 32 numbers has a scale, or else each row.

    Returns:
        The bytes, of M × K; and the scales: bytes of M × K / 32, or M numbers of fp32.
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
    """The numbers in fp64 for which the bytes and scales of `in_bytes` stand."""
    codes, scales = arrays.numpy(codes), arrays.numpy(scales)
    if scales.ndim == 1:
        return VALUES[codes] * scales[:, None].astype(np.float64)
    return VALUES[codes] * np.repeat(2.0 ** (scales.astype(np.float64) - 127), 32, axis=1)


# %%
# Here are matrices of normal numbers, plain ones, and some in which a few columns are a thousand or
# a million times as great as the others. That is what the values in language models are like. The
# error is that of the other columns: the mean of |x - x'| / |x|.

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
# With scales of rows the loop is that of any product. `tl.dot` takes 8-bit floats, and sums in
# fp32. A tensor core of compute capability 8.9 or later multiplies the bytes as they are.
#
# B lies by columns: `b` has its columns as rows, so that both matrices have their runs along k.


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
# Scales that change along k can't wait for the end. `tl.dot_scaled` takes blocks with their scales:
# of BLOCK_M × BLOCK_K numbers BLOCK_M × BLOCK_K / 32 scales, and for B a row of scales for each
# column. Before they multiply them, GPUs up to compute capability 9.0 must make bf16 of them. That
# has seven bits of fraction and the exponents of fp32, so nothing is lost. Newer ones have tensor
# cores that apply the scales by themselves; Eft does not use these yet. So the bytes save traffic
# here, and no products.


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
    """C = A Bᵀ, on the device where the matrices lie.

    Args:
        a, b: matrices of M × K and N × K in 8-bit floats, as `in_bytes` gives them.
        c: of M × N floats, whose rows are multiples of 16 bytes.
        block: the block's extents along M, N and K.
        kernels, descriptor: of Eft or of Triton.
        options: of the launch.

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
# What a GPU makes of it
# ----------------------
# Products of bytes are there from compute capability 8.9 on. For an older one, `tl.dot` makes fp16
# of them.

INSTRUCTIONS = ("f32.f16.f16", "f32.e4m3.e4m3", "f32.bf16.bf16")


def describe_code(kernel, scale, target):
    """Counts each kind of product on tensor cores in the code."""

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
# Small integers are 8-bit floats, and products of them have no rounding. If the scales are powers
# of two, the scaled ones have none either, so C is exact in both kernels. The random bytes are
# those of -4 … 4, and the scales 2⁻² … 2². Their sums have less than 24 bits.

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
# Of real numbers the bytes are what counts: here is the error of C, in root mean squares, for the
# matrices with great columns from above. Products in fp16 would have 0.03 %.

table = []
exact_b = rng.standard_normal((256, 1024)).astype(np.float32)
for factor in (1, 1e3, 1e6):
    x = rng.standard_normal((256, 1024)).astype(np.float32)
    x[:, ::128] *= np.float32(factor)
    y = exact_b.copy()
    y[:, ::128] /= np.float32(factor)  # weights that belong to great values are small
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
# The time of the products alone: weights are written as bytes once, and used many times. Beside
# them stands the library's product, of fp16 on a GPU and of fp32 on a CPU. Where Triton is
# installed, it compiles the same functions. A CPU has no instructions for 8-bit floats: it converts
# them by integer operations, and multiplies fp32.

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
# - `dot_scaled` takes numbers of four bits as well, "e2m1", two in a byte. Write weights in them,
#   with activations in "e4m3". What happens to the errors?
# - Store C as bytes with scales for the next layer, from the kernel that computes it. Which of the
#   two kinds of scales needs to see a whole row of C first?
# - The scale here is never too small for the greatest number of a run. The standard's is half of
#   that for some, and cuts off what is beyond 448. Which of the two has the smaller error?
