# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quotients and remainders of integers, also where an estimated quotient could be off by one."""

import eft
import eft.language as tl
import numpy as np
import pytest

N = 2048
TYPES = [f"{sign}{bits}" for bits in (8, 16, 32, 64) for sign in ("int", "uint")]


@eft.jit
def by_blocks(x_ptr, y_ptr, quotient_ptr, remainder_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(quotient_ptr + i, x // y)
    tl.store(remainder_ptr + i, x % y)


@eft.jit
def by_a_number(x_ptr, y_ptr, quotient_ptr, remainder_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr)
    tl.store(quotient_ptr + i, x // y)
    tl.store(remainder_ptr + i, x % y)


@eft.jit
def by_a_constant(x_ptr, quotient_ptr, remainder_ptr, D: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(quotient_ptr + i, x // D)
    tl.store(remainder_ptr + i, x % D)


@eft.jit
def quotient_of(a, b):
    return a // b


@eft.jit
def in_reductions(x_ptr, out_ptr, COLUMNS: tl.constexpr, N: tl.constexpr):
    row = tl.arange(0, N // COLUMNS)
    x = tl.load(x_ptr + row[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])
    tl.store(out_ptr + row, tl.reduce(x, 1, quotient_of))


def wrapped(numbers, dtype: np.dtype) -> np.ndarray:
    """Converts Python's integers to a type, modulo 2^bits."""
    bits = 8 * dtype.itemsize
    return np.array([int(each) % 2**bits for each in numbers], f"u{dtype.itemsize}").view(dtype)


def numbers(generator, dtype: np.dtype, count: int) -> np.ndarray:
    """Integers of all magnitudes, and powers of two and neighbours. Ten corner cases come first."""
    limits, bits = np.iinfo(dtype), 8 * dtype.itemsize
    corners = [0, 1, -1, 2, -2, 3, limits.min, limits.min + 1, limits.max, limits.max - 1]
    sizes = generator.integers(0, bits, count).tolist()
    words = generator.integers(0, 2**63, count).tolist()
    kinds = generator.integers(0, 3, count).tolist()
    near = generator.integers(-2, 3, count).tolist()
    some = [
        (word >> (62 - size)) * (1 - kind) if kind < 2 and size < 63 else 2**size + step
        for size, word, kind, step in zip(sizes, words, kinds, near, strict=True)
    ]
    return wrapped((corners + some)[:count], dtype)


def operands(dtype: np.dtype, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Dividends and divisors: each corner case by each corner case, then other integers. Half of
    the dividends are a multiple of their divisor, or one more or less than that."""
    generator = np.random.default_rng(seed)
    x, y = numbers(generator, dtype, N), generator.permutation(numbers(generator, dtype, N))
    corners = x[:10]
    multiples = [
        int(a) // max(abs(int(b)), 1) * int(b) + step
        for a, b, step in zip(x, y, generator.integers(-1, 2, N).tolist(), strict=True)
    ]
    x = np.where(np.arange(N) % 2 == 0, x, wrapped(multiples, dtype))
    x[:100], y[:100] = np.repeat(corners, 10), np.tile(corners, 10)
    return x, y


def divided(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The truncated quotient, and the remainder. Division by zero gives -1 and the dividend."""
    quotients, remainders = [], []
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b != 0 else -1
        quotients.append(quotient)
        remainders.append(a - quotient * b if b != 0 else a)
    return wrapped(quotients, x.dtype), wrapped(remainders, x.dtype)


def check(device, kernel, x, y, *arguments, **constants):
    outputs = [device.put(np.zeros_like(x)) for _ in range(2)]
    kernel[1](device.put(x), *map(device.put, arguments), *outputs, N=N, **constants)
    expected = divided(x, np.broadcast_to(y, x.shape))
    for found, wanted in zip(outputs, expected, strict=True):
        np.testing.assert_array_equal(device.get(found), wanted)


@pytest.mark.parametrize("name", TYPES)
def test_by_blocks(device, name):
    for seed in range(4):
        x, y = operands(np.dtype(name), seed)
        check(device, by_blocks, x, y, y)


@pytest.mark.parametrize("name", TYPES)
def test_by_a_number(device, name):
    x, y = operands(np.dtype(name), 5)
    for divisor in (*y[:10], *y[100:130]):
        check(device, by_a_number, x, divisor, np.array([divisor]))


@pytest.mark.parametrize("name", TYPES)
def test_by_a_constant(device, name):
    x, _ = operands(np.dtype(name), 6)
    for divisor in (1, 2, 3, 7, 10, 64, 100):
        check(device, by_a_constant, x, x.dtype.type(divisor), D=divisor)


@pytest.mark.parametrize("name", ["int8", "uint32", "int64"])
def test_in_a_function_that_combines(device, name):
    x, _ = operands(np.dtype(name), 7)
    out = device.put(np.zeros(N // 2, x.dtype))
    in_reductions[1](device.put(x), out, COLUMNS=2, N=N)
    np.testing.assert_array_equal(device.get(out), divided(x[::2], x[1::2])[0])


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3"])
@pytest.mark.parametrize("name", TYPES)
def test_on_older_processors(host, monkeypatch, name, cpu):
    monkeypatch.setenv("EFT_CPU", cpu)
    x, y = operands(np.dtype(name), 8)
    check(host, eft.jit(by_blocks.fn), x, y, y)
    check(host, eft.jit(by_a_number.fn), x, y[100], y[100:101])


@eft.jit
def of_hashes(out_ptr, FACTOR: tl.constexpr, LENGTH: tl.constexpr, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    element = program.to(tl.int64) * FACTOR + tl.arange(0, BLOCK)
    at = out_ptr + program * BLOCK + tl.arange(0, BLOCK)
    tl.store(at, element % LENGTH)


@pytest.mark.parametrize("factor", [2**62, 0x9E3779B97F4A7C15 >> 1])
def test_64_bit_products_that_wrap_around(device, factor):
    out = device.put(np.zeros((5, 64), np.int64))
    of_hashes[5,](out, factor, 24, 64)
    with np.errstate(over="ignore"):
        element = np.arange(5)[:, None] * np.int64(factor) + np.arange(64)
    assert np.array_equal(device.get(out), np.fmod(element, 24))
