# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Persistent products
===================

The lesson on matrix multiplication starts a program for each block of C. A large C has thousands of
blocks, but a large GPU has only about 130 multiprocessors. So most programs wait for a
multiprocessor. When a program begins, it must first find its block, ask memory for the first
elements of A and B, and wait for these.

In this lesson only as many programs start as the GPU has multiprocessors. Each program runs to the
end of the launch, and computes one block of C after another. On the way you meet

- the time that the beginning of a program costs, and the rounds in which a product is computed,
- tensor descriptors: arrays with bounds, in place of pointers with masks,
- `tl.range` with a step, and the optimisation that its hint `flatten` allows,
- loads for the next block that run while the current block is stored.

Run this lesson by itself: `python tutorials/09-persistent-products.py`.
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
# A multiprocessor computes one block of 128 × 256 at a time, because it has no registers for more.
# So 132 multiprocessors compute 132 blocks at a time: this is a round. The last round takes as long
# as the others, even if it has only one block. No order of the blocks makes use of the
# multiprocessors that are idle in the last round. Only larger matrices or smaller blocks do. But
# another cost can be saved. In each round the programs first wait for elements from memory, and at
# the end they store their blocks. The tensor cores are idle during both. The smaller K is, the
# larger is this part of the time.


def rounds(rows, columns, block_rows, block_columns, multiprocessors):
    """Returns the numbers of blocks and of rounds, and the mean share of busy multiprocessors."""
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
# Tensor descriptors
# ------------------
# A kernel that gets pointers computes a block of addresses for each load, and a mask that keeps the
# load inside of the matrix. An `eft.TensorDescriptor` describes the array once, before the launch:
# its address, extents and strides, and the shape of the blocks in which it is loaded. In the kernel
# `a.load([m, k])` returns the block that begins at row m and column k. Elements beyond the end of
# the matrix are zero in this block. `c.store([m, n], block)` does not store elements beyond the
# end.
#
# The array of a descriptor must begin at a multiple of 16 bytes, and so must each of its rows. So
# an access can move 16 bytes at a time. The launch also checks whether the last extent is a
# multiple of 16 bytes, and compiles the kernel for that: if it is, the end of a row never cuts an
# access. Apart from this, the extents may change from launch to launch. The shape of the blocks is
# part of the code.
#
# B is stored by columns here. Its descriptor describes Bᵀ, whose rows are contiguous along k.
#
# The programs
# ------------
# Program p computes the blocks p, p + PROGRAMS, p + 2 PROGRAMS, … The blocks are numbered in
# groups, as in the lesson on matrix multiplication. So the programs of a round share what they
# load.
#
# Between two blocks of C the tensor cores are idle. First the finished block is rearranged into
# whole rows and stored. Then the program asks for the first pieces of A and B for the next block,
# and waits for them. These pieces do not depend on what is stored. But the compiler can't know
# that, because C might be a part of A. `flatten=True` promises that no iteration of the loop reads
# what an earlier iteration has written. Then the first copies for the next block begin before the
# current block is stored, and memory delivers these pieces during the stores.


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
    """Computes C = A Bᵀ, on the device that holds the matrices.

    Args:
        a, b, c: matrices of M × K, N × K and M × N floats. The row strides are multiples of 16
            bytes. a and b have the same type.
        block: the block's extents along M, N and K.
        programs: the number of programs; by default one for each block of C.
        flatten: whether the next block's loads may run before the current block's stores.
        kernel, descriptor: `multiply` and the class of tensor descriptors, of Eft or of Triton.
        options: the options of the launch.

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
# The code for a GPU
# ------------------
# The code for a GPU of compute capability 9.0 shows the difference. With `flatten`, it has copies
# between the last product and the first store: those for the first two stages of the next block.
# Each thread has 12 copies of 16 bytes for each stage. The slots of these stages are in use while
# the current block is rearranged in shared memory and stored. So the kernel needs more shared
# memory.


def describe_code(flatten):
    """Counts the copies between the products and the stores, in the code for 9.0.

    Returns:
        The row of a table: `flatten`, the number of these copies, and the size of shared memory.
    """

    def of(rows, columns):
        matrix = eft.MockTensor(tl.float16, (4096, 4096))
        return eft.TensorDescriptor.from_tensor(matrix, [rows, columns])

    compiled = multiply.warmup(
        of(128, 64), of(256, 64), of(128, 256), 4096, 4096, 4096, BLOCK_M=128, BLOCK_N=256,
        BLOCK_K=64, GROUP=8, PROGRAMS=132, FLATTEN=flatten, num_warps=8, target="cuda:90",
    )  # fmt: skip
    # LLVM IR has the parts in the order of the program. PTX may have them in any order.
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
# Products and sums of small integers are exact in fp32, in whatever order they are summed. So C
# must equal NumPy's product to the last bit. The cases are those in which mistakes are likely: one
# program for all blocks, a program for each block, blocks that reach beyond the matrices, and a K
# that is smaller than BLOCK_K.

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
# The table compares three ways to launch the same kernel: "many" starts a program for each block;
# "few" starts a program for each multiprocessor; and "few, ahead" adds `flatten`, so that programs
# load ahead. Besides square matrices there are products with K = 512. Where Triton is installed, it
# compiles the same function, with `flatten`. On a CPU the start of a program takes almost no time,
# and no loads run ahead, so the three ways take the same time.

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
# - One launch can also compute a list of products of several sizes. The lesson on grouped products
#   does that.
# - How many rounds does a product of 3072 × 3072 take with blocks of 128 × 128? Which size of
#   blocks is faster?
# - Let `eft.autotune` choose the sizes of the blocks. A descriptor contains the shape of its
#   blocks, so each configuration needs a `pre_hook` that sets `block_shape`.
