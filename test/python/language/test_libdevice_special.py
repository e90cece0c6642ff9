# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libdevice's special functions against mpmath, with the error bounds of docs/mathematics.md."""

import eft
import eft.language as tl
import mpmath
import numpy as np
import pytest
from eft.language.extra import libdevice
from elementary import exact, ulps
from libdevice_calls import FLOATS, N, run
from support import DTYPES, assert_mistake, assert_same_bits, mistakes

INF, NAN = float("inf"), float("nan")
#: The largest error in units in the last place. In fp64 the functions are less accurate.
BOUNDS = {"fp16": 0.51, "bf16": 0.51, "fp32": 0.501, "fp64": 6.0}
#: The absolute error that fp64 functions may have around their zeros.
ABSOLUTE = 2.0**-49


def erfcinv(q):
    """The inverse of erfc. For small q, Newton's method on log(erfc) replaces mpmath's erfinv."""
    if q in (0, 2):
        return mpmath.inf if q == 0 else -mpmath.inf
    if not 0 < q < 2:
        return mpmath.nan
    if q > 0.01:
        return mpmath.erfinv(1 - q)
    y = mpmath.sqrt(-mpmath.log(q))
    for _ in range(60):
        value = mpmath.erfc(y)
        slope = 2 / mpmath.sqrt(mpmath.pi) * mpmath.exp(-y * y)
        y += (mpmath.log(value) - mpmath.log(q)) * value / slope
    return y


def erfinv(x):
    if abs(x) == 1:
        return x * mpmath.inf
    return mpmath.erfinv(x) if abs(x) < 1 else mpmath.nan


#: Functions whose error is relative, with ranges of operands. The range ("10^", a, b) has operands
#: 10^e with e from a to b.
RELATIVE = {
    "erfinv": (erfinv, (-1, 1), (-1e-5, 1e-5), (0.999, 1)),
    "erfcinv": (erfcinv, (0, 2), (1.99, 2), ("10^", -300, -1)),
    "erfcx": (lambda x: mpmath.exp(x * x) * mpmath.erfc(x), (-26, 26), (10, 1000)),
    "normcdf": (mpmath.ncdf, (-37, 9), (-3, 3)),
    "normcdfinv": (lambda x: -mpmath.sqrt(2) * erfcinv(2 * x), (0, 1), ("10^", -300, -1)),
    "lgamma": (
        lambda x: mpmath.re(mpmath.loggamma(x)),
        *((0, 3), (2, 20), (8, 1000), (0.9, 1.1), (1.9, 2.1), ("10^", -20, 20)),
    ),
    "tgamma": (mpmath.gamma, (0, 3), (0, 171), (-20, 0), (-177, -150)),
    "cyl_bessel_i0": (lambda x: mpmath.besseli(0, x), (-8, 8), (8, 100), (600, 712)),
    "cyl_bessel_i1": (lambda x: mpmath.besseli(1, x), (-8, 8), (8, 100), (0, 1e-8)),
    "rsqrt_rn": (lambda x: 1 / mpmath.sqrt(x), (1, 4), ("10^", -30, 30)),
}


def samples(dtype: np.dtype, low, *others) -> np.ndarray:
    draw = np.random.default_rng(0).uniform
    x = 10.0 ** draw(*others, N) if low == "10^" else draw(low, *others, N)
    with np.errstate(over="ignore", under="ignore"):
        return x.astype(dtype)


def values_of(function, x) -> list:
    return [exact(function, each) for each in x]


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("function", RELATIVE)
def test_errors_in_units_of_the_last_place(device, function, name):
    if (function, name) == ("rsqrt_rn", "fp64"):
        pytest.skip("it rounds floats of up to 32 bits")
    reference, *ranges = RELATIVE[function]
    for each in ranges:
        x = samples(DTYPES[name], *each)
        x = np.where(np.isfinite(x) & (x != 0), x, x.dtype.type(1))
        assert ulps(run(device, function, x), values_of(reference, x)) <= BOUNDS[name], each


def test_logarithm_of_gamma_of_negative_numbers(device):
    x = samples(DTYPES["fp64"], -50, 0)
    values = values_of(lambda v: mpmath.re(mpmath.loggamma(v)), x)
    for got, value in zip(run(device, "lgamma", x), values, strict=True):
        assert abs(mpmath.mpf(float(got)) - value) <= ABSOLUTE * (1 + abs(value))


BESSEL = {
    "j0": (lambda x: mpmath.besselj(0, x), (-8, 8), (8, 100), (100, 1e5)),
    "j1": (lambda x: mpmath.besselj(1, x), (-8, 8), (8, 100), (100, 1e5)),
    "y0": (lambda x: mpmath.bessely(0, x), (0.1, 8), (8, 100), ("10^", -8, -1)),
    "y1": (lambda x: mpmath.bessely(1, x), (0.1, 8), (8, 100), ("10^", -8, -1)),
}


def assert_close(found, values, name: str):
    """Checks errors: at most `BOUNDS`, or for fp64 at most 4 ulp plus `ABSOLUTE`."""
    if name != "fp64":
        assert ulps(found, values) <= BOUNDS[name]
        return
    for got, value in zip(found, values, strict=True):
        allowed = 4 * np.spacing(abs(float(value))) + ABSOLUTE
        assert abs(mpmath.mpf(float(got)) - value) <= allowed, (got, value)


@pytest.mark.parametrize("name", ["fp32", "fp64"])
@pytest.mark.parametrize("function", BESSEL)
def test_bessel_functions(device, function, name):
    reference, *ranges = BESSEL[function]
    for each in ranges:
        x = samples(DTYPES[name], *each)
        assert_close(run(device, function, x), values_of(reference, x), name)


