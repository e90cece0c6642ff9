# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Projection without a matrix
===========================

Points with many coordinates can be mapped to points with few coordinates, and keep their distances.
Johnson and Lindenstrauss proved in 1984 that n points of any dimension d can be mapped to k
dimensions, where k grows only with log n, such that all distances change by a few per cent at most.
The map does not depend on the points: it is a product with a random matrix. Achlioptas (2003), and
Li, Hastie and Church (2006), showed that most entries of this matrix may be zero. Each entry is
+√(s/k) with probability 1/(2s), -√(s/k) with probability 1/(2s), and otherwise 0.

The matrix has d × k entries. In this lesson no memory holds them. On the way you meet

- a matrix that is computed from a seed where it is used, block by block,
- the reason why zeros at arbitrary places save no time, and a way to draw zeros that do,
- loads from addresses that random numbers choose,
- the distances after the projection, in comparison with those before.

Run this lesson by itself: `python tutorials/07-projection-without-a-matrix.py`.
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
    reference_words,
    save_spread,
    show_table,
    torch,
    words_of,
)

parser = argparse.ArgumentParser(description="A lesson on a matrix that is made from a seed.")
parser.add_argument("--plot", default="projection-without-a-matrix.png", help="where to save it")
parser.add_argument("--largest", type=int, help="log2 of the most coordinates to time")
arguments = parser.parse_args()

arrays = Arrays()
on_gpu = arrays.device == "cuda"
console.print(f"Running on {arrays.description}.\n")


# %%
# Block by block
# --------------
# Y = X R is a product of matrices, as in the lesson on matrix multiplication. The rows of X are the
# points, and R is a d × k matrix. Where the kernel of that lesson loads a block of the second
# matrix, this kernel computes it. `tl.rand` gives each entry of R a number u that depends only on
# the entry's row and column. So every program computes the same R, whichever blocks of it the
# program needs. The entry is -1 if u < 1/(2s), +1 if 1/(2s) ≤ u < 1/s, and 0 otherwise. The factor
# √(s/k) is applied to the sums at the end.
#
# On a GPU `tl.dot` converts x to tf32, which keeps 11 significant bits. That changes each
# coordinate by less than 0.1 %, which is little beside the change of the distances by the
# projection.


