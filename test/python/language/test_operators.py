# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operator over every pair of types, against NumPy, to the bit."""

import operator

import eft
import eft.language as tl
import numpy as np
import pytest
import reference
from eft.language.dtypes import from_name
from eft.language.promotion import computation_dtype
from support import DTYPES, assert_same_bits

N = 128
INTEGERS = [name for name in DTYPES if "int" in name]
FLOATS = [name for name in DTYPES if "int" not in name]
PAIRS = [(left, right) for left in DTYPES for right in DTYPES]


def meeting(left: str, right: str, division: bool = False) -> str:
    """The common type of two operands. test_promotion.py checks it against Triton's table."""
    return str(computation_dtype(from_name(left), from_name(right), division))


def divides(left: str, right: str) -> bool:
    """True if values of two types can be divided. Integers of different signedness can't: see
    test_operand_errors.py."""
    if left not in INTEGERS or right not in INTEGERS:
        return True
    return from_name(left).is_int_unsigned() == from_name(right).is_int_unsigned()


def samples(name: str, seed: int) -> np.ndarray:
    """Random values of a type, with small numbers and the ends of its range among them."""
    generator = np.random.default_rng(seed)
    dtype = DTYPES[name]
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        x = generator.integers(limits.min, limits.max, N, dtype, endpoint=True)
        x[::3] = generator.integers(0, 9, len(x[::3]))
        x[:5] = [limits.min, limits.max, 0, 1, limits.max - 1]
        return generator.permutation(x)
    if dtype == np.bool_:
        return generator.integers(0, 2, N).astype(dtype)
    x = (generator.standard_normal(N) * 2.0 ** generator.integers(-8, 9, N)).astype(dtype)
    x[:8] = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.5, 6e-8]).astype(dtype)
    return generator.permutation(x)


def run(device, kernel, x, y, results: list[np.dtype]) -> list[np.ndarray]:
    """The outputs of `kernel` for two inputs."""
    outputs = [device.put(np.zeros(N, dtype)) for dtype in results]
    kernel[1](device.put(x), device.put(y), *outputs, N=N)
    return [device.get(output) for output in outputs]


