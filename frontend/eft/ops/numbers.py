# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the operators' numeric arguments: numbers of Python, NumPy, or any other library."""

from __future__ import annotations

import math
import operator


def seed_bits(seed, takes_zero: bool = True) -> int:
    """Returns the seed modulo 2**64, which is what the operators take.

    Raises:
        TypeError: the seed is not an integer.
        ValueError: the seed does not fit in 64 bits, signed or unsigned, or is 0 without
            `takes_zero`.
    """
    try:
        number = operator.index(seed)
    except TypeError:
        raise TypeError(f"seed must be an integer, got {seed!r}") from None
    if not -(1 << 63) <= number < 1 << 64 or not (number or takes_zero):
        expected = "fit in 64 bits" if takes_zero else "be an integer of 64 bits other than 0"
        raise ValueError(f"seed must {expected}, got {number}")
    return number % (1 << 64)


def probability(p) -> float:
    """Returns p as a float. The operators check its range.

    Raises:
        TypeError: it is not a number.
    """
    return real("p", p)


def real(name: str, number) -> float:
    """Returns a number of any library as a float. An integer that is too large becomes infinity.

    Raises:
        TypeError: it is not a number.
    """
    if type(number) is float:
        return number
    # A str is refused, although `float` accepts one such as "0.5".
    if hasattr(type(number), "__float__") or hasattr(type(number), "__index__"):
        try:
            return float(number)
        except OverflowError:
            return math.inf
        except (TypeError, ValueError, RuntimeError):  # an array with several elements
            pass
    raise TypeError(f"{name} must be a number, got {number!r}")
