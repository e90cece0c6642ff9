# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Minimax polynomials whose coefficients are floating-point numbers.

`fit` is Remez's exchange algorithm for a weighted error. `round_coefficients` then rounds one
coefficient after the other. It begins with the lowest power, whose rounding causes the largest
error. After each rounding, the coefficients that are not yet rounded are adjusted by least squares
to compensate the error. This is Babai's nearest-plane method on the lattice of polynomials with
floating-point coefficients.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpmath import cos, linspace, lu_solve, matrix, mp, mpf, nint, pi, polyval

Function = Callable[[mpf], mpf]


@dataclass
class Problem:
    """Find the polynomial p that minimises the largest |weight(x) * (p(x) - target(x))| on
    [low, high]."""

    target: Function
    weight: Function
    low: mpf
    high: mpf
    degree: int


class Samples:
    """The problem at Chebyshev points, which are dense at the ends, as the error's extrema are."""

    def __init__(self, problem: Problem, count: int):
        middle, half = (problem.low + problem.high) / 2, (problem.high - problem.low) / 2
        self.points = [middle - half * cos(pi * t) for t in linspace(0, 1, count)]
        self.targets = [problem.target(x) for x in self.points]
        self.weights = [problem.weight(x) for x in self.points]

    def errors(self, coefficients: Sequence[mpf]) -> list[mpf]:
        """The weighted error of a polynomial (lowest power first) at each point."""
        high_first = list(reversed(coefficients))
        return [
            w * (polyval(high_first, x) - t)
            for x, t, w in zip(self.points, self.targets, self.weights, strict=True)
        ]


def alternation(errors: Sequence[mpf], count: int) -> list[int]:
    """Indices of up to `count` consecutive extrema of alternating signs. Smaller ones at the ends
    are left out."""
    extrema: list[int] = []
    for i, error in enumerate(errors):
        if extrema and (errors[extrema[-1]] > 0) == (error > 0):
            if abs(error) > abs(errors[extrema[-1]]):
                extrema[-1] = i
        else:
            extrema.append(i)
    while len(extrema) > count:
        extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
    return extrema


def fit(problem: Problem) -> tuple[list[mpf], mpf]:
    """The minimax polynomial, the lowest power first, and its largest error."""
    count = problem.degree + 2
    # An even number of points avoids the middle of the interval, where a weight may be 0.
    samples = Samples(problem, 100 * count)
    chosen = [round(i * (len(samples.points) - 1) / (count - 1)) for i in range(count)]
    while True:
        system, right = matrix(count, count), matrix(count, 1)
        for row, i in enumerate(chosen):
            x, w = samples.points[i], samples.weights[i]
            for power in range(count - 1):
                system[row, power] = w * x**power
            system[row, count - 1] = (-1) ** row
            right[row] = w * samples.targets[i]
        coefficients = list(lu_solve(system, right))[:-1]
        errors = samples.errors(coefficients)
        extrema = alternation(errors, count)
        if len(extrema) < count or extrema == chosen:
            return coefficients, max(map(abs, errors))
        chosen = extrema


def round_to(value: mpf, precision: int) -> mpf:
    """`value` rounded to nearest with `precision` significant bits (no exponent limits)."""
    exponent = mp.frexp(value)[1] - precision
    return mp.ldexp(nint(mp.ldexp(value, -exponent)), exponent)


def round_coefficients(
    problem: Problem, ideal: Sequence[mpf], precision: int, first_precision: int | None = None
) -> list[mpf]:
    """A polynomial close to `ideal` whose coefficients have `precision` significant bits. The first
    coefficient has `first_precision` bits if that is given."""
    samples = Samples(problem, 4 * len(ideal))
    # Each row is a point and each column a power. The distance of two polynomials is the norm of
    # columns @ (the difference of their coefficients).
    columns = matrix(len(samples.points), len(ideal))
    for row, (x, w) in enumerate(zip(samples.points, samples.weights, strict=True)):
        for power in range(len(ideal)):
            columns[row, power] = w * x**power
    rounded: list[mpf] = []
    wanted = list(ideal)
    for power in range(len(ideal)):
        own = first_precision if power == 0 and first_precision else precision
        rounded.append(round_to(wanted[power], own))
        free = len(ideal) - power - 1
        if free == 0:
            break
        lost = columns[:, : power + 1] * (matrix(list(ideal[: power + 1])) - matrix(rounded))
        tail = columns[:, power + 1 :]
        shift = lu_solve(tail.T * tail, tail.T * lost)
        wanted[power + 1 :] = [c + s for c, s in zip(ideal[power + 1 :], shift, strict=True)]
    return rounded


def largest_error(problem: Problem, coefficients: Sequence[mpf]) -> mpf:
    """The largest weighted error on a grid that is finer than the one used to fit."""
    return max(map(abs, Samples(problem, 250 * (problem.degree + 2)).errors(coefficients)))
