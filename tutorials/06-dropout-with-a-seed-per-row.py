# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout with a seed per row
===========================

The lesson on low-memory dropout drops elements of a vector, under one seed. Here it becomes an
operation to train with: over a matrix, whose rows each have a seed of their own. Then what happens
to a row depends on the row and its seed alone, whichever batch it is in and at whichever place. On
the way you meet

- blocks of two dimensions, made of a column of seeds and a row of offsets,
- strides, which let one kernel work on slices and transposes without a copy,
- a backward pass that keeps the seeds and nothing else,
- `torch.autograd.Function`, if PyTorch is here, to make PyTorch's autograd use both.

Run it by itself: `python tutorials/06-dropout-with-a-seed-per-row.py`.
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
    strides,
    torch,
)

parser = argparse.ArgumentParser(description="A lesson on strides and on a backward pass.")
parser.add_argument("--plot", default="dropout-with-a-seed-per-row.png", help="where to save it")
parser.add_argument("--largest", type=int, help="log2 of the most rows and columns to time")
arguments = parser.parse_args()

arrays = Arrays()
console.print(f"Running on {arrays.description}.\n")


# %%
# Rows, columns and strides
# -------------------------
# Element (i, j) of an array lies i × row stride + j × column stride elements behind the first one.
# A transposed array has the two exchanged, one with every other column has twice the column stride,
# a reversed one of NumPy even has strides below zero: to a kernel that multiplies it is all the
# same.
#
# A program takes a block of ROWS × COLUMNS. `row` is a block of ROWS × 1 and `column` one of
# 1 × COLUMNS, so there is one seed for each row of the block; where the two meet, in `tl.rand` and
# in the addresses, both are repeated until they fit. The random numbers count the columns, not the
# places in memory: so what a row draws doesn't depend on how it is stored.
#
# A block's own offsets are small, and int32 holds them. The way from the first element of the array
# to the first one of the block may be longer than 2³¹ elements: so it is computed in int64, once
# for the program, and added to the pointer.


@eft.jit
def seeded_dropout(
    x_ptr, output_ptr, seeds_ptr, rows, columns, p, x_row, x_column, output_row, output_column,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    top = tl.program_id(0) * ROWS
    left = tl.program_id(1) * COLUMNS
    row = tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, COLUMNS)[None, :]
    inside = (top + row < rows) & (left + column < columns)
    x_ptr += top.to(tl.int64) * x_row + left.to(tl.int64) * x_column
    output_ptr += top.to(tl.int64) * output_row + left.to(tl.int64) * output_column
    seed = tl.load(seeds_ptr + top + row, mask=top + row < rows)
    x = tl.load(x_ptr + row * x_row + column * x_column, mask=inside)
    keep = tl.rand(seed, left + column) > p
    output = tl.where(keep, x / (1 - p), 0.0)
    tl.store(output_ptr + row * output_row + column * output_column, output, mask=inside)


def dropout_into(output, x, p, seeds, block=(8, 128)):
    rows, columns = x.shape
    grid = (eft.cdiv(rows, block[0]), eft.cdiv(columns, block[1]))
    seeded_dropout[grid](
        x, output, seeds, rows, columns, p, *strides(x), *strides(output),
        ROWS=block[0], COLUMNS=block[1],
    )  # fmt: skip
    return output


rng = np.random.default_rng(6)
seed_values = np.array([7, -1, 7, 2**40], np.int64)
output = arrays.put(np.empty((4, 8), np.float32))
dropped = arrays.numpy(
    dropout_into(output, arrays.put(np.ones((4, 8), np.float32)), 0.5, arrays.put(seed_values))
)
show_vectors(
    "Four rows of ones, p = 0.5: the same seed drops the same columns",
    **{
        f"row {i}, seed {seed}": row
        for i, (seed, row) in enumerate(zip(seed_values, dropped, strict=True))
    },
)


# %%
# Is it right?
# ------------
# For each row NumPy knows what to expect, to the bit. Inputs and outputs are views of larger
# arrays, and what lies between the elements of an output must stay as it was.


def reference(values, p, seeds):
    drawn = np.stack([reference_rand(int(seed), np.arange(values.shape[1])) for seed in seeds])
    return np.where(drawn > np.float32(p), values / (np.float32(1) - np.float32(p)), 0)


VIEWS = {
    "as it is": lambda array: array[:33, :300],
    "transposed": lambda array: array.T[:300, :33],
    "every other row": lambda array: array[::2, 5:305],
    "every third column": lambda array: array[3:, 1::3],
    "sliced and transposed": lambda array: array[1::2, ::3].T,
}
# PyTorch has no strides below zero; on a CPU the kernel takes NumPy's arrays as well.
if arrays.device == "cpu":
    VIEWS["upside down"] = lambda array: array[::-1]
    VIEWS["turned by 180 degrees, every other column"] = lambda array: array[::-1, ::-2]


def check(view):
    """Drops elements of a view of one array into the same view of another one."""
    values = rng.standard_normal((40, 400), dtype=np.float32)
    expected = np.full((40, 400), -7, np.float32)
    seeds = rng.integers(-(2**62), 2**62, len(view(values)))
    view(expected)[...] = reference(view(values), 0.3, seeds)
    plain = np.full((40, 400), -7, np.float32)
    backwards = min(view(values).strides) < 0
    x, canvas = (values, plain) if backwards else (arrays.put(values), arrays.put(plain))
    dropout_into(view(canvas), view(x), 0.3, seeds if backwards else arrays.put(seeds))
    np.testing.assert_array_equal(canvas if backwards else arrays.numpy(canvas), expected)
    return view(x), float(np.mean(view(expected) == 0))