@eft.jit
def project_by_blocks(
    x_ptr, y_ptr, points, columns, outputs, seed, S: tl.constexpr, POINTS: tl.constexpr,
    OUTPUTS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    output = tl.program_id(0) * OUTPUTS + tl.arange(0, OUTPUTS)[None, :]
    point = tl.program_id(1) * POINTS + tl.arange(0, POINTS)[:, None]
    sums = tl.zeros((POINTS, OUTPUTS), tl.float32)
    for start in range(0, columns, COLUMNS):
        across = start + tl.arange(0, COLUMNS)[None, :]
        down = start + tl.arange(0, COLUMNS)[:, None]
        inside = (point < points) & (across < columns)
        x = tl.load(x_ptr + point * columns + across, mask=inside)
        drawn = tl.rand(seed, down * outputs + output)
        entries = tl.where(drawn < 1 / S, 1.0, 0.0)
        entries = tl.where(drawn < 0.5 / S, -1.0, entries)
        sums = tl.dot(x, entries, sums)
    inside = (point < points) & (output < outputs)
    tl.store(y_ptr + point * outputs + output, sums * tl.sqrt(S / outputs), mask=inside)


# %%
# In groups
# ---------
# The kernel above needs no memory for R, but it multiplies by all zeros of R, and draws all entries
# again for each block of points. With s = 100, ninety-nine of a hundred products are products with
# zero. A program that searched for the other products would spend its time on the search.
#
# The next kernel draws R in another way. It divides the columns of X into groups of s. For each
# group and each output, R has s entries, of which exactly one is not zero. Random bits choose which
# entry this is, and other bits choose its sign. Each entry by itself has the same distribution as
# before: +1 with probability 1/(2s), and -1 with probability 1/(2s). But the entries for the same
# group and output are no longer independent: if one entry is not zero, all others are zero. This
# does no harm. The square of a projected length has the right mean if the product of any two
# different entries has the mean zero, and the random signs ensure that. The variance of the square
# even becomes smaller: of two entries for the same group and output, one is always zero, so their
# term of the variance is missing.
#
# Now an output is a sum of d/s elements of x, each added or subtracted. That is s times less work.
# Each group takes up to 15 random bits for the place of its entry in the group, and one bit for the
# sign. So a word of 32 bits is enough for two groups, and one draw of four words is enough for
# eight groups. An entry whose place is beyond the last column gets the factor 0 in place of a sign.
#
# All points use the same R. So a program handles POINTS points, to use each draw for all of them.
# It also handles many outputs. Several of these outputs need the same element of x, and all but the
# first load of the element are from the cache.


@eft.jit
def add_group(sums, x_ptr, half, start, columns, S: tl.constexpr):
    tl.static_assert(S & (S - 1) == 0 and S <= 2**15, "S must be a power of two up to 2**15")
    place = start + (half & (S - 1)).to(tl.int32)
    sign = tl.where((half & 0x8000) == 0, 1.0, -1.0)
    sign = tl.where(place < columns, sign, 0.0)
    return sums + sign * tl.load(x_ptr + tl.minimum(place, columns - 1))


@eft.jit
def project_in_groups(
    x_ptr, y_ptr, points, columns, outputs, seed, S: tl.constexpr, POINTS: tl.constexpr,
    OUTPUTS: tl.constexpr,
):  # fmt: skip
    output = tl.program_id(0) * OUTPUTS + tl.arange(0, OUTPUTS)[None, :]
    point = tl.program_id(1) * POINTS + tl.arange(0, POINTS)[:, None]
    # Rows of the block beyond the last point compute the last point again, and are not stored. So
    # the loads of x need no mask.
    x_ptr += tl.minimum(point, points - 1).to(tl.int64) * columns
    sums = tl.zeros((POINTS, OUTPUTS), tl.float32)
    for eight in range(0, tl.cdiv(columns, 8 * S)):
        words = tl.randint4x(seed, eight * outputs + output)
        for pair in tl.static_range(4):
            start = (eight * 8 + pair * 2) * S
            sums = add_group(sums, x_ptr, words[pair], start, columns, S)
            sums = add_group(sums, x_ptr, words[pair] >> 16, start + S, columns, S)
    inside = (point < points) & (output < outputs)
    y_ptr += point.to(tl.int64) * outputs
    tl.store(y_ptr + output, sums * tl.sqrt(S / outputs), mask=inside)


BLOCKS = {
    project_by_blocks: {"POINTS": 128, "OUTPUTS": 128, "COLUMNS": 32} if on_gpu else
    {"POINTS": 32, "OUTPUTS": 16, "COLUMNS": 16},
    project_in_groups: {"POINTS": 16, "OUTPUTS": 256} if on_gpu else {"POINTS": 8, "OUTPUTS": 32},
}  # fmt: skip


def project(kernel, x, y, seed, s):
    """Computes Y = X R, and returns y. The matrices have no gaps between their rows."""
    (points, columns), outputs = x.shape, y.shape[1]
    blocks = BLOCKS[kernel]
    grid = (eft.cdiv(outputs, blocks["OUTPUTS"]), eft.cdiv(points, blocks["POINTS"]))
    kernel[grid](x, y, points, columns, outputs, seed, S=s, **blocks)
    return y


# %%
# Is it right?
# ------------
# The rows of a unit matrix are points, too, and their projections are the rows of √(s/k) R. So the
# test can see R, and compares it with the R that NumPy computes, to the last bit. The projections
# of other points have rounding errors, for which there is a bound.


def matrix_by_blocks(seed, s, columns, outputs):
    """Returns the matrix R of `project_by_blocks`, without the factor √(s/k)."""
    drawn = reference_rand(seed, np.arange(columns * outputs)).reshape(columns, outputs)
    return np.where(drawn < 0.5 / s, -1.0, np.where(drawn < 1 / s, 1.0, 0.0))


def matrix_in_groups(seed, s, columns, outputs):
    """Returns the matrix R of `project_in_groups`, without the factor √(s/k)."""
    eights = -(-columns // (8 * s))
    words = reference_words(seed, np.arange(eights * outputs).reshape(eights, 1, outputs))
    halves = np.concatenate([half for word in words for half in (word & 0xFFFF, word >> 16)], 1)
    halves = halves.reshape(eights * 8, 1, outputs)
    places = np.arange(s).reshape(1, s, 1)
    entries = np.where(places == halves & (s - 1), np.where(halves >> 15, -1.0, 1.0), 0.0)
    return entries.reshape(-1, outputs)[:columns]


MATRICES = {project_by_blocks: matrix_by_blocks, project_in_groups: matrix_in_groups}
NAMES = {project_by_blocks: "by blocks", project_in_groups: "in groups"}
rng = np.random.default_rng(1984)


def check(kernel, points, columns, outputs, s, seed):
    """Returns the largest error, its bound, and the share of R's entries that are not zero."""
    scale = np.sqrt(np.float32(s) / np.float32(outputs))
    matrix = MATRICES[kernel](seed, s, columns, outputs)
    found = project(
        kernel,
        arrays.put(np.eye(columns, dtype=np.float32)),
        arrays.zeros(columns, outputs),
        seed,
        s,
    )
    np.testing.assert_array_equal(arrays.numpy(found), matrix.astype(np.float32) * scale)
    x = rng.standard_normal((points, columns), dtype=np.float32)
    found = project(kernel, arrays.put(x), arrays.zeros(points, outputs), seed, s)
    sizes = np.abs(x.astype(np.float64)) @ np.abs(matrix) * scale + 1e-30
    errors = np.abs(arrays.numpy(found) - x.astype(np.float64) @ matrix * scale) / sizes
    rounded = 2.0**-11 if on_gpu and kernel is project_by_blocks else 0
    bound = rounded + (columns + 2) * 2.0**-24
    assert errors.max() <= bound
    return f"{errors.max():.1e}", f"{bound:.1e}", f"{np.mean(matrix != 0):.4f}"


table = []
for kernel, name in NAMES.items():
    for points, columns, outputs, s in ((5, 64, 16, 2), (50, 1000, 60, 32), (9, 257, 33, 16)):
        facts = check(kernel, points, columns, outputs, s, seed=-3 * columns)
        table.append([f"{name}, {points} × {columns} to {outputs}", f"1/{s}", *facts])
show_table(
    "R is NumPy's, and X R is right up to rounding",
    ["points × coordinates", "1/s", "largest error", "bound", "share of R"],
    table,
)

# %%
# Distances after the projection
# ------------------------------
# 64 points have 2016 distances. The tables show ratios: each distance after the projection, divided
# by the same distance before. If R has no zeros, the ratios are near to 1, with a standard
# deviation of 1/√(2k). If most entries of R are zero, the standard deviation is larger, and depends
# on the points. Suppose that x has few coordinates that are not zero, and R has few such entries.
# Then a nonzero coordinate rarely meets a nonzero entry, and where they meet, the factor √s makes
# their product large. The second kind of points below has only one nonzero coordinate in 128. So s
# = √d, which is 64 here, is fine for the first kind of points. The second kind needs a larger k or
# a smaller s.


def distances(points):
    """Returns the distances of all pairs of points."""
    points = points.astype(np.float64)
    squares = (points**2).sum(1)
    pairs = np.triu_indices(len(points), 1)
    return np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0)[pairs])


