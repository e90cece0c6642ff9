# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout of vectors.

`common.load_kernels` defines `jit` and `tl` in this module before the kernels.
"""


@jit
def masked(x_ptr, keep_ptr, output_ptr, n, p, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    keep = tl.load(keep_ptr + offsets, mask=inside)
    tl.store(output_ptr + offsets, tl.where(keep != 0, x / (1 - p), 0.0), mask=inside)


@jit
def seeded(x_ptr, output_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    keep = tl.rand(seed, offsets) > p
    tl.store(output_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=inside)


@jit
def seeded_rows(x_ptr, seeds_ptr, output_ptr, columns, p, BLOCK: tl.constexpr):
    """Dropout of a matrix with a seed for each row."""
    row = tl.program_id(0)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < columns
    at = row * columns + offsets
    x = tl.load(x_ptr + at, mask=inside)
    keep = tl.rand(tl.load(seeds_ptr + row), offsets) > p
    tl.store(output_ptr + at, tl.where(keep, x / (1 - p), 0.0), mask=inside)


@jit
def part(x_ptr, output_ptr, offsets, random, n, p):
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(output_ptr + offsets, tl.where(random > p, x / (1 - p), 0.0), mask=inside)


@jit
def seeded_by_four(x_ptr, output_ptr, n, p, seed, BLOCK: tl.constexpr):
    """Calls Philox once for four elements. A program handles 4 * BLOCK elements."""
    first = tl.program_id(0) * BLOCK * 4 + tl.arange(0, BLOCK)
    r0, r1, r2, r3 = tl.rand4x(seed, first)
    part(x_ptr, output_ptr, first, r0, n, p)
    part(x_ptr, output_ptr, first + BLOCK, r1, n, p)
    part(x_ptr, output_ptr, first + 2 * BLOCK, r2, n, p)
    part(x_ptr, output_ptr, first + 3 * BLOCK, r3, n, p)
