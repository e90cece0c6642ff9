# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grouped products
================

In a mixture of experts (Shazeer and others, 2017) each token goes to a few of many networks, the
experts. Every expert multiplies the tokens that it gets by its own weights. So a layer is a list of
matrix products of different sizes. The sizes change with every text, and the GPU computes them
shortly before the products.

With a launch for each product, every launch costs time, and a small product leaves most
multiprocessors idle. In this lesson one launch computes the whole list, which is called a grouped
GEMM. On the way you meet

- matrices that are not arguments: the kernel loads their addresses from a table,
- tensor descriptors that a kernel makes,
- programs that take the blocks of all products in turn,
- the alignment of addresses in a table, which the compiler can't know: what it does about that, and
  how to promise an alignment.

Run this lesson by itself: `python tutorials/10-grouped-products.py`.
"""

import argparse
import os

import eft
import eft.language as tl
import numpy as np
from eft.testing import do_bench
from support import Arrays, announce, console, in_triton, save_plot, show_table, torch

parser = argparse.ArgumentParser(description="A lesson on lists of products.")
parser.add_argument("--plot", default="grouped-products.png", help="where to save the plot")
parser.add_argument("--largest", type=int, help="log2 of the largest number of tokens to time")
arguments = parser.parse_args()

arrays = Arrays()
on_gpu = arrays.device == "cuda"
console.print(f"Running on {arrays.description}.\n")

# %%
# Rounds of the whole list
# ------------------------
# The lesson on persistent products counts the rounds of one product: in each round, every
# multiprocessor computes a block of C. A product of few blocks has one round in which most
# multiprocessors are idle. Here there are 16 experts, and the first experts get more tokens than
# the others. Their products have 2048 columns, and are computed in blocks of 128 × 256. If all
# products share the rounds, multiprocessors are idle only in the last round.


def tokens_of_experts(tokens, experts, generator):
    """Draws the number of tokens of each expert.

    The expected number for the n-th expert is proportional to 1 / n.
    """
    likings = 1 / np.arange(1, experts + 1)
    return generator.multinomial(tokens, likings / likings.sum())


rng = np.random.default_rng(2017)
table = []
for tokens in (2048, 8192, 32768):
    counts = tokens_of_experts(tokens, 16, rng)
    blocks = [eft.cdiv(int(rows), 128) * eft.cdiv(2048, 256) for rows in counts]
    apart = sum(eft.cdiv(each, 132) for each in blocks)
    together = eft.cdiv(sum(blocks), 132)
    table.append([f"{tokens:,}", str(sum(blocks)), str(apart), str(together)])
show_table(
    "Rounds on 132 multiprocessors",
    ["tokens", "blocks", "a launch for each expert", "one launch"],
    table,
)

# %%
# Tables instead of arguments
# ---------------------------
# The kernel gets two tables with one row for each product. One table has the addresses of A, B and
# C, and the other has the extents M, N and K. Both tables are arrays in the GPU's memory. So
# another kernel may write them, such as the kernel that counts the tokens of each expert. Then the
# CPU never needs to know the sizes.
#
# An address is an integer of 64 bits. `.to(tl.pointer_type(…))` converts it to a pointer, and
# `tl.make_tensor_descriptor` makes a tensor descriptor of the pointer. It has the same use as an
# `eft.TensorDescriptor` in the lesson on persistent products: a block that reaches beyond the
# bounds of the array gets zeros there.
#
# One thing is lost by this. A launch sees whether an argument is a multiple of 16, and compiles the
# kernel for that. But the compiler can't see the values that a kernel loads. An address in the
# table might be odd, and then a copy of 16 bytes would fail. So the code tests the addresses and
# the row strides, and has two versions of the loop: one for multiples of 16 bytes, and one for all
# other values. `tl.multiple_of` promises that the addresses are multiples of 16 bytes, and that the
# length of a row is a multiple of 8 elements. With this promise there is only the first version.
# The parameter ALIGNED is there to show the effect of the promise.


@eft.jit
def matrix(
    address, rows, columns, DTYPE: tl.constexpr, BLOCK_ROWS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr, ALIGNED: tl.constexpr,
):  # fmt: skip
    pointer = tl.load(address).to(tl.pointer_type(DTYPE))
    if ALIGNED:
        pointer = tl.multiple_of(pointer, 16)
        columns = tl.multiple_of(columns, 8)
    return tl.make_tensor_descriptor(
        pointer, [rows, columns], [columns, 1], [BLOCK_ROWS, BLOCK_COLUMNS]
    )


# %%
# Programs in turn
# ----------------
# The blocks of all products are dealt to the programs in turn: block by block to program 0, program
# 1 and so on, and after the last program to program 0 again. Let f be the program that gets the
# first block of the current product. Then `place` is the distance from program f to this program,
# modulo PROGRAMS. So this program computes the blocks place, place + PROGRAMS, … of this product.
# The next product begins with the program after the one that got the last block. So `place`
# decreases by the number of blocks, modulo PROGRAMS. A product without tokens has no blocks, and
# leaves `place` as it is.
#
# For this, each program goes through the whole list. It also loads the extents of products of which
# it computes no block. These are a few numbers for each product, which come from the cache.
#
# `flatten=True` has the same meaning as in the lesson on persistent products: it promises that no
# iteration reads what another iteration has written.


@eft.jit
def multiply_all(
    addresses, extents, products, DTYPE: tl.constexpr, BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PROGRAMS: tl.constexpr, ALIGNED: tl.constexpr,
):  # fmt: skip
    place = tl.program_id(0)
    for product in range(products):
        M = tl.load(extents + 3 * product)
        N = tl.load(extents + 3 * product + 1)
        K = tl.load(extents + 3 * product + 2)
        down, across = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
        if place < down * across:
            of_product = addresses + 3 * product
            a = matrix(of_product, M, K, DTYPE, BLOCK_M, BLOCK_K, ALIGNED)
            b = matrix(of_product + 1, N, K, DTYPE, BLOCK_N, BLOCK_K, ALIGNED)
            c = matrix(of_product + 2, M, N, DTYPE, BLOCK_M, BLOCK_N, ALIGNED)
            for block in tl.range(place, down * across, PROGRAMS, flatten=True):
                m, n = block % down * BLOCK_M, block // down * BLOCK_N
                sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
                for k in range(0, K, BLOCK_K):
                    sums = tl.dot(a.load([m, k]), b.load([n, k]).T, sums)
                c.store([m, n], sums.to(DTYPE))
        place = (place + PROGRAMS - down * across % PROGRAMS) % PROGRAMS


# %%
# The tables are made once for a list. They hold only addresses, and do not keep the matrices alive.
# So the caller must keep the matrices until the programs have finished.


def address_of(array):
    return array.data_ptr() if torch else array.ctypes.data


def tables_of(list_of_products):
    """Makes the tables of addresses and of extents, as two arrays on the device.

    Args:
        list_of_products: the matrices a, b and c of each product C = A Bᵀ. They have M × K, N × K
            and M × N elements, without gaps. K and N are multiples of 8.
    """
    addresses, extents = [], []
    for matrices in list_of_products:
        addresses.append([address_of(each) for each in matrices])
        (m, k), n = matrices[0].shape, matrices[1].shape[0]
        assert k % 8 == 0 and n % 8 == 0 and all(each % 16 == 0 for each in addresses[-1])
        extents.append([m, n, k])
    return arrays.put(np.array(addresses, np.int64)), arrays.put(np.array(extents, np.int32))


def multiply(tables, dtype, block, programs, kernel=multiply_all, **options):
    """Computes all products of a list, by one launch.

    Args:
        tables: the tables of the list, as `tables_of` returns them.
        dtype: the type of the matrices' elements.
        block: the block's extents along M, N and K.
        programs: the number of programs.
        kernel: `multiply_all`, as a kernel of Eft or of Triton.
        options: the options of the launch.
    """
    addresses, extents = tables
    block_m, block_n, block_k = block
    kernel[(programs,)](
        addresses, extents, len(addresses), DTYPE=dtype, BLOCK_M=block_m, BLOCK_N=block_n,
        BLOCK_K=block_k, PROGRAMS=programs, ALIGNED=True, **options,
    )  # fmt: skip


# %%
# The code for a GPU
# ------------------
# With the promise, every copy moves 16 bytes, and runs ahead of its product. Without the promise
# there is a second version of the loop, whose threads load one element at a time. Then the code is
# almost three times as long, and takes almost three times as long to compile. There are also stores
# of one element at a time, because a row of C may end at any element.


def describe_code(aligned):
    """Counts instructions in the code for compute capability 9.0.

    Returns:
        The row of a table: `aligned`, a number for each of `INSTRUCTIONS`, and the number of lines.
    """
    compiled = multiply_all.warmup(
        tl.int64, tl.int32, 16, DTYPE=tl.float16, BLOCK_M=128, BLOCK_N=256, BLOCK_K=64,
        PROGRAMS=132, ALIGNED=aligned, num_warps=8, target="cuda:90",
    )  # fmt: skip
    ptx = compiled.asm["ptx"]
    counts = (str(ptx.count(name)) for name in INSTRUCTIONS)
    return [str(aligned), *counts, str(len(ptx.splitlines()))]


INSTRUCTIONS = ("ld.global.b16", "cp.async.cg", "st.global.b16", "st.global.v4")
show_table(
    "Blocks of 128 × 256 × 64 of fp16: instructions in the code",
    ["promised", *INSTRUCTIONS, "lines"],
    [describe_code(False), describe_code(True)],
)

# %%
# Is it right?
# ------------
# Products of small integers are exact, and their sums are exact in fp16 up to 2048. So each C must
# equal NumPy's product to the last bit. The test runs with one program, and with more programs than
# there are blocks. The list has products that do not fill their blocks, and a product without rows.

block, options = ((128, 256, 64), {"num_warps": 8}) if on_gpu else ((64, 64, 32), {})
sizes = [(100, 200, 136), (0, 64, 32), (257, 24, 8), (1, 1000, 72), (300, 136, 256)]
exact, list_of_products = [], []
for m, n, k in sizes:
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((m, k), (n, k)))
    exact.append(a.astype(np.float32) @ b.astype(np.float32).T)
    c = np.full((m, n), np.nan, np.float16)
    list_of_products.append([arrays.put(each) for each in (a, b, c)])
tables = tables_of(list_of_products)
table = []
for programs in (1, 5, 64):
    for _, _, c in list_of_products:
        c[:] = np.nan
    multiply(tables, tl.float16, block, programs, **options)
    wrong = sum(
        np.count_nonzero(arrays.numpy(c) != expected)
        for (_, _, c), expected in zip(list_of_products, exact, strict=True)
    )
    assert wrong == 0
    table.append([str(programs), str(len(sizes)), str(wrong)])
show_table("Small integers", ["programs", "products", "wrong elements"], table)

# %%
# What it costs
# -------------
# The table compares three ways to compute the products of the experts: one launch for all products,
# a launch of the same kernel for each, and the library's product for each. Where Triton is
# installed, it compiles the same function. Triton needs memory for the descriptors that a kernel
# makes, so it gets an allocator below. Eft holds such descriptors in registers.

dtype, name = (np.float16, "float16") if on_gpu else (np.float32, "float32")
unit, unit_name = (1e12, "TFLOP/s") if on_gpu else (1e9, "GFLOP/s")
n, k = (2048, 2048) if on_gpu else (256, 256)
experts = 16
if on_gpu:
    programs = torch.cuda.get_device_properties(0).multi_processor_count
else:
    programs = len(os.sched_getaffinity(0))
library_product = torch.matmul if torch else np.matmul


def one_launch(products, tables, each):
    multiply(tables, getattr(tl, name), block, programs, **options)


def a_launch_each(products, tables, each):
    for own in each:
        multiply(own, getattr(tl, name), block, programs, **options)


def library(products, tables, each):
    for a, b, c in products:
        library_product(a, b.T, out=c)


systems = {"one launch": one_launch, "a launch each": a_launch_each}
if on_gpu and (peer := in_triton(multiply_all)):
    import triton
    import triton.language

    triton.set_allocator(
        lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda")
    )
    systems["Triton, one launch"] = lambda products, tables, each: multiply(
        tables, getattr(triton.language, name), block, programs, peer, num_stages=3, **options
    )
systems[f"{arrays.library} each"] = library

largest = arguments.largest or (16 if on_gpu else 12)
totals = [2**bits for bits in range(min(10, largest), largest + 1)]
rates = {system: [] for system in systems}
table = []
announce(len(totals))
for tokens in totals:
    counts = [int(rows) for rows in tokens_of_experts(tokens, experts, rng) if rows > 0]
    products = [
        tuple(
            arrays.put(rng.standard_normal(shape, dtype=np.float32).astype(dtype))
            for shape in ((m, k), (n, k), (m, n))
        )
        for m in counts
    ]
    inputs = products, tables_of(products), [tables_of([each]) for each in products]
    row = [f"{tokens:,}", f"{min(counts)} … {max(counts)}"]
    for system, call in systems.items():
        milliseconds = do_bench(
            lambda: call(*inputs),  # noqa: B023
            device=arrays.device,
            return_mode="median",
        )
        rates[system].append(2 * tokens * n * k / milliseconds * 1e3)
        row += [f"{milliseconds:.3g}", f"{rates[system][-1] / unit:.4g}"]
    table.append(row)
show_table(
    f"Tokens of {k} numbers of {np.dtype(dtype)} for {experts} experts, {n} results each",
    [
        "tokens",
        "of an expert",
        *(title for each in systems for title in (f"{each}, ms", unit_name)),
    ],
    table,
)
saved = save_plot(
    arguments.plot,
    f"Products of {experts} experts on {arrays.description}",
    totals,
    rates,
    axes=("tokens", unit_name),
    unit=unit,
)
if saved:
    console.print(f"The plot is in {arguments.plot}")
else:
    console.print("Matplotlib is not installed: no plot was saved.")

# %%
# To go on
# --------
# - The tokens of an expert do not lie next to each other until they are sorted. But `a.gather` of a
#   descriptor loads rows by their numbers. Give the kernel these numbers, too, and gather the rows
#   of A.
# - Here the blocks of a product are numbered down the columns of C. Which matrix is read more often
#   because of that? What would groups of rows of blocks change, as in the lesson on matrix
#   multiplication?
# - An expert with one token gets a block of 128 rows. Let the kernel choose smaller blocks for it.
