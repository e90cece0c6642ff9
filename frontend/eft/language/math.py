# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module `tl.math`: minima, maxima, absolute values, the selection of elements, and other
elementwise functions. It also offers the elementary functions of elementary.py."""

# ruff: noqa: F401, F403 (what is imported here is what the module offers)
from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin
from eft.language.casts import cast_to
from eft.language.constants import to_tensor
from eft.language.dtypes import describe
from eft.language.elementary import *
from eft.language.promotion import (
    broadcast_shape,
    broadcast_to_shape,
    check_operands,
    promote,
    promote_pointer_or_number,
    refuse_float8,
)
from eft.language.tensor import emitter, is_number, op, ops, tensor


class PropagateNan:
    """The rule of `minimum` and `maximum` for two operands of which one is NaN: the result is the
    other operand with NONE, and NaN with ALL."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return f"PropagateNan.{self.name}"

    def __reduce__(self):  # the two objects are compared by `is`, so copies must be the same object
        return f"PropagateNan.{self.name}"


PropagateNan.NONE = PropagateNan("NONE")
PropagateNan.ALL = PropagateNan("ALL")


@builtin(method=True)
def abs(x):
    """The absolute value of `x`, a number or a block of numbers. The smallest number of a signed
    integer type stays as it is."""
    x = to_tensor(x)
    if x.dtype.is_fp8():
        refuse_float8("abs", x.dtype)
    if x.dtype.is_ptr():
        raise Mistake(f"abs needs a number or a block of numbers, got {describe(x)}")
    if x.dtype.is_int_unsigned():
        return x
    return op("math.absf" if x.dtype.is_floating() else "math.absi", [x], x.type)


def _check_propagate_nan(what: str, propagate_nan):
    if not isinstance(propagate_nan, PropagateNan):
        raise Mistake(
            f"{what} needs propagate_nan to be a tl.PropagateNan, got {describe(propagate_nan)}"
        )


def _choose(what: str, x: tensor, y: tensor, propagate_nan: PropagateNan) -> tensor:
    """The minimum or maximum of two operands of the same type."""
    short = what[:3]
    if x.dtype.is_floating():
        name = f"arith.{what}f" if propagate_nan is PropagateNan.ALL else f"eft.{short}_num"
    else:
        name = f"arith.{short}si" if x.dtype.is_int_signed() else f"arith.{short}ui"
    return op(name, [x, y], x.type)


def _extremum(what: str, x, y, propagate_nan) -> tensor:
    _check_propagate_nan(what, propagate_nan)
    return _choose(what, *promote(what, x, y), propagate_nan)


@builtin
def minimum(x, y, propagate_nan=PropagateNan.NONE):
    """The smaller of two numbers, for every element. The operands are converted to one type and
    broadcast to one shape. -0 is less than +0.

    If one operand is NaN, the result is the other operand with
    `propagate_nan=tl.PropagateNan.NONE`, and NaN with `tl.PropagateNan.ALL`.
    """
    return _extremum("minimum", x, y, propagate_nan)


@builtin
def maximum(x, y, propagate_nan=PropagateNan.NONE):
    """The larger of two numbers, for every element. The operands are converted to one type and
    broadcast to one shape. -0 is less than +0.

    If one operand is NaN, the result is the other operand with
    `propagate_nan=tl.PropagateNan.NONE`, and NaN with `tl.PropagateNan.ALL`.
    """
    return _extremum("maximum", x, y, propagate_nan)


@builtin
def clamp(x, min, max, propagate_nan=PropagateNan.NONE):
    """`min` where `x` is less than `min`, `max` where `x` is greater than `max`, otherwise `x`.

    Args:
        x, min, max: numbers or blocks, which are converted to one type and broadcast to one shape.
            Where min > max, the result is `max`.
        propagate_nan: where `x` is NaN, the result is `min` with `tl.PropagateNan.NONE`, and NaN
            with `tl.PropagateNan.ALL`.
    """
    _check_propagate_nan("clamp", propagate_nan)
    x, low, high = promote("clamp", x, min, max)
    return _choose("minimum", _choose("maximum", x, low, propagate_nan), high, propagate_nan)


@builtin
def umulhi(x, y):
    """The upper half of the product of two integers of 32 or 64 bits, which are read as unsigned:
    the upper 32 of its 64 bits, or the upper 64 of its 128 bits."""
    return multiply_high("umulhi", x, y, is_signed=False)


def multiply_high(name: str, x, y, is_signed: bool) -> tensor:
    """The upper half of the product of two integers, which are read as signed or unsigned."""
    x, y = promote(name, x, y)
    if not x.dtype.is_int() or x.dtype.primitive_bitwidth not in (32, 64):
        raise Mistake(f"{name} needs integers of 32 or 64 bits, got {x.dtype}")
    operation = "arith.mulsi_extended" if is_signed else "arith.mului_extended"
    return ops(operation, [x, y], [x.type, x.type])[1]


@builtin
def where(condition, x, y):
    """Selects elements: `x` where the condition is true, otherwise `y`. Both `x` and `y` are
    computed.

    Args:
        condition: int1. A number of another type counts as true where it is not zero, with a
            warning.
        x, y: numbers, blocks or pointers, which are converted to one type. Pointers must have the
            same type.

    Returns:
        A value of the common type of `x` and `y`, in the shape to which all three operands
        broadcast.
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
    """`x` divided by `div`, rounded up. Both are integers that are not negative. The result is an
    int if both are known at compile time."""
    check_operands("cdiv", x, div)
    if is_number(x) and is_number(div):
        if div == 0:
            raise Mistake(f"cdiv of {describe(x)} by zero")
        return -(-x // div)
    return (x + div - 1) // div
