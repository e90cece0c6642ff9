# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exponentials and sigmoids that a GPU approximates: those of matrix products, and
`fast_expf`."""

import eft
import eft.language as tl
import mpmath
import numpy as np
import pytest
from eft.language.extra import libdevice
from elementary import SPECIAL, exact, ulps
from support import assert_same_bits

SIZE = 64
FUNCTIONS = {
    "exp": (mpmath.exp, 3.0),
    "exp2": (lambda x: mpmath.mpf(2) ** x, 2.0),
    "sigmoid": (lambda x: 1 / (1 + mpmath.exp(-x)), 4.5),
}


@eft.jit
def of_product(x_ptr, zeros_ptr, y_ptr, SIZE: tl.constexpr, function: tl.constexpr):
    """Computes the function of x + 0, where 0 is the result of a matrix product."""
    at = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    zeros = tl.load(zeros_ptr + at)
    tl.store(y_ptr + at, getattr(tl, function)(tl.load(x_ptr + at) + tl.dot(zeros, zeros)))


@eft.jit
def of_memory(x_ptr, y_ptr, SIZE: tl.constexpr, function: tl.constexpr):
    at = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    tl.store(y_ptr + at, getattr(tl, function)(tl.load(x_ptr + at)))


def operands() -> np.ndarray:
    """Operands with normal, denormal, zero and infinite results; bounds and special numbers."""
    generator = np.random.default_rng(5)
    x = np.concatenate([generator.uniform(-160, 140, 2048), generator.uniform(-3, 3, 1024)])
    edges = np.float32([128, -126, -149, -150, 88.72284, 88.72283, -87.33655, -103.97, -104, 89])
    near = [np.nextafter(edges, np.float32(to)) for to in (-1000, 1000)]
    whole = np.arange(-160, 140)
    x = np.concatenate([SPECIAL, edges, *near, whole, x]).astype(np.float32)
    return np.resize(x, SIZE * SIZE)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_are_near_the_exact_ones(device, function):
    value, bound = FUNCTIONS[function]
    x = operands()
    y = device.put(np.zeros_like(x))
    zeros = device.put(np.zeros(SIZE * SIZE, np.float16))
    of_product[(1,)](device.put(x), zeros, y, SIZE, function)
    found = device.get(y)
    with np.errstate(over="ignore"):
        limits = 1 / (1 + np.exp(-x)) if function == "sigmoid" else np.exp(x)
    expected = [
        exact(value, each) if np.isfinite(each) else mpmath.mpf(float(limit))
        for each, limit in zip(x, limits, strict=True)
    ]
    if device.name == "cuda":
        # Denormal results become 0, except perhaps within 2**-17 of the least normal number.
        least = np.finfo(np.float32).smallest_normal
        tiny = np.array([0 < each < least * (1 + 2.0**-17) for each in expected])
        assert np.all((found[tiny] == 0) | (np.abs(found[tiny] / least - 1) < 2.0**-17))
        assert np.all(found[[0 < each < least * (1 - 2.0**-17) for each in expected]] == 0)
        found, expected = found[~tiny], np.array(expected)[~tiny].tolist()
    assert ulps(found, expected) <= bound


def test_powers_of_two_are_exact(device):
    powers = np.resize(np.arange(-126, 130), SIZE * SIZE)
    x = powers.astype(np.float32)
    y = device.put(np.zeros_like(x))
    zeros = device.put(np.zeros(SIZE * SIZE, np.float16))
    of_product[(1,)](device.put(x), zeros, y, SIZE, "exp2")
    with np.errstate(over="ignore"):
        assert np.array_equal(device.get(y), np.ldexp(np.float32(1), powers))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_cpu_computes_them_like_others(function):
    x = operands()
    found, expected = np.zeros_like(x), np.zeros_like(x)
    of_product[(1,)](x, np.zeros(SIZE * SIZE, np.float16), found, SIZE, function)
    of_memory[(1,)](x, expected, SIZE, function)
    assert np.array_equal(found, expected, equal_nan=True)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_only_these_use_the_hardware(function):
    single, half = tl.pointer_type(tl.float32), tl.pointer_type(tl.float16)
    compiled = of_product.warmup(single, half, single, SIZE, function, grid=(1,), target="cuda:80")
    assert "ex2.approx.ftz.f32" in compiled.asm["ptx"]
    compiled = of_memory.warmup(single, single, SIZE, function, grid=(1,), target="cuda:80")
    assert "ex2" not in compiled.asm["ptx"]


@eft.jit
def fast(x_ptr, y_ptr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE * SIZE)
    tl.store(y_ptr + i, libdevice.fast_expf(tl.load(x_ptr + i)))


@eft.jit
def fast_below_maximum(x_ptr, y_ptr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE * SIZE)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, libdevice.fast_expf(x - tl.max(x, 0)))


def test_fast_expf_is_the_exponential_of_products(device):
    x = operands()
    found, expected = (device.put(np.zeros_like(x)) for _ in range(2))
    fast[(1,)](device.put(x), found, SIZE)
    of_product[(1,)](
        device.put(x), device.put(np.zeros(SIZE * SIZE, np.float16)), expected, SIZE, "exp"
    )
    assert_same_bits(device.get(found), device.get(expected))


def test_fast_expf_below_a_maximum_has_the_same_bits(device):
    """The operand is known to be at most 0, and is not clamped from above."""
    x = operands()
    x = np.where(np.isnan(x) | (x > 140), np.float32(140), x)
    x[:4] = -np.inf, -3e38, 140, -0.0
    found, expected = (device.put(np.zeros_like(x)) for _ in range(2))
    fast_below_maximum[(1,)](device.put(x), found, SIZE)
    fast[(1,)](device.put(x - x.max()), expected, SIZE)
    assert_same_bits(device.get(found), device.get(expected))


@pytest.mark.parametrize("dtype", [tl.float16, tl.bfloat16, tl.float64])
def test_fast_expf_of_other_types(dtype):
    pointer = tl.pointer_type(dtype)
    compiled = fast.warmup(pointer, pointer, 16, grid=(1,), target="cuda:80")
    assert ("ex2.approx.ftz.f32" in compiled.asm["ptx"]) == (dtype != tl.float64)


@eft.jit
def fast_of_an_integer(y_ptr):
    tl.store(y_ptr, libdevice.fast_expf(tl.program_id(0)))


def test_fast_expf_needs_a_float():
    with pytest.raises(eft.CompilationError, match="fast_expf needs .*float.*, got .*int32"):
        fast_of_an_integer.warmup(tl.pointer_type(tl.float32), grid=(1,), target="cuda:80")
