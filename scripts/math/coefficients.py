# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the polynomials of compiler/transforms/math, as hexadecimal floats for C++.

    python scripts/math/coefficients.py [exp|log] ...

Needs mpmath and a few seconds. Each table comes with the largest relative error that the
polynomial itself has on its interval, in bits; evaluating it in floating point adds to that.
"""

import sys
from collections.abc import Sequence

import mpmath
from minimax import Problem, fit, largest_error, round_coefficients
from mpmath import mp, mpf

mp.prec = 220

PRECISION = {"f32": 24, "f64": 53}


def exp_problem(degree: int) -> Problem:
    """p with e^r = 1 + r + r² p(r) for |r| ≤ ln 2, error relative to e^r."""

    def target(r: mpf) -> mpf:
        return (mpmath.expm1(r) - r) / r**2

    # A little more than ln 2: the multiple of 2 ln 2 that leaves r is found from a rounded product.
    bound = mpmath.log(2) * (1 + mpf(2) ** -18)
    return Problem(target, lambda r: r**2 * mpmath.exp(-r), -bound, bound, degree)


def log_problem(degree: int) -> Problem:
    """p with log(1 + f) = f + f² p(f) for 2/3 ≤ 1 + f ≤ 4/3, error relative to log(1 + f)."""

    def target(f: mpf) -> mpf:
        return (mpmath.log1p(f) - f) / f**2

    return Problem(target, lambda f: abs(f**2 / mpmath.log1p(f)), -mpf(1) / 3, mpf(1) / 3, degree)


TABLES = {
    "exp": [(exp_problem, "f32", 5), (exp_problem, "f64", 11)],
    "log": [(log_problem, "f32", 7), (log_problem, "f64", 19)],
}


def hexadecimal(value: mpf) -> str:
    """A C++ literal that is exactly `value`, which has at most 53 bits."""
    digits, exponent = float(value).hex().split("p")
    return f"{digits.rstrip('0').rstrip('.')}p{exponent}"


def print_table(name: str, kind: str, problem: Problem) -> None:
    precision = PRECISION[kind]
    ideal, ideal_error = fit(problem)
    rounded = round_coefficients(problem, ideal, precision)
    bits = [
        mpmath.nstr(mpmath.log(e, 2), 5) for e in (largest_error(problem, rounded), ideal_error)
    ]
    print(f"// {name}, {kind}: degree {problem.degree}, error 2^{bits[0]}, ideal 2^{bits[1]}")
    print("\n".join(f"    {hexadecimal(c)}," for c in rounded))


def main(names: Sequence[str]) -> None:
    for name in names or TABLES:
        for make_problem, kind, degree in TABLES[name]:
            print_table(name, kind, make_problem(degree))


if __name__ == "__main__":
    main(sys.argv[1:])
