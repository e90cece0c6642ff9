# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrences for Bessel functions over their order, in Eft's own language. They have loops, whose
number of iterations depends on the largest order in a block."""

from __future__ import annotations

from eft import language as tl
from eft.jit import jit


@jit
def greatest(n):
    """The largest element of a block, or the number itself."""
    if n.shape:
        return tl.max(n)
    else:
        return n


@jit
def upward(n, x, before, value):
    """The Bessel function of order n ≥ 1 at x, from its values for the orders 0 (`before`) and 1
    (`value`). If a value is infinite, the values for all higher orders are, too."""
    for k in range(1, greatest(n)):
        following = k * (2.0 / x) * value - before
        following = tl.where(tl.abs(value) == float("inf"), value, following)
        before = tl.where(k < n, value, before)
        value = tl.where(k < n, following, value)
    return value


@jit
def downward(n, x):
    """J of order n > x > 0, by Miller's algorithm: the recurrence goes down from an order at which
    J is almost 0, and the result is scaled such that J0 + 2 J2 + 2 J4 + … = 1."""
    most = greatest(n)
    start = most + tl.sqrt(160.0 * most).to(tl.int32) + 2
    above = x * 0.0
    value = above + 1.0
    total = above
    result = above
    for i in range(start):
        k = start - i
        below = k * (2.0 / x) * value - above
        scale = tl.where(tl.abs(below) > 1e100, 1e-100, 1.0)
        above = value * scale
        value = below * scale
        even = (k % 2 == 1) & (k > 1)
        total = total * scale + tl.where(even, value, 0.0)
        result = tl.where(k - 1 == n, value, result * scale)
    return result / (2.0 * total + value)


@jit
def first_term(n, x):
    """(x / 2)^n / n!, the first term of the series of J of order n: an approximation near x = 0."""
    value = x * 0.0 + 1.0
    for k in range(1, greatest(n) + 1):
        value = tl.where(k <= n, value * (0.5 * x) / k, value)
    return value