dense = rng.standard_normal((64, 4096), dtype=np.float32)
rare = np.where(rng.random((64, 4096)) < 1 / 128, dense, np.float32(0))
SERIES = {
    "by blocks, s = 64": (project_by_blocks, dense, 64),
    "in groups, s = 64": (project_in_groups, dense, 64),
    "in groups, s = 64, rare coordinates": (project_in_groups, rare, 64),
    "in groups, s = 4, rare coordinates": (project_in_groups, rare, 4),
}
dimensions = [2**bits for bits in range(4, 11)]
ratios = {name: [] for name in SERIES}
for name, (kernel, points, s) in SERIES.items():
    before, x = distances(points), arrays.put(points)
    for k in dimensions:
        y = project(kernel, x, arrays.zeros(len(points), k), 7, s)
        ratios[name].append(distances(arrays.numpy(y)) / before)
table = [
    [
        str(k),
        f"{1 / np.sqrt(2 * k):.4f}",
        *(f"{values[index].mean():.3f} ± {values[index].std():.4f}" for values in ratios.values()),
    ]
    for index, k in enumerate(dimensions)
]
show_table(
    "2016 distances after the projection from 4096 dimensions to k, over those before",
    ["k", "1/√(2k)", *(name.replace("coordinates", "x") for name in ratios)],
    table,
)
table = [
    [name, *(f"{np.abs(values[dimensions.index(k)] - 1).max():.1%}" for k in (16, 64, 256, 1024))]
    for name, values in ratios.items()
]
show_table("The worst of the 2016", ["", "k = 16", "k = 64", "k = 256", "k = 1024"], table)
# The ratios are not independent, because all of them belong to the same R. So even the mean of 2016
# ratios differs a little from 1.
for name in list(SERIES)[:2]:
    assert abs(ratios[name][-1].mean() - 1) < 0.02
    assert np.abs(ratios[name][-1] - 1).max() < 0.15

