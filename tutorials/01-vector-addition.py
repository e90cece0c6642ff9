# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vector addition
===============

The smallest useful kernel adds two vectors. The computation needs no explanation, so this lesson is
about the way a kernel is organised. One function describes a *program*, which handles one block of
elements. A launch runs as many programs as it takes to cover the vectors. On the way you meet

- `tl.program_id`, the number from which a program computes which block is its own,
- blocks of offsets, and blocks of pointers to elements,
- masks, for vectors whose length is not a multiple of the block's size,
- a grid that is computed from the block's size.

Run this lesson by itself: `python tutorials/01-vector-addition.py`.
"""

import argparse

import eft
import eft.language as tl
import numpy as np
from eft.testing import do_bench
from support import Arrays, announce, console, save_plot, show_table, show_vectors, torch

parser = argparse.ArgumentParser(description="A lesson on programs, blocks and masks.")
parser.add_argument("--plot", default="vector-addition.png", help="where to save the plot")
parser.add_argument("--largest", type=int, help="log2 of the largest number of elements to time")
arguments = parser.parse_args()

# Kernels run on the device that holds their arguments. The arrays are on a GPU if PyTorch is
# installed and finds one, and otherwise on the CPU.
arrays = Arrays()
console.print(f"Running on {arrays.description}.\n")


# %%
# One program, one block
# ----------------------
# `x_ptr` points to the first element of x. A pointer plus a block of offsets is a block of
# pointers. `tl.load` of a block of pointers returns a block of elements. BLOCK is a `tl.constexpr`:
# the shape of a block must be a power of two that is known when the kernel is compiled. n is an
# ordinary argument, so the same compiled kernel serves vectors of all lengths.


@eft.jit
def add(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    # Program 0 has the elements 0 … BLOCK - 1, program 1 the next BLOCK elements, and so on.
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # The block of the last program may reach beyond the end of the vectors. Where the mask is
    # false, the kernel does not access memory.
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    tl.store(output_ptr + offsets, x + y, mask=inside)


# %%
# The launch
# ----------
# The grid is the numbers of programs along up to three axes. It may also be a function that returns
# these numbers: the launch calls it with a dict that has the values of the `tl.constexpr`
# parameters. So BLOCK is written only once in a launch.


def added(x, y, block=1024):
    output = arrays.like(x)
    n = x.shape[0]
    add[lambda meta: (eft.cdiv(n, meta["BLOCK"]),)](x, y, output, n, BLOCK=block)
    return output


rng = np.random.default_rng(1)
x_values = np.arange(10, dtype=np.float32)
y_values = rng.integers(0, 100, 10).astype(np.float32)
x, y = arrays.put(x_values), arrays.put(y_values)
sums = arrays.numpy(added(x, y, block=4))
show_vectors("Ten elements by three programs of four", x=x_values, y=y_values, sum=sums)

# %%
# The next launch shows what the mask does. The output has twelve elements, and the kernel is to
# write ten of them. The block of the last program covers the last two elements as well, but the
# mask is false there: they keep their value of -1.

longer = arrays.put(np.full(12, -1, np.float32))
add[(3,)](x, y, longer, 10, BLOCK=4)
show_vectors("The same, into twelve elements of -1", output=arrays.numpy(longer))
np.testing.assert_array_equal(arrays.numpy(longer)[10:], [-1, -1])

# %%
# Is it right?
# ------------
# Every device rounds an addition in the same way. So the result must equal NumPy's result to the
# last bit, also for lengths that are not a multiple of the block's size.

rows = []
for n in (1, 31, 1024, 1025, 98_432):
    for dtype in (np.float32, np.float64, np.int32):
        x_values = (rng.standard_normal(n) * 1000).astype(dtype)
        y_values = (rng.standard_normal(n) * 1000).astype(dtype)
        got = arrays.numpy(added(arrays.put(x_values), arrays.put(y_values)))
        np.testing.assert_array_equal(got, x_values + y_values, f"{n=}, {dtype=}")
    rows.append([f"{n:,}", str(eft.cdiv(n, 1024)), str(eft.cdiv(n, 1024) * 1024 - n)])
show_table(
    "Equal to NumPy to the last bit, for float32, float64 and int32",
    ["elements", "programs", "masked out"],
    rows,
)

# %%
# What it costs
# -------------
# For each element the kernel moves 12 bytes: it reads two numbers and writes one. Beside this the
# addition itself takes almost no time. So the bandwidth of the memory limits the speed of every
# kernel. Small vectors do not reach this limit, because most of their time is the time of the
# launch. For large vectors, compare the kernel with the library's own addition.


library_add = torch.add if torch else np.add

largest = arguments.largest or (28 if arrays.device == "cuda" else 24)
sizes = [2**bits for bits in range(min(12, largest), largest + 1, 2)]
rates = {"Eft": [], arrays.library: []}
rows = []
announce(len(sizes))
for n in sizes:
    x = arrays.put(rng.standard_normal(n, dtype=np.float32))
    y = arrays.put(rng.standard_normal(n, dtype=np.float32))
    output = arrays.like(x)
    grid = (eft.cdiv(n, 1024),)
    calls = {
        "Eft": lambda: add[grid](x, y, output, n, BLOCK=1024),  # noqa: B023
        arrays.library: lambda: library_add(x, y, out=output),  # noqa: B023
    }
    row = [f"2^{n.bit_length() - 1}"]
    for name, call in calls.items():
        seconds = do_bench(call, device=arrays.device, return_mode="median") / 1e3
        rates[name].append(12 * n / seconds)
        row += [f"{seconds * 1e6:.1f}", f"{rates[name][-1] / 1e9:.1f}"]
    rows.append(row)
show_table(
    "Time and memory traffic, float32",
    ["elements", *(f"{name}, {unit}" for name in rates for unit in ("µs", "GB/s"))],
    rows,
)
title = f"Vector addition on {arrays.description}"
if save_plot(arguments.plot, title, sizes, rates, axes=("elements", "GB/s")):
    console.print(f"The plot is in {arguments.plot}")
else:
    console.print("Matplotlib is not installed: no plot was saved.")

# %%
# To go on
# --------
# - Try other sizes of the block, such as BLOCK=64 or BLOCK=8192, and another number of warps,
#   `num_warps=8`. What changes for small vectors, and what for large ones?
# - Leave the mask out. For which n is the kernel still right?
# - Write a kernel that adds three vectors. How many bytes does it move for each element? How many
#   are moved if you call the kernel for two vectors twice instead? The next lesson is about that.
