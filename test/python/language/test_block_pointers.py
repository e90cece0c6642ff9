# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block pointers, against slices of NumPy arrays."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_mistake, assert_same_bits, fails, mistakes


@eft.jit
def window(
    x_ptr, y_ptr, rows, columns, row_stride, column_stride, row, column,
    M: tl.constexpr, N: tl.constexpr, CHECK: tl.constexpr, PADDING: tl.constexpr,
):  # fmt: skip
    x = tl.make_block_ptr(
        base=x_ptr,
        shape=(rows, columns),
        strides=(row_stride, column_stride),
        offsets=(row, column),
        block_shape=(M, N),
        order=(1, 0),
    )
    y = tl.make_block_ptr(y_ptr, (M, N), (N, 1), (0, 0), (M, N), (1, 0))
    tl.store(y, tl.load(x, boundary_check=CHECK, padding_option=PADDING))


def expected_window(x, row, column, shape, padding):
    result = np.full(shape, padding, x.dtype)
    for i in range(shape[0]):
        for j in range(shape[1]):
            if 0 <= row + i < x.shape[0] and 0 <= column + j < x.shape[1]:
                result[i, j] = x[row + i, column + j]
    return result


@pytest.mark.parametrize("row, column", [(0, 0), (3, 5), (20, 30), (-3, -2), (40, 0), (16, 32)])
@pytest.mark.parametrize("padding, value", [("", 0), ("zero", 0), ("nan", np.nan)])
def test_a_window_into_a_matrix(device, row, column, padding, value):
    x = np.arange(1, 24 * 37 + 1, dtype=np.float32).reshape(24, 37)
    out = device.put(np.full((8, 16), 9, np.float32))
    window[1](
        device.put(x), out, 24, 37, 37, 1, row, column, M=8, N=16, CHECK=(0, 1), PADDING=padding
    )
    assert_same_bits(device.get(out), expected_window(x, row, column, (8, 16), value))


def test_a_transposed_array(device):
    x = np.arange(24 * 37, dtype=np.int16).reshape(24, 37)
    out = device.put(np.zeros((16, 4), np.int16))
    window[1](device.put(x), out, 37, 24, 1, 37, 30, 2, M=16, N=4, CHECK=(0,), PADDING="")
    assert_same_bits(device.get(out), expected_window(x.T, 30, 2, (16, 4), 0))


@eft.jit
def store_window(y_ptr, n, start, N: tl.constexpr):
    y = tl.make_block_ptr(y_ptr, (n,), (1,), (start,), (N,), (0,))
    y.store(tl.arange(0, N) + 1, boundary_check=(0,))


@pytest.mark.parametrize("start", [0, 90, 100, -20])
def test_a_store_stays_in_the_array(device, start):
    out = device.put(np.zeros(128, np.int32))
    store_window[1](out, 100, start, N=64)
    expected = np.zeros(128, np.int32)
    for i in range(64):
        if 0 <= start + i < 100:
            expected[start + i] = i + 1
    assert_same_bits(device.get(out), expected)


@eft.jit
def rows_from(x_ptr, y_ptr, n, start, N: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (n - start,), (1,), (0,), (N,), (0,))
    y = tl.make_block_ptr(y_ptr, (n - start,), (1,), (0,), (N,), (0,))
    tl.store(y_ptr + N + tl.arange(0, N), tl.load(x, boundary_check=(0,)))
    tl.store(y, tl.zeros((N,), tl.int32), boundary_check=(0,))


@pytest.mark.parametrize("start, inside", [(2, 3), (5, 0), (6, 0), (9, 0)])
def test_nothing_lies_in_an_array_of_no_extent(device, start, inside):
    x, out = np.arange(1, 9, dtype=np.int32), device.put(np.full(16, -1, np.int32))
    rows_from[1](device.put(x), out, 5, start, N=8)
    expected = np.r_[np.full(8, -1), np.zeros(8)].astype(np.int32)
    expected[:inside], expected[8 : 8 + inside] = 0, x[:inside]
    assert_same_bits(device.get(out), expected)


@eft.jit
def helper(pointer, step: tl.constexpr):
    return tl.load(pointer, boundary_check=(0, 1)), pointer.advance((0, step))


@eft.jit
def row_sums(x_ptr, y_ptr, rows, columns, M: tl.constexpr, N: tl.constexpr):
    x = tl.make_block_ptr(
        x_ptr, (rows, columns), (columns, 1), (tl.program_id(0) * M, 0), (M, N), (1, 0)
    )
    total = tl.zeros((M, N), tl.float32)
    for _ in range(0, columns, N):
        part, x = helper(x, N)
        total += part
    y = tl.make_block_ptr(y_ptr, (rows, N), (N, 1), (tl.program_id(0) * M, 0), (M, N), (1, 0))
    tl.store(y, total, boundary_check=(0,))


def test_a_loop_carries_a_block_pointer(device):
    rows, columns, n = 21, 100, 32
    x = np.random.default_rng(0).integers(0, 9, (rows, columns)).astype(np.float32)
    out = device.put(np.zeros((rows, n), np.float32))
    row_sums[(eft.cdiv(rows, 8),)](device.put(x), out, rows, columns, M=8, N=n)
    padded = np.pad(x, ((0, 0), (0, 28)))
    np.testing.assert_array_equal(device.get(out), padded.reshape(rows, 4, n).sum(1))