saved = save_spread(
    arguments.plot,
    "Distances after a projection from 4096 dimensions, over those before",
    dimensions,
    ratios,
    axes=("dimensions k", "ratio: median, and 98 % of the pairs"),
)
if saved:
    console.print(f"The plot is in {arguments.plot}\n")
else:
    console.print("Matplotlib is not installed: no plot was saved.\n")

# %%
# What it costs
# -------------
# The table compares the two kernels with the product by a stored matrix, which the library of
# arrays computes. All rates count one multiplication and one addition for each point and each entry
# of R, although the kernel "in groups" leaves out most of these. This kernel computes in fp32, and
# its time falls as s grows. A GPU's tensor cores can compute the stored product in tf32, which
# rounds x to 11 significant bits. Then the stored product takes a seventh of the time, and as much
# memory as before.

bits = arguments.largest or (14 if on_gpu else 12)
columns = 2**bits
points, outputs = (columns, columns // 16) if on_gpu else (512, max(columns // 16, 16))
spread = 2 ** (bits // 2)
x = arrays.put(rng.standard_normal((points, columns), dtype=np.float32))
y = arrays.zeros(points, outputs)
entries = 4 * columns * outputs
matrix = matrix_in_groups(7, spread, columns, outputs) * np.sqrt(spread / outputs)
stored = arrays.put(matrix.astype(np.float32))
matmul = torch.matmul if torch else np.matmul


def matmul_tf32():
    torch.set_float32_matmul_precision("high")
    matmul(x, stored, out=y)
    torch.set_float32_matmul_precision("highest")


calls = {"stored matrix": (lambda: matmul(x, stored, out=y), entries)}
if on_gpu:
    calls["stored matrix, tf32"] = (matmul_tf32, entries)
calls[f"by blocks, s = {spread}"] = (lambda: project(project_by_blocks, x, y, 7, spread), 8)
for s in (spread // 4, spread, spread * 4):
    calls[f"in groups, s = {s}"] = (lambda s=s: project(project_in_groups, x, y, 7, s), 8)
table = []
announce(len(calls))
for name, (call, memory) in calls.items():
    milliseconds = do_bench(call, device=arrays.device, return_mode="median")
    rate = 2 * points * columns * outputs / milliseconds / 1e6
    table.append([name, words_of(memory), f"{milliseconds:.3g}", f"{rate:.4g}"])
show_table(
    f"{points:,} points, from {columns:,} dimensions to {outputs:,}",
    ["", "memory for R", "ms", "GFLOP/s"],
    table,
)

# %%
# To go on
# --------
# - Rᵀ maps the projections back from k to d dimensions. The mean of the results over many seeds is
#   x. Write a kernel for this. `project_in_groups` loads from random places; the new kernel must
#   add to random places, by `tl.atomic_add`.
# - Ten rounds of Philox are more than these draws need. How much time does `n_rounds=7` save?
# - Points with few nonzero coordinates can be made dense before they are projected: a Hadamard
#   transform with random signs spreads each coordinate over all of them. Look up "fast
#   Johnson-Lindenstrauss".
