# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Minima and maxima along every axis, and their indices."""

import eft
import eft.language as tl
import numpy as np
import pytest
from blocks import cases, offsets, run, samples
from reduced import SHAPES, reduced_shape, store
from support import DTYPES, assert_same_bits


@eft.jit
def extremum(x_ptr, out_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr, MAX: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    store(out_ptr, tl.max(x, AXIS) if MAX else x.min(AXIS))


def extremum_of(x: np.ndarray, axis, is_max: bool) -> np.ndarray:
    """The extremum along an axis: NaN only if all elements are NaN, and -0 is less than +0."""
    if x.dtype.kind in "iub":
        return np.asarray((np.max if is_max else np.min)(x, axis))
    sign = 1 if is_max else -1
    with np.errstate(invalid="ignore"):  # signaling NaNs
        x = x.astype(np.float64)
        lowest = np.where(np.isnan(x), -np.inf, sign * x)
    value = sign * np.max(lowest, axis, keepdims=True)
    nothing = np.all(np.isnan(x), axis, keepdims=True)
    has_sign = np.any((x == 0) & (np.signbit(x) != is_max), axis, keepdims=True)
    zero = 0.0 if is_max else -0.0
    value = np.where(value == 0, np.where(has_sign, zero, -zero), value)
    value = np.where(nothing, np.nan, value)
    return value.reshape(reduced_shape(x.shape, axis))


@pytest.mark.parametrize("is_max", [True, False])
@pytest.mark.parametrize("name, shape, axis", cases(list(DTYPES), SHAPES))
def test_extrema(device, name, shape, axis, is_max):
    x = samples(name, shape)
    dtype = x.dtype
    if dtype.itemsize < 4:
        dtype = np.dtype(np.int32 if dtype.kind in "iub" else np.float32)
    expected = extremum_of(x, axis, is_max).astype(dtype)
    found = run(device, extremum, (x,), expected.shape, dtype, SHAPE=shape, AXIS=axis, MAX=is_max)
    assert_same_bits(found, expected)


CORNERS = [
    [np.nan] * 8,
    [np.nan, np.nan, 1.0, np.nan, -3.0, np.nan, np.nan, np.nan],
    [0.0, -0.0, 0.0, -0.0, -0.0, 0.0, -0.0, 0.0],
    [-0.0, np.nan, -0.0, 0.0, np.nan, -0.0, -0.0, -0.0],
    [np.inf, -np.inf, np.nan, 5.0, np.inf, -np.inf, np.nan, 5.0],
    [-np.inf, np.nan, np.nan, -np.inf, np.nan, np.nan, np.nan, np.nan],
    [np.nan, np.inf, np.nan, np.inf, np.nan, np.nan, np.nan, np.nan],
    [2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0],
]


@eft.jit
def pairwise(x_ptr, y_ptr, out_ptr, N: tl.constexpr, MAX: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    y = tl.load(y_ptr + tl.arange(0, N))
    tl.store(out_ptr + tl.arange(0, N), tl.maximum(x, y) if MAX else tl.minimum(x, y))


#: A signaling NaN and a quiet one, both signs, and numbers.
PATTERNS = {
    np.uint32: [0x7F800001, 0xFF800001, 0x7FC00000, 0xFFC00000, 0, 1 << 31, 0x3F800000, 0xC0000000],
    np.uint64: [
        *(0x7FF0000000000001, 0xFFF0000000000001, 0x7FF8000000000000, 0xFFF8000000000000),
        *(0, 1 << 63, 0x3FF0000000000000, 0xC000000000000000),
    ],
}


@pytest.mark.parametrize("is_max", [True, False])
@pytest.mark.parametrize("bits", PATTERNS)
def test_signaling_nans_count_as_missing(device, bits, is_max):
    numbers = np.array(PATTERNS[bits], bits).view(f"f{np.dtype(bits).itemsize}")
    x, y = (part.ravel().copy() for part in np.meshgrid(numbers, numbers))
    found = run(device, pairwise, (x, y), x.shape, x.dtype, N=x.size, MAX=is_max)
    assert_same_bits(found, extremum_of(np.stack([x, y]), 0, is_max).ravel().astype(x.dtype))


@eft.jit
def of_changed(x_ptr, out_ptr, N: tl.constexpr):
    """Stores the greater of 2 and each of some expressions that compilers simplify to x, -x or
    |x|."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    wide = x.to(tl.float64).to(x.dtype)
    changed = (x * -1.0, x / -1.0, -0.0 - x, x * 1.0, x + 0.0, tl.abs(x) + 0.0, wide)
    for k in tl.static_range(len(changed)):
        tl.store(out_ptr + k * N + i, tl.maximum(changed[k], 2.0 + i.to(x.dtype)))


@pytest.mark.parametrize("bits", PATTERNS)
def test_simplified_arithmetic_of_signaling_nans(device, bits):
    x = np.array(PATTERNS[bits], bits).view(f"f{np.dtype(bits).itemsize}")
    with np.errstate(invalid="ignore"):
        changed = np.stack([-x, -x, -x, x, x, np.abs(x), x])
        expected = np.fmax(changed, 2 + np.arange(8)).astype(x.dtype)
    assert_same_bits(run(device, of_changed, (x,), expected.shape, x.dtype, N=8), expected)


@pytest.mark.parametrize("is_max", [True, False])
@pytest.mark.parametrize("bits", PATTERNS)
@pytest.mark.parametrize("length", [2, 8, 64, 1024])
def test_rows_with_signaling_nans(device, length, bits, is_max):
    numbers = np.array(PATTERNS[bits], bits).view(f"f{np.dtype(bits).itemsize}")
    x = np.stack([np.resize(np.roll(numbers, shift), length) for shift in range(8)])
    x[:4, length // 2 :] = numbers[0]
    x[7] = numbers[1]
    expected = extremum_of(x, 1, is_max).astype(x.dtype)
    found = run(device, extremum, (x,), expected.shape, x.dtype, SHAPE=x.shape, AXIS=1, MAX=is_max)
    assert_same_bits(found, expected)


@pytest.mark.parametrize("is_max", [True, False])
@pytest.mark.parametrize("name", ["fp32", "fp64"])
@pytest.mark.parametrize("axis", [0, 1])
def test_corners_of_extrema(device, name, axis, is_max):
    x = np.array(CORNERS, DTYPES[name])
    expected = extremum_of(x, axis, is_max).astype(x.dtype)
    found = run(device, extremum, (x,), 8, x.dtype, SHAPE=(8, 8), AXIS=axis, MAX=is_max)
    assert_same_bits(found, expected)


@eft.jit
def extremum_and_place(
    x_ptr,
    value_ptr,
    index_ptr,
    SHAPE: tl.constexpr,
    AXIS: tl.constexpr,
    MAX: tl.constexpr,
    LEFT: tl.constexpr,
    KEEP: tl.constexpr,
):
    x = tl.load(x_ptr + offsets(SHAPE))
    if MAX:
        value, index = tl.max(
            x, AXIS, return_indices=True, return_indices_tie_break_left=LEFT, keep_dims=KEEP
        )
        same = tl.argmax(x, AXIS, tie_break_left=LEFT, keep_dims=KEEP)
    else:
        value, index = x.min(AXIS, True, LEFT, KEEP)
        same = x.argmin(AXIS, LEFT, KEEP)
    store(value_ptr, value)
    store(index_ptr, index)
    store(index_ptr + index.numel, same)


def place_of(x: np.ndarray, axis, is_max: bool) -> np.ndarray:
    """The first index of the extremum that is not NaN; 0 if there is none."""
    if x.dtype.kind not in "iub":
        worst = -np.inf if is_max else np.inf
        x = x.astype(np.float64)
        # NaNs become the worst infinity. Clipping makes every number better than NaN.
        steps = np.where(np.isnan(x), worst, np.clip(x, -1e300, 1e300))
        x = np.where(np.all(np.isnan(x), axis, keepdims=True), 0.0, steps)
    return (np.argmax if is_max else np.argmin)(x, axis)


def run_with_place(device, x, axis, is_max, left=True, keep=False, num_warps=4):
    shape = reduced_shape(x.shape, axis, keep)
    value = device.put(np.zeros(shape, x.dtype))
    index = device.put(np.zeros((2, *shape), np.int32))
    extremum_and_place[1](
        device.put(x),
        value,
        index,
        SHAPE=x.shape,
        AXIS=axis,
        MAX=is_max,
        LEFT=left,
        KEEP=keep,
        num_warps=num_warps,
    )
    first, second = device.get(index)
    np.testing.assert_array_equal(first, second)
    return device.get(value), first


@pytest.mark.parametrize("is_max", [True, False])
@pytest.mark.parametrize(
    "name, shape, axis", cases(["int1", "int8", "fp16", "uint32", "fp32", "int64", "fp64"], SHAPES)
)
def test_places_of_extrema(device, name, shape, axis, is_max):
    x = samples(name, shape)
    if x.dtype.itemsize > 1:
        x = (x % 8 if x.dtype.kind in "iu" else np.round(x)).astype(x.dtype)  # this makes more ties
    value, index = run_with_place(device, x, axis, is_max)
    expected = place_of(x, axis, is_max)
    np.testing.assert_array_equal(index, expected)
    if name in ("fp16", "fp32", "fp64"):
        extremum = extremum_of(x, axis, is_max).astype(x.dtype)
    else:
        extremum = (np.max if is_max else np.min)(x, axis)
    assert_same_bits(value, np.asarray(extremum))


@pytest.mark.parametrize("is_max", [True, False])
@pytest.mark.parametrize("name", ["fp32", "fp64"])
@pytest.mark.parametrize("axis", [0, 1])
def test_corners_of_places(device, name, axis, is_max):
    x = np.array(CORNERS, DTYPES[name])
    _, index = run_with_place(device, x, axis, is_max)
    np.testing.assert_array_equal(index, place_of(x, axis, is_max))


@pytest.mark.parametrize("is_max", [True, False])
@pytest.mark.parametrize("name", ["fp16", "fp32", "int32"])
def test_places_in_long_rows(device, name, is_max):
    """Rows of more than 16384 elements, which are reduced in another way."""
    if name == "int32":
        rows = [np.arange(32768) // 7 % 1000, np.full(32768, 3)]
    else:
        rows = [np.full(32768, np.nan) for _ in CORNERS]
        for row, corner in zip(rows, CORNERS, strict=True):
            row[4091:32768:4096] = corner
    for row in rows:
        x = np.array(row, DTYPES[name])
        value, index = run_with_place(device, x, 0, is_max, num_warps=16)
        assert index == place_of(x, 0, is_max)
        extremum = (np.max if is_max else np.min)(x)
        expected = extremum if name == "int32" else extremum_of(x, 0, is_max).astype(x.dtype)
        assert_same_bits(value, np.asarray(expected))


@pytest.mark.parametrize("axis", [0, 1, None])
def test_places_with_kept_dimensions(device, axis):
    x = samples("int32", (8, 16))
    value, index = run_with_place(device, x, axis, True, keep=True)
    np.testing.assert_array_equal(value, np.max(x, axis, keepdims=True))
    np.testing.assert_array_equal(index, np.argmax(x, axis, keepdims=True))


@pytest.mark.parametrize("name", ["int32", "fp32"])
def test_the_first_place_among_equals(device, name):
    x = (np.arange(512) // 64 % 4).astype(DTYPES[name]).reshape(2, 256)
    value, index = run_with_place(device, x, 1, True, left=False)
    np.testing.assert_array_equal(value, x.max(1))
    np.testing.assert_array_equal(index, x.argmax(1))


@eft.jit
def beside_infinity(x_ptr, low_ptr, high_ptr):
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    tl.store(low_ptr + i, tl.minimum(x, float("inf")))
    tl.store(high_ptr + i, tl.maximum(x, float("-inf")))


@pytest.mark.parametrize("name", ["fp16", "bf16", "fp32", "fp64"])
def test_an_infinity_is_chosen_beside_no_number(device, name):
    x = np.array([np.nan, 1, np.inf, -np.inf]).astype(DTYPES[name])
    low, high = device.put(np.zeros_like(x)), device.put(np.zeros_like(x))
    beside_infinity[1](device.put(x), low, high)
    assert_same_bits(device.get(low), np.array([np.inf, 1, np.inf, -np.inf]).astype(x.dtype))
    assert_same_bits(device.get(high), np.array([-np.inf, 1, np.inf, -np.inf]).astype(x.dtype))
