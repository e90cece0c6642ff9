# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the polynomials of compiler/transforms/math, as hexadecimal floats for C++.

    python scripts/math/coefficients.py [NAME ...]
    python scripts/math/coefficients.py > compiler/transforms/math/Coefficients.h && scripts/format

Without a name it prints the whole header. Needs mpmath and a minute. The comment at each table has
the largest error of the polynomial itself on its interval. Evaluation in floating point adds
rounding errors.
"""

import sys
from collections.abc import Sequence

import mpmath
from minimax import Problem, fit, largest_error, round_coefficients, round_to
from mpmath import mp, mpf

mp.prec = 220

from problems import TABLES, WITH_SPLIT_FIRST  # noqa: E402 (constants in them need the precision)

PRECISION = {"32": 24, "64": 53}

HEAD = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The coefficients of the elementary functions' polynomials, the lowest power first.
// scripts/math/coefficients.py wrote this file; scripts/math/problems.py says what each polynomial
// approximates.
#pragma once

namespace eft::coefficients {
"""


def hexadecimal(value: mpf) -> str:
    """A C++ literal whose value is exactly `value`, which must have at most 53 significant bits."""
    digits, exponent = float(value).hex().split("p")
    return f"{digits.rstrip('0').rstrip('.')}p{exponent}"


def table(name: str, width: str, problem: Problem) -> str:
    precision = PRECISION[width]
    is_split = name in WITH_SPLIT_FIRST
    ideal, ideal_error = fit(problem)
    rounded = round_coefficients(problem, ideal, precision, 2 * precision if is_split else None)
    error = largest_error(problem, rounded)
    bits = [mpmath.nstr(mpmath.log(e, 2), 5) for e in (error, ideal_error)]
    if is_split:
        high = round_to(rounded[0], precision)
        rounded[:1] = [high, rounded[0] - high]
    digits = ", ".join(map(hexadecimal, rounded))
    return (
        f"// Degree {problem.degree}, error 2^{bits[0]}, ideal 2^{bits[1]}.\n"
        f"constexpr double {name}F{width}[] = {{{digits}}};\n"
    )


def main(names: Sequence[str]) -> None:
    if not names:
        print(HEAD)
    for name in names or TABLES:
        problems, *degrees = TABLES[name]
        if not isinstance(problems, tuple):
            problems = (problems, problems)
        for width, problem, degree in zip(PRECISION, problems, degrees, strict=True):
            print(table(name, width, problem(degree)))
    if not names:
        print("} // namespace eft::coefficients")


if __name__ == "__main__":
    main(sys.argv[1:])
