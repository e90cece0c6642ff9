# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices whose rows begin at any element of memory, in blocks of sizes that
warpgroups multiply. Every result is exact, for any number of stages."""

import eft
import eft.language as tl
import numpy as np
import pytest
from products import matmul
from support import assert_same_bits

BLOCKS = [(64, 64, 64), (128, 128, 64), (64, 128, 32), (128, 64, 128)]


def small(shape, seed):
    """Small integers, whose sums and products are exact."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float16)


def place(device, matrix, offset, pad):
    """A view of the matrix on the device, and its row stride. The matrix begins `offset` elements
    after the beginning of an array, with `pad` unused elements between its rows."""
    rows, columns = matrix.shape
    stride = columns + pad
    array = np.full(offset + rows * stride, 100, matrix.dtype)
    view = array[offset:].reshape(rows, stride)
    view[:, :columns] = matrix
    # The last row ends where the array ends.
    return device.put(array[: array.size - pad])[offset:], stride


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("turned", ["AB", "ABt", "AtB"])
@pytest.mark.parametrize("m, n, k", [(129, 131, 193), (64, 255, 65), (200, 127, 64), (1, 67, 3)])
@pytest.mark.parametrize("num_stages", [1, 3])
def test_matrix_products(device, block, turned, m, n, k, num_stages):
    a, b = small((m, k), m), small((k, n), n)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    placed_a, a_stride = place(device, a.T if turned == "AtB" else a, n % 3, 1 - k % 2)
    placed_b, b_stride = place(device, b.T if turned == "ABt" else b, k % 2, 2)
    strides = [a_stride, 1, b_stride, 1]
    if turned == "AtB":
        strides[:2] = 1, a_stride
    if turned == "ABt":
        strides[2:] = 1, b_stride
    out = device.put(np.full((m, n), np.nan, np.float32))
    bm, bn, bk = block
    matmul[-(-m // bm), -(-n // bn)](
        placed_a, placed_b, out, m, n, k, *strides, BM=bm, BN=bn, BK=bk, num_stages=num_stages
    )
    assert_same_bits(device.get(out), expected)


@eft.jit
def sum_of_products(
    a_ptr, b_ptr, out_ptr, a_row, b_row, k, first, count,
    SIZE: tl.constexpr, BK: tl.constexpr, MASKED: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """The rows of both factors lie along k. Each step moves on by `BK - 1` elements, so that the
    alignment of the loaded rows changes."""
    i, j = tl.arange(0, SIZE), tl.arange(0, BK)
    a_block = a_ptr + i[:, None] * a_row + j[None, :]
    b_block = b_ptr + i[None, :] * b_row + j[:, None]
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for step in tl.range(first, first + count, num_stages=STAGES):
        if MASKED:
            inside = j < k - step * (BK - 1)
            a = tl.load(a_block, mask=inside[None, :], other=0)
            b = tl.load(b_block, mask=inside[:, None], other=0)
        else:
            a, b = tl.load(a_block), tl.load(b_block)
        total = tl.dot(a, b, total)
        a_block += BK - 1
        b_block += BK - 1
    tl.store(out_ptr + i[:, None] * SIZE + i[None, :], total)


@pytest.mark.parametrize("stages", [1, 2, 4])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_steps_that_change_where_rows_begin(device, stages, masked, count):
    size, bk = 64, 32
    k = 3 * (bk - 1) + 5 if masked else count * (bk - 1) + 1
    width = max(count * (bk - 1) + 1, k)
    a, b = small((size, width), count), small((size, width), 7)
    expected = np.zeros((size, size), np.float32)
    for step in range(count):
        begin = step * (bk - 1)
        columns = slice(begin, min(begin + bk, k if masked else width))
        expected += a[:, columns].astype(np.float32) @ b[:, columns].astype(np.float32).T
    out = device.put(np.full((size, size), np.nan, np.float32))
    arrays, strides = [], []
    for matrix in (a, b):
        array, stride = place(device, matrix, 1, 1 - width % 2)
        arrays.append(array)
        strides.append(stride)
    sum_of_products[1](
        *arrays, out, *strides, k, 0, count, SIZE=size, BK=bk, MASKED=masked, STAGES=stages
    )
    assert_same_bits(device.get(out), expected)
