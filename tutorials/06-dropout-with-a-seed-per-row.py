# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout with a seed per row
===========================

The lesson on low-memory dropout drops elements of a vector, with one seed. This lesson makes
dropout an operation for training: it works on a matrix, and each row has a seed of its own. So the
result for a row depends only on the row and its seed, and not on the batch that contains the row or
on the row's position in the batch. On the way you meet

- blocks of two dimensions, which combine a column of seeds and a row of offsets,
- strides, with which one kernel works on slices and transposes without a copy,
- a backward pass that needs only the seeds from the forward pass,
- `torch.autograd.Function`, by which PyTorch's autograd uses both passes, if PyTorch is installed.

Run this lesson by itself: `python tutorials/06-dropout-with-a-seed-per-row.py`.
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
# Element (i, j) of a matrix is i × row stride + j × column stride elements after the first element.
# In a transposed matrix the two strides are exchanged. A matrix of every other column has twice the
# column stride. A reversed array of NumPy has negative strides. The kernel multiplies by whatever
# strides it gets, so it works for all of these.
#
# A program handles a block of ROWS × COLUMNS elements. `row` is a block of ROWS × 1, and `column`
# is a block of 1 × COLUMNS. So the program loads ROWS × 1 seeds, one for each row. `tl.rand` and
# the additions of addresses combine both kinds of blocks, and broadcast them to ROWS × COLUMNS. The
# random numbers depend on the number of the column, not on the address. So the same elements of a
# row are dropped however the matrix is stored.
#
# The offsets inside a block are small, and int32 holds them. But the first element of the block may
# be more than 2³¹ elements after the first element of the array. So each program computes this
# distance once, in int64, and adds it to the pointer.


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
# NumPy computes the expected result of each row to the last bit. The inputs and outputs are views
# of larger arrays. The elements of the output's array that are not in the view must stay as they
# were.


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
# PyTorch has no negative strides, but NumPy has, and on a CPU the kernel takes NumPy's arrays, too.
if arrays.device == "cpu":
    VIEWS["upside down"] = lambda array: array[::-1]
    VIEWS["turned by 180 degrees, every other column"] = lambda array: array[::-1, ::-2]


def check(view):
    """Drops elements of a view of an array, and compares the result with NumPy.

    The result is written into the same view of another array.

    Returns:
        The view of the input, and the share of elements that are dropped.
    """
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
# Each output is its input times either 0 or 1 / (1 - p). So the gradient of an input is the
# gradient of its output times the same number. The same kernel computes this, because the same
# seeds give the same mask. The forward pass must keep only the seeds: 8 bytes for each row, however
# long the row is.
#
# Strides are useful here, too, because a gradient has the strides that other operations give it. If
# the output is transposed later, its gradient is a transposed matrix. If the output is summed, all
# elements of its gradient are the same number in memory, with strides of 0.

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
            # x may be a gradient with a stride of 0, whose elements share memory. The output's
            # elements must not share memory, so the output does not get the strides of x.
            output = torch.empty(x.shape, dtype=x.dtype, device=x.device)
            return dropout_into(output, x, p, seeds)

        @staticmethod
        def backward(context, gradient):
            (seeds,) = context.saved_tensors
            # Returns one gradient for each argument of `forward`. p and the seeds have no gradient.
            # The backward pass is the same operation, so autograd can differentiate it again.
            return SeededDropout.apply(gradient, context.p, seeds), None, None

    # PyTorch differentiates the same function by itself, if the function is written with a mask.
    keep = arrays.put(reference(np.ones_like(values), 0.4, seed_values)) != 0
    weights = arrays.put(gradient.T).T
    for weigh in (lambda output: output * weights, lambda output: output):
        ours, theirs = (x.clone().requires_grad_() for _ in range(2))
        weigh(SeededDropout.apply(ours, 0.4, seeds)).sum().backward()
        weigh(torch.where(keep, theirs / (1 - 0.4), 0.0)).sum().backward()
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-6, atol=0)
    console.print("PyTorch's autograd finds the same gradients from a mask.")
    # In float64, `gradcheck` compares the gradients with differences of the outputs for inputs that
    # differ a little. `gradgradcheck` compares the second derivatives with differences of the
    # gradients.
    few = torch.randn(3, 5, dtype=torch.float64, device=arrays.device, requires_grad=True)
    torch.autograd.gradcheck(SeededDropout.apply, (few, 0.4, seeds[:3]))
    torch.autograd.gradgradcheck(SeededDropout.apply, (few, 0.4, seeds[:3]))
    console.print("So do differences of outputs.")
console.print()

# %%
# What strides cost
# -----------------
# The results do not depend on the strides, but the time does. Memory is fetched in lines of 32
# bytes or more. In a matrix of every other column, half of each line is fetched in vain. In a
# transposed matrix, the neighbours in a row are so far apart that each lies in another line. If a
# program handles a piece of one row, it uses one number of each line. If it handles a square block,
# it uses all numbers of its lines. But in a square block each thread has several seeds, and must
# compute the key of each seed anew for each round of Philox.

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
# - Draw with `tl.rand4x` and use all four numbers. For which columns should each of them be used?
# - A kernel can also compute the seeds of the rows from one seed, by `tl.randint(seed, row)`, in
#   place of loading them. What do the rows lose by that, if they are put together to a new batch?
