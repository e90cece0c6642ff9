# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of libdevice on floats, against mpmath, Python and NumPy."""

import math

import eft
import eft.language as tl
import mpmath
import numpy as np
import pytest
from eft.language.extra import libdevice
from eft.language.extra.cuda import libdevice as libdevice_of_cuda
from elementary import BOUNDS, exact, operands, ulps
from libdevice_calls import FLOATS, N, away_from_zero, binary, run
from support import assert_mistake, assert_same_bits, mistakes


def real(function, at_infinity=None):
    """A function of mpmath, extended to infinite operands by `at_infinity`."""

    def of(x):
        if mpmath.isinf(x) and at_infinity is not None:
            return at_infinity(x)
        return function(x)

    return of


def root(x):
    return mpmath.sign(x) * mpmath.cbrt(abs(x)) if not mpmath.isinf(x) else x


nan = lambda x: mpmath.nan  # noqa: E731
same = lambda x: x  # noqa: E731
or_minus_infinity = lambda f: lambda x: -mpmath.inf if x == 0 else f(x)  # noqa: E731

UNARY = {
    "exp": (mpmath.exp, -90, 90),
    "exp2": (lambda x: mpmath.mpf(2) ** x, -150, 130),
    "exp10": (lambda x: mpmath.mpf(10) ** x, -46, 39),
    "expm1": (mpmath.expm1, -20, 88),
    "log": (or_minus_infinity(mpmath.log), -1, 100),
    "log2": (or_minus_infinity(lambda x: mpmath.log(x) / mpmath.log(2)), -1, 100),
    "log10": (or_minus_infinity(mpmath.log10), -1, 100),
    "log1p": (lambda x: -mpmath.inf if x == -1 else mpmath.log1p(x), -1, 100),
    "sin": (real(mpmath.sin, nan), -1e4, 1e4),
    "cos": (real(mpmath.cos, nan), -1e4, 1e4),
    "tan": (real(mpmath.tan, nan), -1e4, 1e4),
    "sinpi": (real(mpmath.sinpi, nan), -100, 100),
    "cospi": (real(mpmath.cospi, nan), -100, 100),
    "asin": (mpmath.asin, -1, 1),
    "acos": (mpmath.acos, -1, 1),
    "atan": (mpmath.atan, -20, 20),
    "sinh": (mpmath.sinh, -88, 88),
    "cosh": (mpmath.cosh, -88, 88),
    "tanh": (mpmath.tanh, -10, 10),
    "asinh": (real(mpmath.asinh, same), -1e4, 1e4),
    "acosh": (real(mpmath.acosh, lambda x: x if x > 0 else mpmath.nan), 1, 1e4),
    "atanh": (lambda x: x * mpmath.inf if abs(x) == 1 else mpmath.atanh(x), -1, 1),
    "erf": (mpmath.erf, -5, 5),
    "erfc": (mpmath.erfc, -5, 9),
    "cbrt": (root, -1e4, 1e4),
    "rcbrt": (lambda x: 1 / root(x), 1e-4, 1e4),
    "rsqrt": (lambda x: 1 / mpmath.sqrt(x), 1e-4, 1e4),
    "fast_expf": (mpmath.exp, -87, 88),  # results that are normal: a GPU makes the others 0
    "fast_exp10f": (lambda x: mpmath.mpf(10) ** x, -46, 39),
    "fast_logf": (or_minus_infinity(mpmath.log), -1, 100),
    "fast_log2f": (or_minus_infinity(lambda x: mpmath.log(x) / mpmath.log(2)), -1, 100),
    "fast_log10f": (or_minus_infinity(mpmath.log10), -1, 100),
    "fast_sinf": (real(mpmath.sin, nan), -10, 10),
    "fast_cosf": (real(mpmath.cos, nan), -10, 10),
    "fast_tanf": (real(mpmath.tan, nan), -10, 10),
    "fast_tanhf": (mpmath.tanh, -10, 10),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_operand(device, name, dtype):
    function, low, high = UNARY[name]
    x = operands(dtype, low, high, N)
    if name.startswith("r"):
        x = np.where(x == 0, x.dtype.type(1), np.abs(x))
    found = run(device, name, x)
    is_fast = name == "fast_expf" and dtype == "fp32" and device.name == "cuda"
    assert ulps(found, [exact(function, each) for each in x]) <= (3 if is_fast else BOUNDS[dtype])


def power(x, y):
    return mpmath.mpf(x) ** y


BINARY = {
    "pow": (power, (0, 20), (-8, 8)),
    "fast_powf": (power, (0, 20), (-8, 8)),
    "atan2": (mpmath.atan2, (-20, 20), (-20, 20)),
    "hypot": (mpmath.hypot, (-20, 20), (-20, 20)),
    "rhypot": (lambda x, y: 1 / mpmath.hypot(x, y), (1, 20), (1, 20)),
    "div_rn": (lambda x, y: x / y, (1, 20), (1, 20)),
    "fast_dividef": (lambda x, y: x / y, (1, 20), (1, 20)),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_operands(device, name, dtype):
    function, first, second = BINARY[name]
    x, y = operands(dtype, *first, N, 1), operands(dtype, *second, N, 2)
    keep = np.isfinite(x) & np.isfinite(y) & (x > 0) & (y != 0)
    x, y = (np.where(keep, each, each.dtype.type(1)) for each in (x, y))
    found = run(device, name, x, y)
    values = [exact(function, *each) for each in zip(x, y, strict=True)]
    assert ulps(found, values) <= BOUNDS[dtype]


@pytest.mark.parametrize("name, function", [("pow", math.pow), ("atan2", math.atan2)])
def test_special_pairs(device, name, function):
    special = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, -3.5, np.inf, -np.inf, np.nan]
    pairs = [(x, y) for x in special for y in special]
    pairs += [(1.0, 1.0)] * (N - len(pairs))

    def value(x, y):
        try:
            return function(x, y)
        except ZeroDivisionError:
            return 0
        except ValueError:  # Python refuses 0 to a negative power, and roots of negative numbers
            if x != 0:
                return np.nan
            is_odd = y == np.trunc(y) and np.trunc(y / 2) != y / 2
            return np.copysign(np.inf, x) if is_odd else np.inf

    x, y = (np.array(each) for each in zip(*pairs, strict=True))
    expected = np.array([value(*pair) for pair in pairs])
    found = run(device, name, x, y)
    np.testing.assert_allclose(found, expected, rtol=1e-15, equal_nan=True)
    np.testing.assert_array_equal(np.signbit(found)[found == 0], np.signbit(expected)[found == 0])


def test_power_of_an_integer(device):
    x = operands("fp32", -3, 3, N)
    x = np.where(np.isfinite(x), x, np.float32(1))
    n = np.random.default_rng(0).integers(-9, 10, N).astype(np.int32)
    out = device.put(np.zeros(N, np.float32))
    binary[1](device.put(x), device.put(n), out, NAME="pow", N=N)
    x = np.where(x == 0, np.float32(1), x)
    found = device.get(out)
    keep = x != 0
    values = [exact(power, *each) for each in zip(x, n, strict=True)]
    zeros = ~np.isfinite(found) | (found == 0)
    assert ulps(found[keep & ~zeros], [v for v, z in zip(values, zeros, strict=True) if not z]) <= 2


def nearest_even(x):
    return np.rint(x)


ROUNDING = {
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": nearest_even,
    "nearbyint": nearest_even,
    "round": away_from_zero,
    "fabs": np.abs,
    "abs": np.abs,
    "sqrt": lambda x: np.sqrt(x),
    "sqrt_rn": lambda x: np.sqrt(x),
    "rcp_rn": lambda x: 1 / x,
    "saturatef": lambda x: np.nan_to_num(np.clip(x, 0, 1)),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ROUNDING)
def test_exact_functions(device, name, dtype):
    x = operands(dtype, -100, 100, N)
    x[20:40] = (np.arange(20) / 2 - 5).astype(x.dtype)
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64) if dtype in ("fp16", "bf16") else x
        expected = ROUNDING[name](wide).astype(x.dtype)
    if name == "saturatef":
        expected = np.where(expected == 0, x.dtype.type(0), expected)
    assert_same_bits(run(device, name, x), expected)


