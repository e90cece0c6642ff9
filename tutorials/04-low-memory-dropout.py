# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Low-memory dropout
==================

Dropout (Srivastava and others, 2014) trains a network to rely on no single activation: in every
step it sets each one to zero with probability p, and divides the others by 1 - p, so that their sum
stays what it was on average.

In this lesson you write it twice. The first kernel reads from memory which elements to keep. The
second one works that out by itself, from a single number. On the way you meet

- why a mask costs memory, and how much,
- random numbers that belong to a place rather than to a moment: `tl.rand(seed, offsets)`,
- how to see what a kernel costs in bytes and in time.

Run it with `scripts/tutorial`, or by itself: `python tutorials/04-low-memory-dropout.py`.
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

# Kernels run where their arguments lie. This is a GPU if PyTorch is here and sees one, and else the
# CPU: the kernels below are the same for both, and so are their results, to the last bit.
arrays = Arrays()
console.print(f"Running on {arrays.description}.\n")


# %%
# The baseline: a mask in memory
# ------------------------------
# A kernel is one program of many. This one handles BLOCK elements, the ones at `offsets`; which
# ones these are depends on the number of the program. The last program may reach past the end of
# the arrays, so `inside` keeps its loads and stores within.
#
# `keep` holds one int32 for every element of x: 0 to drop it, anything else to keep it.


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
    # One program for every 1024 elements, the last one perhaps with fewer to do.
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
# It works, but look at what it needs. Somebody has to make the mask, write it and read it again:
# for float32 that moves 12 bytes for each element where copying it would move 8. And the mask can't
# be thrown away afterwards. To train, the gradient must be dropped at the very same places, so the
# mask has to lie in memory from the forward pass to the backward pass, for every layer that drops
# anything.
#
# (A bool for each element would need a quarter of the memory, and a bit for each a thirty-second.
# The point is not the size of the mask but that there is one: something as long as x, to keep and
# to pass on.)

# %%
# A seed in place of the mask
# ---------------------------
# The usual generators of random numbers have a state: each call changes it, so the numbers depend
# on the order of the calls, and programs that run at the same time would have to take turns. Philox
# (Salmon and others, 2011) has none. It is a function: it scrambles a counter, under a key, so
# thoroughly that the results pass every test of randomness. `tl.rand(seed, offsets)` takes the seed
# for the key and each element's offset for the counter, and returns a block of float32 in [0, 1).
# Element 7 always gets the number that belongs to this seed and 7, on whichever program, in
# whichever order, on whichever machine.
#
# So we need not keep the mask: we can make it again whenever we want it.


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
# The same seed drops the same elements, so the backward pass is the same kernel once more, given
# the gradient in place of x. What the forward pass must leave behind for it is one number.

gradient = arrays.put(np.ones(10, np.float32))
show_vectors(
    "Forward and backward with seed 123",
    output=arrays.numpy(dropout_with_seed(x, p, seed=123)),
    gradient=arrays.numpy(dropout_with_seed(gradient, p, seed=123)),
)

# %%
# Is it right?
# ------------
# NumPy can say what to expect, to the bit: `reference_rand` is Philox in a few lines of it, and the
# division is the same float32 division everywhere. A seed may be any number of 64 bits, also a
# negative one; sizes that fill no block are where mistakes like to hide.


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
# First in bytes, for one layer of a network whose activations are 4096 × 16384 float32.

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
# Then in time. The seed saves a third of the traffic but has to be paid for with arithmetic: ten
# rounds of two multiplications for each element. Where the arithmetic is hidden behind the memory's
# time, the seed wins outright; where it is not, it costs a little time and still saves the memory.
# And these times leave out what it took to make the mask in the first place, which is the same
# arithmetic again.
#
# On a CPU expect the seed to be two to three times slower than the mask. A GPU has a multiplier for
# every few bytes that its memory delivers in a cycle, so it draws numbers while it waits. A core
# multiplies 8 or 16 numbers at a time at best, and reads the four bytes of a mask sooner than it is
# through with 20 products. A draw gives four numbers, of which `tl.rand` takes one: the second
# suggestion at the end of this lesson takes all, and is nearly as fast as the mask.

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
# - Let the kernel work on a matrix, with a seed of its own for each row, read from a vector of
#   seeds.
# - `tl.rand4x(seed, offsets)` returns four blocks for one call, all that a Philox call makes. Use
#   it to drop 4 × BLOCK elements in a program, and look at the times again.
# - Ask a kernel what became of it: `seeded_dropout[grid](...).asm["llvm"]`, and "ptx" on a GPU or
#   "asm" on a CPU.
