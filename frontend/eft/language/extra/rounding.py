# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libdevice's rounding, conversions, remainders, and arithmetic whose name includes its rounding.

A float outside of the range of an integer type becomes the nearest integer of the range, and NaN
becomes 0, whatever rounding the conversion has.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.casts import cast_to
from eft.language.constants import to_tensor
from eft.language.elementary import check_floats, function_of_float, function_of_floats
from eft.language.extra.bits import signbit
from eft.language.extra.offer import offer_in
from eft.language.math import abs, clamp, maximum, minimum, where
from eft.language.promotion import promote
from eft.language.tensor import tensor

__all__ = []
offer = offer_in(__all__)

_ROUNDINGS = {
    "rn": "math.roundeven",
    "rz": "math.trunc",
    "rd": "math.floor",
    "ru": "math.ceil",
}


def _rounding(name: str, operation: str, meaning: str):
    def function(arg0):
        return function_of_float(name, operation, arg0)

    function.__name__ = name
    function.__doc__ = f"`arg0`, a float, rounded to an integer {meaning}."
    globals()[name] = offer(function)


_rounding("floor", "math.floor", "that is not greater")
_rounding("ceil", "math.ceil", "that is not less")
_rounding("trunc", "math.trunc", "toward zero")
_rounding("rint", "math.roundeven", "to nearest, halves to even")
_rounding("nearbyint", "math.roundeven", "to nearest, halves to even")
_rounding("round", "math.round", "to nearest, halves away from zero")


@offer
def llrint(arg0):
    """`arg0` rounded to the nearest int64, halves to even."""
    return cast_to(function_of_float("llrint", "math.roundeven", arg0), dtypes.int64)


@offer
def llround(arg0):
    """`arg0` rounded to the nearest int64, halves away from zero."""
    return cast_to(function_of_float("llround", "math.round", arg0), dtypes.int64)


def _to_integer(name: str, rounding: str, target):
    def function(arg0):
        return cast_to(function_of_float(name, _ROUNDINGS[rounding], arg0), target)

    function.__name__ = name
    function.__doc__ = f"`arg0`, a float, as an {target}, rounded by {rounding}."
    globals()[name] = offer(function)


def _convert(name: str, is_source, target):
    def function(arg0):
        x = to_tensor(arg0)
        if not is_source(x.dtype):
            raise Mistake(f"{name} does not take an operand of type {x.dtype}")
        return cast_to(x, target)

    function.__name__ = name
    function.__doc__ = f"`arg0` as an {target}, rounded to nearest."
    globals()[name] = offer(function)


_INTEGERS = {
    "int": dtypes.int32,
    "uint": dtypes.uint32,
    "ll": dtypes.int64,
    "ull": dtypes.uint64,
}
_FLOATS = {"float": dtypes.float32, "double": dtypes.float64}
for _integer, _type in _INTEGERS.items():
    for _float, _float_type in _FLOATS.items():
        for _mode in _ROUNDINGS:
            _to_integer(f"{_float}2{_integer}_{_mode}", _mode, _type)
        _convert(f"{_integer}2{_float}_rn", dtypes.dtype.is_int, _float_type)
_convert("double2float_rn", dtypes.dtype.is_floating, dtypes.float32)


@offer
def fma(arg0, arg1, arg2):
    """`arg0 * arg1 + arg2` of floats, rounded once."""
    return function_of_floats("fma", "math.fma", arg0, arg1, arg2)


@offer
def fma_rn(arg0, arg1, arg2):
    """`arg0 * arg1 + arg2` of floats, rounded once."""
    return function_of_floats("fma_rn", "math.fma", arg0, arg1, arg2)


# The following three are fused multiply-adds, which are never fused with another operation.


@offer
def add_rn(arg0, arg1):
    """`arg0 + arg1` of floats, rounded to nearest; never fused with a product."""
    return function_of_floats("add_rn", "math.fma", arg0, 1.0, arg1)


@offer
def sub_rn(arg0, arg1):
    """`arg0 - arg1` of floats, rounded to nearest; never fused with a product."""
    return function_of_floats("sub_rn", "math.fma", arg1, -1.0, arg0)


@offer
def mul_rn(arg0, arg1):
    """`arg0 * arg1` of floats, rounded to nearest; never fused with a sum."""
    return function_of_floats("mul_rn", "math.fma", arg0, arg1, -0.0)


@offer
def rcp_rn(arg0):
    """1 divided by `arg0`, correctly rounded."""
    return function_of_floats("rcp_rn", "arith.divf", 1.0, arg0)


@offer
def saturatef(arg0):
    """`arg0`, a float, clamped to the range from 0 to 1. NaN becomes 0."""
    x = to_tensor(arg0)
    check_floats("saturatef", x)
    return clamp(x, 0.0, 1.0)


@offer
def fdim(arg0, arg1):
    """`arg0 - arg1` of floats, or 0 if the difference is negative."""
    x, y = _floats("fdim", arg0, arg1)
    return where(x <= y, 0.0, x - y)


@offer
def fmax(arg0, arg1):
    """The larger of two floats. If one operand is NaN, the result is the other operand."""
    return maximum(*_floats("fmax", arg0, arg1))


@offer
def fmin(arg0, arg1):
    """The smaller of two floats. If one operand is NaN, the result is the other operand."""
    return minimum(*_floats("fmin", arg0, arg1))


@offer
def max(arg0, arg1):
    """The larger of two numbers. If one operand is NaN, the result is the other operand."""
    return maximum(arg0, arg1)


@offer
def min(arg0, arg1):
    """The smaller of two numbers. If one operand is NaN, the result is the other operand."""
    return minimum(arg0, arg1)


@offer
def fmod(arg0, arg1):
    """The remainder of the division of `arg0` by `arg1` with a quotient that is truncated toward
    zero. It is exact, and has the sign of `arg0`."""
    return function_of_floats("fmod", "arith.remf", arg0, arg1)


@offer
def remainder(arg0, arg1):
    """`arg0 - n * arg1`, where n is the integer nearest to `arg0 / arg1`, and the even one of two
    that are equally near. The result is exact."""
    x, y = _floats("remainder", arg0, arg1)
    divisor = abs(y)
    # First compute the remainder modulo twice the divisor. If twice the divisor is infinite, this
    # remainder is |x| itself. Then subtract the divisor at most twice. The comparisons double the
    # remainder if the divisor is small, because half of the divisor could be rounded; otherwise
    # they halve the divisor, because twice the remainder could be infinite.
    rest = function_of_floats("remainder", "arith.remf", abs(x), divisor + divisor)
    is_small = divisor < 1.0
    half = divisor * 0.5
    is_above = where(is_small, rest + rest > divisor, rest > half)
    once = rest - divisor
    is_far = where(is_small, once + once >= divisor, once >= half)
    rest = where(is_above, where(is_far, once - divisor, once), rest)
    return where(signbit(x) != 0, -rest, rest)


def _floats(name: str, x, y) -> tuple[tensor, tensor]:
    x, y = promote(name, x, y)
    check_floats(name, x, y)
    return x, y
