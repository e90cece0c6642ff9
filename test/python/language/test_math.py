# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise functions and choices."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import DTYPES, assert_same_bits

N = 128


def samples(name: str, seed: int = 0) -> np.ndarray:
    dtype = DTYPES[name]
    generator = np.random.default_rng(seed)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        x = generator.integers(limits.min, limits.max, N, dtype, endpoint=True)
        x[:2] = [limits.min, limits.max]
        return x
    if dtype == np.bool_:
        return generator.integers(0, 2, N).astype(dtype)
    with np.errstate(over="ignore"):
        x = (generator.standard_normal(N) * 2.0 ** generator.integers(-20, 20, N)).astype(dtype)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]
    x[: len(special)] = np.array(special).astype(dtype)
    return generator.permutation(x)


def ulps(found: np.ndarray, exact: np.ndarray) -> float:
    """The largest error, in units in the last place of the exact result."""
    finite = np.isfinite(exact)
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(exact.astype(found.dtype)))
    with np.errstate(all="ignore"):
        unit = np.spacing(np.abs(exact.astype(found.dtype)))
        distance = np.abs(found.astype(np.longdouble) - exact) / unit.astype(np.longdouble)
    return float(distance[finite & np.isfinite(found)].max())


@eft.jit
def exponential(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.exp(tl.load(x_ptr + i)))


@eft.jit
def logarithm(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.math.log(tl.load(x_ptr + i)))


@eft.jit
def square_root(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).sqrt())


@eft.jit
def absolute(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.abs(tl.load(x_ptr + i)))


def run(device, kernel, x, dtype=None):
    out = device.put(np.zeros(len(x), dtype or x.dtype))
    kernel[1](device.put(x), out, N=len(x))
    return device.get(out)


@pytest.mark.parametrize("name", ["fp32", "fp64"])
def test_functions_of_floats(device, name):
    x = samples(name)
    small = np.clip(x, -80, 80)
    with np.errstate(all="ignore"):
        assert ulps(run(device, exponential, small), np.exp(small.astype(np.longdouble))) <= 2
        positive = np.abs(x[np.isfinite(x) & (x != 0)])
        positive = np.resize(positive, N)
        assert ulps(run(device, logarithm, positive), np.log(positive.astype(np.longdouble))) <= 2
        assert_same_bits(run(device, square_root, x), np.sqrt(x))


@pytest.mark.parametrize("name", list(DTYPES))
def test_absolute_values(device, name):
    x = samples(name)
    assert_same_bits(run(device, absolute, x), x if x.dtype == np.bool_ else np.abs(x))


