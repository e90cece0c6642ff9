# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementary functions, against mpmath. (Every fp32 is tested in test/unit/math.)"""

import eft
import eft.language as tl
import mpmath
import numpy as np
import pytest
from elementary import BOUNDS, exact, operands, ulps
from support import DTYPES, assert_same_bits

FLOATS = ["fp16", "bf16", "fp32", "fp64"]
N = 256


@eft.jit
def as_function(x_ptr, out_ptr, NAME: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, getattr(tl, NAME)(tl.load(x_ptr + i)))


@eft.jit
def as_method(x_ptr, out_ptr, NAME: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, getattr(tl.load(x_ptr + i), NAME)())


@eft.jit
def of_module(x_ptr, out_ptr, NAME: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, getattr(tl.math, NAME)(tl.load(x_ptr + i)))


def run(device, kernel, x, **constexprs):
    out = device.put(np.zeros(len(x), x.dtype))
    kernel[1](device.put(x), out, N=len(x), **constexprs)
    return device.get(out)


def reciprocal_root(x):
    if x == 0:
        return mpmath.inf * (1 if not mpmath.isinf(x) else 0)
    return 1 / mpmath.sqrt(x)


def logarithm(function):
    """The function, with the value -∞ at 0."""
    return lambda x: -mpmath.inf if x == 0 else function(x)


def of_finite(function):
    """The function, with the value NaN at infinity."""
    return lambda x: mpmath.nan if mpmath.isinf(x) else function(x)


#: By name, the exact function and the range of its operands.
FUNCTIONS = {
    "exp": (mpmath.exp, -90, 90),
    "exp2": (lambda x: mpmath.mpf(2) ** x, -150, 130),
    "log": (logarithm(mpmath.log), -1, 100),
    "log2": (logarithm(lambda x: mpmath.log(x) / mpmath.log(2)), -1, 100),
    "sin": (of_finite(mpmath.sin), -1e5, 1e5),
    "cos": (of_finite(mpmath.cos), -1e5, 1e5),
    "tanh": (mpmath.tanh, -10, 10),
    "erf": (mpmath.erf, -5, 5),
    "sigmoid": (lambda x: 1 / (1 + mpmath.exp(-x)), -90, 40),
    "rsqrt": (reciprocal_root, 1e-3, 1e6),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_against_mpmath(device, name, dtype):
    function, low, high = FUNCTIONS[name]
    x = operands(dtype, low, high, N)
    if name == "rsqrt":
        x = np.abs(x)
    found = run(device, as_function, x, NAME=name)
    assert ulps(found, [exact(function, each) for each in x]) <= BOUNDS[dtype]


@pytest.mark.parametrize("name", [*FUNCTIONS, "sqrt", "sqrt_rn", "floor", "ceil"])
def test_functions_and_methods_are_the_same(device, name):
    x = operands("fp32", -10, 10, N)
    expected = run(device, as_function, x, NAME=name)
    assert_same_bits(run(device, as_method, x, NAME=name), expected)
    assert_same_bits(run(device, of_module, x, NAME=name), expected)


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize("dtype", ["fp32", "fp64"])
def test_angles_of_every_magnitude(device, name, dtype):
    generator = np.random.default_rng(1)
    limit = 128 if dtype == "fp32" else 1024
    exponents = generator.uniform(0, limit, N)
    x = (2.0**exponents).astype(DTYPES[dtype])
    # In each type, the float that is closest to a multiple of pi / 2.
    x[0] = 16367173 * 2.0**72 if dtype == "fp32" else 6381956970095103 * 2.0**797
    found = run(device, as_function, x, NAME=name)
    with mpmath.workprec(1400):
        wanted = [getattr(mpmath, name)(mpmath.mpf(float(each))) for each in x]
    assert ulps(found, wanted) <= 2


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name, function", [("floor", np.floor), ("ceil", np.ceil)])
def test_rounding(device, name, function, dtype):
    x = operands(dtype, -1000, 1000, N)
    assert_same_bits(run(device, as_function, x, NAME=name), function(x))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["sqrt", "sqrt_rn"])
def test_square_roots_are_correctly_rounded(device, name, dtype):
    x = operands(dtype, -1, 1000, N)
    with np.errstate(invalid="ignore"):
        wide = x if dtype in ("fp32", "fp64") else x.astype(np.float64)
        expected = np.sqrt(wide).astype(x.dtype)
    assert_same_bits(run(device, as_function, x, NAME=name), expected)


