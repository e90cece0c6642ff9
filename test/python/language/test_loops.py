# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that are not unrolled, and the values that they carry, against Python and NumPy."""
# ruff: noqa: B007 (what a loop's variable is afterwards is tested)

import eft
import eft.language as tl
import numpy as np
import pytest
from support import DTYPES

LEAST, MOST = -(2**31), 2**31 - 1


@eft.jit
def visit_loaded(out, length, bounds):
    count = 0
    for i in range(tl.load(bounds), tl.load(bounds + 1), tl.load(bounds + 2)):
        tl.store(out + count, i)
        count += 1
    tl.store(length, count)


@eft.jit
def visit_step(out, length, start, stop, STEP: tl.constexpr):
    count = 0
    for i in tl.range(start, stop, STEP, num_stages=2):
        tl.store(out + count, i)
        count += 1
    tl.store(length, count)


@eft.jit
def visit_constants(out, length, START: tl.constexpr, STOP: tl.constexpr, STEP: tl.constexpr):
    count = 0
    for i in range(START, STOP, STEP):
        tl.store(out + count, i)
        count += 1
    tl.store(length, count)


def visited(device, kernel, *args, dtype="int64", **constants) -> list[int]:
    out, length = device.put(np.zeros(64, DTYPES[dtype])), device.put(np.zeros(1, np.int32))
    kernel[(1,)](out, length, *args, **constants)
    return device.get(out)[: int(device.get(length)[0])].tolist()


RANGES = [
    (0, 10, 1),
    (0, 10, 3),
    (3, 9, 3),
    (3, 10, 3),
    (5, 5, 1),
    (5, 4, 2),
    (10, 0, -1),
    (10, 0, -3),
    (0, 10, -1),
    (-7, 8, 5),
    (LEAST, LEAST + 5, 2),
    (LEAST + 5, LEAST, -2),
    (MOST - 5, MOST, 1),
    (MOST - 5, MOST, 4),
    (0, MOST, 2**30),
    (LEAST, MOST, MOST),
    (MOST, LEAST, LEAST),
    (MOST, LEAST, -MOST),
]
#: Ranges whose steps exceed the type of their bounds.
LONG_STEPS = [(0, MOST, 2**40), (MOST, LEAST, -(2**63)), (LEAST, MOST, 2**32)]


@pytest.mark.parametrize("bounds", RANGES)
def test_ranges(device, bounds):
    expected = list(range(*bounds))
    loaded = device.put(np.array(bounds, np.int32))
    assert visited(device, visit_loaded, loaded) == expected
    assert visited(device, visit_step, *bounds[:2], STEP=bounds[2]) == expected
    constants = dict(zip(("START", "STOP", "STEP"), bounds, strict=True))
    assert visited(device, visit_constants, **constants) == expected


@pytest.mark.parametrize("bounds", LONG_STEPS)
def test_one_step_passes_the_end(device, bounds):
    assert visited(device, visit_step, *bounds[:2], STEP=bounds[2]) == [bounds[0]]


@pytest.mark.parametrize(
    "bounds",
    [
        (2**40, 2**40 + 5, 1),
        (2**40, 0, -(2**38)),
        (-(2**63), 2**63 - 1, 2**61),
        (2**63 - 1, -(2**63), -(2**62)),
        (2**63 - 4, 2**63 - 1, 3),
        (0, 7, 3),
    ],
)
def test_ranges_of_int64(device, bounds):
    expected = list(range(*bounds))
    loaded = device.put(np.array(bounds, np.int64))
    assert visited(device, visit_loaded, loaded) == expected
    constants = dict(zip(("START", "STOP", "STEP"), bounds, strict=True))
    assert visited(device, visit_constants, **constants) == expected


