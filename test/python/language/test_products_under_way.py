# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops whose products stay under way from one iteration to the next, while only some threads copy
the small factors of later iterations. Sums of integers are exact in any order."""

import re

import eft
import eft.language as tl
import numpy as np
import pytest
from support import DTYPES, assert_same_bits


@eft.jit
def two_sums(
    a_ptr,
    b_ptr,
    out_ptr,
    turns,
    columns,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    """For i = 0 and 1, the sum of (a[2 i] + a[2 i + 1]) b[2 turn + i] over all turns. Only the
    first `columns` columns of each b are there; the others are 0."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    of_a = m[:, None] * K + k[None, :]
    first = tl.load(a_ptr + of_a) + tl.load(a_ptr + M * K + of_a)
    second = tl.load(a_ptr + 2 * M * K + of_a) + tl.load(a_ptr + 3 * M * K + of_a)
    sum0 = tl.zeros((M, N), tl.float32)
    sum1 = tl.zeros((M, N), tl.float32)
    at = b_ptr + k[:, None] * N + n[None, :]
    inside = n[None, :] < columns
    for _ in range(turns):
        b0 = tl.load(at, mask=inside, other=0.0)
        b1 = tl.load(at + K * N, mask=inside, other=0.0)
        sum0 = tl.dot(first, b0, sum0)
        sum1 = tl.dot(second, b1, sum1)
        at += 2 * K * N
    of_out = m[:, None] * N + n[None, :]
    tl.store(out_ptr + of_out, sum0)
    tl.store(out_ptr + M * N + of_out, sum1)


SHAPES = [
    (64, 16, 16, 4),
    (64, 8, 16, 4),
    (128, 16, 16, 8),
    (64, 32, 64, 4),
    (128, 64, 32, 8),
]


@pytest.mark.parametrize("num_stages", [2, 3, 5])
@pytest.mark.parametrize("shift", [0, 1])
@pytest.mark.parametrize("m, n, k, num_warps", SHAPES)
def test_sums_of_small_products(device, m, n, k, num_warps, shift, num_stages):
    random = np.random.default_rng(n)
    a = random.integers(-1, 2, (4, m, k)).astype(np.float32)
    b = random.integers(-2, 3, (7, 2, k, n)).astype(np.float32)
    blocks = np.concatenate([np.zeros(shift), b.ravel(), np.zeros(1)]).astype(DTYPES["fp16"])
    on_device = device.put(a.astype(DTYPES["fp16"])), device.put(blocks)[shift:]
    for columns in (n, n - 3):
        products = (a[::2] + a[1::2]) @ (b * (np.arange(n) < columns))
        for turns in (0, 2, 7):
            out = device.put(np.full((2, m, n), np.nan, np.float32))
            two_sums[1,](
                *(*on_device, out, turns, columns),
                **dict(M=m, N=n, K=k, num_warps=num_warps, num_stages=num_stages),
            )
            assert_same_bits(device.get(out) + 0.0, products[:turns].sum(0) + 0.0)


def test_products_stay_under_way():
    half = eft.MockTensor(tl.float16)
    compiled = two_sums.warmup(
        *(half, half, eft.MockTensor(tl.float32), 9, 16),
        **dict(M=128, N=16, K=16, num_warps=8, num_stages=3),
        grid=(1,),
        target="sm_90",
    )
    ptx = compiled.asm["ptx"]
    assert "cp.async" in ptx
    assert re.search(r"wgmma\.wait_group\.sync\.aligned\s+2;", ptx), ptx
