# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that the polynomials of compiler/transforms/math approximate, with the weights of
their errors."""

from collections.abc import Callable

import mpmath
from minimax import Problem
from mpmath import mpf

#: The reduction of an argument rounds, so intervals are wider by this factor than the exact
#: reduction needs.
WIDER = 1 + mpf(2) ** -18


def without(function: Callable, known: Callable, power: int) -> Callable:
    """x → (function(x) - known(x)) / x^power, where `known` is the first terms of the series."""
    return lambda x: (function(x) - known(x)) / x**power


def exponential(base: mpf, bound: mpf) -> Callable[[int], Problem]:
    """p with base^r = 1 + r p(r) for |r| ≤ bound; the error is relative to base^r."""
    scale = mpmath.log(base)
    return lambda degree: Problem(
        lambda r: mpmath.expm1(r * scale) / r,
        lambda r: abs(r) * mpmath.exp(-r * scale),
        -bound * WIDER,
        bound * WIDER,
        degree,
    )


def expm1_problem(degree: int) -> Problem:
    """p with e^r - 1 = r + r² p(r) for |r| ≤ ln 2 / 2; the error is relative to e^r - 1."""
    bound = mpmath.log(2) / 2 * WIDER
    target = without(mpmath.expm1, lambda r: r, 2)
    return Problem(target, lambda r: abs(r**2 / mpmath.expm1(r)), -bound, bound, degree)


def log_problem(degree: int) -> Problem:
    """p with log(1 + f) = f + f² p(f) for 2/3 ≤ 1 + f ≤ 4/3; error relative to log(1 + f)."""
    target = without(mpmath.log1p, lambda f: f, 2)
    return Problem(target, lambda f: abs(f**2 / mpmath.log1p(f)), -mpf(1) / 3, mpf(1) / 3, degree)


def odd(function: Callable, bound: mpf, power: int = 3) -> Callable[[int], Problem]:
    """p with f(x) = x + x^power p(x²) for |x| ≤ bound; the error is relative to f(x)."""

    def target(u: mpf) -> mpf:
        x = mpmath.sqrt(u)
        return (function(x) - x) / x**power

    def weight(u: mpf) -> mpf:
        x = mpmath.sqrt(u)
        return x**power / function(x)

    return lambda degree: Problem(target, weight, mpf(10) ** -9, (bound * WIDER) ** 2, degree)


def cos_problem(degree: int) -> Problem:
    """p with cos x = 1 - x²/2 + x⁴ p(x²) for |x| ≤ π/4; the error is relative to cos x."""
    bound = (mpmath.pi / 4 * WIDER) ** 2
    target = without(lambda u: mpmath.cos(mpmath.sqrt(u)), lambda u: 1 - u / 2, 2)
    return Problem(
        target, lambda u: u**2 / mpmath.cos(mpmath.sqrt(u)), mpf(10) ** -9, bound, degree
    )


def log_of_erfc(high: mpf) -> Callable[[int], Problem]:
    """p with erfc(x) = e^(p(x - 1)) for 1 ≤ x ≤ high; the error is relative to erf(x)."""
    return lambda degree: Problem(
        lambda t: mpmath.log(mpmath.erfc(1 + t)),
        lambda t: mpmath.erfc(1 + t) / mpmath.erf(1 + t),
        mpf(0),
        high - 1,
        degree,
    )


def scaled_erfc(high: mpf) -> Callable[[int], Problem]:
    """p with (1 + 2x) e^(x²) erfc(x) = p((x - 3) / (x + 3)) for 1/2 ≤ x ≤ high; relative error."""

    def at(t: mpf) -> mpf:
        x = 3 * (1 + t) / (1 - t)
        return (1 + 2 * x) * mpmath.exp(x * x) * mpmath.erfc(x)

    def place(x: mpf) -> mpf:
        return (x - 3) / (x + 3)

    low = mpf(1) / 2
    return lambda degree: Problem(at, lambda t: 1 / at(t), place(low), place(high), degree)


def atanh_series(known: int) -> Callable[[int], Problem]:
    """p with atanh(s) = s + s³/3 + … + s^(2 known + 1) p(s²) for |s| ≤ 1/5. The first `known` terms
    are exact."""

    def target(u: mpf) -> mpf:
        s = mpmath.sqrt(u)
        return (mpmath.atanh(s) / s - sum(u**k / (2 * k + 1) for k in range(known))) / u**known

    return lambda degree: Problem(
        target, lambda u: u**known, mpf(10) ** -8, (WIDER / 5) ** 2, degree
    )


def inverse_cube_root(degree: int) -> Problem:
    """p with m^(-1/3) = p(m) for 1 ≤ m ≤ 8; relative error. An iteration starts from p(m)."""
    third = mpf(1) / 3
    return Problem(lambda m: m**-third, lambda m: m**third, mpf(1), mpf(8), degree)


PI = mpmath.pi

#: name: (problem, or a problem for f32 and one for f64; degree for f32; degree for f64)
TABLES = {
    "exp": (exponential(mpmath.e, mpmath.log(2) / 2), 5, 10),
    "exp2": (exponential(mpf(2), mpf(1) / 2), 5, 10),
    "exp10": (exponential(mpf(10), mpmath.log10(2) / 2), 5, 10),
    "expm1": (expm1_problem, 4, 9),
    "log": (log_problem, 7, 19),
    "sin": (odd(mpmath.sin, PI / 4), 2, 5),
    "cos": (cos_problem, 2, 5),
    "sinh": (odd(mpmath.sinh, mpf(1)), 3, 6),
    "atan": (odd(mpmath.atan, mpf(1)), 7, 19),
    "asin": (odd(mpmath.asin, mpf(1) / 2), 4, 12),
    "asinh": (odd(mpmath.asinh, mpf(1) / 2), 4, 11),
    "atanh": (odd(mpmath.atanh, mpf(1) / 2), 5, 13),
    "erf": (odd(mpmath.erf, mpf(1), 1), 6, 12),
    "logOfErfc": ((log_of_erfc(mpf(4)), log_of_erfc(mpf(6))), 6, 17),
    "scaledErfc": ((scaled_erfc(mpf(11)), scaled_erfc(mpf(28))), 9, 22),
    "atanhTail": ((atanh_series(2), atanh_series(3)), 3, 7),
    "inverseCubeRoot": (inverse_cube_root, 4, 4),
}

#: Polynomials whose first coefficient is stored as a sum of two numbers. This coefficient makes up
#: most of the value, and its rounding to one number would make up most of the error.
WITH_SPLIT_FIRST = {"scaledErfc"}