@eft.jit
def wrapped_and_widened(x_ptr, negated_ptr, absolute_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(negated_ptr + i, (-x).to(tl.int64))
    tl.store(absolute_ptr + i, tl.abs(x).to(tl.int64))


@pytest.mark.parametrize("name", ["int8", "int16", "int32"])
def test_the_least_integer_stays_itself_when_widened(device, name):
    x = np.resize(np.array([np.iinfo(name).min, -1, 5], name), N)
    negated, absolute = (device.put(np.zeros(N, np.int64)) for _ in range(2))
    wrapped_and_widened[1](device.put(x), negated, absolute, N=N)
    assert_same_bits(device.get(negated), (-x).astype(np.int64))
    assert_same_bits(device.get(absolute), np.abs(x).astype(np.int64))


@eft.jit
def extrema(x_ptr, y_ptr, low_ptr, high_ptr, NAN: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(low_ptr + i, tl.minimum(x, y, propagate_nan=NAN))
    tl.store(high_ptr + i, tl.maximum(x, y, NAN))


@pytest.mark.parametrize("name", list(DTYPES))
@pytest.mark.parametrize("propagate", [tl.PropagateNan.NONE, tl.PropagateNan.ALL], ids=repr)
def test_extrema(device, name, propagate):
    x, y = samples(name, 1), samples(name, 2)
    # In Eft -0 is less than +0.
    zero = 1.0 if name.startswith("b") or name.startswith("fp") else 0
    if zero:
        x[:2], y[:2] = np.array([0.0, -0.0]).astype(x.dtype), np.array([-0.0, 0.0]).astype(x.dtype)
    low, high = (device.put(np.zeros(N, x.dtype)) for _ in range(2))
    extrema[1](device.put(x), device.put(y), low, high, NAN=propagate, N=N)
    ignore = propagate is tl.PropagateNan.NONE
    smaller, larger = (np.fmin, np.fmax) if ignore and zero else (np.minimum, np.maximum)
    with np.errstate(invalid="ignore"):
        expected_low, expected_high = smaller(x, y), larger(x, y)
    if zero:
        expected_low[:2] = -0.0
        expected_high[:2] = 0.0
    assert_same_bits(device.get(low), expected_low)
    assert_same_bits(device.get(high), expected_high)


@eft.jit
def clamped(x_ptr, low_ptr, out_ptr, numbers_ptr, NAN: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    low = tl.load(low_ptr + i)
    tl.store(out_ptr + i, tl.clamp(x, low, low + 3, propagate_nan=NAN))
    tl.store(numbers_ptr + i, tl.clamp(x, -1, 1, NAN))


@pytest.mark.parametrize("name", ["int32", "fp16", "bf16", "fp32", "fp64"])
@pytest.mark.parametrize("propagate", [tl.PropagateNan.NONE, tl.PropagateNan.ALL], ids=repr)
def test_clamp(device, name, propagate):
    x = samples(name, 6)
    low = (np.arange(N) % 5).astype(x.dtype)
    out, numbers = (device.put(np.zeros(N, x.dtype)) for _ in range(2))
    clamped[1](device.put(x), device.put(low), out, numbers, NAN=propagate, N=N)
    isnan = np.isnan(x.astype(np.float64)) & (propagate is tl.PropagateNan.ALL)
    for found, a, b in ((out, low, low + 3), (numbers, -1, 1)):
        wide = x.astype(np.float64)
        expected = np.fmin(np.fmax(wide, np.float64(a)), np.float64(b))
        expected = np.where(isnan, np.nan, expected) if isnan.any() else expected
        # In Eft -0 is less than +0.
        found, expected = device.get(found), expected.astype(x.dtype)
        assert_same_bits(np.where(found == 0, 0, found), np.where(expected == 0, 0, expected))


@eft.jit
def chosen(c_ptr, x_ptr, y_ptr, a_ptr, b_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    c = tl.load(c_ptr + i)
    x = tl.load(x_ptr + i)
    tl.store(a_ptr + i, tl.where(c, x, tl.load(y_ptr + i)))
    tl.store(b_ptr + i, tl.where(c, 1, x))


@pytest.mark.parametrize("name", list(DTYPES)[1:])
def test_where(device, name):
    x, y = samples(name, 3), samples(name, 4)
    c = np.random.default_rng(5).integers(0, 2, N).astype(np.bool_)
    a, b = (device.put(np.zeros(N, x.dtype)) for _ in range(2))
    chosen[1](device.put(c), device.put(x), device.put(y), a, b, N=N)
    assert_same_bits(device.get(a), np.where(c, x, y))
    assert_same_bits(device.get(b), np.where(c, x.dtype.type(1), x))


@eft.jit
def chosen_pointer(x_ptr, y_ptr, out_ptr, first):
    tl.store(out_ptr, tl.load(tl.where(first, x_ptr, y_ptr)))


@pytest.mark.parametrize("first", [True, False])
def test_where_of_pointers(device, first):
    out = device.put(np.zeros(1, np.int32))
    one, two = (device.put(np.array([value], np.int32)) for value in (1, 2))
    chosen_pointer[1](one, two, out, first)
    assert device.get(out)[0] == (1 if first else 2)


@eft.jit
def rounded_up(out_ptr, n, d, C: tl.constexpr):
    tl.store(out_ptr, tl.cdiv(n, d))
    tl.store(out_ptr + 1, tl.cdiv(n, 8))
    tl.store(out_ptr + 2, tl.cdiv(C, 8))


def test_cdiv(device):
    out = device.put(np.zeros(3, np.int32))
    rounded_up[1](out, 17, 4, C=33)
    assert device.get(out).tolist() == [5, 3, 5]


@eft.jit
def swizzled(out, ROWS: tl.constexpr, COLUMNS: tl.constexpr, GROUP: tl.constexpr):
    i, j = tl.program_id(0), tl.program_id(1)
    row, column = tl.swizzle2d(i, j, ROWS, COLUMNS, GROUP)
    tl.store(out + row * COLUMNS + column, i * COLUMNS + j)


@pytest.mark.parametrize("rows, columns, group", [(4, 4, 2), (5, 3, 2), (3, 2, 8), (1, 7, 1)])
def test_swizzle2d(device, rows, columns, group):
    out = device.put(np.zeros((rows, columns), np.int32))
    swizzled[(rows, columns)](out, ROWS=rows, COLUMNS=columns, GROUP=group)
    numbers = iter(range(rows * columns))
    expected = np.zeros((rows, columns), np.int32)
    for first in range(0, rows, group):
        for column in range(columns):
            for row in range(first, min(first + group, rows)):
                expected[row, column] = next(numbers)
    np.testing.assert_array_equal(device.get(out), expected)
