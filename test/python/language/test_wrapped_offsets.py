# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Positive and negative offsets modulo a number, under masks, and in the product of matrices of
Triton's tutorial."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_same_bits


@eft.jit
def read_around(x_ptr, y_ptr, start, n, bound, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + (start + i) % n, mask=i < bound, other=1)
    tl.store(y_ptr + i, x)


@eft.jit
def write_around(x_ptr, y_ptr, start, n, bound, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + (start + i) % n, tl.load(x_ptr + i), mask=i < bound)


#: Remainders of negative numbers go from 1 - n to 0: after a multiple of n comes a jump by 1 - n.
STARTS = [0, 64, -64, -256, -320, -512, 1000, -1000, 2**31 - 128, -(2**31)]


@pytest.mark.parametrize("dtype", [np.float16, np.int32, np.uint8])
@pytest.mark.parametrize("n", [128, 256, 272, 300, 1])
@pytest.mark.parametrize("start", STARTS)
def test_offsets_that_wrap_around(device, dtype, n, start):
    x = np.random.default_rng(n).integers(0, 100, 2048).astype(dtype)
    with np.errstate(over="ignore"):
        offsets = np.fmod(np.int32(start) + np.arange(128, dtype=np.int32), n)
    expected = np.where(np.arange(128) < 100, x[1024 + offsets], np.ones(1, dtype))
    out = device.put(np.zeros(128, dtype))
    read_around[1](device.put(x)[1024:], out, start, n, 100, N=128)
    assert_same_bits(device.get(out), expected)
    if n < 128:
        return  # several elements would be stored at one address
    out = device.put(x)
    write_around[1](device.put(x), out[1024:], start, n, 100, N=128)
    expected = x.copy()
    expected[1024 + offsets[:100]] = x[:100]
    assert_same_bits(device.get(out), expected)


@eft.jit
def multiply(
    a_ptr, b_ptr, c_ptr, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(axis=0)
    across = tl.cdiv(N, BLOCK_N)
    in_group = GROUP * across
    first = program // in_group * GROUP
    rows = min(tl.cdiv(M, BLOCK_M) - first, GROUP)
    program_m = first + (program % in_group) % rows
    program_n = (program % in_group) // rows
    m = (program_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (program_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (m[:, None] * a_row + k[None, :] * a_column)
    b_ptrs = b_ptr + (k[:, None] * b_row + n[None, :] * b_column)
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - step * BLOCK_K
        a = tl.load(a_ptrs, mask=k[None, :] < left, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < left, other=0.0)
        sums = tl.dot(a, b, sums)
        a_ptrs += BLOCK_K * a_column
        b_ptrs += BLOCK_K * b_row
    m = program_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = program_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + c_row * m[:, None] + c_column * n[None, :]
    tl.store(c_ptrs, sums.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


SHAPES = [(64, 64, 32), (48, 112, 80), (160, 16, 16), (33, 65, 47), (1, 7, 100)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("columns", ["", "a", "b", "ab"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_products_as_the_tutorial_writes_them(device, shape, columns, dtype):
    m, n, k = shape
    rng = np.random.default_rng(m)
    a, b = (rng.integers(-4, 5, each).astype(dtype) for each in ((m, k), (k, n)))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    # The device holds each factor by rows, or its transpose by rows.
    held_a = device.put(np.ascontiguousarray(a.T if "a" in columns else a))
    held_b = device.put(np.ascontiguousarray(b.T if "b" in columns else b))
    out = device.put(np.full((m, n), np.nan, np.float32))
    multiply[(eft.cdiv(m, 32) * eft.cdiv(n, 32),)](
        held_a, held_b, out, m, n, k,
        *((1, m) if "a" in columns else (k, 1)), *((1, k) if "b" in columns else (n, 1)), n, 1,
        BLOCK_M=32, BLOCK_N=32, BLOCK_K=16, GROUP=2,
    )  # fmt: skip
    np.testing.assert_array_equal(device.get(out), exact)
