# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with a scale for each row and column in every iteration, as in products of quantized
matrices. The number of stages changes no bit, though a GPU copies the scales to shared memory with
the factors."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_same_bits


@eft.jit
def scaled_matmul(
    a_ptr,
    b_ptr,
    row_ptr,
    column_ptr,
    out_ptr,
    m,
    n,
    k,
    per_scale,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    STAGES: tl.constexpr,
    USED_TWICE: tl.constexpr,
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    of_columns = tl.zeros((BN,), tl.float32)
    blocks = tl.cdiv(k, BK)
    for turn in tl.range(0, blocks, num_stages=STAGES):
        at = turn * BK + inner
        a = tl.load(a_ptr + (rows % m)[:, None] * k + at[None, :], mask=at[None, :] < k, other=0)
        b = tl.load(b_ptr + (columns % n)[None, :] * k + at[:, None], mask=at[:, None] < k, other=0)
        row_scale = tl.load(row_ptr + (rows % m) * blocks + turn)
        column_at = column_ptr + columns // per_scale * blocks + turn
        column_scale = tl.load(column_at, mask=columns < n, other=0)
        total += tl.dot(a, b) * row_scale[:, None] * column_scale[None, :]
        if USED_TWICE:
            of_columns += column_scale
    total += of_columns[None, :]
    inside = (rows < m)[:, None] & (columns < n)[None, :]
    tl.store(out_ptr + rows[:, None] * n + columns[None, :], total, mask=inside)


def run(device, m, n, k, tile, warps, stages, per_scale, used_twice):
    """Returns the result of the kernel and the exact result. All numbers are small powers of two or
    small integers, so all sums are exact."""
    numbers = np.random.default_rng(m + n + k)
    bm, bn, bk = tile
    blocks = -(-k // bk)
    a, b = (numbers.integers(-4, 5, shape).astype(np.float16) for shape in ((m, k), (n, k)))
    rows, columns = (
        2.0 ** numbers.integers(-2, 3, shape)
        for shape in ((m, blocks), (-(-n // per_scale), blocks))
    )
    expected = np.zeros((m, n), np.float32)
    by_column = np.repeat(columns, per_scale, axis=0)[:n]
    for block in range(blocks):
        part = slice(block * bk, (block + 1) * bk)
        product = a[:, part].astype(np.float32) @ b[:, part].T.astype(np.float32)
        expected += product * rows[:, block, None] * by_column[None, :, block]
    if used_twice:
        expected += by_column.sum(1)[None, :]
    out = device.put(np.full((m, n), np.nan, np.float32))
    arrays = (device.put(each.astype(np.float32)) for each in (rows, columns))
    scaled_matmul[-(-m // bm), -(-n // bn)](
        *(device.put(a), device.put(b), *arrays, out, m, n, k, per_scale),
        *tile,
        STAGES=stages,
        USED_TWICE=used_twice,
        num_warps=warps,
    )
    return device.get(out), expected


TILES = [
    ((64, 128, 64), 4),
    ((64, 32, 32), 4),
    ((128, 64, 32), 8),
    ((32, 32, 32), 2),
    ((16, 64, 16), 1),
]


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("used_twice", [False, True])
@pytest.mark.parametrize("tile, warps", TILES)
@pytest.mark.parametrize("m, n, k, per_scale", [(130, 256, 192, 128), (65, 130, 200, 7)])
def test_scales(device, stages, used_twice, tile, warps, m, n, k, per_scale):
    found, expected = run(device, m, n, k, tile, warps, stages, per_scale, used_twice)
    assert_same_bits(found, expected)
