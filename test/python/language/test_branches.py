# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches at run time: `if`, conditional expressions, early returns, conditions."""

import eft
import eft.language as tl
import numpy as np
import pytest


@eft.jit
def classify(out, n):
    if n > 10:
        kind, size = 1, n * 2
    elif n > 0:
        kind, size = 2, n * 3
        if n == 5:
            size = -1
    else:
        kind = 3
        size = 0 - n
    tl.store(out, kind)
    tl.store(out + 1, size)


@pytest.mark.parametrize(
    "n, expected", [(11, [1, 22]), (10, [2, 30]), (5, [2, -1]), (0, [3, 0]), (-4, [3, 4])]
)
def test_values_live_on(device, n, expected):
    out = device.put(np.zeros(2, np.int32))
    classify[(1,)](out, n)
    assert device.get(out).tolist() == expected


@eft.jit
def choose_blocks(x, y, out, which, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < BLOCK
    pointers = x + offsets
    if which != 0:
        pointers = y + BLOCK - 1 - offsets
        mask = offsets % 2 == 0
    tl.store(out + offsets, tl.load(pointers, mask=mask, other=-1.0), mask=mask)


@pytest.mark.parametrize("block", [2, 128, 4096])
def test_blocks_pointers_and_masks_are_chosen(device, block):
    x, y = np.arange(block, dtype=np.float32), np.arange(block, dtype=np.float32) * 10
    out = device.put(np.zeros(block, np.float32))
    choose_blocks[(1,)](device.put(x), device.put(y), out, 0, BLOCK=block)
    np.testing.assert_array_equal(device.get(out), x)
    choose_blocks[(1,)](device.put(x), device.put(y), out, 7, BLOCK=block)
    np.testing.assert_array_equal(device.get(out)[::2], y[::-1][::2])
    np.testing.assert_array_equal(device.get(out)[1::2], x[1::2])


@eft.jit
def load_if(x, out, n):
    tl.store(out, tl.load(x + n) if n >= 0 else 0.5)
    tl.store(out + 1, 1.0 if n == 0 else (2.0 if n > 0 else 3.0))


def test_conditional_expression_runs_one_side(device):
    x = device.put(np.array([10, 20], np.float32))
    out = device.put(np.zeros(2, np.float32))
    for n, expected in [(0, [10, 1]), (1, [20, 2]), (-(2**31), [0.5, 3])]:
        load_if[(1,)](x, out, n)
        assert device.get(out).tolist() == expected


@eft.jit
def conditions(out, a, b, f):
    tl.store(out, 1 if a and b else 0)
    tl.store(out + 1, 1 if a or b else 0)
    tl.store(out + 2, 1 if not a else 0)
    tl.store(out + 3, 1 if 0 <= a < b < 10 else 0)
    tl.store(out + 4, 1 if f else 0)
    if a and not b or f > 0:
        tl.store(out + 5, 1)
    if a is not None and True:
        tl.store(out + 6, 1)


@pytest.mark.parametrize("a", [-1, 0, 3])
@pytest.mark.parametrize("b", [0, 5, 12])
@pytest.mark.parametrize("f", [0.0, -0.0, 0.25, float("nan")])
def test_conditions(device, a, b, f):
    out = device.put(np.zeros(7, np.int32))
    conditions[(1,)](out, a, b, f)
    expected = [a and b, a or b, not a, 0 <= a < b < 10, f, (a and not b) or f > 0, 1]
    assert device.get(out).tolist() == [int(bool(each)) for each in expected]


@eft.jit
def clip(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


@eft.jit
def search(x, out, n, wanted):
    if n <= 0:
        return
    last = tl.load(x + n - 1)
    if last == wanted:
        tl.store(out, n - 1)
        return
    else:
        if last > 100:
            if wanted < 0:
                return
            tl.store(out + 1, last)
    for i in tl.static_range(2):
        if wanted == i:
            tl.store(out, 1000 + i)
            return
    tl.store(out, clip(wanted, -5, 50))


def search_reference(x, n, wanted):
    out = [-1, -1]
    if n <= 0:
        return out
    if x[n - 1] == wanted:
        return [n - 1, -1]
    if x[n - 1] > 100:
        if wanted < 0:
            return out
        out[1] = x[n - 1]
    out[0] = 1000 + wanted if wanted in (0, 1) else min(max(wanted, -5), 50)
    return out


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("wanted", [-9, -1, 0, 1, 7, 99, 200])
def test_early_returns(device, n, wanted):
    x = [7, 200, 1]
    out = device.put(np.full(2, -1, np.int32))
    search[(1,)](device.put(np.array(x, np.int32)), out, n, wanted)
    assert device.get(out).tolist() == search_reference(x, n, wanted)


@eft.jit
def scaled(block, n):
    if n == 0:
        return block, None, 0
    block = block * n
    if n > 5:
        block += 1
        return block, None, n
    return block - 1, None, n + 1


@eft.jit
def use_scaled(out, n, BLOCK: tl.constexpr):
    block, nothing, number = scaled(tl.arange(0, BLOCK), n)
    tl.static_assert(nothing is None)
    tl.store(out + tl.arange(0, BLOCK), block + number)


@pytest.mark.parametrize("n", [0, 3, 6])
def test_tuples_are_returned_early(device, n):
    out = device.put(np.zeros(64, np.int32))
    use_scaled[(1,)](out, n, BLOCK=64)
    block = np.arange(64) * n
    expected = np.arange(64) if n == 0 else block + 1 + n if n > 5 else block - 1 + n + 1
    np.testing.assert_array_equal(device.get(out), expected)


@eft.jit
def narrow(out, n, DEBUG: tl.constexpr):
    for i in range(n):
        if i == 2:
            if DEBUG:
                found = i
                tl.store(out, found)
            offset: tl.constexpr = 1
            tl.store(out + offset, i)
        if i == 3:
            offset: tl.constexpr = 2
            tl.store(out + offset, i)


def test_constants_inside_of_branches(device):
    out = device.put(np.zeros(3, np.int32))
    narrow[(1,)](out, 5, DEBUG=True)
    assert device.get(out).tolist() == [2, 2, 3]


@eft.jit
def long_chain(out, n):
    if n == 0:
        value = 10
    elif n == 1:
        value = 11
    elif n == 2:
        value = 12
    elif n == 3:
        value = 13
    elif n == 4:
        value = 14
    else:
        value = 15
    tl.store(out, value)


def test_chain_of_branches(device):
    out = device.put(np.zeros(1, np.int32))
    for n in range(7):
        long_chain[(1,)](out, n)
        assert device.get(out)[0] == 10 + min(n, 5)


@eft.jit
def store_scalar_sometimes(x, out, n):
    for i in range(n):
        if tl.load(x + i) > 0:
            tl.store(out, tl.load(out) + i)


def test_memory_decides(device):
    x = np.array([1, -1, 0, 5, 6, -2, 3], np.int32)
    out = device.put(np.zeros(1, np.int32))
    store_scalar_sometimes[(1,)](device.put(x), out, len(x))
    assert device.get(out)[0] == 0 + 3 + 4 + 6
