# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the polynomials of frontend/eft/language/extra/special.py.

    python scripts/math/special.py > frontend/eft/language/extra/special_coefficients.py
    scripts/format

Needs mpmath and some minutes. Each polynomial interpolates its function at Chebyshev points. Its
variable t, from -1 to 1, is linear in the function's argument. The result is close to the best
polynomial, and stable to evaluate. All polynomials are for fp64; fp32 functions are computed in
fp64.
"""

from collections.abc import Callable
from dataclasses import dataclass

import mpmath
from mpmath import mp, mpf, pi, sqrt

mp.prec = 400

HEAD = '''\
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The polynomials of special.py, lowest power first. scripts/math/special.py wrote this file and
says what each approximates. A polynomial comes with the middle and the half of its interval, and
stands for a function of (x - middle) / half."""

# fmt: off
# ruff: noqa: E501
'''


@dataclass
class Fit:
    """A polynomial for `target` on [low, high]."""

    target: Callable[[mpf], mpf]
    low: mpf
    high: mpf
    degree: int

    @property
    def middle(self) -> mpf:
        return (mpf(self.low) + mpf(self.high)) / 2

    @property
    def half(self) -> mpf:
        return (mpf(self.high) - mpf(self.low)) / 2

    def points(self, count: int) -> list[mpf]:
        return [mpmath.cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]

    def at(self, t: mpf) -> mpf:
        return self.target(self.middle + self.half * t)

    def coefficients(self) -> list[mpf]:
        """The coefficients of the interpolating polynomial, by divided differences."""
        points = self.points(self.degree + 1)
        differences = [self.at(t) for t in points]
        for order in range(1, len(points)):
            for i in reversed(range(order, len(points))):
                difference = differences[i] - differences[i - 1]
                differences[i] = difference / (points[i] - points[i - order])
        result = [mpf(0)]
        for difference, point in zip(reversed(differences), reversed(points), strict=True):
            shifted = [mpf(0), *result]
            result = [a - point * b for a, b in zip(shifted, [*result, mpf(0)], strict=True)]
            result[0] += difference
        return result[: self.degree + 1]

    def error(self, coefficients) -> mpf:
        """The largest error on the interval, relative to the function's largest value there."""
        samples = self.points(3 * self.degree)
        values = [self.at(t) for t in samples]
        found = [mpmath.polyval(coefficients[::-1], t) for t in samples]
        return max(abs(a - b) for a, b in zip(values, found, strict=True)) / max(map(abs, values))


@dataclass
class Series:
    """The beginning of a power series of positive terms, for u from 0 to `high`."""

    term: Callable[[int], mpf]
    high: mpf
    degree: int
    middle: mpf = mpf(0)

    @property
    def half(self) -> mpf:
        return self.high

    def coefficients(self) -> list[mpf]:
        return [self.term(k) * mpf(self.high) ** k for k in range(self.degree + 1)]

    def error(self, coefficients) -> mpf:
        """A bound of the omitted part of the sum, relative to the part that is kept."""
        rest = sum(self.term(k) * mpf(self.high) ** k for k in range(self.degree + 1, 200))
        return rest / sum(coefficients)


def limit(function: Callable, there: mpf, value) -> Callable:
    """`function`, except that the result at `there` is `value()`: the limit of `function`, which
    can't be computed there."""
    return lambda x: value() if abs(x - there) < mpf(10) ** -60 else function(x)


def erfinv(x: mpf) -> mpf:
    return mpmath.erfinv(x)


def erfcinv(q: mpf) -> mpf:
    """The inverse of erfc for small q, by Newton's method for log erfc(y) = log q."""
    log_q = mpmath.log(q)
    y = sqrt(max(-log_q - mpmath.log(sqrt(-log_q + 1)), mpf(1) / 10))
    for _ in range(60):
        value = mpmath.erfc(y)
        step = (mpmath.log(value) - log_q) * value * sqrt(pi) / 2 * mpmath.exp(y * y)
        y += step
        if abs(step) < mpf(10) ** -90 * abs(y):
            break
    return y


def erfinv_center(u: mpf) -> mpf:
    """erfinv(√u) / √u."""
    x = sqrt(abs(u))
    return erfinv(x) / x if x > mpf(10) ** -50 else sqrt(pi) / 2


def place_of_tail(r: mpf) -> mpf:
    return (r - 2) / (r + 2)


def erfcinv_tail(s: mpf) -> mpf:
    """erfcinv(e^(-r²)) / r, where s = (r - 2) / (r + 2)."""
    r = 2 * (1 + s) / (1 - s)
    return erfcinv(mpmath.exp(-r * r)) / r


def erfcx_scaled(t: mpf) -> mpf:
    """(1 + 2x) e^(x²) erfc(x), where t = (x - 3.75) / (x + 3.75)."""
    if t >= 1:
        return 2 / sqrt(pi)
    x = mpf("3.75") * (1 + t) / (1 - t)
    if x > 10000:
        terms = [(-1) ** k * mpmath.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(12)]
        return (1 + 2 * x) / (x * sqrt(pi)) * sum(terms)
    return (1 + 2 * x) * mpmath.exp(x * x) * mpmath.erfc(x)


def lgamma_one(d: mpf) -> mpf:
    """lgamma(1 + d) / d."""
    return limit(lambda x: mpmath.loggamma(1 + x) / x, mpf(0), lambda: -mpmath.euler)(d)


def lgamma_two(e: mpf) -> mpf:
    """lgamma(2 + e) / e."""
    return limit(lambda x: mpmath.loggamma(2 + x) / x, mpf(0), lambda: 1 - mpmath.euler)(e)


def stirling(v: mpf) -> mpf:
    """x times the remainder of Stirling's series of lgamma(x), where v = 1/x²."""
    if v < mpf(10) ** -40:
        return mpf(1) / 12
    x = 1 / sqrt(v)
    known = (x - mpf(1) / 2) * mpmath.log(x) - x + mpmath.log(2 * pi) / 2
    return x * (mpmath.loggamma(x) - known)


def modulus(order: int, phase: int) -> Callable[[mpf], mpf]:
    """P (if `phase` is 0) or x Q / 8 (if it is 1) of Hankel's expansion of order 0 or 1, as a
    function of v = 64/x²."""

    def at(v: mpf) -> mpf:
        if v < mpf(10) ** -40:
            return mpf(1) if phase == 0 else mpf(4 * order - 1) / 64
        x = 8 / sqrt(v)
        chi = x - (mpf(order) / 2 + mpf(1) / 4) * pi
        j, y = mpmath.besselj(order, x), mpmath.bessely(order, x)
        scale = sqrt(pi * x / 2)
        p = scale * (j * mpmath.cos(chi) + y * mpmath.sin(chi))
        q = scale * (y * mpmath.cos(chi) - j * mpmath.sin(chi))
        return p if phase == 0 else q * x / 8

    return at


def bessel_j(order: int) -> Callable[[mpf], mpf]:
    """(1 - J0(√u)) / u, or J1(√u) / √u."""

    def at(u: mpf) -> mpf:
        x = sqrt(abs(u))
        if order == 0:
            return (1 - mpmath.besselj(0, x)) / u if x > mpf(10) ** -50 else mpf(1) / 4
        return mpmath.besselj(1, x) / x if x > mpf(10) ** -50 else mpf(1) / 2

    return at


def bessel_y(order: int) -> Callable[[mpf], mpf]:
    """Y0(√u), or Y1(√u) / √u, minus the terms with the logarithm and the pole."""

    def at(u: mpf) -> mpf:
        x = max(sqrt(abs(u)), mpf(10) ** -30)
        if order == 0:
            return mpmath.bessely(0, x) - 2 / pi * mpmath.log(x) * mpmath.besselj(0, x)
        known = 2 / pi * (mpmath.log(x) * mpmath.besselj(1, x) - 1 / x)
        return (mpmath.bessely(1, x) - known) / x

    return at


def bessel_i(order: int) -> Callable[[int], mpf]:
    """The coefficients of the power series of I0(√u), or of I1(√u) / √u, in u."""
    return lambda k: mpf(1) / (4**k * 2**order * mpmath.factorial(k) * mpmath.factorial(k + order))


def bessel_i_far(order: int) -> Callable[[mpf], mpf]:
    """√x e^(-x) I0(x), or the same with I1, where v = 8 / x."""

    def at(v: mpf) -> mpf:
        if v < mpf(10) ** -12:
            return (1 - (4 * mpf(order) ** 2 - 1) * v / 64) / sqrt(2 * pi)
        x = 8 / v
        return sqrt(x) * mpmath.exp(-x) * mpmath.besseli(order, x)

    return at


#: The least and the greatest r = √(-log q): q is from the least denormal to 1/2.
LEAST, MOST = sqrt(mpmath.log(2)) * mpf("0.9999"), mpf("27.3")

FITS = {
    "ERFINV_CENTER": Fit(erfinv_center, 0, mpf(1) / 4, 15),
    "ERFCINV_TAIL": Fit(erfcinv_tail, place_of_tail(LEAST), place_of_tail(MOST), 34),
    "ERFCX": Fit(erfcx_scaled, -1, 1, 32),
    "LGAMMA_ONE": Fit(lgamma_one, -mpf(1) / 2, mpf(1) / 2, 27),
    "LGAMMA_TWO": Fit(lgamma_two, -mpf(1) / 2, 1, 22),
    "STIRLING": Fit(stirling, 0, mpf(1) / 64, 8),
    "GAMMA": Fit(lambda e: mpmath.gamma(2 + e), 0, 1, 17),
    "J0": Fit(bessel_j(0), 0, 64, 18),
    "J1": Fit(bessel_j(1), 0, 64, 17),
    "Y0": Fit(bessel_y(0), 0, 64, 20),
    "Y1": Fit(bessel_y(1), 0, 64, 18),
    "P0": Fit(modulus(0, 0), 0, 1, 12),
    "Q0": Fit(modulus(0, 1), 0, 1, 14),
    "P1": Fit(modulus(1, 0), 0, 1, 12),
    "Q1": Fit(modulus(1, 1), 0, 1, 14),
    "I0": Series(bessel_i(0), 64, 24),
    "I1": Series(bessel_i(1), 64, 24),
    "I0_FAR": Fit(bessel_i_far(0), 0, 1, 24),
    "I1_FAR": Fit(bessel_i_far(1), 0, 1, 24),
}


def main() -> None:
    print(HEAD)
    for name, fit in FITS.items():
        coefficients = [mpf(float(c)) for c in fit.coefficients()]
        print(f"#: Error 2^{mpmath.nstr(mpmath.log(fit.error(coefficients), 2), 4)}.")
        print(f"{name} = (")
        print(f"    {float(fit.middle)!r},")
        print(f"    {float(fit.half)!r},")
        print("    (")
        for coefficient in coefficients:
            print(f"        {float(coefficient)!r},")
        print("    ),")
        print(")")


if __name__ == "__main__":
    main()