@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
@pytest.mark.parametrize("distances", [(9, 0, 4), (9, 9, 4), (4, 9, 4), (2**31 + 9, 1, 2**30)])
def test_ranges_of_unsigned(device, dtype, distances):
    most = 2 ** int(dtype[4:]) - 1
    bounds = [most - distances[0], most - distances[1], distances[2]]
    loaded = device.put(np.array(bounds, DTYPES[dtype]))
    assert visited(device, visit_loaded, loaded, dtype=dtype) == list(range(*bounds))


@eft.jit
def count_down_unsigned(out, length, bounds):
    count = 0
    for i in range(tl.load(bounds), tl.load(bounds + 1), -3):
        tl.store(out + count, i)
        count += 1
    tl.store(length, count)


def test_unsigned_counts_down(device):
    loaded = device.put(np.array([2**32 - 1, 2**32 - 12], np.uint32))
    assert visited(device, count_down_unsigned, loaded) == list(range(2**32 - 1, 2**32 - 12, -3))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int1"])
def test_narrow_bounds(device, dtype):
    bounds = [0, 1, 1] if dtype == "int1" else [100, 127, 20]
    loaded = device.put(np.array(bounds, DTYPES[dtype]))
    assert visited(device, visit_loaded, loaded) == list(range(*bounds))


def test_step_of_zero_makes_no_iterations(device):
    assert visited(device, visit_loaded, device.put(np.array([0, 5, 0], np.int32))) == []
    assert visited(device, visit_loaded, device.put(np.array([5, 0, 0], np.int64))) == []


@eft.jit
def sum_rows(x, out, rows, stride, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    pointers = x + columns
    total = tl.zeros((BLOCK,), tl.float32)
    largest = total
    for _ in range(rows):
        row = tl.load(pointers)
        total += row
        largest = tl.maximum(largest, row)
        pointers += stride
    tl.store(out + columns, total)
    tl.store(out + BLOCK + columns, largest)


@pytest.mark.parametrize("rows", [0, 1, 7])
@pytest.mark.parametrize("block", [4, 64, 2048])
def test_pointers_move_on(device, rows, block):
    x = np.random.default_rng(block).integers(0, 100, (8, block + 3)).astype(np.float32)
    out = device.put(np.full((2, block), -1, np.float32))
    sum_rows[(1,)](device.put(x), out, rows, block + 3, BLOCK=block)
    part = x[:rows, :block]
    np.testing.assert_array_equal(device.get(out), [part.sum(0), part.max(0, initial=0)])


@eft.jit
def sum_all(x, out, n, BLOCK: tl.constexpr):
    mask = tl.arange(0, BLOCK) < n
    offsets = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), x.dtype.element_ty)
    for _ in range(0, n, BLOCK):
        total += tl.load(x + offsets, mask=mask, other=0)
        offsets += BLOCK
        mask = offsets < n
    tl.store(out + tl.arange(0, BLOCK), total)


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 1000])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "fp16", "bf16", "fp64"])
def test_masks_are_carried(device, dtype, n):
    x = np.random.default_rng(n).integers(0, 3, 1024).astype(DTYPES[dtype])
    out = device.put(np.full(64, 1, DTYPES[dtype]))
    sum_all[(1,)](device.put(x), out, n, BLOCK=64)
    x[n:] = 0
    expected = x.reshape(-1, 64).astype(np.int64).sum(0).astype(DTYPES[dtype])
    np.testing.assert_array_equal(device.get(out), expected)