@eft.jit
def chosen(x_ptr, y_ptr, n, second):
    x = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,))
    if second:
        x = tl.advance(x, (8,))
    tl.store(y_ptr + tl.arange(0, 8), tl.load(x))


@pytest.mark.parametrize("second", [False, True])
def test_a_choice_between_block_pointers(device, second):
    x, out = np.arange(16, dtype=np.int64), device.put(np.zeros(8, np.int64))
    chosen[1](device.put(x), out, 16, second)
    assert_same_bits(device.get(out), x[8 * second :][:8])


@eft.jit
def three_dimensions(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (A, B, C), (B * C, C, 1), (0, 0, 0), (A, B, C), (2, 1, 0))
    y = tl.make_block_ptr(y_ptr, (C, A, B), (A * B, B, 1), (0, 0, 0), (C, A, B), (2, 1, 0))
    tl.store(y, tl.permute(tl.load(x), (2, 0, 1)))


def test_three_dimensions(device):
    x = np.arange(2 * 4 * 8, dtype=np.float64).reshape(2, 4, 8)
    out = device.put(np.zeros((8, 2, 4)))
    three_dimensions[1](device.put(x), out, A=2, B=4, C=8)
    assert_same_bits(device.get(out), np.ascontiguousarray(x.transpose(2, 0, 1)))


@eft.jit
def short_shape(x_ptr, n):
    tl.make_block_ptr(x_ptr, (n,), (n, 1), (0, 0), (8, 8), (1, 0))


@eft.jit
def bad_order(x_ptr, n):
    tl.make_block_ptr(x_ptr, (n, n), (n, 1), (0, 0), (8, 8), (1, 1))


@eft.jit
def float_offset(x_ptr, n):
    tl.make_block_ptr(x_ptr, (n,), (1,), (0.5,), (8,), (0,))


@eft.jit
def block_as_base(x_ptr, n):
    tl.make_block_ptr(x_ptr + tl.arange(0, 8), (n,), (1,), (0,), (8,), (0,))


@eft.jit
def mask_and_window(x_ptr, n):
    tl.load(tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,)), mask=True)


@eft.jit
def mask_for_store(x_ptr, n):
    tl.store(tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,)), 1.0, mask=True)


@eft.jit
def check_beyond(x_ptr, n):
    tl.load(tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,)), boundary_check=(1,))


@eft.jit
def unknown_padding(x_ptr, n):
    tl.load(tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,)), padding_option="inf")


@eft.jit
def advance_of_pointer(x_ptr, n):
    tl.load(tl.advance(x_ptr, (1,)))


@eft.jit
def advance_without_use(x_ptr, n):
    x = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,))
    x.advance((8,))
    tl.store(x, tl.load(x) + 1)


@eft.jit
def store_check(x_ptr, n):
    tl.store(x_ptr, 1.0, boundary_check=(0,))


@eft.jit
def no_dimension(x_ptr, n):
    tl.make_block_ptr(x_ptr, (), (), (), (), ())


@mistakes(
    (
        no_dimension,
        "tl.make_block_ptr(",
        "make_block_ptr needs a block_shape of at least one dimension",
    ),
    (
        short_shape,
        "tl.make_block_ptr(",
        "the shape of a block pointer must have 2 numbers, as its block_shape has, got 1",
    ),
    (
        bad_order,
        "tl.make_block_ptr(",
        "the order of a block pointer of 2 dimensions must be an order of 0 to 1, got [1, 1]",
    ),
    (
        float_offset,
        "tl.make_block_ptr(",
        "the offsets of a block pointer must be integers, got a value of type fp32",
    ),
    (
        block_as_base,
        "tl.make_block_ptr(",
        "make_block_ptr needs a pointer as its base, got a block of type pointer<fp32>[8]",
    ),
    (
        mask_and_window,
        "tl.load(",
        "a block pointer takes boundary_check and padding_option instead of mask and other",
    ),
    (mask_for_store, "tl.store(", "a block pointer takes boundary_check instead of mask"),
    (check_beyond, "tl.load(", "boundary_check needs dimensions from 0 to 0, got 1"),
    (unknown_padding, "tl.load(", "padding_option must be one of '', 'zero', 'nan', got 'inf'"),
    (
        advance_of_pointer,
        "tl.advance(",
        "advance needs a block pointer, got a value of type pointer<fp32>",
    ),
    (
        advance_without_use,
        "x.advance(",
        "the result of `x.advance` is not used: it is the pointer that was moved, and the old one "
        "stays where it is",
    ),
    (
        store_check,
        "tl.store(",
        "boundary_check needs a block pointer, got a value of type pointer<fp32>",
    ),
)
def test_mistakes(kernel, marker, message):
    assert_mistake(kernel, marker, message)


def test_nan_in_integers():
    @eft.jit
    def kernel(x_ptr, n):
        x = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,))
        tl.load(x, boundary_check=(0,), padding_option="nan")

    assert fails(kernel, "*i32 i32").message == "padding_option 'nan' needs floats, got int32"
