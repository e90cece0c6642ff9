# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products of the sizes that warpgroups of a GPU compute together, where it has them: loops
of all lengths, over factors that lie by rows or by columns, with sums that are exact."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_same_bits


@eft.jit
def matmul(
    a_ptr,
    b_ptr,
    c_ptr,
    m,
    n,
    k,
    a_row,
    a_column,
    b_row,
    b_column,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    rows = (tl.program_id(0) * BM + tl.arange(0, BM)) % m
    columns = (tl.program_id(1) * BN + tl.arange(0, BN)) % n
    inner = tl.arange(0, BK)
    a_block = a_ptr + rows[:, None] * a_row + inner[None, :] * a_column
    b_block = b_ptr + inner[:, None] * b_row + columns[None, :] * b_column
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, tl.cdiv(k, BK)):
        a = tl.load(a_block, mask=inner[None, :] < k - start * BK, other=0.0)
        b = tl.load(b_block, mask=inner[:, None] < k - start * BK, other=0.0)
        total = tl.dot(a, b, total)
        a_block += BK * a_column
        b_block += BK * b_row
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c_ptr + rows[:, None] * n + columns[None, :], total, mask=inside)


def factors(device, m, n, k, turned_a, turned_b, dtype=np.float16):
    """Small integers, of which every sum is exact, and their strides."""
    numbers = np.random.default_rng(m + n + k)
    a, b = (numbers.integers(-4, 5, shape).astype(dtype) for shape in ((m, k), (k, n)))
    expected = a.astype(np.float32) @ b.astype(np.float32)
    a = a.T.copy().T if turned_a else a
    b = b.T.copy().T if turned_b else b
    strides = [each // a.itemsize for each in (*a.strides, *b.strides)]
    one = np.zeros(1, dtype)
    arrays = [device.put(each.ravel(order="K") if each.size else one) for each in (a, b)]
    return arrays, strides, expected


TILES = [
    (64, 16, 16, 4),
    (64, 32, 32, 4),
    (64, 64, 64, 4),
    (64, 64, 128, 8),
    (64, 256, 16, 4),
    (64, 16, 32, 8),
    (128, 16, 64, 8),
    (128, 32, 64, 16),
    (128, 128, 32, 4),
    (128, 128, 64, 8),
    (128, 256, 64, 8),
    (256, 64, 32, 8),
    (256, 128, 16, 16),
]


@pytest.mark.parametrize("num_stages", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("bm, bn, bk, warps", TILES)
@pytest.mark.parametrize("turned_a", [False, True])
@pytest.mark.parametrize("turned_b", [False, True])
def test_tiles_and_orders(device, bm, bn, bk, warps, turned_a, turned_b, num_stages):
    for m, n, k in ((bm, bn, 5 * bk), (2 * bm - 7, bn + 9, 3 * bk - 5), (bm, 2 * bn, 0)):
        arrays, strides, expected = factors(device, m, n, k, turned_a, turned_b)
        out = device.put(np.full((m, n), np.nan, np.float32))
        grid = (-(-m // bm), -(-n // bn))
        options = {"num_warps": warps, "num_stages": num_stages}
        matmul[grid](*arrays, out, m, n, k, *strides, BM=bm, BN=bn, BK=bk, **options)
        assert_same_bits(device.get(out), expected)
