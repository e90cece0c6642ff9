# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of blocks of products, to the bit. Such reductions have an order of their own. The
kernels also store the block that they reduce, and the tests combine its elements in this order."""

import eft
import eft.language as tl
import numpy as np
import pytest
from eft.reference import reduce_in_order
from reduced import reduced_shape, store
from support import DTYPES, assert_same_bits


@eft.jit
def product_of(a_ptr, b_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    return tl.dot(a, b, input_precision="ieee")


@eft.jit
def as_it_is(x, count):
    return x


@eft.jit
def converted(x, count):
    return (x * 0.37).to(tl.float16)


@eft.jit
def chosen(x, count):
    n = tl.arange(0, x.shape[1])
    return tl.where(n[None, :] < 11, x, -x) / (n[None, :] + 1.5)


@eft.jit
def divided_by_a_number(x, count):
    return x / (count + 0.3)


@eft.jit
def less_its_maximum(x, count):
    return tl.exp2((x - tl.max(x, 1)[:, None]) * 0.25)


@eft.jit
def carried(x, count):
    total = tl.zeros(x.shape, tl.float32)
    for turn in range(count):
        total = total * 0.7 + x * turn
    return total


@eft.jit
def carried_by_a_branch(x, count):
    total = tl.zeros(x.shape, tl.float32)
    if count > 2:
        total = x * 1.1
    return total


@eft.jit
def accumulated(x, count):
    i, k = tl.arange(0, x.shape[0]), tl.arange(0, 16)
    n = tl.arange(0, x.shape[1])
    a = (i[:, None] * 0.01 + k[None, :] * 0.3).to(tl.float16)
    b = (k[:, None] * 0.01 - n[None, :] * 0.02).to(tl.float16)
    for _ in range(count):
        x = tl.dot(a, b, x * 0.5)
    return x


#: Functions whose results are blocks of a product.
DERIVED = [
    as_it_is,
    converted,
    chosen,
    divided_by_a_number,
    less_its_maximum,
    carried,
    carried_by_a_branch,
    accumulated,
]


@eft.jit
def transposed(x, count):
    return tl.trans(x)


@eft.jit
def sorted_rows(x, count):
    return tl.sort(x)


@eft.jit
def broadcast_maxima(x, count):
    return tl.max(x, 1)[:, None] * 0.1 + tl.arange(0, x.shape[1])[None, :] * 0.3


@eft.jit
def reshaped_twice(x, count):
    return tl.reshape(tl.reshape(x, (x.numel,)), x.shape)


#: Functions whose results are not blocks of a product, so reductions have the usual order.
MOVED = [transposed, sorted_rows, broadcast_maxima, reshaped_twice]


@eft.jit
def summed(
    a_ptr,
    b_ptr,
    x_ptr,
    out_ptr,
    count,
    FUNCTION: tl.constexpr,
    AXIS: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    x = FUNCTION(product_of(a_ptr, b_ptr, M, N, K), count)
    store(x_ptr, x)
    store(out_ptr, tl.sum(x, AXIS))


def factors(name, m, n, k, seed=0):
    numbers = np.random.default_rng(seed)
    return [numbers.standard_normal(shape).astype(DTYPES[name]) for shape in ((m, k), (k, n))]


def sums(device, function, axis, m, n, k=16, name="fp16", num_warps=4):
    """The block that the kernel has reduced, and the kernel's sum."""
    a, b = factors(name, m, n, k, seed=m + n)
    dtype = np.float16 if function is converted else np.float32
    dtype = np.float64 if name == "fp64" else dtype
    shape = (n, m) if function is transposed else (m, n)
    x = device.put(np.zeros(shape, dtype))
    out = device.put(np.zeros(reduced_shape(shape, axis), dtype))
    sizes = {"M": m, "N": n, "K": k}
    arrays = [device.put(each) for each in (a, b)]
    summed[1](*arrays, x, out, 3, FUNCTION=function, AXIS=axis, num_warps=num_warps, **sizes)
    return device.get(x), device.get(out)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("function", DERIVED, ids=lambda each: each.__name__)
def test_what_is_computed_from_a_product(device, function, axis):
    x, found = sums(device, function, axis, 64, 32)
    assert_same_bits(found, reduce_in_order(x, axis, np.add, 4, of_product=True))


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("function", MOVED, ids=lambda each: each.__name__)
def test_what_is_no_longer_a_product(device, function, axis):
    x, found = sums(device, function, axis, 64, 32)
    assert_same_bits(found, np.asarray(reduce_in_order(x, axis, np.add, 4)))


def test_all_elements_have_the_usual_order(device):
    x, found = sums(device, as_it_is, None, 32, 64)
    assert_same_bits(found, np.asarray(reduce_in_order(x, None, np.add, 4, of_product=True)))
    assert_same_bits(found, np.asarray(reduce_in_order(x, None, np.add, 4)))


SHAPES = [(16, 16), (16, 256), (32, 128), (64, 64), (128, 16), (128, 64), (512, 16)]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("num_warps", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes_and_warps(device, shape, num_warps, axis):
    x, found = sums(device, as_it_is, axis, *shape, num_warps=num_warps)
    assert_same_bits(found, reduce_in_order(x, axis, np.add, num_warps, of_product=True))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["bf16", "fp32", "fp64"])
def test_types(device, name, axis):
    x, found = sums(device, as_it_is, axis, 32, 64, name=name)
    assert_same_bits(found, reduce_in_order(x, axis, np.add, 4, of_product=True))


# -- functions of the user, maxima and places ------------------------------------------------------


