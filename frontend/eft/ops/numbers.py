# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of operators that are numbers, of Python, NumPy, or any other library."""

from __future__ import annotations

import math
import operator


def seed_bits(seed, takes_zero: bool = True) -> int:
    """The seed as the operators count it, without a sign.

    Raises:
        TypeError: it is no integer.
        ValueError: it does not fit in 64 bits, or is 0 where that is not taken.
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
    """p as a float; the operators check its range.

    Raises:
        TypeError: it is no number.
    """
    return real("p", p)


def real(name: str, number) -> float:
    """A number of any library's as a float.

    Raises:
        TypeError: it is no number.
    """
    if type(number) is float:
        return number
    # Text that shows a number is none, though `float` reads it.
    if hasattr(type(number), "__float__") or hasattr(type(number), "__index__"):
        try:
            return float(number)
        except OverflowError:
            return math.inf
        except (TypeError, ValueError, RuntimeError):  # an array of several
            pass
    raise TypeError(f"{name} must be a number, got {number!r}")