CHECKS = {
    "isnan": np.isnan,
    "isinf": np.isinf,
    "finitef": np.isfinite,
    "isfinited": np.isfinite,
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [*CHECKS, "signbit", "ilogb", "logb"])
def test_questions(device, name, dtype):
    x = operands(dtype, -100, 100, N)
    wide = x.astype(np.float64)
    if name in CHECKS:
        assert_same_bits(run(device, name, x, dtype=np.bool_), CHECKS[name](wide))
    elif name == "signbit":
        expected = np.signbit(wide).astype(np.int32)
        keep = ~np.isnan(wide)
        assert_same_bits(run(device, name, x, dtype=np.int32)[keep], expected[keep])
    else:
        exponents = np.frexp(wide)[1] - 1
        if name == "ilogb":
            expected = np.where(np.isinf(wide), 2**31 - 1, exponents).astype(np.int32)
            expected = np.where((wide == 0) | np.isnan(wide), -(2**31), expected)
            assert_same_bits(run(device, name, x, dtype=np.int32), expected.astype(np.int32))
        else:
            expected = np.where(np.isfinite(wide), exponents, np.abs(wide))
            expected = np.where(wide == 0, -np.inf, expected)
            assert_same_bits(run(device, name, x), expected.astype(x.dtype))


PAIRS = {
    "fmod": np.fmod,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "max": np.fmax,
    "min": np.fmin,
    "fdim": lambda x, y: np.where(x <= y, x.dtype.type(0), x - y),
    "copysign": np.copysign,
    "nextafter": np.nextafter,
    "remainder": lambda x, y: np.array(
        [_remainder(float(a), float(b)) for a, b in zip(x, y, strict=True)], x.dtype
    ),
    "add_rn": np.add,
    "sub_rn": np.subtract,
    "mul_rn": np.multiply,
}


