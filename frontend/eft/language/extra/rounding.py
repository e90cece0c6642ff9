# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libdevice's rounding, conversions, remainders, and arithmetic that names its rounding.

A float that becomes an integer is bounded by the integer's range, and NaN becomes 0, whatever the
name of the conversion.
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


# As fused operations, which take no part in further fusing.


@offer
def add_rn(arg0, arg1):
    """`arg0 + arg1` of floats, rounded by itself: never fused with a product."""
    return function_of_floats("add_rn", "math.fma", arg0, 1.0, arg1)


@offer
def sub_rn(arg0, arg1):
    """`arg0 - arg1` of floats, rounded by itself: never fused with a product."""
    return function_of_floats("sub_rn", "math.fma", arg1, -1.0, arg0)


@offer
def mul_rn(arg0, arg1):
    """`arg0 * arg1` of floats, rounded by itself: never fused with a sum."""
    return function_of_floats("mul_rn", "math.fma", arg0, arg1, -0.0)


@offer
def rcp_rn(arg0):
    """1 divided by `arg0`, correctly rounded."""
    return function_of_floats("rcp_rn", "arith.divf", 1.0, arg0)


@offer
def saturatef(arg0):
    """`arg0`, a float, brought between 0 and 1. NaN becomes 0."""
    x = to_tensor(arg0)
    check_floats("saturatef", x)
    return clamp(x, 0.0, 1.0)


@offer
def fdim(arg0, arg1):
    """`arg0 - arg1`, or 0 if that is negative."""
    x, y = _floats("fdim", arg0, arg1)
    return where(x <= y, 0.0, x - y)


@offer
def fmax(arg0, arg1):
    """The greater of two floats; of a number and NaN the number."""
    return maximum(*_floats("fmax", arg0, arg1))


@offer
def fmin(arg0, arg1):
    """The lesser of two floats; of a number and NaN the number."""
    return minimum(*_floats("fmin", arg0, arg1))


@offer
def max(arg0, arg1):
    """The greater of two numbers; of a number and NaN the number."""
    return maximum(arg0, arg1)


@offer
def min(arg0, arg1):
    """The lesser of two numbers; of a number and NaN the number."""
    return minimum(arg0, arg1)


@offer
def fmod(arg0, arg1):
    """The remainder of `arg0` after a multiple of `arg1` is taken off, with the sign of `arg0`:
    exact."""
    return function_of_floats("fmod", "arith.remf", arg0, arg1)


@offer
def remainder(arg0, arg1):
    """`arg0 - n * arg1`, where n is the integer nearest to their quotient, even if there are two:
    exact."""
    x, y = _floats("remainder", arg0, arg1)
    divisor = abs(y)
    # Modulo twice the divisor, which changes nothing if that is infinite; then one or two
    # subtractions. Half of a small divisor would be rounded, and twice the rest of a large one
    # infinite.
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