@eft.jit
def quotients(x_ptr, y_ptr, rounded_ptr, quotient_ptr, exact_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(rounded_ptr + i, tl.div_rn(x, y))
    tl.store(quotient_ptr + i, tl.fdiv(x, y))
    tl.store(exact_ptr + i, tl.math.fdiv(x, y, ieee_rounding=True))


@pytest.mark.parametrize("dtype", FLOATS)
def test_division(device, dtype):
    x, y = operands(dtype, -10, 10, N, 1), operands(dtype, -10, 10, N, 2)
    outs = [device.put(np.zeros(N, x.dtype)) for _ in range(3)]
    quotients[1](device.put(x), device.put(y), *outs, N=N)
    with np.errstate(all="ignore"):
        wide = np.float64 if dtype == "fp64" else np.float32
        expected = (x.astype(wide) / y.astype(wide)).astype(x.dtype)
    for out in outs:
        assert_same_bits(device.get(out), expected)


@eft.jit
def quotients_of_rows(x_ptr, y_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr, ABS: tl.constexpr):
    rows = tl.program_id(0) * R + tl.arange(0, R)
    at = rows[:, None] * C + tl.arange(0, C)[None, :]
    x = tl.load(x_ptr + at)
    if ABS:
        x = tl.abs(x)
    tl.store(out_ptr + at, x / tl.load(y_ptr + rows)[:, None])


@pytest.mark.parametrize("shape", [(16, 256), (64, 64), (8, 4)])
@pytest.mark.parametrize("magnitudes", [False, True])
@pytest.mark.parametrize("dtype", FLOATS)
def test_division_of_rows(device, dtype, shape, magnitudes):
    """The elements of a row have one divisor. In some programs, dividends or divisors are special:
    tiny, huge, infinite or NaN. Magnitudes are known to be at least 0."""
    rows, columns = shape
    programs = 64
    generator = np.random.default_rng(3)
    count = programs * rows
    x = generator.normal(size=(count, columns)).astype(DTYPES[dtype])
    y = generator.uniform(1, 2, count).astype(DTYPES[dtype])
    special = operands(dtype, -10, 10, N, 1)
    cuts = generator.random((count, columns)) < 1 / 8
    odd = np.arange(count) // rows % 4 == 1  # in every fourth program, some dividends are special
    x = np.where(odd[:, None] & cuts, generator.choice(special, x.shape), x)
    y = np.where(np.arange(count) // rows % 4 == 2, generator.choice(special, count), y)
    x[-rows:] *= generator.choice([0, -0.0, 1], (rows, columns)).astype(x.dtype)
    out = device.put(np.zeros(x.shape, x.dtype))
    quotients_of_rows[programs](
        device.put(x), device.put(y), out, R=rows, C=columns, ABS=magnitudes
    )
    if magnitudes:
        x = np.abs(x)
    with np.errstate(all="ignore"):
        wide = np.float64 if dtype == "fp64" else np.float32
        expected = (x.astype(wide) / y.astype(wide)[:, None]).astype(x.dtype)
    assert_same_bits(device.get(out), expected)


@eft.jit
def fused(x_ptr, y_ptr, z_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.fma(x, tl.load(y_ptr + i), tl.load(z_ptr + i)))
    tl.store(out_ptr + N + i, tl.fma(x, 3, 0.5))


@pytest.mark.parametrize("dtype", ["fp16", "fp32", "fp64"])
def test_fused_multiply_add(device, dtype):
    x, y, z = (operands(dtype, -2, 2, N, seed)[:N] for seed in range(3))
    with np.errstate(invalid="ignore"):
        z = np.where(np.arange(N) % 2 == 0, z, -(x * y)).astype(x.dtype)
    out = device.put(np.zeros(2 * N, x.dtype))
    fused[1](device.put(x), device.put(y), device.put(z), out, N=N)

    def one(a, b, c):
        if not np.isfinite([a, b, c]).all():
            with np.errstate(invalid="ignore"):
                return a * b + c
        with mpmath.workprec(3000):
            value = mpmath.mpf(float(a)) * float(b) + float(c)
        if value == 0:
            return a * b + c
        return _rounded(value, x.dtype)

    found = device.get(out)
    assert_same_bits(found[:N], np.array([one(*each) for each in zip(x, y, z, strict=True)]))
    three, half = x.dtype.type(3), x.dtype.type(0.5)
    assert_same_bits(found[N:], np.array([one(each, three, half) for each in x]))


def _rounded(value: mpmath.mpf, dtype: np.dtype):
    """An exact value, rounded to the nearest float; ties go to even."""
    info = np.finfo(dtype)
    exponent = max(int(mpmath.frexp(value)[1]) - 1, info.minexp)
    with mpmath.workprec(3000):
        scaled = value * mpmath.mpf(2) ** (info.nmant - exponent)
        magnitude = abs(mpmath.nint(scaled)) * mpmath.mpf(2) ** (exponent - info.nmant)
        return dtype.type(np.copysign(float(magnitude), float(mpmath.sign(value))))


@eft.jit
def of_constants(out_ptr):
    tl.store(out_ptr, tl.exp(1.0))
    tl.store(out_ptr + 1, tl.cos(0.0))
    tl.store(out_ptr + 2, tl.sigmoid(0.0))


def test_constants(device):
    out = device.put(np.zeros(3, np.float32))
    of_constants[1](out)
    assert_same_bits(device.get(out), np.array([np.e, 1, 0.5], np.float32))
