# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grouped products
================

In a mixture of experts (Shazeer and others, 2017) each token goes to a few of many networks, the
experts. Every expert multiplies the tokens that it gets by its own weights. So one layer is a list
of products of matrices, of which each has another size, and only the GPU knows the sizes in time:
they change with every text.

A launch for each product pays for each launch, and a small product leaves most of the GPU without
work. In this lesson one launch computes the whole list. On the way you meet

- matrices that are not arguments: the kernel finds their addresses in a table,
- tensor descriptors that a kernel makes,
- programs that stand in a circle, and take blocks of all products in turn,
- what the compiler can't know of an address in a table, what it does then, and how to tell it.

Run it by itself: `python tutorials/10-grouped-products.py`.
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
# One list, one count
# -------------------
# The lesson on persistent products counts the blocks of one C in rounds: as many blocks as there
# are multiprocessors are computed at a time. A product of few blocks has one round that is mostly
# empty. Here are 16 experts, of which the first ones are liked better than the others. Their
# products have 2048 columns, in blocks of 128 × 256. If they share the rounds, the holes are gone,
# all but those of the last round.


def tokens_of_experts(tokens, experts, generator):
    """Draws each expert's number of tokens by chance: the first ones get more."""
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
# The kernel gets two tables, one row for each product: the addresses of A, B and C, and the extents
# M, N and K. They are arrays like others, and lie on the GPU. So another kernel may write them, for
# example the one that counts the tokens, and the CPU never learns the sizes.
#
# An address is an integer of 64 bits. `.to(tl.pointer_type(…))` makes a pointer of it, and
# `tl.make_tensor_descriptor` makes of that what `eft.TensorDescriptor` was in the lesson before: an
# array with bounds. Blocks that reach beyond them are filled with zeros.
#
# One thing is lost on the way. Of an argument, a launch sees whether it is a multiple of 16, and
# compiles the kernel for that. What a kernel loads, the compiler can't see. The address might be
# odd, and then a copy of 16 bytes would fail. So the code tests the addresses and the distances of
# rows, and has the loop twice: for multiples of 16 bytes, and for all others. `tl.multiple_of`
# promises that there are no others: addresses are multiples of 16 bytes, and rows have a multiple
# of 8 elements. ALIGNED is there to show what that is worth.


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
# Programs in a circle
# --------------------
# PROGRAMS programs stand in a circle, and the blocks of all products are dealt to them one by one.
# `place` is a program's distance from the one that gets the first block of the product at hand. It
# takes the blocks place, place + PROGRAMS, … Then the next product begins with the program behind
# the one that got the last block: `place` has become smaller by the number of blocks, around the
# circle. A product without tokens has no blocks, and changes nothing.
#
# Each program goes through the whole list for this, and reads the extents of products of which it
# computes nothing. That is a few numbers from the cache for each product.
#
# `flatten=True` says what it said in the lesson before: no iteration reads what another one has
# written.


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
# The tables are made once for a list. They hold no more than addresses, so somebody must keep the
# matrices alive until the programs are done: the caller does.


def address_of(array):
    return array.data_ptr() if torch else array.ctypes.data


def tables_of(list_of_products):
    """The addresses and the extents of products, as arrays on the device.

    Args:
        list_of_products: for each C = A Bᵀ the matrices a, b and c, of M × K, N × K and M × N
            elements without gaps. K and N are multiples of 8.
    """
    addresses, extents = [], []
    for matrices in list_of_products:
        addresses.append([address_of(each) for each in matrices])
        (m, k), n = matrices[0].shape, matrices[1].shape[0]
        assert k % 8 == 0 and n % 8 == 0 and all(each % 16 == 0 for each in addresses[-1])
        extents.append([m, n, k])
    return arrays.put(np.array(addresses, np.int64)), arrays.put(np.array(extents, np.int32))


def multiply(tables, dtype, block, programs, kernel=multiply_all, **options):
    """Computes the products of which tables tell.

    Args:
        tables: of `tables_of`.
        dtype: the type of the matrices' elements.
        block: the block's extents along M, N and K.
        programs: how many there are.
        kernel: `multiply_all`, of Eft or of Triton.
        options: of the launch.
    """
    addresses, extents = tables
    block_m, block_n, block_k = block
    kernel[(programs,)](
        addresses, extents, len(addresses), DTYPE=dtype, BLOCK_M=block_m, BLOCK_N=block_n,
        BLOCK_K=block_k, PROGRAMS=programs, ALIGNED=True, **options,
    )  # fmt: skip


# %%
# What a GPU makes of it
# ----------------------
# With the promise, each copy has 16 bytes, and runs ahead. Without it there is a second loop, whose
# threads load one element at a time. The code is three times as long, and takes as much longer to
# compile. The masks cost something, too: the last column of blocks may end anywhere.


def describe_code(aligned):
    """Instructions in the code for compute capability 9.0."""
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
# Products of small integers are exact, and so are their sums, in fp16 up to 2048. So each C must be
# NumPy's to the last bit, for one program and for more of them than there are blocks. The list has
# products that fill no block, and one that has no rows.

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
# The experts of the beginning: one launch for all, a launch of the same kernel for each, and the
# library's product for each. Where Triton is installed, it compiles the same function; it needs
# memory for the descriptors that a kernel makes. Eft has them in registers.

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
# - The tokens of an expert do not lie next to each other before somebody sorts them. `a.gather` of
#   a descriptor loads rows by their numbers: give the table a third column for them.
# - Blocks of a product go down its columns of blocks here. Which matrix is read more often by this,
#   and what would groups of rows of blocks change?
# - An expert with one token gets a block of 128 rows. Let the kernel choose smaller blocks for it.
