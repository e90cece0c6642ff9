# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices whose extents and offsets are just below, at or just above the values for
which loads need neither masks nor remainders."""

import eft
import eft.language as tl
import numpy as np
import pytest
from products import matmul
from support import assert_same_bits


def small_integers(shape, seed: int, dtype=np.float32) -> np.ndarray:
    """Small integers, whose products and sums are exact in any order."""
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(dtype)


#: Rows, columns and k: below, at and above multiples of the blocks' extents.
EXTENTS = [
    *((1, 1, 1), (15, 33, 16), (16, 32, 64), (17, 31, 65), (32, 64, 63), (33, 63, 0)),
    *((31, 65, 128), (48, 96, 48), (64, 64, 64), (65, 129, 127)),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
@pytest.mark.parametrize("extents", EXTENTS, ids=str)
def test_extents(device, dtype, extents):
    m, n, k = extents
    a, b = small_integers((m, k), 1, dtype), small_integers((k, n), 2, dtype)
    total = np.int32 if dtype == np.int8 else np.float32
    for block in ((16, 32, 32), (32, 32, 64)):
        out = device.put(np.full((m, n), 7, total))
        grid = (eft.cdiv(m, block[0]), eft.cdiv(n, block[1]))
        matmul[grid](device.put(a), device.put(b), out, m, n, k, k, 1, n, 1, *block)
        assert_same_bits(device.get(out), a.astype(total) @ b.astype(total))


@pytest.mark.parametrize("layouts", ["rows, columns", "columns, rows", "columns, columns"])
def test_factors_by_columns(device, layouts):
    m, n, k = 40, 72, 80
    a, b = small_integers((m, k), 3), small_integers((k, n), 4)
    first, second = layouts.split(", ")
    held_a = a if first == "rows" else np.ascontiguousarray(a.T)
    held_b = b if second == "rows" else np.ascontiguousarray(b.T)
    strides = ((k, 1) if first == "rows" else (1, m)) + ((n, 1) if second == "rows" else (1, k))
    out = device.put(np.zeros((m, n), np.float32))
    matmul[3, 3](device.put(held_a), device.put(held_b), out, m, n, k, *strides, 16, 32, 32)
    assert_same_bits(device.get(out), a @ b)


@eft.jit
def product_from(a_ptr, b_ptr, c_ptr, start, n, first_k, last_k, BLOCK: tl.constexpr):
    """c = a @ b for columns (start + i) % n of b, summed over first_k ≤ k < last_k."""
    i = tl.arange(0, BLOCK)
    columns = (start + i) % n
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, 64, BLOCK):
        inner = k + i
        used = (inner >= first_k) & (inner < last_k)
        a = tl.load(a_ptr + i[:, None] * 64 + inner[None, :], mask=used[None, :], other=0)
        b = tl.load(b_ptr + inner[:, None] * 512 + columns[None, :], mask=used[:, None], other=0)
        total = tl.dot(a, b, total)
    tl.store(c_ptr + i[:, None] * BLOCK + i[None, :], total)


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 32, 100, 112, 200, -100, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize(
    "start", [0, 1, 16, 84, 85, 96, 97, 111, -16, -7, 2**31 - 16, 2**31 - 8, -(2**31)]
)
def test_remainders_inside_and_outside(device, start, n):
    with np.errstate(over="ignore"):
        columns = (np.int32(start) + np.arange(16, dtype=np.int32)).astype(np.int64)
    if n != 0:  # a remainder modulo 0 is the dividend
        columns = np.fmod(columns, n)
    if np.abs(columns).max() >= 256:
        pytest.skip("the columns would lie outside of the matrix")
    a, b = small_integers((16, 64), 5), small_integers((65, 512), 6)
    out = device.put(np.zeros((16, 16), np.float32))
    product_from[1](device.put(a), device.put(b.ravel())[256:], out, start, n, 0, 64, BLOCK=16)
    expected = a @ b.ravel()[256 + 512 * np.arange(64)[:, None] + columns[None, :]]
    assert_same_bits(device.get(out), expected)


@pytest.mark.parametrize(
    "bounds", [(0, 64), (0, 63), (1, 64), (16, 48), (15, 49), (5, 5), (-3, 99)]
)
def test_masks_at_both_ends(device, bounds):
    first, last = bounds
    a, b = small_integers((16, 64), 7), small_integers((64, 512), 8)
    out = device.put(np.zeros((16, 16), np.float32))
    product_from[1](device.put(a), device.put(b.ravel()), out, 3, 400, first, last, BLOCK=16)
    used = slice(max(first, 0), min(last, 64))
    assert_same_bits(device.get(out), a[:, used] @ b[used, 3:19])


@eft.jit
def unsigned_product(a_ptr, b_ptr, c_ptr, start, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    columns = (start.to(tl.uint32) + i.to(tl.uint32)) % n.to(tl.uint32)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, 32, BLOCK):
        a = tl.load(a_ptr + i[:, None] * 32 + (k + i)[None, :])
        b = tl.load(b_ptr + (k + i)[:, None] * 128 + columns[None, :].to(tl.int32))
        total = tl.dot(a, b, total)
    tl.store(c_ptr + i[:, None] * BLOCK + i[None, :], total)


@pytest.mark.parametrize("n", [1, 16, 100, 128])
@pytest.mark.parametrize("start", [0, 84, 90, -16, -5, 2**31 - 8])
def test_unsigned_remainders(device, start, n):
    columns = ((np.int64(start) + np.arange(16)) % 2**32) % n
    a, b = small_integers((16, 32), 9), small_integers((32, 128), 10)
    out = device.put(np.zeros((16, 16), np.float32))
    unsigned_product[1](device.put(a), device.put(b), out, start, n, BLOCK=16)
    assert_same_bits(device.get(out), a @ b[:, columns])