@eft.jit
def sum_tiles(x, out, width, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    total = tl.zeros((M, N), tl.int32)
    tile = x + rows[:, None] * width + columns[None, :]
    for start in range(0, width, N):
        total += tl.load(tile, mask=start + columns[None, :] < width)
        tile += N
    tl.store(out + rows[:, None] * N + columns[None, :], total)


@pytest.mark.parametrize("width", [1, 16, 50])
@pytest.mark.parametrize("shape", [(1, 16), (8, 4), (32, 32)])
def test_matrices_are_carried(device, width, shape):
    x = np.random.default_rng(width).integers(0, 100, (shape[0], width)).astype(np.int32)
    out = device.put(np.zeros(shape, np.int32))
    sum_tiles[(1,)](device.put(x), out, width, M=shape[0], N=shape[1])
    padded = np.pad(x, ((0, 0), (0, -width % shape[1])))
    np.testing.assert_array_equal(device.get(out), padded.reshape(shape[0], -1, shape[1]).sum(1))


@eft.jit
def greatest_common_divisors(x, y, out, steps, n):
    for i in range(n):
        a = tl.load(x + i)
        b = tl.load(y + i)
        count = 0
        while b != 0:
            a, b = b, a % b
            count += 1
        tl.store(out + i, a)
        tl.store(steps + i, count)


def test_while_carries_several_values(device):
    random = np.random.default_rng(0)
    x, y = random.integers(0, 2**40, (2, 50))
    y[3] = 0
    out, steps = device.put(np.zeros(50, np.int64)), device.put(np.zeros(50, np.int32))
    greatest_common_divisors[(1,)](device.put(x), device.put(y), out, steps, 50)
    np.testing.assert_array_equal(device.get(out), np.gcd(x, y))
    assert device.get(steps)[3] == 0 and device.get(steps).max() > 5


@eft.jit
def newton(x, out, rounds, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    number = tl.load(x + offsets)
    root = number
    left = rounds
    while left > 0:
        root = (root + number / root) * 0.5
        left -= 1
    tl.store(out + offsets, root)


def test_while_carries_blocks(device):
    x = np.linspace(1, 50, 256, dtype=np.float32)
    out = device.put(np.zeros(256, np.float32))
    newton[(1,)](device.put(x), out, 30, BLOCK=256)
    np.testing.assert_allclose(device.get(out), np.sqrt(x), rtol=3e-7)
    newton[(1,)](device.put(x), out, 0, BLOCK=256)
    np.testing.assert_array_equal(device.get(out), x)


@eft.jit
def first_zero(x, out):
    at = 0
    while (value := tl.load(x + at)) != 0:
        at += 1
    tl.store(out, at)
    tl.store(out + 1, value)


def test_while_assigns_in_its_condition(device):
    out = device.put(np.full(2, 9, np.int32))
    first_zero[(1,)](device.put(np.array([3, 1, 4, 0, 5], np.int32)), out)
    assert device.get(out).tolist() == [3, 0]


@eft.jit
def mixed(out, n, m, BLOCK: tl.constexpr):
    block = tl.arange(0, BLOCK)
    total = 0
    for i in range(n):
        if i % 3 == 0:
            for j in range(i, m):
                block += j
                if j % 2 == 1:
                    total += 1
                else:
                    total -= i
        elif i % 3 == 1:
            k = i
            while k > 0:
                block = block * 3 - k
                k //= 2
        else:
            for j in tl.static_range(3):
                total += j
        total += 100
    tl.store(out + tl.arange(0, BLOCK), block + total)


@pytest.mark.parametrize("n, m", [(0, 5), (1, 0), (9, 6), (12, 20)])
def test_loops_and_branches_in_each_other(device, n, m):
    out = device.put(np.zeros(128, np.int32))
    mixed[(1,)](out, n, m, BLOCK=128)
    block, total = np.arange(128, dtype=np.int32), 0
    for i in range(n):
        if i % 3 == 0:
            for j in range(i, m):
                block += j
                total += 1 if j % 2 == 1 else -i
        elif i % 3 == 1:
            k = i
            while k > 0:
                block = block * 3 - k
                k //= 2
        else:
            total += 3
        total += 100
    np.testing.assert_array_equal(device.get(out), block + total)


@eft.jit
def fibonacci(out, n):
    pair, unchanged = (0, 1), None
    for i in range(n):
        pair = (pair[1], pair[0] + pair[1])
        if unchanged is None:
            last = i
            tl.store(out + 2, last)
    tl.store(out, pair[0])
    tl.store(out + 1, pair[1])


def test_tuples_are_carried(device):
    out = device.put(np.zeros(3, np.int32))
    fibonacci[(1,)](out, 20)
    assert device.get(out).tolist() == [6765, 10946, 19]


@eft.jit
def reuse_variable(out, n):
    i = 7
    for i in range(n):
        pass
    tl.store(out, i)
    for j in tl.static_range(3):
        tl.store(out + 1, j)
    for j in range(n):
        tl.store(out + 1, j)
    tl.store(out + 2, j)


@pytest.mark.parametrize("n", [0, 5])
def test_variable_after_its_loop(device, n):
    out = device.put(np.full(3, -1, np.int32))
    reuse_variable[(1,)](out, n)
    assert device.get(out).tolist() == ([4, 4, 4] if n else [7, 2, 2])


@eft.jit
def in_place(x, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    for i in range(n):
        tl.store(x + offsets, tl.load(x + offsets) * 2 + i)


def test_memory_is_in_order_of_the_iterations(device):
    x = np.arange(8192, dtype=np.int32)
    array = device.put(x)
    in_place[(1,)](array, 5, BLOCK=8192)
    for i in range(5):
        x = x * 2 + i
    np.testing.assert_array_equal(device.get(array), x)


@eft.jit
def persistent(x, out, n, BLOCK: tl.constexpr):
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offsets = block * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        tl.store(out + offsets, tl.load(x + offsets, mask=mask) + 1, mask=mask)


def test_programs_share_blocks(device):
    x = np.arange(10007, dtype=np.int32)
    out = device.put(np.zeros(10100, np.int32))
    persistent[(5,)](device.put(x), out, 10007, BLOCK=128)
    np.testing.assert_array_equal(device.get(out)[:10007], x + 1)
    assert not device.get(out)[10007:].any()


@eft.jit
def carry_across_groups(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    previous = tl.load(x + offsets)
    for i in range(n):
        total = previous + tl.load(x + offsets)
        if i % 2 == 0:
            tl.store(out + offsets, total)
        else:
            previous = tl.load(out + offsets) - i
        tl.store(x + offsets, total + i)
    tl.store(out + offsets, previous)


@pytest.mark.parametrize("block", [32, 1024])
def test_blocks_cross_loops_branches_and_memory(device, block):
    x = np.arange(block, dtype=np.int32)
    array, out = device.put(x), device.put(np.zeros(block, np.int32))
    carry_across_groups[(1,)](array, out, 7, BLOCK=block)
    previous, memory, stored = x.copy(), x.copy(), np.zeros_like(x)
    for i in range(7):
        total = previous + memory
        if i % 2 == 0:
            stored = total.copy()
        else:
            previous = stored - i
        memory = total + i
    np.testing.assert_array_equal(device.get(array), memory)
    np.testing.assert_array_equal(device.get(out), previous)


@eft.jit
def comprehensions(x_ptr, out, ROWS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    row = 7
    rows = [tl.load(x_ptr + row * N + i) for row in range(ROWS)]
    pairs: tl.constexpr = [(a, b) for a in tl.static_range(3) for b in (1, 2) if a != b]
    tl.static_assert(pairs == ((0, 1), (0, 2), (1, 2), (2, 1)))
    total = tl.zeros((N,), tl.int32)
    for k in tl.static_range(len(pairs)):
        total += [x * a - b for x, (a, b) in [(rows[k % ROWS], pairs[k])]][0]
    tl.store(out + i, total + row)


def test_comprehensions_make_tuples(device):
    x = np.arange(3 * 8, dtype=np.int32).reshape(3, 8)
    out = device.put(np.zeros(8, np.int32))
    comprehensions[1](device.put(x), out, ROWS=3, N=8)
    np.testing.assert_array_equal(device.get(out), x[2] + 2 * x[0] - (1 + 2 + 2 + 1) + 7)