table = []
for name, view in VIEWS.items():
    x, share = check(view)
    table.append([name, f"{x.shape[0]} × {x.shape[1]}", *map(str, strides(x)), f"{share:.3f}"])
header = ["view", "shape", "row stride", "column stride", "share dropped"]
show_table("Equal to NumPy to the last bit, p = 0.3", header, table)


# %%
# The backward pass
# -----------------
# Each output is its input times either 0 or 1 / (1 - p), so each gradient of an input is the
# output's gradient times the same number. The kernel does that already: the seeds make the mask
# again. What must be kept from the forward pass is 8 bytes for a row, however long it is.
#
# Strides pay here too: gradients come as other operations left them. Behind a transpose they are
# transposed, and behind a sum all of them are one number in memory, with strides of 0.

values = rng.standard_normal((17, 301), dtype=np.float32)
gradient = rng.standard_normal((301, 17), dtype=np.float32).T
seed_values = rng.integers(0, 2**62, 17)
seeds = arrays.put(seed_values)
x = arrays.put(values)
backward = dropout_into(arrays.like(x), arrays.put(gradient.T).T, 0.4, seeds)
np.testing.assert_array_equal(arrays.numpy(backward), reference(gradient, 0.4, seed_values))
console.print("The backward pass equals NumPy, for a gradient that is transposed.")

if torch:

    class SeededDropout(torch.autograd.Function):
        """Dropout for PyTorch's autograd."""

        @staticmethod
        def forward(context, x, p, seeds):
            context.save_for_backward(seeds)
            context.p = p
            # A gradient's elements may share memory, where a stride is 0. The output's must not.
            output = torch.empty(x.shape, dtype=x.dtype, device=x.device)
            return dropout_into(output, x, p, seeds)

        @staticmethod
        def backward(context, gradient):
            (seeds,) = context.saved_tensors
            # One gradient for each argument of `forward`: p and the seeds have none. As the
            # backward pass is the same operation, it can be differentiated again.
            return SeededDropout.apply(gradient, context.p, seeds), None, None

    # PyTorch differentiates the same function by itself, from a mask.
    keep = arrays.put(reference(np.ones_like(values), 0.4, seed_values)) != 0
    weights = arrays.put(gradient.T).T
    for weigh in (lambda output: output * weights, lambda output: output):
        ours, theirs = (x.clone().requires_grad_() for _ in range(2))
        weigh(SeededDropout.apply(ours, 0.4, seeds)).sum().backward()
        weigh(torch.where(keep, theirs / (1 - 0.4), 0.0)).sum().backward()
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-6, atol=0)
    console.print("PyTorch's autograd finds the same gradients from a mask.")
    # And it finds them by moving each input a little, in float64, the second derivatives too.
    few = torch.randn(3, 5, dtype=torch.float64, device=arrays.device, requires_grad=True)
    torch.autograd.gradcheck(SeededDropout.apply, (few, 0.4, seeds[:3]))
    torch.autograd.gradgradcheck(SeededDropout.apply, (few, 0.4, seeds[:3]))
    console.print("So do differences of outputs.")
console.print()

# %%
# What strides cost
# -----------------
# The results don't depend on the layout, but the time does. Memory comes in lines of 32 bytes or
# more. With every other column half of each line is fetched for nothing. In a transposed input,
# neighbours of a row are so far apart that each lies in a line of its own: a program that takes a
# piece of one row uses one number of each line, and one that takes a square uses them all. A square
# has its price: more seeds for each thread, and a seed's key changes from round to round.

largest = arguments.largest or (13 if arrays.device == "cuda" else 12)
sides = [2**bits for bits in range(min(10, largest), largest + 1)]
LAYOUTS = {
    "as it is": lambda wide: wide[:, : wide.shape[0]],
    "every other column": lambda wide: wide[:, ::2],
    "transposed": lambda wide: wide[:, : wide.shape[0]].T,
}
BLOCKS = ((1, 1024), (32, 32))
rates = {f"{name}, {block[0]} × {block[1]}": [] for name in LAYOUTS for block in BLOCKS}
table = []
announce(len(sides) * len(LAYOUTS))
for side in sides:
    wide = arrays.put(rng.standard_normal((side, 2 * side), dtype=np.float32))
    output = arrays.put(np.empty((side, side), np.float32))
    seeds = arrays.put(np.arange(side))
    for name, layout in LAYOUTS.items():
        line = [f"{side} × {side}, {name}"]
        for block in BLOCKS:
            milliseconds = do_bench(
                lambda: dropout_into(output, layout(wide), 0.5, seeds, block),  # noqa: B023
                device=arrays.device,
                return_mode="median",
            )
            rate = 8 * side * side / milliseconds * 1e3
            rates[f"{name}, {block[0]} × {block[1]}"].append(rate)
            line += [f"{milliseconds * 1e3:.1f}", f"{rate / 1e9:.3g}"]
        table.append(line)
show_table(
    "Time and memory traffic, float32",
    ["input", *(f"{m} × {n}, {unit}" for m, n in BLOCKS for unit in ("µs", "GB/s"))],
    table,
)
title = f"Dropout with a seed per row on {arrays.description}"
elements = [side * side for side in sides]
if save_plot(arguments.plot, title, elements, rates, axes=("elements", "GB/s")):
    console.print(f"The plot is in {arguments.plot}")
else:
    console.print("Matplotlib is not installed: no plot was saved.")

# %%
# To go on
# --------
# - Draw with `tl.rand4x` and use all four numbers: which columns should they be for?
# - The seeds could come from one seed as well: `tl.randint(seed, row)` in the place of a load. What
#   do rows lose by that when a batch is put together anew?
