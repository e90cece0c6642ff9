# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions along every axis, to the bit. This checks the order of combining, too."""

import eft
import eft.language as tl
import numpy as np
import pytest
from blocks import FLOATS, INTEGERS, cases, offsets, run, samples
from eft.reference import reduce_in_order
from reduced import SHAPES, reduced_shape, store
from support import DTYPES, assert_same_bits


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


# -- functions of the user -------------------------------------------------------------------------


@eft.jit
def multiply(a, b):
    return a * b


@eft.jit
def weighted(a, weight, b, other):
    """Combines pairs of values of two types. Any change of the order changes the result."""
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


@pytest.mark.parametrize("num_warps", [2, 8, 16])
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
def rows_less_their_means(x_ptr, out_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    weight = tl.zeros(SHAPE, tl.int32) + 1
    mean, count = tl.reduce((x, weight), AXIS, weighted, keep_dims=True)
    tl.store(out_ptr + offsets(SHAPE), x - mean * count.to(x.dtype))


#: Blocks whose reduced axis fills many vectors, in some cases even after its steps are combined.
LARGE = [
    ((16384,), 0, "fp32", 32),
    ((4096,), 0, "fp64", 16),
    ((4096,), 0, "fp16", 8),
    ((8, 2048), 1, "fp32", 16),
    ((8, 2048), 1, "fp16", 1),
    ((4, 16384), 1, "int32", 8),
    ((2048, 8), 0, "fp32", 16),
    ((512, 128), 0, "fp64", 32),
    ((512, 128), 1, "bf16", 32),
    ((8, 256, 8), 1, "fp32", 32),
    ((32, 16, 32), 0, "fp32", 16),
]


@pytest.mark.parametrize("shape, axis, name, num_warps", LARGE)
def test_sums_of_large_blocks(device, shape, axis, name, num_warps):
    x = samples(name, shape, special=False)
    with np.errstate(over="ignore"):
        expected = np.asarray(reduce_in_order(x, axis, np.add, num_warps), x.dtype)
    found = run(device, total, (x,), expected.shape, x.dtype, num_warps, SHAPE=shape, AXIS=axis)
    assert_same_bits(found, expected)


@pytest.mark.parametrize(
    "shape, axis, name, num_warps", [each for each in LARGE if each[2] == "fp32"]
)
def test_users_functions_of_large_blocks(device, shape, axis, name, num_warps):
    x = samples(name, shape, 1, special=False)

    def mean(a, m, b, n):
        return ((a - b) / (m + n).astype(x.dtype) + b).astype(x.dtype), m + n

    ones = np.ones(shape, np.int32)
    means, counts = (
        np.expand_dims(each, axis) for each in reduce_in_order((x, ones), axis, mean, num_warps)
    )
    expected = (x - means * counts.astype(x.dtype)).astype(x.dtype)
    found = run(
        device, rows_less_their_means, (x,), shape, x.dtype, num_warps, SHAPE=shape, AXIS=axis
    )
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