@eft.jit
def arithmetic(x_ptr, y_ptr, add_ptr, sub_ptr, mul_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(add_ptr + i, x + y)
    tl.store(sub_ptr + i, x - y)
    tl.store(mul_ptr + i, x * y)


@pytest.mark.parametrize("left, right", PAIRS)
def test_arithmetic(device, left, right):
    x, y = samples(left, 1), samples(right, 2)
    dtype = DTYPES[meeting(left, right)]
    a, b = reference.convert(x, dtype), reference.convert(y, dtype)
    if dtype == np.bool_:  # int1 has one bit, and sums wrap around
        expected = [a ^ b, a ^ b, a & b]
    else:
        with np.errstate(all="ignore"):
            expected = [a + b, a - b, a * b]
    for found, right_answer in zip(
        run(device, arithmetic, x, y, [dtype] * 3), expected, strict=True
    ):
        assert_same_bits(found, right_answer)


@eft.jit
def comparisons(x_ptr, y_ptr, eq_ptr, ne_ptr, lt_ptr, le_ptr, gt_ptr, ge_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(eq_ptr + i, x == y)
    tl.store(ne_ptr + i, x != y)
    tl.store(lt_ptr + i, x < y)
    tl.store(le_ptr + i, x <= y)
    tl.store(gt_ptr + i, x > y)
    tl.store(ge_ptr + i, x >= y)


COMPARISONS = [getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")]


@pytest.mark.parametrize("left, right", PAIRS)
def test_comparisons(device, left, right):
    x, y = samples(left, 3), samples(right, 4)
    dtype = DTYPES[meeting(left, right)]
    a, b = reference.convert(x, dtype), reference.convert(y, dtype)
    found = run(device, comparisons, x, y, [np.dtype(np.bool_)] * 6)
    with np.errstate(invalid="ignore"):
        expected = [compare(a, b) for compare in COMPARISONS]
    for result, right_answer in zip(found, expected, strict=True):
        assert_same_bits(result, right_answer)


@eft.jit
def quotients(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i) / tl.load(y_ptr + i))


@pytest.mark.parametrize("left, right", [pair for pair in PAIRS if divides(*pair)])
def test_quotients(device, left, right):
    if left in INTEGERS and right in INTEGERS:
        meet = DTYPES[meeting(left, right)]
        dtype = np.dtype(np.float32)
    else:
        meet = dtype = DTYPES[meeting(left, right, division=True)]
    x, y = samples(left, 5), samples(right, 6)
    a, b = (reference.convert(reference.convert(each, meet), dtype) for each in (x, y))
    with np.errstate(all="ignore"):
        assert_same_bits(run(device, quotients, x, y, [dtype])[0], a / b)


@eft.jit
def integer_quotients(x_ptr, y_ptr, quotient_ptr, remainder_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(quotient_ptr + i, x // y)
    tl.store(remainder_ptr + i, x % y)


def truncated(x: int, y: int, limits) -> tuple[int, int]:
    """The truncated quotient, and the remainder. For y = 0, all bits set, and the dividend."""
    if y == 0:
        return (-1 if limits.min else limits.max), x
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    if quotient > limits.max:  # the smallest number divided by -1
        quotient = limits.min
    return quotient, x - quotient * y if quotient != limits.min else (x % y if y != -1 else 0)


@pytest.mark.parametrize(
    "left, right",
    [pair for pair in PAIRS if set(pair) <= set(INTEGERS[1:]) and divides(*pair)],
)
def test_integer_quotients(device, left, right):
    x, y = samples(left, 7), samples(right, 8)
    dtype = DTYPES[meeting(left, right)]
    limits = np.iinfo(dtype)
    pairs = [truncated(a, b, limits) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    found = run(device, integer_quotients, x, y, [dtype] * 2)
    for result, expected in zip(found, zip(*pairs, strict=True), strict=True):
        assert_same_bits(result, np.array(expected, dtype))


@eft.jit
def chosen_remainders(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x % tl.where(x == 1, i, x == 1))


def test_a_zero_in_one_place_of_a_divisor_changes_no_other(device):
    x = np.where(np.arange(32) % 3 == 0, 5, 1).astype(np.int8)
    out = device.put(np.zeros(32, np.int32))
    chosen_remainders[1](device.put(x), out, N=32)
    divisor = np.where(x == 1, np.arange(32), 0)
    expected = np.where(divisor == 0, x, x % np.maximum(divisor, 1))
    assert_same_bits(device.get(out), expected.astype(np.int32))


@eft.jit
def float_remainder(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i) % tl.load(y_ptr + i))


@pytest.mark.parametrize("left, right", [(a, b) for a, b in PAIRS if {a, b} & set(FLOATS)])
def test_float_remainder(device, left, right):
    dtype = DTYPES[meeting(left, right, division=True)]
    x, y = samples(left, 9), samples(right, 10)
    a, b = reference.convert(x, dtype), reference.convert(y, dtype)
    with np.errstate(all="ignore"):
        assert_same_bits(run(device, float_remainder, x, y, [dtype])[0], np.fmod(a, b))


@eft.jit
def bitwise(x_ptr, y_ptr, and_ptr, or_ptr, xor_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(and_ptr + i, x & y)
    tl.store(or_ptr + i, x | y)
    tl.store(xor_ptr + i, x ^ y)


@pytest.mark.parametrize("left, right", [pair for pair in PAIRS if set(pair) <= set(INTEGERS)])
def test_bitwise(device, left, right):
    x, y = samples(left, 11), samples(right, 12)
    dtype = DTYPES[meeting(left, right)]
    a, b = reference.convert(x, dtype), reference.convert(y, dtype)
    found = run(device, bitwise, x, y, [dtype] * 3)
    for result, expected in zip(found, [a & b, a | b, a ^ b], strict=True):
        assert_same_bits(result, expected)


@eft.jit
def shifts(x_ptr, y_ptr, left_ptr, right_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(left_ptr + i, x << y)
    tl.store(right_ptr + i, x >> y)


@pytest.mark.parametrize("name", INTEGERS[1:])
def test_shifts(device, name):
    dtype = DTYPES[name]
    x = samples(name, 13)
    y = (np.arange(N) % (dtype.itemsize * 8)).astype(dtype)
    found = run(device, shifts, x, y, [dtype] * 2)
    for result, expected in zip(found, [x << y, x >> y], strict=True):
        assert_same_bits(result, expected)


@eft.jit
def unary(x_ptr, y_ptr, minus_ptr, plus_ptr, not_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(minus_ptr + i, -x)
    tl.store(plus_ptr + i, +x)
    tl.store(not_ptr + i, not x)


@pytest.mark.parametrize("name", list(DTYPES))
def test_unary(device, name):
    x = samples(name, 14)
    dtype = x.dtype
    minus, plus, is_zero = run(device, unary, x, x, [dtype, dtype, np.dtype(np.bool_)])
    assert_same_bits(minus, x if dtype == np.bool_ else -x)
    assert_same_bits(plus, x)
    assert_same_bits(is_zero, ~reference.convert(x, np.dtype(np.bool_)))


@eft.jit
def inverted(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, ~tl.load(x_ptr + i))


@pytest.mark.parametrize("name", INTEGERS)
def test_invert(device, name):
    x = samples(name, 15)
    assert_same_bits(run(device, inverted, x, x, [x.dtype])[0], ~x)


@eft.jit
def with_numbers(x_ptr, y_ptr, a_ptr, b_ptr, c_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(a_ptr + i, x + 3)
    tl.store(b_ptr + i, 3 - x)
    tl.store(c_ptr + i, x * True)


@pytest.mark.parametrize("name", list(DTYPES)[1:])
def test_numbers_take_the_type_of_the_block(device, name):
    x = samples(name, 16)
    dtype = x.dtype
    three, one = dtype.type(3), dtype.type(1)
    found = run(device, with_numbers, x, x, [dtype] * 3)
    with np.errstate(all="ignore"):
        expected = [x + three, three - x, x * one]
    for result, right_answer in zip(found, expected, strict=True):
        assert_same_bits(result, right_answer)


@eft.jit
def scalars(out_ptr, a, b, flag):
    tl.store(out_ptr + 0, a + b)
    tl.store(out_ptr + 1, a * 0.5)
    tl.store(out_ptr + 2, a // 3)
    tl.store(out_ptr + 3, (a > b) & flag)
    tl.store(out_ptr + 4, tl.where(flag, a, b))
    tl.store(out_ptr + 5, a / b)


def test_scalars(device):
    out = device.put(np.zeros(6, np.float64))
    scalars[1](out, 7, 2.5, True)
    expected = [9.5, 3.5, 2.0, 1.0, 7.0, float(np.float32(7) / np.float32(2.5))]
    assert device.get(out).tolist() == expected


@eft.jit
def by_name(x_ptr, y_ptr, out, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out + i, x.logical_and(y) + 2 * x.logical_or(y).to(tl.int32))
    wrapped = tl.add(tl.mul(x, 3, sanitize_overflow=False), y, False)
    tl.store(out + N + i, tl.sub(wrapped, 1, sanitize_overflow=True))


def test_operators_by_name(device):
    x, y = np.array([0, 5, 0, -8], np.int32), np.array([0, 0, 3, 7], np.int32)
    out = device.put(np.zeros((2, 4), np.int32))
    by_name[1](device.put(x), device.put(y), out, N=4)
    assert device.get(out).tolist() == [[0, 2, 2, 3], (x * 3 + y - 1).tolist()]
