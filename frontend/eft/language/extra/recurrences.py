# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recurrences of Bessel functions in their order, as functions of Eft's own language: they have
loops, which run as long as the greatest order in a block needs."""

from __future__ import annotations

from eft import language as tl
from eft.jit import jit


@jit
def greatest(n):
    """The greatest number of a block, or the number."""
    if n.shape:
        return tl.max(n)
    else:
        return n


@jit
def upward(n, x, before, value):
    """The function of order n ≥ 1 from those of orders 0 and 1. What is infinite stays so."""
    for k in range(1, greatest(n)):
        following = k * (2.0 / x) * value - before
        following = tl.where(tl.abs(value) == float("inf"), value, following)
        before = tl.where(k < n, value, before)
        value = tl.where(k < n, following, value)
    return value


@jit
def downward(n, x):
    """J of order n > x > 0, by Miller's algorithm: downward from an order at which it is next to
    nothing, scaled by a sum that is known, J0 + 2 J2 + 2 J4 + … = 1."""
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
    """(x / 2)^n / n!, which is J of order n next to 0."""
    value = x * 0.0 + 1.0
    for k in range(1, greatest(n) + 1):
        value = tl.where(k <= n, value * (0.5 * x) / k, value)
    return value
