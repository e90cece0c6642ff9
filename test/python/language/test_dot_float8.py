# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices of 8-bit floats, against NumPy's in fp64."""

import eft
import eft.language as tl
import numpy as np
import pytest
from float8 import FORMATS, encode, table
from support import assert_at, fails

PAIRS = [(a, b) for a in ("fp8e4nv", "fp8e5") for b in ("fp8e4nv", "fp8e5")]
PAIRS += [("fp8e4b8", "fp8e5b16"), ("fp8e4b15", "fp8e4nv")]


@eft.jit
def product(
    a_ptr, b_ptr, c_ptr, k, a_row, a_column, b_row, b_column, A: tl.constexpr, B: tl.constexpr,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    m, n, i = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        inside = start + i < k
        at = m[:, None] * a_row + (start + i)[None, :] * a_column
        a = tl.load(a_ptr + at, mask=inside[None, :], other=0.0).to(A, bitcast=True)
        at = (start + i)[:, None] * b_row + n[None, :] * b_column
        b = tl.load(b_ptr + at, mask=inside[:, None], other=0.0).to(B, bitcast=True)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


def small_codes(shape, name: str, seed: int) -> np.ndarray:
    """Codes of numbers whose products and sums are exact in fp32."""
    top = 1.75 if name == "fp8e4b15" else 4
    values = np.random.default_rng(seed).integers(-8, 9, shape) / 8 * top
    return encode(values, name)


def multiply(device, a, b, types, block, transposed=(False, False), warps=4) -> np.ndarray:
    (m, k), n = a.shape, b.shape[1]
    c = device.put(np.zeros((m, n), np.float32))
    arrays, strides = [], []
    for x, is_transposed in zip((a, b), transposed, strict=True):
        arrays.append(device.put(np.ascontiguousarray(x.T if is_transposed else x)))
        strides += (1, x.shape[0]) if is_transposed else (x.shape[1], 1)
    product[(1,)](
        *arrays, c, k, *strides, A=tl.dtype(types[0]), B=tl.dtype(types[1]), M=m, N=n, K=block,
        num_warps=warps,
    )  # fmt: skip
    return device.get(c)


def check(device, types, shape, block, transposed=(False, False), warps=4):
    m, n, k = shape
    a, b = small_codes((m, k), types[0], 1), small_codes((k, n), types[1], 2)
    found = multiply(device, a, b, types, block, transposed, warps)
    np.testing.assert_array_equal(found, table(types[0])[a] @ table(types[1])[b])


@pytest.mark.parametrize("types", PAIRS, ids="-".join)
@pytest.mark.parametrize(
    "shape, block",
    [((16, 16, 16), 16), ((32, 16, 64), 32), ((16, 64, 32), 32), ((64, 64, 128), 64)],
    ids=str,
)
def test_every_pair_of_types(device, types, shape, block):
    check(device, types, shape, block)


@pytest.mark.parametrize("types", PAIRS[:4], ids="-".join)
@pytest.mark.parametrize("transposed", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("warps, shape", [(4, (64, 64, 192)), (8, (128, 64, 256))])
def test_in_loops_of_any_strides(device, types, transposed, warps, shape):
    check(device, types, shape, 64, transposed, warps)


@pytest.mark.parametrize("k", [16, 64, 80, 208])
def test_loops_that_end_inside_of_a_block(device, k):
    check(device, PAIRS[0], (64, 32, k), 64, (False, True))


@pytest.mark.parametrize("types", PAIRS[:4], ids="-".join)
def test_any_numbers_to_the_accumulators_precision(device, types):
    generator = np.random.default_rng(3)
    a, b = (
        encode(generator.normal(size=shape), name)
        for shape, name in zip(((64, 256), (256, 64)), types, strict=True)
    )
    found = multiply(device, a, b, types, 64, (False, True))
    wide = table(types[0])[a], table(types[1])[b]
    # Tensor cores keep at least 13 fraction bits of a sum's largest term.
    bound = np.abs(wide[0]) @ np.abs(wide[1]) * 2.0**-11
    assert (np.abs(found - wide[0] @ wide[1]) <= bound).all()


@eft.jit
def product_in_fp16(a_ptr, c_ptr, IMPRECISE: tl.constexpr):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    a = tl.load(a_ptr + at).to(tl.float8e4nv, bitcast=True)
    c = tl.dot(a, tl.trans(a), max_num_imprecise_acc=IMPRECISE, out_dtype=tl.float16)
    tl.store(c_ptr + at, c)


@pytest.mark.parametrize("imprecise", [None, 0, 32])
def test_a_product_given_as_fp16(device, imprecise):
    a = small_codes((32, 32), "fp8e4nv", 5)
    c = device.put(np.zeros((32, 32), np.float16))
    product_in_fp16[1](device.put(a), c, imprecise)
    wide = table("fp8e4nv")[a]
    np.testing.assert_array_equal(device.get(c), (wide @ wide.T).astype(np.float16))


@eft.jit
def converted_factor(a_ptr, b_ptr, c_ptr):
    i = tl.arange(0, 64)
    at = i[:, None] * 64 + i[None, :]
    a = tl.load(a_ptr + at).to(tl.float8e5)
    b = tl.load(b_ptr + at).to(tl.float8e4nv)
    tl.store(c_ptr + at, tl.dot(a, b))


def test_factors_that_registers_hold(device):
    values = np.random.default_rng(6).integers(-3, 4, (2, 64, 64)).astype(np.float32)
    c = device.put(np.zeros((64, 64), np.float32))
    converted_factor[1](device.put(values[0]), device.put(values[1]), c)
    np.testing.assert_array_equal(device.get(c), values[0] @ values[1])


@eft.jit
def mistaken(x_ptr, y_ptr, CASE: tl.constexpr):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    if CASE == "mixed":
        tl.dot(x, y)
    if CASE == "imprecise":
        tl.dot(x, x, max_num_imprecise_acc=64)
    if CASE == "result":
        tl.dot(x, x, out_dtype=tl.float64)


@pytest.mark.parametrize(
    "case, message",
    [
        (
            "mixed",
            "dot needs two blocks of one type, of int8, fp16, bf16, fp32 or fp64, or two of 8-bit "
            "floats, got fp8e4nv and fp16",
        ),
        ("imprecise", "max_num_imprecise_acc (64) must be <= K (32)"),
        ("result", "dot of fp8e4nv gives fp16 or fp32, got out_dtype=fp64"),
    ],
)
def test_mistakes(case, message):
    error = fails(mistaken, "*fp8e4nv *fp16 _", CASE=case)
    assert error.message == message
    assert_at(error, "tl.dot(")


def test_every_format_has_products():
    assert {name for pair in PAIRS for name in pair} == set(FORMATS)
