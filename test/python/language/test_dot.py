# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices, against NumPy's in fp64."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import DTYPES

SUMS = {"fp16": "fp32", "bf16": "fp32", "fp32": "fp32", "fp64": "fp64", "int8": "int32"}
SHAPES = [(16, 16, 16), (32, 16, 64), (16, 64, 32), (64, 32, 16), (64, 64, 64)]


@eft.jit
def product(
    a_ptr, b_ptr, c_ptr, a_row, a_column, b_row, b_column,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * a_row + k[None, :] * a_column)
    b = tl.load(b_ptr + k[:, None] * b_row + n[None, :] * b_column)
    c = tl.dot(a, b, input_precision=PRECISION)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c)


@eft.jit
def added_product(a_ptr, b_ptr, c_ptr, N: tl.constexpr, HALF: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    a, b, c = tl.load(a_ptr + at), tl.load(b_ptr + at), tl.load(c_ptr + at)
    if HALF:
        tl.store(c_ptr + at, tl.dot(a, b, acc=c, out_dtype=tl.float16))
    else:
        tl.store(c_ptr + at, tl.dot(a, b, acc=c))


@eft.jit
def sum_of_products(a_ptr, b_ptr, c_ptr, K, BLOCK: tl.constexpr, AS_ACC: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, K, BLOCK):
        a = tl.load(a_ptr + i[:, None] * K + (start + i)[None, :])
        b = tl.load(b_ptr + (start + i)[:, None] * BLOCK + i[None, :])
        if AS_ACC:
            acc = tl.dot(a, b, acc)
        else:
            acc += tl.dot(a, b)
    tl.store(c_ptr + i[:, None] * BLOCK + i[None, :], acc)


@eft.jit
def product_of_a_product(a_ptr, c_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    a = tl.load(a_ptr + at)
    tl.store(c_ptr + at, tl.dot(tl.dot(a, a).to(tl.float16), a))


def small_integers(shape, name: str, seed: int) -> np.ndarray:
    """Small integers, whose products and sums are exact in every type."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(DTYPES[name])


def multiply(device, a, b, precision="ieee", out=None, transposed=(False, False)) -> np.ndarray:
    """The product of two matrices. A transposed matrix is stored by columns."""
    (m, k), n = a.shape, b.shape[1]
    name = next(name for name, dtype in DTYPES.items() if dtype == a.dtype)
    c = device.put(np.zeros((m, n), out or DTYPES[SUMS[name]]))
    arrays, strides = [], []
    for x, isTransposed in zip((a, b), transposed, strict=True):
        arrays.append(device.put(np.ascontiguousarray(x.T if isTransposed else x)))
        strides += (1, x.shape[0]) if isTransposed else (x.shape[1], 1)
    product[(1,)](*arrays, c, *strides, M=m, N=n, K=k, PRECISION=precision)
    return device.get(c)


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_type_and_shape(device, name, shape):
    m, n, k = shape
    a, b = small_integers((m, k), name, 1), small_integers((k, n), name, 2)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(multiply(device, a, b), expected)


@pytest.mark.parametrize("transposed", [(True, False), (False, True), (True, True)], ids=str)
@pytest.mark.parametrize("name", ["fp16", "fp32", "int8"])
def test_factors_that_lie_by_columns(device, name, transposed):
    a, b = small_integers((32, 64), name, 3), small_integers((64, 16), name, 4)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(multiply(device, a, b, transposed=transposed), expected)


@pytest.mark.parametrize(
    ("precision", "bound"),
    [
        ("ieee", 2**-21),
        ("bf16x6", 2**-19),
        ("tf32x3", 2**-19),
        ("bf16x3", 2**-19),
        ("tf32", 2**-10),
    ],
)
def test_precision_of_fp32(device, precision, bound):
    generator = np.random.default_rng(5)
    a = generator.standard_normal((32, 32)).astype(np.float32)
    b = generator.standard_normal((32, 32)).astype(np.float32)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    error = np.abs(multiply(device, a, b, precision) - wide_a @ wide_b)
    assert (error <= bound * (np.abs(wide_a) @ np.abs(wide_b))).all()


def test_ieee_is_a_chain_of_fused_products(device):
    """If the sum -fl(x²) + x * x is fused, it is exactly the rounding error of fl(x²)."""
    a, b = np.zeros((16, 16), np.float32), np.zeros((16, 16), np.float32)
    x = np.float32(1 + 2**-12)
    a[0, :2], b[:2, 0] = [x, -1], [x, np.float32(x * x)]
    lost = float(np.float32(x * x)) - float(x) ** 2
    a[0, :2], b[:2, 0] = [-1, x], [np.float32(x * x), x]
    assert multiply(device, a, b)[0, 0] == -lost


@pytest.mark.parametrize("precision", ["ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"])
def test_infinities_and_nans(device, precision):
    a, b = np.eye(16, dtype=np.float32), np.ones((16, 16), np.float32)
    b[0, :3] = [np.inf, -np.inf, np.nan]
    a[1:, 0] = 0
    found = multiply(device, a, b, precision)
    np.testing.assert_array_equal(found[0, :4], [np.inf, -np.inf, np.nan, 1])
    assert np.isnan(found[1, :3]).all()
    assert (found[:, 3:] == 1).all()


def test_bytes_use_their_sign_and_all_of_the_sum(device):
    a, b = np.full((16, 64), -128, np.int8), np.full((64, 16), -128, np.int8)
    assert (multiply(device, a, b) == 64 * 2**14).all()
    b[:] = 127
    assert (multiply(device, a, b) == -64 * 128 * 127).all()


@pytest.mark.parametrize("name", ["fp16", "fp32", "fp64"])
def test_accumulator(device, name):
    a, b, c = (small_integers((32, 32), name, seed) for seed in (6, 7, 8))
    total = c.astype(np.float64) + a.astype(np.float64) @ b.astype(np.float64)
    accumulator = device.put(c)
    added_product[(1,)](device.put(a), device.put(b), accumulator, N=32, HALF=name == "fp16")
    np.testing.assert_array_equal(device.get(accumulator), total)


def test_a_sum_in_fp16_is_rounded_once(device):
    """The partial sums are larger than fp16 can hold."""
    a = np.full((16, 16), 128, np.float16)
    b = np.full((16, 16), 128, np.float16)
    b[8:] = -128
    c = device.put(np.ones((16, 16), np.float16))
    added_product[(1,)](device.put(a), device.put(b), c, N=16, HALF=True)
    assert (device.get(c) == 1).all()


@pytest.mark.parametrize("as_acc", [True, False])
@pytest.mark.parametrize("name", ["fp16", "fp32"])
def test_sum_over_a_loop(device, name, as_acc):
    a, b = small_integers((32, 128), name, 9), small_integers((128, 32), name, 10)
    c = device.put(np.zeros((32, 32), np.float32))
    sum_of_products[(1,)](device.put(a), device.put(b), c, 128, BLOCK=32, AS_ACC=as_acc)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(device.get(c), expected)


def test_product_as_a_factor(device):
    a = np.random.default_rng(11).integers(-1, 2, (32, 32)).astype(np.float16)
    c = device.put(np.zeros((32, 32), np.float32))
    product_of_a_product[(1,)](device.put(a), c, N=32)
    wide = a.astype(np.float64)
    np.testing.assert_array_equal(device.get(c), wide @ wide @ wide)


@eft.jit
def product_by_columns(
    a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr
):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK)
    c_at = c_ptr + m[:, None] + n[None, :] * M
    acc = tl.load(c_at)
    for start in range(0, K, BLOCK):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_at, acc)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["fp16", "fp32", "fp64", "int8"])
def test_sums_that_lie_by_columns(device, name, shape):
    m, n, k = shape
    a, b = small_integers((m, 3 * k), name, 6), small_integers((3 * k, n), name, 7)
    c = small_integers((n, m), SUMS[name], 8)
    out = device.put(c)
    product_by_columns[(1,)](device.put(a), device.put(b), out, 3 * k, M=m, N=n, BLOCK=k)
    expected = c.T + a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(device.get(out).T, expected)
