# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops with late products, which need another product of their iteration. A GPU begins the first
product of the next iteration before the late products are done. Sums of integers are exact in any
order."""

import eft
import eft.language as tl
import numpy as np
import pytest
from assembler import log_of_ptxas
from support import assert_same_bits

COUNTS = [0, 1, 2, 3, 4, 9]


@eft.jit
def weighted(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    most_ptr,
    first,
    last,
    step,
    M: tl.constexpr,
    N: tl.constexpr,
    D: tl.constexpr,
    TURNED: tl.constexpr,
):
    """In each iteration, acc = acc * weight + (q k) v, with a weight that depends on q k."""
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    acc = tl.zeros((M, D), tl.float32)
    most = tl.zeros((M,), tl.float32)
    k_at = k_ptr + (n[:, None] * D + d[None, :] if TURNED else d[:, None] * N + n[None, :])
    v_at = v_ptr + n[:, None] * D + d[None, :]
    for _ in range(first, last, step):
        k = tl.load(k_at)
        scores = tl.dot(q, tl.trans(k) if TURNED else k)
        largest = tl.max(scores, 1)
        acc = acc * tl.where(largest > most, 2.0, 1.0)[:, None]
        most = tl.maximum(most, largest)
        acc = tl.dot(scores.to(tl.float16), tl.load(v_at), acc)
        k_at += N * D
        v_at += N * D
    tl.store(out_ptr + m[:, None] * D + d[None, :], acc)
    tl.store(most_ptr + m, most)


def expected_of_weighted(q, k, v):
    acc, most = np.zeros((q.shape[0], v.shape[2])), np.zeros(q.shape[0])
    for keys, values in zip(k, v, strict=True):
        scores = q.astype(np.float64) @ keys
        largest = scores.max(1)
        acc = acc * np.where(largest > most, 2.0, 1.0)[:, None] + scores @ values
        most = np.maximum(most, largest)
    return acc.astype(np.float32), most.astype(np.float32)


SHAPES = [
    # M, N, D, warps
    (64, 64, 128, 4),  # late products
    (128, 64, 128, 8),  # late products
    (128, 64, 128, 4),  # the first factor in shared memory
    (64, 32, 64, 4),
]


@pytest.mark.parametrize("m, n, d, warps", SHAPES)
@pytest.mark.parametrize("num_stages", [1, 2, 3, 4])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("first, step", [(0, 1), (-7, 3)])
def test_a_weighted_sum_of_products(device, m, n, d, warps, num_stages, turned, first, step):
    for count in COUNTS:
        numbers = np.random.default_rng(count)
        q = numbers.integers(-1, 2, (m, d)).astype(np.float16)
        k = numbers.integers(-1, 2, (max(count, 1), d, n)).astype(np.float16)
        v = numbers.integers(-2, 3, (max(count, 1), n, d)).astype(np.float16)
        stored = np.ascontiguousarray(k.transpose(0, 2, 1)) if turned else k
        out = device.put(np.full((m, d), np.nan, np.float32))
        most = device.put(np.full(m, np.nan, np.float32))
        weighted[(1,)](
            device.put(q),
            device.put(stored),
            device.put(v),
            out,
            most,
            first,
            first + count * step,
            step,
            M=m,
            N=n,
            D=d,
            TURNED=turned,
            num_warps=warps,
            num_stages=num_stages,
        )
        expected, expected_most = expected_of_weighted(q, k[:count], v[:count])
        assert_same_bits(device.get(out), expected)
        assert_same_bits(device.get(most), expected_most)


@eft.jit
def two_sums(a_ptr, b_ptr, c_ptr, d_ptr, e_ptr, f_ptr, x_ptr, y_ptr, count, D: tl.constexpr):
    """x += (a c) d and y += (a c + b e) f, as in attention's backward pass."""
    m, n, d = tl.arange(0, 64), tl.arange(0, 32), tl.arange(0, D)
    block, tile = m[:, None] * D + d[None, :], n[:, None] * D + d[None, :]
    a, b = tl.load(a_ptr + block), tl.load(b_ptr + block)
    x, y = tl.zeros((64, D), tl.float32), tl.zeros((64, D), tl.float32)
    for turn in range(count):
        at = tile + turn * 32 * D
        first = tl.dot(a, tl.trans(tl.load(c_ptr + at)))
        x = tl.dot(first.to(tl.float16), tl.load(d_ptr + at), x)
        second = tl.dot(b, tl.trans(tl.load(e_ptr + at)))
        y = tl.dot((first + second).to(tl.float16), tl.load(f_ptr + at), y)
    tl.store(x_ptr + block, x)
    tl.store(y_ptr + block, y)


