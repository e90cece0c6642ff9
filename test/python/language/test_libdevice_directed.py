# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of libdevice that round in one direction, against exact fractions."""

from fractions import Fraction
from math import isqrt

import eft
import eft.language as tl
import numpy as np
import pytest
from libdevice_calls import N, run
from support import assert_same_bits, fails

MODES = ["rd", "ru", "rz"]


def sign_of_difference(number, exact: Fraction, squared: bool) -> int:
    """The sign of `number - exact`, or of `number` minus the root of `exact` if `squared`."""
    if not np.isfinite(number):
        return 1 if number > 0 else -1
    value = Fraction(float(number))
    difference = value * abs(value) - exact if squared else value - exact
    return (difference > 0) - (difference < 0)


def rounded(exact: Fraction, mode: str, dtype, squared: bool = False):
    """An exact nonzero number, or its root if `squared`, rounded in the direction of the mode."""
    if mode == "rz":
        mode = "rd" if exact > 0 else "ru"
    guess = (
        Fraction(isqrt(exact.numerator << 200), isqrt(exact.denominator << 200))
        if squared
        else exact
    )
    with np.errstate(over="ignore"):
        number = (
            dtype(float(guess)) if abs(guess) < 1e300 else dtype(np.inf if guess > 0 else -np.inf)
        )
        number = np.nextafter(number, dtype(np.inf if mode == "rd" else -np.inf))
        wrong = 1 if mode == "rd" else -1
        while sign_of_difference(number, exact, squared) == wrong:
            number = np.nextafter(number, dtype(-wrong * np.inf))
        further = np.nextafter(number, dtype(wrong * np.inf))
        while sign_of_difference(further, exact, squared) != wrong:
            number, further = further, np.nextafter(further, dtype(wrong * np.inf))
    zero = number == 0
    return dtype(np.copysign(0, float(exact > 0) - 0.5)) if zero else number


def operands(dtype, count: int, seed: int) -> list[np.ndarray]:
    """Numbers of all magnitudes, numbers near 1, and the smallest and the largest floats."""
    generator = np.random.default_rng(seed)
    info = np.finfo(dtype)
    edges = [info.smallest_subnormal, info.tiny, info.max, 1, 1 + info.eps, 3]
    arrays = []
    for _ in range(count):
        sizes = generator.uniform(info.minexp - info.nmant, info.maxexp - 1, N)
        sizes[: N // 2] = generator.uniform(-3, 3, N // 2)
        x = generator.choice([-1, 1], N) * 2.0**sizes
        x[: len(edges)] = generator.permutation(edges)
        arrays.append(x.astype(dtype))
    return arrays


FUNCTIONS = {
    "add": (2, lambda x, y: x + y),
    "sub": (2, lambda x, y: x - y),
    "mul": (2, lambda x, y: x * y),
    "div": (2, lambda x, y: x / y),
    "fma": (3, lambda x, y, z: x * y + z),
    "rcp": (1, lambda x: 1 / x),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_arithmetic(device, name, dtype, mode):
    count, function = FUNCTIONS[name]
    given = operands(dtype, count, seed=len(name) + count)
    found = run(device, f"{name}_{mode}", *given)
    exact = [function(*(Fraction(float(x)) for x in each)) for each in zip(*given, strict=True)]
    expected = [rounded(each, mode, dtype) if each else found[i] for i, each in enumerate(exact)]
    assert_same_bits(found, np.array(expected))
    assert all(number == 0 for number, each in zip(found, exact, strict=True) if not each)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_square_roots(device, dtype, mode):
    (x,) = operands(dtype, 1, seed=3)
    x = np.abs(x)
    found = run(device, f"sqrt_{mode}", x)
    expected = [rounded(Fraction(float(each)), mode, dtype, squared=True) for each in x]
    assert_same_bits(found, np.array(expected))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "source, integer",
    [("int", np.int32), ("uint", np.uint32), ("ll", np.int64), ("ull", np.uint64)],
)
@pytest.mark.parametrize("target, dtype", [("float", np.float32), ("double", np.float64)])
def test_integers(device, source, integer, target, dtype, mode):
    if target == "double" and "ll" not in source:
        return  # fp64 holds all of these integers exactly
    info = np.iinfo(integer)
    x = np.random.default_rng(5).integers(info.min, info.max, N, integer, endpoint=True)
    x[: N // 2] >>= np.arange(N // 2).astype(integer) % info.bits
    x[:4] = [info.max, info.min, 1, 2**24 + 1]
    found = run(device, f"{source}2{target}_{mode}", x, dtype=dtype)
    expected = [rounded(Fraction(int(each)), mode, dtype) if each else dtype(0) for each in x]
    assert_same_bits(found, np.array(expected))


@pytest.mark.parametrize("mode", MODES)
def test_fp64_to_fp32(device, mode):
    (x,) = operands(np.float64, 1, seed=6)
    found = run(device, f"double2float_{mode}", x, dtype=np.float32)
    expected = [rounded(Fraction(float(each)), mode, np.float32) for each in x]
    assert_same_bits(found, np.array(expected))


SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0], np.float32)


@pytest.mark.parametrize("mode", MODES)
def test_special_numbers(device, mode):
    x, y = (each.ravel() for each in np.meshgrid(SPECIAL, SPECIAL))
    x, y = np.tile(x, 2), np.tile(y, 2)
    for name, function in (("add", np.add), ("mul", np.multiply), ("div", np.divide)):
        with np.errstate(all="ignore"):
            expected = function(x, y)
        if name == "add" and mode == "rd":
            is_zero = (expected == 0) & (np.signbit(x) | np.signbit(y))
            expected = np.where(is_zero, np.float32(-0.0), expected)
        assert_same_bits(run(device, f"{name}_{mode}", x, y), expected)


@eft.jit
def doubles(x_ptr):
    tl.extra.libdevice.div_rz(tl.load(x_ptr), tl.load(x_ptr))


def test_doubles_are_refused():
    assert fails(doubles, "*fp64").message == "div_rz takes floats of up to 32 bits, got fp64"