@eft.jit
def of_order(n_ptr, x_ptr, out_ptr, NAME: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    n, x = tl.load(n_ptr + i), tl.load(x_ptr + i)
    tl.store(out_ptr + i, getattr(libdevice, NAME)(n, x))


def run_of_order(device, function, n, x):
    out = device.put(np.zeros_like(x))
    of_order[1](device.put(n), device.put(x), out, NAME=function, N=len(x))
    return device.get(out)


@pytest.mark.parametrize("name", ["fp32", "fp64"])
@pytest.mark.parametrize("most, low, high", [(5, 0, 10), (20, 0, 30), (100, 0, 120), (9, 0, 1e-7)])
def test_first_kind_of_any_order(device, name, most, low, high):
    n = np.random.default_rng(1).integers(0, most, N).astype(np.int32)
    x = samples(DTYPES[name], low, high)
    with mpmath.workprec(300):
        values = [mpmath.besselj(int(k), mpmath.mpf(float(v))) for k, v in zip(n, x, strict=True)]
    assert_close(run_of_order(device, "jn", n, x), values, name)


@pytest.mark.parametrize("most, low, high", [(5, 0.1, 10), (20, 5, 30), (60, 30, 120)])
def test_second_kind_of_any_order(device, most, low, high):
    n = np.random.default_rng(1).integers(0, most, N).astype(np.int32)
    x = samples(DTYPES["fp32"], low, high)
    with mpmath.workprec(300):
        values = [mpmath.bessely(int(k), mpmath.mpf(float(v))) for k, v in zip(n, x, strict=True)]
    assert ulps(run_of_order(device, "yn", n, x), values) <= BOUNDS["fp32"]


SPECIAL = {
    "erfinv": [(0, 0), (-0.0, -0.0), (1, INF), (-1, -INF), (2, NAN), (INF, NAN)],
    "erfcinv": [(0, INF), (1, 0), (2, -INF), (-1, NAN), (INF, NAN)],
    "erfcx": [(INF, 0), (-INF, INF), (-30, INF)],
    "normcdf": [(0, 0.5), (INF, 1), (-INF, 0), (50, 1), (-50, 0)],
    "normcdfinv": [(0, -INF), (0.5, 0), (1, INF), (-1, NAN), (2, NAN)],
    "lgamma": [(0, INF), (-0.0, INF), (1, 0), (2, 0), (-3, INF), (INF, INF), (-INF, INF)],
    "tgamma": [
        (0, INF),
        (-0.0, -INF),
        (1, 1),
        (3, 2),
        (-2, NAN),
        (INF, INF),
        (-INF, NAN),
        (200, INF),
    ],
    "j0": [(0, 1), (-0.0, 1), (INF, 0), (-INF, 0)],
    "j1": [(0, 0), (-0.0, -0.0), (INF, 0), (-INF, -0.0)],
    "y0": [(0, -INF), (-1, NAN), (INF, 0), (-INF, NAN)],
    "y1": [(0, -INF), (-1, NAN), (INF, 0), (-INF, NAN)],
    "cyl_bessel_i0": [(0, 1), (-0.0, 1), (INF, INF), (-INF, INF), (800, INF)],
    "cyl_bessel_i1": [(0, 0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (-800, -INF)],
    "rcp64h": [(1, 1), (-4, -0.25), (0, INF), (INF, 0), (3, float.fromhex("0x1.55555p-2"))],
}


@pytest.mark.parametrize("function", SPECIAL)
def test_special_operands(device, function):
    pairs = [*SPECIAL[function], (NAN, NAN)]
    pairs += pairs[:1] * (16 - len(pairs))
    x, expected = np.array(pairs, np.float64).T.copy()
    assert_same_bits(run(device, function, x), expected)


def test_special_orders(device):
    n = np.array([0, 1, 2, 3, -1, 2, 3, 5], np.int32)
    x = np.array([0, 0, 0, INF, 1, -2, -2, NAN])
    found = run_of_order(device, "jn", n, x)
    assert_same_bits(found[[0, 1, 2, 3, 4, 7]], np.array([1, 0, 0, 0, NAN, NAN]))
    np.testing.assert_allclose(
        found[[5, 6]], [0.3528340286156377, -0.12894324947440206], rtol=1e-15
    )
    found = run_of_order(device, "yn", n, x)
    assert_same_bits(found, np.array([-INF, -INF, -INF, 0, NAN, NAN, NAN, NAN]))


@eft.jit
def order_of_float(x_ptr, n):
    libdevice.jn(1.5, tl.load(x_ptr))


@eft.jit
def gamma_of_integer(x_ptr, n):
    libdevice.tgamma(n)


@eft.jit
def rounded_fp64(x_ptr, n):
    libdevice.rsqrt_rn(tl.load(x_ptr).to(tl.float64))


@eft.jit
def half_of_fp32(x_ptr, n):
    libdevice.rcp64h(tl.load(x_ptr))


@mistakes(
    (order_of_float, "libdevice.jn(", "jn needs an order of type int32, got fp32"),
    (gamma_of_integer, "libdevice.tgamma(", "tgamma needs a floating-point operand, got int32"),
    (rounded_fp64, "libdevice.rsqrt_rn(", "rsqrt_rn rounds floats of up to 32 bits, got fp64"),
    (half_of_fp32, "libdevice.rcp64h(", "rcp64h needs an operand of type fp64, got fp32"),
)
def test_mistakes(kernel, marker, message):
    assert_mistake(kernel, marker, message)