def _remainder(x, y):
    try:
        return math.remainder(x, y)
    except ValueError:
        return math.nan


@pytest.mark.parametrize("dtype", ["fp32", "fp64"])
@pytest.mark.parametrize("name", PAIRS)
def test_exact_functions_of_pairs(device, name, dtype):
    x, y = operands(dtype, -100, 100, N, 3), operands(dtype, -9, 9, N, 4)
    x[::7] = y[::7]
    x[1::7] = y[1::7] * x.dtype.type(2.5)
    x = np.where((x == 0) & (y == 0), x.dtype.type(1), x)
    with np.errstate(all="ignore"):
        expected = PAIRS[name](x, y)
    assert_same_bits(run(device, name, x, y), expected)


@eft.jit
def unfused(x_ptr, y_ptr, out_ptr, NEAR: tl.constexpr):
    x = tl.load(x_ptr)
    y = tl.load(y_ptr)
    tl.store(out_ptr, libdevice.add_rn(x * y, -NEAR))
    tl.store(out_ptr + 1, libdevice.mul_rn(x, y) - NEAR)
    tl.store(out_ptr + 2, libdevice.sub_rn(x * y, NEAR))
    tl.store(out_ptr + 3, libdevice.fma(x, y, -NEAR))
    tl.store(out_ptr + 4, libdevice.fma_rn(x, y, -NEAR))


def test_named_rounding_is_not_fused(device):
    x = np.array([1 + 2.0**-12], np.float32)
    out = device.put(np.zeros(5, np.float32))
    unfused[1](device.put(x), device.put(x), out, NEAR=1 + 2.0**-11)
    assert device.get(out).tolist() == [0, 0, 0, 2.0**-24, 2.0**-24]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["ldexp", "scalbn"])
