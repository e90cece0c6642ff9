# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks that loops and conditionals carry, small and large, against NumPy."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import DTYPES, assert_same_bits

SIZES = [16, 128, 1024]
#: Types in which sums of a few small integers are exact.
NAMES = ["int8", "uint16", "int32", "uint64", "fp16", "bf16", "fp32", "fp64"]


def numbers(shape, name: str, seed: int = 0) -> np.ndarray:
    least = 0 if name.startswith("u") else -4
    return np.random.default_rng(seed).integers(least, 5, shape).astype(DTYPES[name])


@eft.jit
def sum_rows(x, out, rows, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    total = tl.load(x + i)
    for row in range(1, rows):
        total += tl.load(x + row * SIZE + i)
    tl.store(out + i, total)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_sums(device, name, size):
    x = numbers((7, size), name)
    for rows in (1, 7):
        out = device.put(np.zeros(size, x.dtype))
        sum_rows[(1,)](device.put(x), out, rows, SIZE=size)
        expected = x[:rows].astype(np.float64).sum(0).astype(x.dtype)
        assert_same_bits(device.get(out), expected)


@eft.jit
def fibonacci(x, y, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    a, b, unchanged = tl.load(x + i), tl.load(y + i), tl.load(y + i)
    for _ in range(n):
        a, b = b, a + b
    tl.store(out + i, a)
    tl.store(out + SIZE + i, b)
    tl.store(out + 2 * SIZE + i, unchanged)


@eft.jit
def rotate(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    a, b, c = tl.load(x + i), tl.load(x + SIZE + i), tl.load(x + 2 * SIZE + i)
    for _ in range(n):
        a, b, c = b, c, a
    tl.store(out + i, a)
    tl.store(out + SIZE + i, b)
    tl.store(out + 2 * SIZE + i, c)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_values_that_change_places(device, size, n):
    x = numbers((3, size), "int32")
    out = device.put(np.zeros_like(x))
    fibonacci[(1,)](device.put(x[0]), device.put(x[1]), out, n, SIZE=size)
    a, b = x[0], x[1]
    for _ in range(n):
        a, b = b, a + b
    assert_same_bits(device.get(out), np.stack([a, b, x[1]]))
    rotate[(1,)](device.put(x), out, n, SIZE=size)
    assert_same_bits(device.get(out), np.roll(x, -n, axis=0))


@eft.jit
def rotate_shapes(x, out, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    row = tl.arange(0, COLUMNS)
    a, b = tl.load(x + i), tl.load(x + i) + 1
    best = tl.zeros((COLUMNS,), tl.int32)
    for k in range(n):
        best = tl.maximum(best, tl.max(a, 0))
        a, b = b + best[None, :], a - k
    tl.store(out + i, a + b)
    tl.store(out + ROWS * COLUMNS + row, best)


@pytest.mark.parametrize("shape", [(4, 8), (16, 64), (64, 16)])
def test_two_dimensions_with_reductions(device, shape):
    x = numbers(shape, "int32")
    out = device.put(np.zeros(x.size + shape[1], np.int32))
    rotate_shapes[(1,)](device.put(x), out, 5, ROWS=shape[0], COLUMNS=shape[1])
    a, b, best = x, x + 1, np.zeros(shape[1], np.int32)
    for k in range(5):
        best = np.maximum(best, a.max(0))
        a, b = b + best, a - k
    assert_same_bits(device.get(out), np.concatenate([(a + b).ravel(), best]).astype(np.int32))


@eft.jit
def normalize(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v, before = tl.load(x + i), tl.zeros((SIZE,), tl.int64)
    total = tl.sum(v)
    for _ in range(n):
        before = v
        v = v - tl.max(v)
        v = v * 2 + tl.sum(v) // SIZE
        total += tl.sum(v) - tl.min(before)
    tl.store(out + i, v)
    tl.store(out + SIZE + i, before)
    tl.store(out + 2 * SIZE, total)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_reductions_between_steps(device, size, n):
    x = numbers(size, "int64")
    out = device.put(np.zeros(2 * size + 1, np.int64))
    normalize[(1,)](device.put(x), out, n, SIZE=size)
    v, before, total = x, np.zeros_like(x), x.sum()
    for _ in range(n):
        before = v
        v = v - v.max()
        v = v * 2 + int(v.sum() / size)
        total += v.sum() - before.min()
    assert_same_bits(device.get(out), np.concatenate([v, before, [total]]))


@eft.jit
def collatz(x, out, most, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v, steps, k = tl.load(x + i), tl.zeros((SIZE,), tl.int32), 0
    while (k < most) & (tl.max(v) > 1):
        odd = (v & 1) == 1
        steps += (v > 1).to(tl.int32)
        v = tl.where(v > 1, tl.where(odd, 3 * v + 1, v // 2), v)
        k += 1
    tl.store(out + i, steps)
    tl.store(out + SIZE + i, v)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("most", [0, 3, 1000])
def test_while(device, size, most):
    x = np.arange(1, size + 1, dtype=np.int32)
    out = device.put(np.zeros(2 * size, np.int32))
    collatz[(1,)](device.put(x), out, most, SIZE=size)
    v, steps = x.copy(), np.zeros_like(x)
    for _ in range(most):
        goes = v > 1
        steps += goes
        v = np.where(goes, np.where(v % 2 == 1, 3 * v + 1, v // 2), v)
    assert_same_bits(device.get(out), np.concatenate([steps, v]))


@eft.jit
def branches(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    a = tl.load(x + i)
    b = a + 1
    for k in range(n):
        if k % 3 == 0:
            a, b = b, a
        elif k % 3 == 1:
            for _ in range(k):
                a += b
        elif tl.sum(a) > 100:
            old = a
            a = a - b
            b = old
    if n > 3:
        c = a - b
    else:
        c = a + b
    tl.store(out + i, a)
    tl.store(out + SIZE + i, b)
    tl.store(out + 2 * SIZE + i, c)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [0, 1, 3, 8])
def test_branches_and_nested_loops(device, size, n):
    x = numbers(size, "int32")
    out = device.put(np.zeros(3 * size, np.int32))
    branches[(1,)](device.put(x), out, n, SIZE=size)
    a, b = x, x + 1
    for k in range(n):
        if k % 3 == 0:
            a, b = b, a
        elif k % 3 == 1:
            a = a + k * b
        elif a.sum() > 100:
            a, b = a - b, a
    c = a - b if n > 3 else a + b
    assert_same_bits(device.get(out), np.concatenate([a, b, c]).astype(np.int32))


@eft.jit
def old_and_new(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    a = tl.load(x + i)
    for k in range(n):
        old = a
        for _ in range(3):
            a = a * 2 + 1
        tl.store(out + k * SIZE + i, a - old)
    tl.store(out + n * SIZE + i, a)


@pytest.mark.parametrize("size", SIZES)
def test_values_before_and_after_an_inner_loop(device, size):
    x = numbers(size, "int32")
    out = device.put(np.zeros((5, size), np.int32))
    old_and_new[(1,)](device.put(x), out, 4, SIZE=size)
    expected = np.zeros((5, size), np.int32)
    a = x
    for k in range(4):
        expected[k] = 7 * a + 7
        a = 8 * a + 7
    expected[4] = a
    assert_same_bits(device.get(out), expected)


@eft.jit
def masks(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v = tl.load(x + i)
    seen, both = v < 0, v == v
    for k in range(n):
        seen, both = seen | (v == k), both & (v != k) & (seen == seen)
    tl.store(out + i, seen.to(tl.int32) * 2 + both.to(tl.int32))


@pytest.mark.parametrize("size", SIZES)
def test_booleans(device, size):
    x = numbers(size, "int32")
    out = device.put(np.zeros(size, np.int32))
    masks[(1,)](device.put(x), out, 3, SIZE=size)
    seen = (x < 0) | (x < 3)
    assert_same_bits(device.get(out), (seen * 2 + ((x < 0) | (x >= 3))).astype(np.int32))


@eft.jit
def walk_pointers(x, y, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    p, q = x + i, y + (SIZE - 1 - i)
    total = tl.zeros((SIZE,), tl.int32)
    for _ in range(n):
        total += tl.load(p) - 2 * tl.load(q)
        p, q = q, tl.where(total > 0, p, p + SIZE)
    tl.store(out + i, total)


@pytest.mark.parametrize("size", SIZES)
def test_pointers(device, size):
    x = numbers((2, 4, size), "int32")
    out = device.put(np.zeros(size, np.int32))
    walk_pointers[(1,)](device.put(x[0]), device.put(x[1]), out, 6, SIZE=size)
    flat, i = x.ravel(), np.arange(size)
    p, q, total = i, 4 * size + size - 1 - i, np.zeros(size, np.int32)
    for _ in range(6):
        total = total + flat[p] - 2 * flat[q]
        p, q = q, np.where(total > 0, p, p + size)
    assert_same_bits(device.get(out), total.astype(np.int32))


@eft.jit
def powers(a_ptr, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    a = tl.load(a_ptr + at)
    power, before, total = a, a, tl.zeros((N, N), tl.float32)
    for k in range(n):
        before = power
        total = tl.dot(power, a, total)
        power = tl.dot(a, power) - before
        if k == 1:
            total = tl.dot(total, a, power)
    tl.store(out + at, power)
    tl.store(out + N * N + at, before)
    tl.store(out + 2 * N * N + at, total)


@pytest.mark.parametrize("size", [16, 32, 64])
def test_products_of_what_is_carried(device, size):
    a = np.zeros((size, size), np.float32)
    rows = np.random.default_rng(1)
    for row in a:
        row[rows.integers(0, size, 2)] = rows.integers(-1, 2, 2)
    out = device.put(np.zeros((3, size, size), np.float32))
    powers[(1,)](device.put(a), out, 3, N=size)
    power, before, total = a, a, np.zeros_like(a)
    for k in range(3):
        before = power
        total = total + power @ a
        power = a @ power - before
        if k == 1:
            total = power + total @ a
    np.testing.assert_array_equal(device.get(out), np.stack([power, before, total]))


@eft.jit
def scan_in_a_loop(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v = tl.load(x + i)
    for _ in range(n):
        v = tl.cumsum(v) - v
        v = tl.cumsum(v, reverse=True)
    tl.store(out + i, v)


@pytest.mark.parametrize("size", SIZES)
def test_scans_of_what_is_carried(device, size):
    x = numbers(size, "int32")
    out = device.put(np.zeros(size, np.int32))
    scan_in_a_loop[(1,)](device.put(x), out, 3, SIZE=size)
    v = x
    for _ in range(3):
        v = np.cumsum(v, dtype=np.int32) - v
        v = np.cumsum(v[::-1], dtype=np.int32)[::-1]
    assert_same_bits(device.get(out), np.ascontiguousarray(v))


@eft.jit
def sum_again(x, out, n, SIZE: tl.constexpr):
    total = tl.sum(tl.load(x + tl.arange(0, SIZE)))
    for _ in range(n):
        total = (total + tl.sum(tl.load(x + tl.arange(0, SIZE)))).to(total.dtype)
    tl.store(out, total)


@pytest.mark.parametrize("name", NAMES)
def test_results_of_reductions(device, name):
    x = numbers(32, name)
    out = device.put(np.zeros(1, np.float64))
    sum_again[(1,)](device.put(x), out, 3, SIZE=32)
    assert device.get(out)[0] == 4 * x.astype(np.float64).sum()


@eft.jit
def sum_under_masks(x, out, n, rows, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    total = tl.zeros((SIZE,), tl.int32)
    for row in range(rows):
        at = row * SIZE + i
        total += tl.load(x + at, mask=at < n, other=100)
    tl.store(out + i, total, mask=i < n)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("part", [0, 1, 7, 15, 16, 17, 32, 47, 48])
def test_sums_under_masks(device, size, part):
    x = numbers((3, size), "int32")
    for n in (part * size // 16, part * size // 16 + 1):
        out = device.put(np.full(size, -1, np.int32))
        sum_under_masks[(1,)](device.put(x), out, n, 3, SIZE=size)
        expected = np.where(np.arange(3 * size) < n, x.ravel(), 100).reshape(3, size).sum(0)
        expected = np.where(np.arange(size) < n, expected, -1).astype(np.int32)
        assert_same_bits(device.get(out), expected)


@eft.jit
def less_a_column(x, column, out, turns, M: tl.constexpr, N: tl.constexpr, TWICE: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    carried = tl.load(x + at)
    once = tl.load(column + m[:, None])
    if TWICE:
        once = once * once + 1
    for _ in range(turns):
        carried = carried - once
    tl.store(out + at, carried)
    tl.store(column + m[:, None], once)


@pytest.mark.parametrize("m, n", [(8, 8192), (1, 4096), (64, 1024), (8, 16)])
@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("num_warps", [1, 4])
def test_a_column_from_before_the_loop(device, m, n, twice, num_warps):
    """In the layout of the block, a column's element has a copy for each element of its row."""
    x, column = numbers((m, n), "fp32"), numbers((m, 1), "fp32", seed=1)
    out, place = device.put(np.zeros_like(x)), device.put(column)
    less_a_column[1,](device.put(x), place, out, 3, M=m, N=n, TWICE=twice, num_warps=num_warps)
    once = column * column + 1 if twice else column
    assert_same_bits(device.get(out), x - 3 * once)
    assert_same_bits(device.get(place), once)
