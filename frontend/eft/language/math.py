# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise functions, and the choice between two values."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin
from eft.language.casts import cast_to
from eft.language.constants import to_tensor
from eft.language.dtypes import describe
from eft.language.promotion import (
    broadcast_shape,
    broadcast_to_shape,
    promote,
    promote_pointer_or_number,
)
from eft.language.tensor import emitter, is_number, op, tensor


class PropagateNan:
    """What `minimum` and `maximum` give where one operand is NaN: NONE the other one, ALL NaN."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return f"PropagateNan.{self.name}"


PropagateNan.NONE = PropagateNan("NONE")
PropagateNan.ALL = PropagateNan("ALL")


def _of_floats(name: str, x) -> tensor:
    x = to_tensor(x)
    if x.dtype not in (dtypes.float32, dtypes.float64):
        raise Mistake(f"{name} needs an operand of type fp32 or fp64, got {x.dtype}")
    return op(f"math.{name}", [x], x.type)


@builtin(method=True)
def exp(x):
    """e to the power of `x`, of fp32 or fp64; within 2 ulp, with the same bits on every target."""
    return _of_floats("exp", x)


@builtin(method=True)
def log(x):
    """The natural logarithm of `x`, of fp32 or fp64; within 2 ulp, with the same bits on every
    target."""
    return _of_floats("log", x)


@builtin(method=True)
def sqrt(x):
    """The square root of `x`, of fp32 or fp64, correctly rounded."""
    return _of_floats("sqrt", x)


@builtin(method=True)
def abs(x):
    """The absolute value of `x`. The smallest integer of a type is its own."""
    x = to_tensor(x)
    if x.dtype.is_ptr():
        raise Mistake(f"abs needs a number or a block of numbers, got {describe(x)}")
    if x.dtype.is_int_unsigned():
        return x
    return op("math.absf" if x.dtype.is_floating() else "math.absi", [x], x.type)


def _extremum(what: str, x, y, propagate_nan) -> tensor:
    if not isinstance(propagate_nan, PropagateNan):
        raise Mistake(
            f"{what} needs propagate_nan to be a tl.PropagateNan, got {describe(propagate_nan)}"
        )
    x, y = promote(what, x, y)
    short = what[:3]
    if x.dtype.is_floating():
        name = f"{what}f" if propagate_nan is PropagateNan.ALL else f"{short}numf"
    else:
        name = f"{short}si" if x.dtype.is_int_signed() else f"{short}ui"
    return op(f"arith.{name}", [x, y], x.type)


@builtin
def minimum(x, y, propagate_nan=PropagateNan.NONE):
    """The smaller of two values, for every element. Where one is NaN: see `PropagateNan`."""
    return _extremum("minimum", x, y, propagate_nan)


@builtin
def maximum(x, y, propagate_nan=PropagateNan.NONE):
    """The larger of two values, for every element. Where one is NaN: see `PropagateNan`."""
    return _extremum("maximum", x, y, propagate_nan)


@builtin
def where(condition, x, y):
    """`x` where the condition is true, else `y`. Both are computed.

    Args:
        condition: int1. Another integer counts as true where it is not zero, with a warning.
        x, y: numbers, blocks or pointers; they meet in one type, and all three in one shape.
    """
    condition = to_tensor(condition)
    if condition.dtype.is_ptr():
        raise Mistake(f"where needs a condition of type int1, got {condition.dtype}")
    if not condition.dtype.is_bool():
        emitter().warn(
            f"where takes a condition of type int1, got {condition.dtype}: what is not zero counts "
            "as true; write `condition != 0`"
        )
        condition = cast_to(condition, dtypes.int1)
    x, y = promote_pointer_or_number("where", x, y)
    shape = broadcast_shape(condition.shape, x.shape)
    operands = [broadcast_to_shape(operand, shape) for operand in (condition, x, y)]
    return op("arith.select", operands, operands[1].type)


@builtin(method=True)
def cdiv(x, div):
    """`x` divided by `div`, rounded up, of integers that are not negative."""
    if is_number(x) and is_number(div):
        if div == 0:
            raise Mistake(f"cdiv of {describe(x)} by zero")
        return -(-x // div)
    return (x + div - 1) // div