def test_scaling(device, name, dtype):
    x = operands(dtype, -4, 4, N)
    limit = {"fp16": 30, "bf16": 270, "fp32": 280, "fp64": 2200}[dtype]
    n = np.random.default_rng(1).integers(-limit, limit, N).astype(np.int32)
    n[:4] = [2**31 - 1, -(2**31), 0, 1]
    expected = (
        [
            math.ldexp(float(a), int(b))
            if b < 2000 or not np.isfinite(a) or a == 0
            else math.copysign(math.inf, a)
            for a, b in zip(x, np.clip(n, -5000, 5000), strict=True)
        ]
        if dtype != "fp64"
        else _scaled(x, n)
    )
    with np.errstate(over="ignore"):
        expected = np.array(expected, np.float64).astype(x.dtype)
    out = device.put(np.zeros(N, x.dtype))
    binary[1](device.put(x), device.put(n), out, NAME=name, N=N)
    assert_same_bits(device.get(out), expected)


def _scaled(x, n):
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(x, np.clip(n, -5000, 5000))


@eft.jit
def norms(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, libdevice.norm3d(x, 2.0, 3.0))
    tl.store(out_ptr + N + i, libdevice.norm4d(x, 2.0, 3.0, 4.0))
    tl.store(out_ptr + 2 * N + i, libdevice.rnorm3d(x, 2.0, 3.0))
    tl.store(out_ptr + 3 * N + i, libdevice.rnorm4d(x, 2.0, 3.0, 4.0))


def test_norms(device):
    x = np.random.default_rng(0).uniform(-5, 5, N).astype(np.float32)
    out = device.put(np.zeros((4, N), np.float32))
    norms[1](device.put(x), out, N=N)
    wide = x.astype(np.float64)
    three, four = np.sqrt(wide**2 + 13), np.sqrt(wide**2 + 29)
    expected = np.array([three, four, 1 / three, 1 / four])
    np.testing.assert_allclose(device.get(out), expected, rtol=2.5 * 2.0**-23)


def test_triton_s_names():
    assert set(libdevice_of_cuda.__all__) == set(libdevice.__all__)
    assert libdevice_of_cuda.atan2 is libdevice.atan2
    assert tl.extra.cuda.libdevice is libdevice_of_cuda


@eft.jit
def unknown(x_ptr, n):
    libdevice.frobnicate(n)


@eft.jit
def tangent_of_integer(x_ptr, n):
    libdevice.tan(n)


@eft.jit
def count_of_float(x_ptr, n):
    libdevice.popc(tl.load(x_ptr))


@eft.jit
def float_of_int(x_ptr, n):
    libdevice.float_as_int(n)


@eft.jit
def converted(x_ptr, n):
    libdevice.int2float_rn(tl.load(x_ptr))


@eft.jit
def scaled_by_float(x_ptr, n):
    libdevice.ldexp(tl.load(x_ptr), 1.5)


@mistakes(
    (unknown, "libdevice.frob", "'libdevice' has no attribute 'frobnicate'"),
    (tangent_of_integer, "libdevice.tan(", "tan needs a floating-point operand, got int32"),
    (count_of_float, "libdevice.popc(", "popc needs an integer of 32 or 64 bits, got fp32"),
    (
        float_of_int,
        "libdevice.float_as_int(",
        "float_as_int needs an operand of type fp32, got int32",
    ),
    (converted, "libdevice.int2float_rn(", "int2float_rn does not take an operand of type fp32"),
    (
        scaled_by_float,
        "libdevice.ldexp(",
        "ldexp needs an integer of 8 or 16 or 32 or 64 bits, got fp32",
    ),
)
def test_mistakes(kernel, marker, message):
    assert_mistake(kernel, marker, message)
