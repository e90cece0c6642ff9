# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelined loops: loops with matrix products whose operands a GPU copies to shared memory one or
more iterations ahead. The number of stages changes no bit of the result. The copies read no element
that the loop without copies would not read."""

import eft
import eft.language as tl
import numpy as np
import pytest
from products import matmul
from support import assert_same_bits


def factors(dtype, m, n, k):
    """Small integers, whose sums and products are exact."""
    numbers = np.random.default_rng(m + n + k)
    return [numbers.integers(-4, 5, shape).astype(dtype) for shape in ((m, k), (k, n))]


@pytest.mark.parametrize("num_stages", [0, 1, 2, 3, 5, 100])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("m, n, k", [(64, 64, 96), (70, 33, 100), (16, 300, 1), (40, 24, 0)])
@pytest.mark.parametrize("turned", [False, True])
def test_matrix_products(device, num_stages, dtype, m, n, k, turned):
    a, b = factors(dtype, m, n, k)
    sums = np.float64 if dtype is np.float64 else np.float32
    expected = a.astype(sums) @ b.astype(sums)
    b = b.T.copy().T if turned else b
    strides = [each // a.itemsize for each in (*a.strides, *b.strides)]
    out = device.put(np.full((m, n), np.nan, sums))
    one = np.zeros(1, dtype)
    arrays = [device.put(each.ravel(order="K") if each.size else one) for each in (a, b)]
    grid = (-(-m // 32), -(-n // 32))
    matmul[grid](*arrays, out, m, n, k, *strides, BM=32, BN=32, BK=32, num_stages=num_stages)
    assert_same_bits(device.get(out), expected)


@eft.jit
def between(a_ptr, b_ptr, out_ptr, first, last, step: tl.constexpr, STAGES: tl.constexpr):
    i = tl.arange(0, 16)
    b = tl.load(b_ptr + i[:, None] * 16 + i[None, :])
    total = tl.zeros((16, 16), tl.float32)
    block = a_ptr + i[:, None] * 16 + i[None, :]
    for _ in tl.range(first, last, step, num_stages=STAGES):
        total = tl.dot(tl.load(block), b, total)
        block += 256
    tl.store(out_ptr + i[:, None] * 16 + i[None, :], total)


#: Bounds and steps. A few steps beyond some of the bounds overflow 32 bits.
BOUNDS = [
    (0, 64, 16),
    (5, 5, 16),
    (9, 5, 16),
    (-(2**31), -(2**31) + 33, 16),
    (2**31 - 40, 2**31 - 1, 16),
    (-(2**31), 2**31 - 1, 2**30),
    (3, 2**31 - 1, 2**30),
]


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("first, last, step", BOUNDS)
def test_bounds_at_the_end_of_the_integers(device, stages, first, last, step):
    turns = len(range(first, last, step))
    a = np.random.default_rng(turns).integers(-4, 5, (max(turns, 1), 16, 16)).astype(np.float16)
    out = device.put(np.full((16, 16), np.nan, np.float32))
    b = device.put(np.eye(16, dtype=np.float16))
    between[1](device.put(a), b, out, first, last, step, STAGES=stages)
    assert_same_bits(device.get(out), a[:turns].astype(np.float32).sum(0))


@eft.jit
def products_of_parts(a_ptr, b_ptr, bounds_ptr, out_ptr, K: tl.constexpr, STAGES: tl.constexpr):
    """Each program multiplies the part of k between two bounds that it loads."""
    part = tl.program_id(0)
    first, last = tl.load(bounds_ptr + part), tl.load(bounds_ptr + part + 1)
    i = tl.arange(0, 64)
    total = tl.zeros((64, 64), tl.float32)
    for k in tl.range(first, last, 16, num_stages=STAGES):
        inner = k + tl.arange(0, 16)
        a = tl.load(a_ptr + i[:, None] * K + inner[None, :], mask=inner[None, :] < last, other=0)
        b = tl.load(b_ptr + inner[:, None] * 64 + i[None, :], mask=inner[:, None] < last, other=0)
        total = tl.dot(a, b, total)
    tl.store(out_ptr + part * 4096 + i[:, None] * 64 + i[None, :], total)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_loaded_bounds(device, stages, dtype):
    bounds = np.array([0, 48, 48, 64, 40, 128], np.int32)
    a, b = factors(dtype, 64, 64, 128)
    out = device.put(np.full((5, 64, 64), np.nan, np.float32))
    products_of_parts[5](device.put(a), device.put(b), device.put(bounds), out, K=128,
                         STAGES=stages)  # fmt: skip
    wide = a.astype(np.float32), b.astype(np.float32)
    pairs = zip(bounds[:-1], bounds[1:], strict=True)
    expected = [wide[0][:, first:last] @ wide[1][first:last] for first, last in pairs]
    assert_same_bits(device.get(out), np.array(expected))


@eft.jit
def two_products(q_ptr, k_ptr, v_ptr, out_ptr, count, STAGES: tl.constexpr, TURNED: tl.constexpr):
    i = tl.arange(0, 32)
    square = i[:, None] * 32 + i[None, :]
    q = tl.load(q_ptr + square)
    total = tl.zeros((32, 32), tl.float32)
    for turn in tl.range(count, num_stages=STAGES):
        k = tl.load(k_ptr + square + turn * 1024)
        scores = tl.dot(q, tl.trans(k) if TURNED else k).to(tl.float16)
        v = tl.load(v_ptr + square + turn * 1024)
        total += tl.dot(scores, v) * turn
    tl.store(out_ptr + square, total)


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 2, 7])
@pytest.mark.parametrize("turned", [False, True])
def test_a_product_of_a_product(device, stages, count, turned):
    numbers = np.random.default_rng(count)
    q, k, v = (numbers.integers(-2, 3, (max(count, 1), 32, 32)).astype(np.float16) for _ in "qkv")
    expected = np.zeros((32, 32), np.float32)
    for turn in range(count):
        scores = q[0].astype(np.float32) @ (k[turn].T if turned else k[turn])
        expected += turn * (scores @ v[turn])
    out = device.put(np.full((32, 32), np.nan, np.float32))
    arrays = [device.put(each) for each in (q[0], k, v)]
    two_products[1](*arrays, out, count, STAGES=stages, TURNED=turned)
    assert_same_bits(device.get(out), expected)


@eft.jit
def changing_places(a_ptr, b_ptr, out_ptr, names_ptr, count, n):
    i = tl.arange(0, 16)
    square = i[:, None] * 16 + i[None, :]
    a, other = a_ptr + square, b_ptr + square
    s, t, last = 1, 2, 0
    total = tl.zeros((16, 16), tl.float32)
    for _ in range(count):
        total = tl.dot(tl.load(a), tl.load(other), total)
        a, other = other, a
        s, t = t, s
        last = n
    tl.store(out_ptr + square, total)
    tl.store(names_ptr, s * 100 + t * 10 + last)


@pytest.mark.parametrize("count", [0, 1, 4, 5])
def test_pointers_and_numbers_that_change_places(device, count):
    numbers = np.random.default_rng(count)
    a, b = (numbers.integers(-2, 3, (16, 16)).astype(np.float16) for _ in "ab")
    expected = np.zeros((16, 16), np.float32)
    for turn in range(count):
        x, y = (b, a) if turn % 2 else (a, b)
        expected += x.astype(np.float32) @ y.astype(np.float32)
    out, names = (
        device.put(np.full((16, 16), np.nan, np.float32)),
        device.put(np.zeros(1, np.int32)),
    )
    changing_places[1](device.put(a), device.put(b), out, names, count, 7)
    assert_same_bits(device.get(out), expected)
    assert device.get(names)[0] == (210 if count % 2 else 120) + (7 if count else 0)
