# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices with extents below 16, and of three dimensions, against NumPy's in fp64."""

import eft
import eft.language as tl
import numpy as np
import pytest
from float8 import encode, table
from support import DTYPES

SUMS = {"fp16": "fp32", "bf16": "fp32", "fp32": "fp32", "fp64": "fp64", "int8": "int32"}
SMALL = [(1, 1, 1), (1, 16, 16), (16, 1, 32), (16, 16, 1), (4, 8, 2), (8, 32, 8), (2, 2, 64)]


@eft.jit
def batched_product(
    a_ptr, b_ptr, c_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
    HAS_ACC: tl.constexpr,
):  # fmt: skip
    b, m, n, k = tl.arange(0, B), tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    each = b[:, None, None]
    x = tl.load(a_ptr + (each * M + m[None, :, None]) * K + k[None, None, :])
    y = tl.load(b_ptr + (each * K + k[None, :, None]) * N + n[None, None, :])
    at = c_ptr + (each * M + m[None, :, None]) * N + n[None, None, :]
    if HAS_ACC:
        tl.store(at, tl.dot(x, y, acc=tl.load(at), input_precision="ieee"))
    else:
        tl.store(at, tl.dot(x, y, input_precision="ieee"))


@eft.jit
def small_product(
    a_ptr, b_ptr, c_ptr, turns, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    at = c_ptr + m * N + n
    acc = tl.load(at)
    for turn in range(turns):
        inner = turn * K + k
        x = tl.load(a_ptr + m * (turns * K) + inner[None, :])
        y = tl.load(b_ptr + inner[:, None] * N + n)
        acc = tl.dot(x, y, acc, input_precision="ieee")
    tl.store(at, acc)


def small_integers(shape, name: str, seed: int) -> np.ndarray:
    """Small integers, whose products and sums are exact in every type."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(DTYPES[name])


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("shape", SMALL, ids=str)
def test_small_extents(device, name, shape):
    m, n, k = shape
    a, b = small_integers((m, 3 * k), name, 1), small_integers((3 * k, n), name, 2)
    c = small_integers((m, n), SUMS[name], 3)
    out = device.put(c)
    small_product[1](device.put(a), device.put(b), out, 3, M=m, N=n, K=k)
    expected = c + a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(device.get(out), expected.astype(c.dtype))


@pytest.mark.parametrize("name", ["fp8e4nv", "fp8e5", "fp8e4b8", "fp8e4b15"])
def test_small_extents_of_eight_bits(device, name):
    a, b = (
        encode(np.random.default_rng(seed).integers(-2, 3, (8, 8)) / 2, name) for seed in (1, 2)
    )
    c = device.put(np.zeros((8, 8), np.float32))
    product_of_codes[1](device.put(a), device.put(b), c, FORMAT=tl.dtype(name))
    np.testing.assert_array_equal(device.get(c), table(name)[a] @ table(name)[b])


@eft.jit
def product_of_codes(a_ptr, b_ptr, c_ptr, FORMAT: tl.constexpr):
    at = tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :]
    a = tl.load(a_ptr + at).to(FORMAT, bitcast=True)
    b = tl.load(b_ptr + at).to(FORMAT, bitcast=True)
    tl.store(c_ptr + at, tl.dot(a, b))


@pytest.mark.parametrize("has_acc", [False, True])
@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize(
    "shape",
    [(1, 16, 16, 16), (2, 16, 32, 16), (4, 32, 16, 32), (8, 4, 4, 4), (2, 1, 16, 8)],
    ids=str,
)
def test_three_dimensions(device, name, shape, has_acc):
    count, m, n, k = shape
    a, b = small_integers((count, m, k), name, 1), small_integers((count, k, n), name, 2)
    c = small_integers((count, m, n), SUMS[name], 3)
    out = device.put(c)
    batched_product[1](device.put(a), device.put(b), out, B=count, M=m, N=n, K=k, HAS_ACC=has_acc)
    expected = a.astype(np.float64) @ b.astype(np.float64) + (c if has_acc else 0)
    np.testing.assert_array_equal(device.get(out), expected.astype(c.dtype))


def test_zeros_keep_their_sign(device):
    """The padding of a factor adds nothing: even a sum of -0 stays -0."""
    a, b = np.full((4, 4), -0.0, np.float32), np.zeros((4, 4), np.float32)
    out = device.put(np.full((4, 4), -0.0, np.float32))
    small_product[1](device.put(a), device.put(b), out, 1, M=4, N=4, K=4)
    assert np.signbit(device.get(out)).all()


def test_infinite_factors_make_no_nan_beside_them(device):
    a, b = np.ones((4, 4), np.float32), np.full((4, 4), np.inf, np.float32)
    out = device.put(np.zeros((4, 4), np.float32))
    small_product[1](device.put(a), device.put(b), out, 1, M=4, N=4, K=4)
    assert (device.get(out) == np.inf).all()