@pytest.mark.parametrize("num_stages", [1, 3])
@pytest.mark.parametrize("depth", [64, 128])
def test_two_sums_of_products(device, num_stages, depth):
    for count in COUNTS:
        numbers = np.random.default_rng(count)
        a, b = (numbers.integers(-1, 2, (64, depth)).astype(np.float16) for _ in "ab")
        shape = (max(count, 1), 32, depth)
        c, d, e, f = (numbers.integers(-1, 2, shape).astype(np.float16) for _ in "cdef")
        x, y = (device.put(np.full((64, depth), np.nan, np.float32)) for _ in "xy")
        arrays = [device.put(each) for each in (a, b, c, d, e, f)]
        two_sums[(1,)](*arrays, x, y, count, D=depth, num_stages=num_stages)
        expected_x, expected_y = np.zeros((2, 64, depth))
        for turn in range(count):
            first = a.astype(np.float64) @ c[turn].T
            expected_x += first @ d[turn]
            expected_y += (first + b.astype(np.float64) @ e[turn].T) @ f[turn]
        assert_same_bits(device.get(x), expected_x.astype(np.float32))
        assert_same_bits(device.get(y), expected_y.astype(np.float32))


@eft.jit
def changed_behind(a_ptr, b_ptr, c_ptr, x_ptr, count, KIND: tl.constexpr, D: tl.constexpr):
    """In each iteration x = 2 (x + (a bᵀ) c), or x += (a bᵀ) c with x rounded to fp16."""
    m, n, d = tl.arange(0, 64), tl.arange(0, 32), tl.arange(0, D)
    block, tile = m[:, None] * D + d[None, :], n[:, None] * D + d[None, :]
    a = tl.load(a_ptr + block)
    x = tl.zeros((64, D), tl.float16 if KIND == "half" else tl.float32)
    for turn in range(count):
        at = tile + turn * 32 * D
        first = tl.dot(a, tl.trans(tl.load(b_ptr + at))).to(tl.float16)
        c = tl.load(c_ptr + at)
        if KIND == "half":
            x = tl.dot(first, c, x.to(tl.float32)).to(tl.float16)
        else:
            x = tl.dot(first, c, x) * 2
    tl.store(x_ptr + block, x.to(tl.float32))


@pytest.mark.parametrize("kind", ["twice", "half"])
@pytest.mark.parametrize("depth", [64, 128])
def test_accumulators_that_are_changed_behind_their_product(device, kind, depth):
    for count in COUNTS:
        numbers = np.random.default_rng(count)
        a = numbers.integers(-1, 2, (64, depth)).astype(np.float16)
        shape = (max(count, 1), 32, depth)
        b, c = (numbers.integers(-1, 2, shape).astype(np.float16) for _ in "bc")
        x = device.put(np.full((64, depth), np.nan, np.float32))
        arrays = [device.put(each) for each in (a, b, c)]
        changed_behind[1,](*arrays, x, count, KIND=kind, D=depth, num_stages=3)
        expected = np.zeros((64, depth))
        for turn in range(count):
            expected += a.astype(np.float64) @ b[turn].T @ c[turn]
            if kind == "twice":
                expected *= 2
        assert_same_bits(device.get(x) + 0.0, expected.astype(np.float32) + 0.0)


@pytest.mark.parametrize("kind", ["twice", "half"])
@pytest.mark.parametrize("depth", [64, 128])
def test_nothing_touches_accumulators_under_way(kind, depth):
    half = eft.MockTensor(tl.float16)
    arguments = half, half, half, eft.MockTensor(tl.float32), 16
    code = changed_behind.warmup(*arguments, KIND=kind, D=depth, target="sm_90")
    assert "serialized" not in log_of_ptxas(code.asm["ptx"])
