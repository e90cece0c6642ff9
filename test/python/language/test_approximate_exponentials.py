# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exponentials of blocks of matrix products, which a GPU approximates."""

import eft
import eft.language as tl
import mpmath
import numpy as np
import pytest
from elementary import SPECIAL, exact, ulps

SIZE = 64
FUNCTIONS = {"exp": (mpmath.exp, 3.0), "exp2": (lambda x: mpmath.mpf(2) ** x, 2.0)}


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
        limits = np.exp(x)
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
