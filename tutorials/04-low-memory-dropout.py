# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Low-memory dropout
==================

Dropout (Srivastava and others, 2014) trains a network to rely on no single activation. In every
training step it sets each activation to zero with probability p, and divides the others by 1 - p.
So the expected sum of the activations stays the same.

In this lesson you write dropout twice. The first kernel reads from memory which elements to keep.
The second kernel computes which elements to keep, from a single number. On the way you meet

- the reason why a mask costs memory, and how much,
- random numbers that depend on an element's offset and not on the order of calls: `tl.rand(seed,
  offsets)`,
- ways to measure what a kernel costs in bytes and in time.

Run this lesson with `scripts/tutorial`, or by itself: `python tutorials/04-low-memory-dropout.py`.
"""

import argparse

import eft
import eft.language as tl
import numpy as np
from eft.testing import do_bench
from support import (
    Arrays,
    announce,
    console,
    reference_rand,
    save_plot,
    show_table,
    show_vectors,
    words_of,
)

parser = argparse.ArgumentParser(description="A lesson on dropout without a mask.")
parser.add_argument("--plot", default="low-memory-dropout.png", help="where to save the plot")
parser.add_argument("--largest", type=int, help="log2 of the largest number of elements to time")
arguments = parser.parse_args()

# Kernels run on the device that holds their arguments. The arrays are on a GPU if PyTorch is
# installed and finds one, and otherwise on the CPU. The kernels below are the same for both, and
# their results are the same to the last bit.
arrays = Arrays()
console.print(f"Running on {arrays.description}.\n")


# %%
# The baseline: a mask in memory
# ------------------------------
# A launch runs a kernel as many programs. Each program of this kernel handles BLOCK elements. It
# computes their `offsets` from its own number. The block of the last program may reach beyond the
# end of the arrays, so the mask `inside` restricts its loads and stores to the arrays.
#
# `keep` has an int32 for every element of x: 0 means that the element is dropped, any other number
# that it is kept.


@eft.jit
def masked_dropout(x_ptr, keep_ptr, output_ptr, n, p, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    keep = tl.load(keep_ptr + offsets, mask=inside)
    output = tl.where(keep != 0, x / (1 - p), 0.0)
    tl.store(output_ptr + offsets, output, mask=inside)


def dropout_with_mask(x, keep, p):
    output = arrays.like(x)
    n = x.shape[0]
    # One program for every 1024 elements. The last program may have fewer.
    masked_dropout[(eft.cdiv(n, 1024),)](x, keep, output, n, p, BLOCK=1024)
    return output


rng = np.random.default_rng(2014)
p = 0.5
x_values = rng.standard_normal(10, dtype=np.float32)
keep_values = (rng.random(10) > p).astype(np.int32)
x, keep = arrays.put(x_values), arrays.put(keep_values)
output = arrays.numpy(dropout_with_mask(x, keep, p))
show_vectors("Dropout with a mask, p = 0.5", input=x_values, keep=keep_values, output=output)

# %%
# This works, but it needs more memory. Something must compute the mask and write it, and the kernel
# must read it. So for float32 the kernel moves 12 bytes for each element, where a copy of x would
# move 8. The mask must also be kept after the forward pass: the backward pass must drop the
# gradient at the same places. So every layer with dropout keeps its mask in memory from its forward
# pass to its backward pass.
#
# (The mask could be smaller: a bool for each element takes a quarter of the memory, and a bit for
# each a thirty-second. The program would still have to keep it and pass it on.)

# %%
# A seed in place of the mask
# ---------------------------
# The usual generators of random numbers have a state, which each call changes. So the numbers
# depend on the order of the calls, and programs that run at the same time would have to take turns.
# Philox (Salmon and others, 2011) has no state. It is a function of a key and a counter, and its
# results pass the common statistical tests of randomness. `tl.rand(seed, offsets)` uses the seed as
# the key and each element's offset as the counter, and returns a block of float32 in [0, 1). The
# number of element 7 depends only on the seed and on 7. It does not depend on which program
# computes it, in which order the programs run, or on which machine.
#
# So the mask need not be kept: a kernel can compute it again whenever it is needed.


@eft.jit
def seeded_dropout(x_ptr, output_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    keep = tl.rand(seed, offsets) > p
    output = tl.where(keep, x / (1 - p), 0.0)
    tl.store(output_ptr + offsets, output, mask=inside)


def dropout_with_seed(x, p, seed):
    output = arrays.like(x)
    n = x.shape[0]
    seeded_dropout[(eft.cdiv(n, 1024),)](x, output, n, p, seed, BLOCK=1024)
    return output


show_vectors(
    "Dropout with a seed, p = 0.5: the same seed twice, and another one",
    input=x_values,
    seed_123=arrays.numpy(dropout_with_seed(x, p, seed=123)),
    seed_123_again=arrays.numpy(dropout_with_seed(x, p, seed=123)),
    seed_512=arrays.numpy(dropout_with_seed(x, p, seed=512)),
)

# %%
# The same seed drops the same elements. So the backward pass is the same kernel, with the gradient
# in place of x. The forward pass has to keep only one number for it, the seed.

gradient = arrays.put(np.ones(10, np.float32))
show_vectors(
    "Forward and backward with seed 123",
    output=arrays.numpy(dropout_with_seed(x, p, seed=123)),
    gradient=arrays.numpy(dropout_with_seed(gradient, p, seed=123)),
)

# %%
# Is it right?
# ------------
# NumPy can compute the expected result to the last bit: `reference_rand` is Philox in NumPy, and
# every device rounds a float32 division in the same way. A seed may be any 64-bit integer, also a
# negative one. The sizes include some that are not a multiple of the block's size, because mistakes
# are most likely there.


def check(n: int, p: float, seed: int):
    values = rng.standard_normal(n, dtype=np.float32)
    drawn = reference_rand(seed, np.arange(n))
    expected = np.where(drawn > np.float32(p), values / (np.float32(1) - np.float32(p)), 0)
    mask = arrays.put((drawn > np.float32(p)).astype(np.int32))
    for name, got in (
        ("seed", dropout_with_seed(arrays.put(values), p, seed)),
        ("mask", dropout_with_mask(arrays.put(values), mask, p)),
    ):
        np.testing.assert_array_equal(arrays.numpy(got), expected, f"{name}, {n=}, {p=}, {seed=}")
    return float(np.mean(expected == 0))


rows = []
for n, p, seed in ((10, 0.5, 123), (1025, 0.0, 1), (98_432, 0.1, -7), (1_000_001, 0.9, 2**40 + 3)):
    rows.append([f"{n:,}", p, str(seed), f"{check(n, p, seed):.4f}"])
show_table(
    "Both kernels equal NumPy to the last bit", ["elements", "p", "seed", "share dropped"], rows
)

# %%
# What it costs
# -------------
# The first table counts bytes, for one layer of a network that has 4096 × 16384 activations in
# float32.

n = 4096 * 16384
bytes_of_x = n * 4
show_table(
    f"Bytes for {n:,} activations",
    ["", "with a mask", "with a seed"],
    [
        ["read", words_of(2 * bytes_of_x), words_of(bytes_of_x)],
        ["written", words_of(bytes_of_x), words_of(bytes_of_x)],
        ["kept for the backward pass", words_of(n * 4), words_of(8)],
    ],
)

# %%
# The second table shows times. The kernel with the seed moves a third fewer bytes, but it must
# compute the random numbers: for each element, ten rounds with two multiplications each. If the
# device can compute these while it waits for memory, the kernel with the seed is faster. Otherwise
# it is a little slower, and still needs less memory. The times of the kernel with the mask do not
# include the time to make the mask, which takes the same arithmetic.
#
# On a CPU the kernel with the seed takes two to three times as long as the one with the mask. A GPU
# has a multiplier for every few bytes that its memory delivers in a cycle, so it can compute random
# numbers while it waits for memory. A CPU core multiplies at most 8 or 16 numbers at a time. It
# reads the four bytes of a mask faster than it computes 20 products. One call of Philox gives four
# numbers, and `tl.rand` uses only one of them. The second suggestion at the end of this lesson uses
# all four, and is nearly as fast as the mask.

largest = arguments.largest or (28 if arrays.device == "cuda" else 24)
sizes = [2**bits for bits in range(min(14, largest), largest + 1, 2)]
p, seed = 0.5, 123
rates = {"mask": [], "seed": []}
rows = []
announce(len(sizes))
for n in sizes:
    x = arrays.put(rng.standard_normal(n, dtype=np.float32))
    keep = arrays.put((rng.random(n, dtype=np.float32) > p).astype(np.int32))
    output = arrays.like(x)
    grid = (eft.cdiv(n, 1024),)
    milliseconds = {
        "mask": do_bench(
            lambda: masked_dropout[grid](x, keep, output, n, p, BLOCK=1024),  # noqa: B023
            device=arrays.device,
            return_mode="median",
        ),
        "seed": do_bench(
            lambda: seeded_dropout[grid](x, output, n, p, seed, BLOCK=1024),  # noqa: B023
            device=arrays.device,
            return_mode="median",
        ),
    }
    row = [f"2^{n.bit_length() - 1}"]
    for name, moved in (("mask", 12 * n), ("seed", 8 * n)):
        seconds = milliseconds[name] / 1e3
        rates[name].append(n / seconds)
        row += [f"{seconds * 1e6:.1f}", f"{n / seconds / 1e9:.3g}", f"{moved / seconds / 1e9:.1f}"]
    rows.append(row)
show_table(
    "Time, elements per second, and memory traffic, float32",
    ["elements", *(f"{name}, {unit}" for name in rates for unit in ("µs", "10⁹/s", "GB/s"))],
    rows,
)
saved = save_plot(
    arguments.plot,
    f"Dropout on {arrays.description}",
    sizes,
    rates,
    axes=("elements", "10⁹ elements per second"),
)
if saved:
    console.print(f"The plot is in {arguments.plot}")
else:
    console.print("Matplotlib is not installed: no plot was saved.")

# %%
# To go on
# --------
# - Let the kernel work on a matrix whose rows have a seed each. The kernel reads the seeds from a
#   vector.
# - `tl.rand4x(seed, offsets)` returns all four blocks of numbers that one call of Philox computes.
#   Use it to drop 4 × BLOCK elements in each program, and look at the times again.
# - Look at the code that Eft makes of a kernel: `seeded_dropout[grid](...).asm["llvm"]`, and "ptx"
#   on a GPU or "asm" on a CPU.
