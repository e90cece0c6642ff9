# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies, gathers, scans, extrema, histograms and sorts of blocks. `common.load_kernels` defines
`jit` and `tl` in this module before the kernels."""


@jit
def copy_strided(x_ptr, y_ptr, n, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at * STRIDE, mask=at < n)
    tl.store(y_ptr + at, x, mask=at < n)


@jit
def copy_transposed(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr):
    m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    inside = (m < rows) & (n < columns)
    x = tl.load(x_ptr + m * columns + n, mask=inside)
    tl.store(y_ptr + n * rows + m, x, mask=inside)


@jit
def gather_rows(table_ptr, numbers_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    """Copies a row of the table for each number, as an embedding does."""
    row = tl.program_id(0)
    number = tl.load(numbers_ptr + row)
    at = tl.arange(0, BLOCK)
    x = tl.load(table_ptr + number * columns + at, mask=at < columns)
    tl.store(y_ptr + row * columns + at, x, mask=at < columns)


@jit
def cumulative_sum(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    x = tl.load(x_ptr + row + at, mask=at < columns, other=0.0).to(tl.float32)
    tl.store(y_ptr + row + at, tl.cumsum(x, 0), mask=at < columns)


@jit
def index_of_maximum(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=-float("inf"))
    tl.store(y_ptr + row, tl.argmax(x, 0))


@jit
def count(x_ptr, y_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=BINS)
    tl.atomic_add(y_ptr + tl.arange(0, BINS), tl.histogram(x, BINS), sem="relaxed")


@jit
def sort(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    x = tl.load(x_ptr + row + at, mask=at < columns, other=float("inf"))
    tl.store(y_ptr + row + at, tl.sort(x), mask=at < columns)
