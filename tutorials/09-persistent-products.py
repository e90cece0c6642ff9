# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Persistent products
===================

The lesson on matrix multiplication starts a program for each block of C. A large C has thousands of
blocks, and a GPU has some 130 multiprocessors. So most programs wait for their turn, and each of
them begins from nothing: it finds its place, asks memory for its first numbers, and waits.

In this lesson as many programs start as the GPU has multiprocessors. Each of them stays to the end
and computes one block after the other. On the way you meet

- the price of a beginning, and how many rounds a product takes,
- tensor descriptors: arrays with bounds, instead of pointers with masks,
- `tl.range` with a step, and what its hint `flatten` lets the compiler do,
- loads for the next block that run while this one is stored.

Run it by itself: `python tutorials/09-persistent-products.py`.
"""

import argparse
import os

import eft
import eft.language as tl
import numpy as np
from eft.testing import do_bench
from support import Arrays, announce, console, in_triton, save_plot, show_table, torch

parser = argparse.ArgumentParser(description="A lesson on programs that stay.")
parser.add_argument("--plot", default="persistent-products.png", help="where to save the plot")
parser.add_argument("--largest", type=int, help="log2 of the largest number of rows to time")
arguments = parser.parse_args()

arrays = Arrays()
on_gpu = arrays.device == "cuda"
console.print(f"Running on {arrays.description}.\n")

# %%
# Rounds
# ------
# One multiprocessor computes one block of 128 × 256 at a time: it has no registers for more. With
# 132 multiprocessors, 132 blocks are a round. The last round is as long as the others, even if it
# has one block only. What it leaves idle no order of the blocks brings back: larger matrices do, or
# smaller blocks. What can be saved is something else: a beginning and an end in each round, the way
# of the first numbers from memory, and of the last ones back. The shorter K is, the more that
# counts.


def rounds(rows, columns, block_rows, block_columns, multiprocessors):
    """Counts the blocks, the rounds that they take, and the busy part of the programs."""
    blocks = eft.cdiv(rows, block_rows) * eft.cdiv(columns, block_columns)
    number = eft.cdiv(blocks, multiprocessors)
    return blocks, number, blocks / (number * multiprocessors)


table = []
for size in (1024, 2048, 3072, 4096, 8192):
    blocks, number, busy = rounds(size, size, 128, 256, 132)
    table.append([f"{size} × {size}", str(blocks), str(number), f"{busy:.0%}"])
show_table(
    "Blocks of 128 × 256 on 132 multiprocessors", ["C", "blocks", "rounds", "at work"], table
)

# %%
# Descriptors
# -----------
# A kernel that gets pointers makes a block of addresses for each load, and a mask that keeps it in
# the matrix. An `eft.TensorDescriptor` says once, before the launch, what that takes: where an
# array begins, its extents and strides, and the shape of the blocks in which it is loaded. In the
# kernel `a.load([m, k])` is the block that begins there, with zeros where the matrix ends.
# `c.store([m, n], block)` leaves out what lies beyond.
#
# Its array begins at a multiple of 16 bytes, and so do its rows. So each access is as wide as can
# be, whatever the extents are. The extents may change from launch to launch; the shape of the
# blocks is part of the code.
#
# B is given by columns here: its descriptor is that of Bᵀ, whose rows lie in one piece along k.
#
# The programs
# ------------
# Program p computes the blocks p, p + PROGRAMS, p + 2 PROGRAMS, … The blocks are counted in groups,
# as in the lesson on matrix multiplication, so those of one round share what they load.
#
# Between two blocks of C there is a gap: the product is done, is brought into whole rows, and is
# stored; then the first pieces of A and B are asked for, and the tensor cores wait until they come.
# But these pieces do not depend on what is stored. The compiler can't know that: C might be a part
# of A. `flatten=True` says that it is not so, that no iteration reads what an earlier one has
# written. Then the first copies for the next block begin before this one is stored, and the way
# from memory is hidden behind the way to it.


@eft.jit
def multiply(
    a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr, PROGRAMS: tl.constexpr, FLATTEN: tl.constexpr,
):  # fmt: skip
    down, across = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    for number in tl.range(tl.program_id(0), down * across, PROGRAMS, flatten=FLATTEN):
        row, column = place_in_groups(number, down, across, GROUP)
        m, n = row * BLOCK_M, column * BLOCK_N
        sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, BLOCK_K):
            sums = tl.dot(a.load([m, k]), b.load([n, k]).T, sums)
        c.store([m, n], sums.to(c.dtype))


@eft.jit
def place_in_groups(number, down, across, GROUP: tl.constexpr):
    group = number // (GROUP * across)
    rows = tl.minimum(down - group * GROUP, GROUP)
    within = number % (GROUP * across)
    return group * GROUP + within % rows, within // rows


def product(
    a, b, c, block, programs=None, flatten=True, kernel=multiply,
    descriptor=eft.TensorDescriptor, **options,
):  # fmt: skip
    """C = A Bᵀ, on the device where the matrices lie.

    Args:
        a, b, c: matrices of M × K, N × K and M × N elements of one float type, whose rows are
            multiples of 16 bytes.
        block: the block's extents along M, N and K.
        programs: how many there are; by default one for each block of C.
        flatten: whether the next block's loads may run before this one's stores.
        kernel, descriptor: `multiply` and descriptors, of Eft or of Triton.
        options: of the launch.

    Returns:
        c.
    """
    (m, k), n = a.shape, b.shape[0]
    block_m, block_n, block_k = block
    blocks = eft.cdiv(m, block_m) * eft.cdiv(n, block_n)
    programs = min(programs or blocks, blocks)
    kernel[(programs,)](
        descriptor.from_tensor(a, [block_m, block_k]),
        descriptor.from_tensor(b, [block_n, block_k]),
        descriptor.from_tensor(c, [block_m, block_n]),
        m, n, k, BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k, GROUP=8, PROGRAMS=programs,
        FLATTEN=flatten, **options,
    )  # fmt: skip
    return c


# %%
# What a GPU makes of it
# ----------------------
# The code for a GPU of compute capability 9.0 shows the difference: behind the last product, and
# before the first store, stand copies or none. They are those of the first two stages: 12 copies of
# 16 bytes for each thread and stage. The slots for them are in use while the block is stored, so it
# takes more shared memory.


def describe_code(flatten):
    """Copies between the products and the stores, and shared memory, of the code for 9.0."""

    def of(rows, columns):
        matrix = eft.MockTensor(tl.float16, (4096, 4096))
        return eft.TensorDescriptor.from_tensor(matrix, [rows, columns])

    compiled = multiply.warmup(
        of(128, 64), of(256, 64), of(128, 256), 4096, 4096, 4096, BLOCK_M=128, BLOCK_N=256,
        BLOCK_K=64, GROUP=8, PROGRAMS=132, FLATTEN=flatten, num_warps=8, target="cuda:90",
    )  # fmt: skip
    # In LLVM's IR the parts have the order of the program; PTX may have them in any.
    behind = compiled.asm["llvm"].split('wgmma.wait_group.sync.aligned $0;", "n"(i32 0)')[-1]
    copies = behind.split("st.global")[0].count("cp.async.cg")
    return [str(flatten), str(copies), f"{compiled.metadata.shared / 1024:.0f} KiB"]


show_table(
    "Blocks of 128 × 256 × 64 of fp16, 8 warps",
    ["flatten", "copies before the stores", "shared"],
    [describe_code(False), describe_code(True)],
)

# %%
# Is it right?
# ------------
# Small integers have exact products and sums in fp32, whatever the order is. So C is NumPy's
# product to the last bit. What may go wrong is at the ends: one program for all blocks and one for
# each, blocks that reach beyond the matrices, and a K that is shorter than a block.

block, options = ((128, 256, 64), {"num_warps": 8}) if on_gpu else ((64, 64, 32), {})
rng = np.random.default_rng(1969)
table = []
for m, n, k in ((512, 512, 256), (300, 200, 136), (129, 1000, 24)):
    a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((m, k), (n, k)))
    a, b = arrays.put(a.astype(np.float16)), arrays.put(b.astype(np.float16))
    exact = arrays.numpy(a).astype(np.float32) @ arrays.numpy(b).astype(np.float32).T
    wrong = 0
    for programs, flatten in ((1, True), (3, True), (3, False), (None, True)):
        c = arrays.put(np.full((m, n), np.nan, np.float32))
        product(a, b, c, block, programs, flatten, **options)
        wrong += np.count_nonzero(arrays.numpy(c) != exact)
    assert wrong == 0
    blocks = eft.cdiv(m, block[0]) * eft.cdiv(n, block[1])
    table.append([f"{m} × {k} × {n}", str(blocks), str(wrong)])
show_table(
    "By 1, by 3 and by a program for each block", ["M × K × N", "blocks", "wrong elements"], table
)

# %%
# What it costs
# -------------
# The same kernel with many programs, one for each block; with few that stay; and with few that load
# ahead. Beside the square matrices stand some with a K of 512. Where Triton is installed, it
# compiles the same function, with the hint. On a CPU a program costs next to nothing to start, and
# no loads run ahead: there the three are the same.

dtype = np.float16 if on_gpu else np.float32
unit, unit_name = (1e12, "TFLOP/s") if on_gpu else (1e9, "GFLOP/s")
if on_gpu:
    programs = torch.cuda.get_device_properties(0).multi_processor_count
else:
    programs = len(os.sched_getaffinity(0))
systems = {
    "many": lambda a, b, c: product(a, b, c, block, **options),
    "few": lambda a, b, c: product(a, b, c, block, programs, False, **options),
    "few, ahead": lambda a, b, c: product(a, b, c, block, programs, True, **options),
}
if on_gpu and (peer := in_triton(multiply)):
    from triton.tools.tensor_descriptor import TensorDescriptor

    systems["Triton"] = lambda a, b, c: product(
        a, b, c, block, programs, True, peer, TensorDescriptor, num_stages=3, **options
    )
library_product = torch.matmul if torch else np.matmul
systems[arrays.library] = lambda a, b, c: library_product(a, b.T, out=c)

largest = arguments.largest or (13 if on_gpu else 10)
sizes = [2**bits for bits in range(min(9, largest), largest + 1)]
rates = {name: [] for name in systems}
table = []
announce(2 * len(sizes))
for size in sizes:
    for k in dict.fromkeys((size, min(size, 512))):
        a, b, c = (
            arrays.put(rng.standard_normal(shape, dtype=np.float32).astype(dtype))
            for shape in ((size, k), (size, k), (size, size))
        )
        row = [f"{size} × {k} × {size}"]
        for name, call in systems.items():
            milliseconds = do_bench(
                lambda: call(a, b, c),  # noqa: B023
                device=arrays.device,
                return_mode="median",
            )
            rate = 2 * size * size * k / milliseconds * 1e3
            row += [f"{milliseconds:.3g}", f"{rate / unit:.4g}"]
            if k == size:
                rates[name].append(rate)
        table.append(row)
show_table(
    f"C = A Bᵀ of {np.dtype(dtype)}",
    ["M × K × N", *(title for name in systems for title in (f"{name}, ms", unit_name))],
    table,
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
# - A list of products of several sizes can be one launch, too: the lesson on grouped products has
#   the programs go through all of them.
# - How many rounds does a product of 3072 × 3072 take with blocks of 128 × 128? Which is faster?
# - Let `eft.autotune` find the blocks. A descriptor has their shape, so each configuration needs a
#   `pre_hook` that sets `block_shape`.
