# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that compute floats from integers, and compare all these floats with one number. The
compiler compares the integers with a threshold instead. These tests use the integers around the
right threshold.
"""

import operator

import eft
import eft.language as tl
import numpy as np
import pytest

OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
WIDTH = 32


@eft.jit
def made(words, SOURCE: tl.constexpr):
    if SOURCE == "rand":
        return tl.uint_to_uniform_float(words)
    if SOURCE == "24 bits":
        return (words >> 8).to(tl.float32) * (1 / 2**24)
    if SOURCE == "31 bits":
        return (words >> 1).to(tl.float32) * (1 / 2**31)
    return (words & 0x7FFFFFFF).to(tl.float32)


@eft.jit
def ordered(a, b, OPERATOR: tl.constexpr):
    if OPERATOR == ">":
        return a > b
    if OPERATOR == ">=":
        return a >= b
    if OPERATOR == "<":
        return a < b
    return a <= b


@eft.jit
def compare(
    words_ptr, numbers_ptr, out_ptr,
    SOURCE: tl.constexpr, OPERATOR: tl.constexpr, LEFT: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    at = row * WIDTH + tl.arange(0, WIDTH)
    floats = made(tl.load(words_ptr + at), SOURCE)
    number = tl.load(numbers_ptr + row)
    if LEFT:
        result = ordered(floats, number, OPERATOR)
    else:
        result = ordered(number, floats, OPERATOR)
    tl.store(out_ptr + at, result)


def floats_of(words: np.ndarray, source: str) -> np.ndarray:
    """The floats that `made` computes from the words, in NumPy."""
    if source == "rand":
        signed = words.view(np.int32)
        folded = np.where(signed < 0, ~signed, signed)
        return folded.astype(np.float32) * np.float32(4.6566127342e-10)
    if source == "24 bits":
        return (words >> 8).astype(np.float32) * np.float32(2**-24)
    if source == "31 bits":
        return (words >> 1).astype(np.float32) * np.float32(2**-31)
    return (words & 0x7FFFFFFF).astype(np.float32)


def numbers_for(source: str) -> np.ndarray:
    """Numbers to compare with: random bits, possible floats, their neighbours, range ends."""
    rng = np.random.default_rng(7)
    bits = rng.integers(0, 2**32, 1000, np.uint32)
    drawn = floats_of(bits >> rng.integers(0, 31, bits.size, np.uint32), source)
    top = floats_of(np.array([0x7FFFFFFF, 0x7FFFFF00, 0xFFFFFFFF], np.uint32), source)
    ends = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        0.1,
        2.0,
        1e-45,
        -1e-45,
        1e-38,
        3e38,
        np.inf,
        -np.inf,
        np.nan,
    ]
    exact = np.concatenate([drawn, top, np.array(ends, np.float32)])
    below, above = (np.nextafter(exact, np.float32(end)) for end in (-np.inf, np.inf))
    return np.concatenate([bits.view(np.float32), exact, below, above])


def words_around(numbers: np.ndarray, source: str) -> np.ndarray:
    """A row of words for each number: around the threshold, random, and the ends of the range."""
    least, most = np.zeros(numbers.size, np.int64), np.full(numbers.size, 0x7FFFFFFF)
    shift = {"24 bits": 8, "31 bits": 1}.get(source, 0)
    while (least < most).any():
        middle = (least + most) // 2
        is_above = floats_of((middle << shift).astype(np.uint32), source) > numbers
        least, most = np.where(is_above, least, middle + 1), np.where(is_above, middle, most)
        least = np.minimum(least, most)
    around = least[:, None] + np.arange(-9, 9)
    ulp = np.maximum(least[:, None] >> 24, 1) * np.arange(-4, 4)
    rows = np.concatenate([around, least[:, None] + ulp], axis=1) << shift
    words = np.random.default_rng(8).integers(0, 2**32, (numbers.size, WIDTH), np.uint32)
    words[:, : rows.shape[1]] = np.clip(rows, 0, (0x7FFFFFFF << shift) & 0xFFFFFFFF)
    words[:, 1::2] ^= np.uint32(0xFFFFFFFF if source == "rand" else 0)
    words[:, -4:] = [0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
    return words


@pytest.mark.parametrize("source", ["rand", "24 bits", "31 bits", "as they are"])
@pytest.mark.parametrize("symbol", OPERATORS)
@pytest.mark.parametrize("left", [True, False])
def test_the_threshold_is_exact(device, source, symbol, left):
    numbers = numbers_for(source)
    words = words_around(numbers, source)
    out = device.put(np.zeros(words.shape, np.bool_))
    compare[numbers.size](
        device.put(words), device.put(numbers), out,
        SOURCE=source, OPERATOR=symbol, LEFT=left, WIDTH=WIDTH,
    )  # fmt: skip
    floats, others = floats_of(words, source), numbers[:, None]
    compared = OPERATORS[symbol](floats, others) if left else OPERATORS[symbol](others, floats)
    np.testing.assert_array_equal(device.get(out), compared)
    assert compared.any() and not compared.all()


@eft.jit
def compare_with_constant(words_ptr, out_ptr, NUMBER: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.uint_to_uniform_float(tl.load(words_ptr + at)) > NUMBER)


@pytest.mark.parametrize("number", [0.5, 0.1, 0.0, -0.0, 1.0, -1.0, 1e-10, 0.99999994, 2.5])
def test_a_constant_number(device, number):
    words = words_around(np.full(32, number, np.float32), "rand")
    out = device.put(np.zeros(words.size, np.bool_))
    compare_with_constant[1](device.put(words.ravel()), out, NUMBER=number, N=words.size)
    expected = floats_of(words.ravel(), "rand") > np.float32(number)
    np.testing.assert_array_equal(device.get(out), expected)


@eft.jit
def compare_joined(words_ptr, out_ptr, number, N: tl.constexpr):
    at = tl.arange(0, N)
    a = tl.uint_to_uniform_float(tl.load(words_ptr + at))
    b = tl.uint_to_uniform_float(tl.load(words_ptr + N + at))
    both = tl.reshape(tl.join(a, b), (2 * N,))
    tl.store(out_ptr + tl.arange(0, 2 * N), number > both)


def test_joined_numbers(device):
    words = np.random.default_rng(9).integers(0, 2**32, (2, 256), np.uint32)
    out = device.put(np.zeros(512, np.bool_))
    compare_joined[1](device.put(words), out, 0.3, N=256)
    expected = floats_of(words, "rand") < np.float32(0.3)
    np.testing.assert_array_equal(device.get(out), expected.T.ravel())
