# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Division of blocks of floats by blocks. Quotients are rounded to nearest, also if a thread has
both usual and special elements."""

import eft
import eft.language as tl
import numpy as np
import pytest
from eft.language.extra import libdevice
from support import DTYPES, assert_same_bits


@eft.jit
def divide(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i) / tl.load(y_ptr + i))


def check(device, x, y, block, num_warps=4):
    out = device.put(np.zeros_like(x))
    arrays = [device.put(each) for each in (x, y)]
    divide[len(x) // block](*arrays, out, N=block, num_warps=num_warps)
    with np.errstate(all="ignore"):
        expected = x / y
    found = device.get(out)
    nan = np.isnan(expected)
    assert np.array_equal(np.isnan(found), nan)
    assert_same_bits(found[~nan], expected[~nan])


def floats(dtype, count, least, most, seed):
    """Floats with random mantissas and signs, and exponents from `least` to `most - 1`."""
    numbers = np.random.default_rng(seed)
    mantissas = numbers.uniform(1, 2, count) * numbers.choice([-1.0, 1.0], count)
    return np.ldexp(mantissas.astype(dtype), numbers.integers(least, most, count))


@pytest.mark.parametrize("block, num_warps", [(128, 4), (256, 4), (1024, 4), (2048, 1)])
@pytest.mark.parametrize("name", ["fp32", "fp64"])
def test_usual_numbers(device, block, num_warps, name):
    dtype, count = DTYPES[name], 1 << 16
    check(
        device, floats(dtype, count, -45, 45, 1), floats(dtype, count, -45, 45, 2), block, num_warps
    )


def test_quotients_next_to_the_middle_of_two_floats(device):
    """x is y times the middle of two floats, rounded. So x / y is very close to the middle."""
    count = 1 << 16
    y = np.abs(floats(np.float32, count, 0, 1, 3))
    q = np.abs(floats(np.float32, count, 0, 1, 4))
    middle = q.astype(np.float64) + np.spacing(q).astype(np.float64) / 2
    check(device, (middle * y).astype(np.float32), y, 1024)


@pytest.mark.parametrize("name", ["fp32", "fp64"])
@pytest.mark.parametrize("block, num_warps", [(1024, 4), (4096, 4)])
def test_all_exponents(device, name, block, num_warps):
    dtype, count = DTYPES[name], 1 << 15
    least, most = np.finfo(dtype).minexp - 20, np.finfo(dtype).maxexp
    x, y = (floats(dtype, count, least, most, seed) for seed in (5, 6))
    check(device, x, y, block, num_warps)


@pytest.mark.parametrize("name", ["fp32", "fp64"])
def test_one_special_number_among_usual_ones(device, name):
    """Each thread has eight elements. Every other thread has a special dividend and divisor."""
    dtype, count = DTYPES[name], 1 << 14
    tiny = np.finfo(dtype).smallest_subnormal
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, tiny, -3 * tiny, np.finfo(dtype).max]
    special += [2.0**e for e in (-60, -51, -50, -49, 49, 50, 51, 60)]
    x, y = floats(dtype, count, -30, 30, 7), floats(dtype, count, -30, 30, 8)
    at = np.arange(0, count, 16)
    numbers = np.random.default_rng(9)
    x[at + numbers.integers(0, 8, len(at))] = numbers.choice(special, len(at))
    y[at + numbers.integers(0, 8, len(at))] = numbers.choice(special, len(at))
    check(device, x, y, 1024)


def test_zeros_are_usual_dividends(device):
    x, y = np.zeros(4096, np.float32), floats(np.float32, 4096, -30, 30, 10)
    x[::3] = -0.0
    check(device, x, y, 1024)


@eft.jit
def running_means(x_ptr, rows_ptr, mean_ptr, rows, N: tl.constexpr):
    """Computes the mean of the first rows of each column. `rows_ptr` says how many they are."""
    i = tl.arange(0, N)
    own_rows = tl.load(rows_ptr + i)
    mean, count = tl.zeros([N], tl.float32), tl.zeros([N], tl.float32)
    for row in range(rows):
        delta = tl.load(x_ptr + row * N + i) - mean
        is_own = row < own_rows
        mean = tl.where(is_own, mean + delta / (count + 1), mean)
        count = tl.where(is_own, count + 1, count)
    tl.store(mean_ptr + i, mean)


@pytest.mark.parametrize("block, num_warps", [(128, 4), (512, 4), (1024, 1)])
@pytest.mark.parametrize("kind", ["the same", "different", "different in one thread"])
def test_divisors_that_count(device, block, num_warps, kind):
    """On a GPU, a thread tests whether all of its elements have the same divisor."""
    numbers = np.random.default_rng(13)
    x = floats(np.float32, 9 * block, -40, 40, 14).reshape(9, block)
    x[numbers.random((9, block)) < 0.1] = -0.0
    own_rows = np.full(block, 9, np.int32)
    if kind == "different":
        own_rows = numbers.integers(0, 10, block).astype(np.int32)
    elif kind == "different in one thread":
        own_rows[3] = 4
    found = device.put(np.zeros(block, np.float32))
    arrays = device.put(x), device.put(own_rows)
    running_means[1,](*arrays, found, 9, N=block, num_warps=num_warps)
    mean, count = np.zeros(block, np.float32), np.zeros(block, np.float32)
    for row in range(9):
        is_own = row < own_rows
        mean = np.where(is_own, mean + (x[row] - mean) / (count + 1), mean)
        count = np.where(is_own, count + 1, count)
    assert_same_bits(device.get(found), mean)


@eft.jit
def by_zeros(x_ptr, signs_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    zero = tl.where(tl.load(signs_ptr + i) == 0, 0.0, -0.0)
    tl.store(out_ptr + i, tl.load(x_ptr + i) / zero)


def test_divisors_that_are_zeros_of_both_signs(device):
    x, signs = floats(np.float32, 256, -3, 3, 15), np.arange(256, dtype=np.int32) % 2
    out = device.put(np.zeros(256, np.float32))
    by_zeros[1,](device.put(x), device.put(signs), out, N=256, num_warps=1)
    with np.errstate(divide="ignore"):
        expected = x / np.where(signs == 0, np.float32(0.0), np.float32(-0.0))
    assert_same_bits(device.get(out), expected)


@eft.jit
def functions(x_ptr, sigmoid_ptr, tanh_ptr, erfc_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(sigmoid_ptr + i, tl.sigmoid(x))
    tl.store(tanh_ptr + i, tl.math.tanh(x))
    tl.store(erfc_ptr + i, libdevice.erfc(x))


def test_quotients_in_functions_are_those_of_a_cpu(device):
    """On a GPU, these functions divide without a test for special numbers."""
    count = 1 << 18
    numbers = np.random.default_rng(11)
    x = numbers.uniform(-110, 110, count).astype(np.float32)
    x[: count // 2] = floats(np.float32, count // 2, -149, 8, 12)
    edges = np.float32([0, 17.32868, 16.63553, 20, 40, 44.3614, 87.33655, 88.72284, 103.97, 104, 3])
    special = np.concatenate([edges, np.nextafter(edges, np.float32(1000)), [np.inf, np.nan]])
    x[: 2 * len(special)] = np.concatenate([special, -special])
    found, expected = ([np.zeros_like(x) for _ in range(3)] for _ in range(2))
    functions[count // 1024](x, *expected, N=1024)
    arrays = [device.put(each) for each in found]
    functions[count // 1024](device.put(x), *arrays, N=1024)
    for array, right in zip(arrays, expected, strict=True):
        mine, nan = device.get(array), np.isnan(right)
        assert np.array_equal(np.isnan(mine), nan)
        assert_same_bits(mine[~nan], right[~nan])