@eft.jit
def weighted(a, weight, b, other):
    """Combines pairs of values of two types. Any change of the order changes the result."""
    count = weight + other
    return (a - b) / count.to(a.dtype) + b, count


@eft.jit
def means(
    a_ptr,
    b_ptr,
    x_ptr,
    out_ptr,
    AXIS: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
):
    x = product_of(a_ptr, b_ptr, M, N, 16)
    store(x_ptr, x)
    mean, _ = tl.reduce((x, tl.zeros((M, N), tl.int32) + 1), AXIS, weighted)
    store(out_ptr, mean)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(16, 64), (64, 32)], ids=str)
def test_users_functions(device, shape, axis):
    m, n = shape
    arrays = [device.put(each) for each in factors("fp16", m, n, 16)]
    x = device.put(np.zeros(shape, np.float32))
    out = device.put(np.zeros(reduced_shape(shape, axis), np.float32))
    means[1](*arrays, x, out, AXIS=axis, M=m, N=n)

    def mean(a, weight, b, other):
        count = weight + other
        return ((a - b) / count.astype(np.float32) + b).astype(np.float32), count

    blocks = (device.get(x), np.ones(shape, np.int32))
    expected, _ = reduce_in_order(blocks, axis, mean, 4, of_product=True)
    assert_same_bits(device.get(out), expected)


@eft.jit
def extrema_of(
    a_ptr,
    b_ptr,
    x_ptr,
    value_ptr,
    index_ptr,
    AXIS: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
):
    x = product_of(a_ptr, b_ptr, M, N, 16)
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    x = tl.where((m + n) % 5 == 0, float("nan"), x)  # the next line makes a row and a column of NaN
    x = tl.where((m == 3) | (n == 3), float("nan"), x)
    x = tl.where((m == 4) | (n == 4), tl.where((m + n) % 2 == 0, -0.0, 0.0), x)
    store(x_ptr, x)
    store(value_ptr, tl.max(x, AXIS))
    count: tl.constexpr = M * N // x.shape[AXIS]
    store(value_ptr + count, tl.min(x, AXIS))
    store(index_ptr, tl.argmax(x, AXIS))
    store(index_ptr + count, tl.argmin(x, AXIS))
    whole = tl.where(x == x, x, 0.0).to(tl.int32)
    store(index_ptr + 2 * count, tl.sum(whole, AXIS))
    store(index_ptr + 3 * count, tl.xor_sum(whole, AXIS))


@eft.jit
def whole_extrema(a_ptr, b_ptr, x_ptr, value_ptr, index_ptr, N: tl.constexpr):
    x = product_of(a_ptr, b_ptr, N, N, 16)
    store(x_ptr, x)
    most, place = tl.max(x, return_indices=True)
    tl.store(value_ptr, tl.max(tl.abs(x)))
    tl.store(value_ptr + 1, most)
    tl.store(index_ptr, place)
    tl.store(index_ptr + 1, tl.sum(x.to(tl.int32)))


@pytest.mark.parametrize("num_warps", [1, 4, 8])
def test_extrema_of_all_elements(device, num_warps):
    numbers = np.random.default_rng(3)
    a, b = (numbers.integers(-2, 3, each).astype(np.float16) for each in ((32, 16), (16, 32)))
    x = device.put(np.zeros((32, 32), np.float32))
    values, indices = device.put(np.zeros(2, np.float32)), device.put(np.zeros(2, np.int32))
    arrays = [device.put(each) for each in (a, b)]
    whole_extrema[1](*arrays, x, values, indices, N=32, num_warps=num_warps)
    x = device.get(x)
    assert device.get(values).tolist() == [np.abs(x).max(), x.max()]
    assert device.get(indices).tolist() == [np.argmax(x), x.sum()]


@pytest.mark.parametrize("num_warps", [1, 4, 8])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(16, 64), (64, 32)], ids=str)
def test_extrema_and_sums_of_integers(device, shape, axis, num_warps):
    """Small integers make ties."""
    m, n = shape
    numbers = np.random.default_rng(m)
    a, b = (numbers.integers(-2, 3, each).astype(np.float16) for each in ((m, 16), (16, n)))
    rest = reduced_shape(shape, axis)
    x = device.put(np.zeros(shape, np.float32))
    values = device.put(np.zeros((2, *rest), np.float32))
    indices = device.put(np.zeros((4, *rest), np.int32))
    extrema_of[1](
        device.put(a), device.put(b), x, values, indices, AXIS=axis, M=m, N=n, num_warps=num_warps
    )
    x = device.get(x)
    isnan = np.isnan(x)
    keys = np.where(x == 0, np.where(np.signbit(x), -0.25, 0.25), x)  # -0 sorts before +0
    high = np.where(isnan, -np.inf, keys).max(axis)
    low = np.where(isnan, np.inf, keys).min(axis)
    empty = isnan.all(axis)
    expected = np.stack([high, low])
    expected = np.where(np.abs(expected) == 0.25, np.copysign(0, expected), expected)
    expected = np.where(empty, np.nan, expected).astype(np.float32)
    assert_same_bits(device.get(values), expected)
    first = np.argmax(np.where(isnan, -np.inf, x), axis)
    last = np.argmin(np.where(isnan, np.inf, x), axis)
    whole = np.where(isnan, 0, x).astype(np.int32)
    found = device.get(indices)
    np.testing.assert_array_equal(found[0], first)
    np.testing.assert_array_equal(found[1], last)
    np.testing.assert_array_equal(found[2], whole.sum(axis))
    np.testing.assert_array_equal(found[3], np.bitwise_xor.reduce(whole, axis))
