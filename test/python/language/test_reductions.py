# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions along every axis, to the bit: what is combined, and in which order."""

import eft
import eft.language as tl
import numpy as np
import pytest
from blocks import FLOATS, INTEGERS, cases, offsets, run, samples
from eft.reference import reduce_in_order
from support import DTYPES, assert_same_bits

SHAPES = [
    ((16, 32), 0),
    ((256,), 0),
    ((1,), 0),
    ((8,), 0),
    ((2048,), 0),
    ((4, 8), 0),
    ((4, 8), 1),
    ((64, 32), -1),
    ((1, 16), 0),
    ((16, 1), 1),
    ((8, 64), None),
    ((2, 4, 8), 1),
    ((16, 8, 16), 0),
    ((16, 8, 16), 2),
]


def reduced_shape(shape, axis, keep_dims=False) -> tuple[int, ...]:
    return np.zeros(shape).sum(axis, keepdims=keep_dims).shape


@eft.jit
def store(out_ptr, y):
    """A block in row-major order, or a number."""
    if y.shape == ():
        tl.store(out_ptr, y)
    else:
        tl.store(out_ptr + offsets(y.shape), y)


@eft.jit
def total(
    x_ptr,
    out_ptr,
    SHAPE: tl.constexpr,
    AXIS: tl.constexpr,
    KEEP: tl.constexpr = False,
    DTYPE: tl.constexpr = None,
):
    x = tl.load(x_ptr + offsets(SHAPE))
    store(out_ptr, tl.sum(x, axis=AXIS, keep_dims=KEEP, dtype=DTYPE))


@pytest.mark.parametrize("num_warps", [1, 4])
@pytest.mark.parametrize("name, shape, axis", cases(FLOATS, SHAPES))
def test_sums_of_floats(device, name, shape, axis, num_warps):
    x = samples(name, shape, special=False)
    expected = reduce_in_order(x, axis, np.add, num_warps)
    found = run(device, total, (x,), expected.shape, x.dtype, num_warps, SHAPE=shape, AXIS=axis)
    assert_same_bits(found, np.asarray(expected, x.dtype))


@pytest.mark.parametrize("name, shape, axis", cases(INTEGERS, SHAPES, "int32"))
def test_sums_of_integers(device, name, shape, axis):
    x = samples(name, shape)
    dtype = x.dtype
    if dtype.itemsize < 4:
        dtype = np.dtype(np.int32 if dtype.kind == "i" else np.uint32)
    with np.errstate(over="ignore"):
        expected = np.sum(x, axis, dtype)
    found = run(device, total, (x,), expected.shape, dtype, SHAPE=shape, AXIS=axis)
    assert_same_bits(found, np.asarray(expected))


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_kept_dimensions(device, axis):
    x = samples("int32", (4, 8))
    expected = np.sum(x, axis, np.int32, keepdims=True)
    found = run(device, total, (x,), expected.shape, x.dtype, SHAPE=(4, 8), AXIS=axis, KEEP=True)
    assert_same_bits(found, expected)


@pytest.mark.parametrize(
    "name, dtype", [("int8", "int8"), ("int32", "int64"), ("fp16", "fp32"), ("fp32", "int32")]
)
def test_sums_in_another_type(device, name, dtype):
    x = samples(name, (256,), special=False)
    wanted = DTYPES[dtype]
    expected = reduce_in_order(x.astype(wanted), 0, np.add)
    found = run(
        device, total, (x,), (), wanted, SHAPE=(256,), AXIS=0, DTYPE=getattr(tl, LONG[dtype])
    )
    assert_same_bits(found, np.asarray(expected, wanted))


LONG = {"fp32": "float32", **{name: name for name in INTEGERS}}


