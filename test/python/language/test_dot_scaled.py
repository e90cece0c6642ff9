# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices in microscaling formats, against NumPy's in fp64."""

import eft
import eft.language as tl
import ml_dtypes
import numpy as np
import pytest
from float8 import table
from support import assert_at, fails

M, N, K = 32, 64, 128
FOURS = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
FOURS = np.concatenate([FOURS, -FOURS])
TYPES = {"e4m3": "fp8e4nv", "e5m2": "fp8e5"}


@eft.jit
def scaled_product(
    a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr, A: tl.constexpr, B: tl.constexpr,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, RUN: tl.constexpr, K_PACK: tl.constexpr,
):  # fmt: skip
    m, n, s = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // RUN)
    a_rows: tl.constexpr = M // 2 if A == "e2m1" and not K_PACK else M
    a_columns: tl.constexpr = K // 2 if A == "e2m1" and K_PACK else K
    b_rows: tl.constexpr = K // 2 if B == "e2m1" and K_PACK else K
    b_columns: tl.constexpr = N // 2 if B == "e2m1" and not K_PACK else N
    i, j = tl.arange(0, a_rows), tl.arange(0, a_columns)
    a = tl.load(a_ptr + i[:, None] * a_columns + j[None, :])
    i, j = tl.arange(0, b_rows), tl.arange(0, b_columns)
    b = tl.load(b_ptr + i[:, None] * b_columns + j[None, :])
    a_scale = None
    if a_scale_ptr is not None:
        a_scale = tl.load(a_scale_ptr + m[:, None] * (K // RUN) + s[None, :])
        if RUN == 16:
            a_scale = a_scale.to(tl.float8e4nv, bitcast=True)
    b_scale = None
    if b_scale_ptr is not None:
        b_scale = tl.load(b_scale_ptr + n[:, None] * (K // RUN) + s[None, :])
        if RUN == 16:
            b_scale = b_scale.to(tl.float8e4nv, bitcast=True)
    a_pack: tl.constexpr = K_PACK or A != "e2m1"
    b_pack: tl.constexpr = K_PACK or B != "e2m1"
    at = c_ptr + m[:, None] * N + n[None, :]
    c = tl.dot_scaled(
        a, a_scale, A, b, b_scale, B, acc=tl.load(at), lhs_k_pack=a_pack, rhs_k_pack=b_pack
    )
    tl.store(at, c)


def packed(codes: np.ndarray, axis: int) -> np.ndarray:
    """Packs two neighbours along an axis into each byte, the first in the low bits."""
    low, high = np.split(codes.reshape(-1, 2) if axis == 1 else codes.T.reshape(-1, 2), 2, axis=1)
    pairs = (low | high << 4).astype(np.uint8)
    shape = (codes.shape[0], codes.shape[1] // 2)
    return pairs.reshape(shape) if axis == 1 else pairs.reshape(codes.shape[1], -1).T


def factor(format: str, shape, seed: int, pack_axis: int) -> tuple[np.ndarray, np.ndarray]:
    """The elements of a factor as bits, packed if they have 4 bits, and their values."""
    generator = np.random.default_rng(seed)
    if format == "e2m1":
        codes = generator.integers(0, 16, shape).astype(np.uint8)
        return packed(codes, pack_axis), FOURS[codes]
    if format in TYPES:
        # Codes of magnitudes from 0.5 to below 2, which are multiples of 1/16.
        codes = generator.integers(0x30 if format == "e4m3" else 0x38, 0x40, shape)
        codes = (codes | generator.integers(0, 2, shape) << 7).astype(np.uint8)
        return codes, table(TYPES[format])[codes]
    values = generator.integers(-8, 9, shape) / 4
    if format == "fp16":
        return values.astype(np.float16).view(np.uint16), values
    return values.astype(ml_dtypes.bfloat16).view(np.uint16), values


def run(device, formats, scales, run_length=32, k_pack=True):
    (a, wide_a), (b, wide_b) = (
        factor(format, shape, seed, k_axis if k_pack else 1 - k_axis)
        for format, shape, seed, k_axis in zip(
            formats, ((M, K), (K, N)), (1, 2), (1, 0), strict=True
        )
    )
    c = np.random.default_rng(3).integers(-9, 10, (M, N)).astype(np.float32)
    out = device.put(c)
    given = [None if scale is None else device.put(scale) for scale in scales]
    arrays = [device.put(np.ascontiguousarray(x)) for x in (a, b)]
    scaled_product[1](
        arrays[0], given[0], arrays[1], given[1], out, A=formats[0], B=formats[1], M=M, N=N, K=K,
        RUN=run_length, K_PACK=k_pack,
    )  # fmt: skip
    return device.get(out), c, wide_a, wide_b


def exponents(rows: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(125, 130, (rows, K // 32)).astype(np.uint8)


def powers(scale: np.ndarray) -> np.ndarray:
    return np.repeat(2.0 ** (scale.astype(np.float64) - 127), 32, axis=1)


@pytest.mark.parametrize("second", ["e2m1", "e4m3", "e5m2", "bf16", "fp16"])
@pytest.mark.parametrize("first", ["e2m1", "e4m3", "e5m2", "bf16", "fp16"])
def test_every_pair_of_formats(device, first, second):
    scales = exponents(M, 4), exponents(N, 5)
    found, c, a, b = run(device, (first, second), scales)
    np.testing.assert_array_equal(found, c + (a * powers(scales[0])) @ (b.T * powers(scales[1])).T)


@pytest.mark.parametrize("present", [(True, False), (False, True), (False, False)])
def test_without_scales(device, present):
    scales = [
        exponents(rows, 6) if has else None for rows, has in zip((M, N), present, strict=True)
    ]
    found, c, a, b = run(device, ("e4m3", "e2m1"), scales)
    a = a * powers(scales[0]) if present[0] else a
    b = (b.T * powers(scales[1])).T if present[1] else b
    np.testing.assert_array_equal(found, c + a @ b)


def test_pairs_along_the_other_dimension(device):
    scales = exponents(M, 7), exponents(N, 8)
    found, c, a, b = run(device, ("e2m1", "e2m1"), scales, k_pack=False)
    np.testing.assert_array_equal(found, c + (a * powers(scales[0])) @ (b.T * powers(scales[1])).T)


def test_scales_of_eight_bits(device):
    generator = np.random.default_rng(9)
    codes = [generator.integers(0x30, 0x40, (rows, K // 16)).astype(np.uint8) for rows in (M, N)]
    found, c, a, b = run(device, ("e2m1", "e2m1"), codes, run_length=16)
    wide = [np.repeat(table("fp8e4nv")[each], 16, axis=1) for each in codes]
    np.testing.assert_array_equal(found, c + (a * wide[0]) @ (b.T * wide[1]).T)


def test_the_ends_of_scales(device):
    scales = exponents(M, 10), exponents(N, 11)
    scales[0][0, 0], scales[0][1, 0], scales[1][:, 0] = 255, 0, 127
    found, c, a, b = run(device, ("e4m3", "e4m3"), scales)
    assert np.isnan(found[0]).all()
    with np.errstate(all="ignore"):
        expected = c + (a * powers(scales[0])) @ (b.T * powers(scales[1])).T
    np.testing.assert_array_equal(found[2:], expected[2:])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-6)


@eft.jit
def mistaken(x_ptr, CASE: tl.constexpr):
    r, c = tl.arange(0, 32)[:, None], tl.arange(0, 32)[None, :]
    x = tl.load(x_ptr + r * 32 + c)
    s = tl.zeros((32, 2), tl.uint8)
    if CASE == "format":
        tl.dot_scaled(x, None, "e3m4", x, None, "e4m3")
    if CASE == "unused":
        tl.dot_scaled(x, None, "e4m3", x, None, "e3m2")
    if CASE == "type":
        tl.dot_scaled(x.to(tl.int16), None, "e4m3", x, None, "e4m3")
    if CASE == "pairs":
        tl.dot_scaled(x.to(tl.int8), None, "e2m1", x, None, "e4m3")
    if CASE == "packing":
        tl.dot_scaled(x, None, "e4m3", x, None, "e4m3", lhs_k_pack=False)
    if CASE == "depth":
        tl.dot_scaled(x, None, "e2m1", x, None, "e4m3")
    if CASE == "scale":
        tl.dot_scaled(x, s, "e4m3", x, None, "e4m3")
    if CASE == "short":
        short = tl.zeros((16, 16), tl.uint8)
        tl.dot_scaled(short, tl.zeros((16, 1), tl.uint8), "e4m3", short, None, "e4m3")
    if CASE == "scale's type":
        tl.dot_scaled(x, None, "e4m3", x, s.to(tl.float32), "e4m3")
    if CASE == "result":
        tl.dot_scaled(x, None, "e4m3", x, None, "e4m3", out_dtype=tl.float16)
    if CASE == "number":
        tl.dot_scaled(3, None, "e4m3", x, None, "e4m3")
    if CASE == "rank":
        tl.dot_scaled(x, None, "e4m3", x[None], None, "e4m3")


@pytest.mark.parametrize(
    "case, message",
    [
        (
            "format",
            "Invalid float format: 'e3m4'. lhs_format must be one of 'e2m1', 'e4m3', 'e5m2', "
            "'bf16', 'fp16'",
        ),
        ("unused", "NYI: rhs_format e3m2"),
        ("type", "Unexpected dtype for e4m3. Got int16"),
        ("pairs", "e2m1 format must be packed as uint8. Got int8"),
        ("packing", "only mxfp4 inputs can be packed along a dimension different than K"),
        (
            "depth",
            "Reduction dimension should pack the same number of elements; (lhs: [32, 32] vs rhs: "
            "[32, 32])",
        ),
        ("scale", "lhs_scale must be a tensor of shape [32, 1]. Got [32, 2]"),
        ("short", "lhs needs at least 32 elements along k, which have one scale, got 16"),
        (
            "scale's type",
            "rhs_scale must be a block of uint8 or float8e4nv, got a block of type fp32[32, 2]",
        ),
        (
            "result",
            "Only float32 is supported for out_dtype at the moment, got out_dtype=the type fp16",
        ),
        ("number", "dot_scaled needs two blocks, got 3 as its lhs"),
        ("rank", "dot_scaled needs blocks of two dimensions, got [1, 32, 32] as its rhs"),
    ],
)
def test_mistakes(case, message):
    error = fails(mistaken, "*u8 _", CASE=case)
    assert error.message == message
    assert_at(error, "tl.dot_scaled(")