@eft.jit
def bitwise(x_ptr, out_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr, OR: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    store(out_ptr, tl.reduce_or(x, AXIS) if OR else x.xor_sum(AXIS))


@pytest.mark.parametrize(
    "name, shape, axis", cases(INTEGERS, [((64,), 0), ((4, 32), 1), ((16, 32), 0)], "int32")
)
def test_bitwise_reductions(device, name, shape, axis):
    x = samples(name, shape)
    for is_or in (False, True):
        combine = np.bitwise_or if is_or else np.bitwise_xor
        found = run(
            device,
            bitwise,
            (x,),
            reduced_shape(shape, axis),
            x.dtype,
            SHAPE=shape,
            AXIS=axis,
            OR=is_or,
        )
        assert_same_bits(found, np.asarray(combine.reduce(x, axis), x.dtype))


# -- extrema ---------------------------------------------------------------------------------------


@eft.jit
def extremum(x_ptr, out_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr, MAX: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    store(out_ptr, tl.max(x, AXIS) if MAX else x.min(AXIS))


def extremum_of(x: np.ndarray, axis, is_max: bool) -> np.ndarray:
    """NaN only where there is nothing else; -0 below +0."""
    if x.dtype.kind in "iub":
        return np.asarray((np.max if is_max else np.min)(x, axis))
    sign = 1 if is_max else -1
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
        # A number as bad as infinity is still better than NaN.
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
        x = (x % 8 if x.dtype.kind in "iu" else np.round(x)).astype(x.dtype)  # more ties
    value, index = run_with_place(device, x, axis, is_max)
    expected = place_of(x, axis, is_max)
    np.testing.assert_array_equal(index, expected)
    along = x.reshape(-1) if axis is None else x
    at = np.expand_dims(expected, 0 if axis is None else axis)
    at_value = np.take_along_axis(along, at, 0 if axis is None else axis)
    assert_same_bits(value, at_value.reshape(value.shape))


@pytest.mark.parametrize("is_max", [True, False])
@pytest.mark.parametrize("name", ["fp32", "fp64"])
@pytest.mark.parametrize("axis", [0, 1])
def test_corners_of_places(device, name, axis, is_max):
    x = np.array(CORNERS, DTYPES[name])
    _, index = run_with_place(device, x, axis, is_max)
    np.testing.assert_array_equal(index, place_of(x, axis, is_max))


@pytest.mark.parametrize("axis", [0, 1, None])
def test_places_with_kept_dimensions(device, axis):
    x = samples("int32", (8, 16))
    value, index = run_with_place(device, x, axis, True, keep=True)
    np.testing.assert_array_equal(value, np.max(x, axis, keepdims=True))
    np.testing.assert_array_equal(index, np.argmax(x, axis, keepdims=True))


@pytest.mark.parametrize("name", ["int32", "fp32"])
def test_any_place_among_equals(device, name):
    x = (np.arange(512) // 64 % 4).astype(DTYPES[name]).reshape(2, 256)
    value, index = run_with_place(device, x, 1, True, left=False)
    np.testing.assert_array_equal(value, x.max(1))
    np.testing.assert_array_equal(x[np.arange(2), index], x.max(1))


# -- functions of the user -------------------------------------------------------------------------


@eft.jit
def multiply(a, b):
    return a * b


@eft.jit
def weighted(a, weight, b, other):
    """Of two types, and such that every change of the order shows."""
    count = weight + other
    return (a - b) / count.to(a.dtype) + b, count


@eft.jit
def first_or_last(a, b, LAST: tl.constexpr = False):
    return b if LAST else a


@eft.jit
def combined(x_ptr, y_ptr, out_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    y = tl.load(y_ptr + offsets(SHAPE))
    mean, count = tl.reduce((x, y), AXIS, weighted)
    store(out_ptr, mean)
    store(out_ptr + mean.numel, count.to(x.dtype))
    store(out_ptr + 2 * mean.numel, x.reduce(AXIS, multiply))
    store(out_ptr + 3 * mean.numel, tl.reduce(x, AXIS, first_or_last))


@pytest.mark.parametrize("num_warps", [2, 8])
@pytest.mark.parametrize("name, shape, axis", cases(["fp32", "fp64"], SHAPES))
def test_users_functions(device, name, shape, axis, num_warps):
    x = samples(name, shape, 1, special=False)
    y = np.random.default_rng(2).integers(1, 4, shape).astype(np.int32)

    def mean(a, m, b, n):
        return ((a - b) / (m + n).astype(x.dtype) + b).astype(x.dtype), m + n

    means, counts = reduce_in_order((x, y), axis, mean, num_warps)
    products = reduce_in_order(x, axis, np.multiply, num_warps)
    firsts = reduce_in_order(x, axis, lambda a, b: a, num_warps)
    found = run(
        device,
        combined,
        (x, y),
        (4, *np.shape(products)),
        x.dtype,
        num_warps,
        SHAPE=shape,
        AXIS=axis,
    )
    expected = np.stack([means, counts, products, firsts]).astype(x.dtype)
    assert_same_bits(found, expected)


@eft.jit
def twice(x_ptr, out_ptr):
    x = tl.load(x_ptr + offsets((16, 32)))
    row = tl.sum(x, 1, keep_dims=True)
    tl.store(out_ptr, tl.max(tl.sum(x - row, 0)))


def test_reductions_of_reductions(device):
    x = samples("int32", (16, 32))
    expected = (x - x.sum(1, dtype=np.int32, keepdims=True)).sum(0, dtype=np.int32).max()
    assert run(device, twice, (x,), (), np.int32) == expected


@eft.jit
def masked_total(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    i = start + tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.program_id(0), tl.sum(tl.load(x_ptr + i, mask=i < n)))


def test_a_sum_for_each_program(device):
    x = samples("fp32", (1000,), special=False)
    out = device.put(np.zeros(4, np.float32))
    masked_total[(4,)](device.put(x), out, 1000, BLOCK=256)
    padded = np.concatenate([x, np.zeros(24, np.float32)]).reshape(4, 256)
    expected = [reduce_in_order(part, 0, np.add) for part in padded]
    assert_same_bits(device.get(out), np.array(expected, np.float32))


# -- softmax ---------------------------------------------------------------------------------------


@eft.jit
def soft(x_ptr, out_ptr, SHAPE: tl.constexpr, DIM: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    tl.store(out_ptr + offsets(SHAPE), x.softmax(DIM) if DIM == 1 else tl.softmax(x))


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("dim", [0, 1])
def test_softmax(device, name, dim):
    x = samples(name, (16, 32), special=False)
    dtype = np.float64 if name == "fp64" else np.float32
    found = run(device, soft, (x,), (16, 32), dtype, SHAPE=(16, 32), DIM=dim)
    wide = np.exp(x.astype(np.longdouble) - x.astype(np.longdouble).max(dim, keepdims=True))
    expected = wide / wide.sum(dim, keepdims=True)
    tolerance = 1e-14 if name == "fp64" else 1e-5
    np.testing.assert_allclose(found, expected.astype(dtype), rtol=tolerance, atol=1e-30)


@eft.jit
def soft_with_keep_dims(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.store(out_ptr + tl.arange(0, 16), tl.softmax(x, 0, keep_dims=True))


def test_softmax_warns_of_keep_dims(device):
    x = np.zeros(16, np.float32)
    with pytest.warns(UserWarning, match="keep_dims does nothing"):
        found = run(device, soft_with_keep_dims, (x,), 16, np.float32)
    assert found.tolist() == [1 / 16] * 16


@eft.jit
def reduce_under_a_mask(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v = tl.load(x + i, mask=i < n, other=3)
    most, at = tl.max(v, 0, return_indices=True)
    tl.store(out, tl.sum(v))
    tl.store(out + 1, most)
    tl.store(out + 2, at)
    tl.store(out + 3 + i, v - most, mask=i < n)


@pytest.mark.parametrize("size", [16, 256, 2048, 8192])
@pytest.mark.parametrize("part", [-1, 0, 1, 7, 8, 15, 16, 17])
def test_rows_that_a_mask_cuts(device, size, part):
    x = np.random.default_rng(size).integers(-100, 100, size).astype(np.int32)
    for n in (part * size // 16 - 1, part * size // 16, part * size // 16 + 5):
        out = device.put(np.zeros(size + 3, np.int32))
        reduce_under_a_mask[(1,)](device.put(x), out, n, SIZE=size)
        v = np.where(np.arange(size) < n, x, 3)
        rest = np.where(np.arange(size) < n, v - v.max(), 0)
        expected = np.concatenate([[v.sum(), v.max(), v.argmax()], rest])
        np.testing.assert_array_equal(device.get(out), expected)


@eft.jit
def sum_row(x, out, SIZE: tl.constexpr):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, SIZE))))


@pytest.mark.parametrize("size", [1, 64, 4096])
@pytest.mark.parametrize("name", ["fp16", "fp32", "fp64"])
def test_sum_of_negative_zeros(device, name, size):
    out = device.put(np.ones(1, DTYPES[name]))
    sum_row[(1,)](device.put(np.full(size, -0.0, DTYPES[name])), out, SIZE=size)
    assert_same_bits(device.get(out), np.full(1, -0.0, DTYPES[name]))
