# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's operators on tensors, and the functions that go by their names.

Integers wrap. `//` and `%` truncate toward zero, as in C; `/` always gives a float. An unsigned
offset is zero-extended before it is added to a pointer.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin
from eft.language.casts import cast_to
from eft.language.constants import constant, to_tensor
from eft.language.dtypes import describe
from eft.language.promotion import (
    broadcast_shape,
    broadcast_to_shape,
    check_operands,
    own_dtype,
    promote,
    refuse,
    refuse_float8,
)
from eft.language.tensor import emitter, enum, is_number, op, tensor


def _arithmetic(symbol: str, x, y, for_floats: str, for_integers: str) -> tensor:
    x, y = promote(f"`{symbol}`", x, y)
    name = for_floats if x.dtype.is_floating() else for_integers
    return op(f"arith.{name}", [x, y], x.type)


def _move_pointer(symbol: str, pointer: tensor, offset) -> tensor:
    offset = to_tensor(offset)
    if not offset.dtype.is_int():
        refuse(f"`{symbol}`", pointer, offset)
    # The least number of a narrow type has its negative only in a wider one.
    widened = offset.dtype.is_int_unsigned() or symbol == "-"
    if widened and offset.dtype.primitive_bitwidth < 64:
        offset = cast_to(offset, dtypes.int64)
    if symbol == "-":
        offset = negative(offset)
    shape = broadcast_shape(pointer.shape, offset.shape)
    pointer = broadcast_to_shape(pointer, shape)
    return op("eft.addptr", [pointer, broadcast_to_shape(offset, shape)], pointer.type)


@builtin
def add(x, y, sanitize_overflow=True):
    """`x + y`: numbers or blocks of them, or a pointer and an integer, which counts elements.

    Integers wrap, whatever `sanitize_overflow` says.
    """
    check_operands("`+`", x, y)
    if own_dtype(x).is_ptr():
        return _move_pointer("+", x, y)
    if own_dtype(y).is_ptr():
        return _move_pointer("+", y, x)
    return _arithmetic("+", x, y, "addf", "addi")


@builtin
def sub(x, y, sanitize_overflow=True):
    """`x - y`: numbers or blocks of them, or a pointer minus an integer, which counts elements.

    Integers wrap, whatever `sanitize_overflow` says.
    """
    check_operands("`-`", x, y)
    if own_dtype(x).is_ptr():
        return _move_pointer("-", x, y)
    return _arithmetic("-", x, y, "subf", "subi")


@builtin
def mul(x, y, sanitize_overflow=True):
    """`x * y`. Integers wrap, whatever `sanitize_overflow` says."""
    return _arithmetic("*", x, y, "mulf", "muli")


def truediv(x, y):
    """`x / y`, correctly rounded: in fp64 if an operand is fp64, else in fp32."""
    x, y = promote("`/`", x, y, division=True)
    if x.dtype.is_int():
        x, y = cast_to(x, dtypes.float32), cast_to(y, dtypes.float32)
    return op("arith.divf", [x, y], x.type)


def _integer_division(symbol: str, x, y, for_signed: str, for_unsigned: str) -> tensor:
    check_operands(f"`{symbol}`", x, y)
    if own_dtype(x).is_floating() or own_dtype(y).is_floating():
        refuse(f"`{symbol}`", x, y)
    x, y = promote(f"`{symbol}`", x, y, division=True)
    name = for_signed if x.dtype.is_int_signed() else for_unsigned
    return op(f"arith.{name}", [x, y], x.type)


def floordiv(x, y):
    """`x // y` of integers, truncated toward zero."""
    return _integer_division("//", x, y, "divsi", "divui")


def mod(x, y):
    """`x % y`: the remainder of the division that truncates toward zero; it has the sign of `x`."""
    check_operands("`%`", x, y)
    if own_dtype(x).is_floating() or own_dtype(y).is_floating():
        x, y = promote("`%`", x, y, division=True)
        return op("arith.remf", [x, y], x.type)
    return _integer_division("%", x, y, "remsi", "remui")


def _bitwise(symbol: str, x, y) -> tuple[tensor, tensor]:
    check_operands(f"`{symbol}`", x, y)
    if not own_dtype(x).is_int() or not own_dtype(y).is_int():
        refuse(f"`{symbol}`", x, y)
    return promote(f"`{symbol}`", x, y)


def and_(x, y):
    """`x & y` of integers."""
    x, y = _bitwise("&", x, y)
    return op("arith.andi", [x, y], x.type)


def or_(x, y):
    """`x | y` of integers."""
    x, y = _bitwise("|", x, y)
    return op("arith.ori", [x, y], x.type)


def xor(x, y):
    """`x ^ y` of integers."""
    x, y = _bitwise("^", x, y)
    return op("arith.xori", [x, y], x.type)


def lshift(x, y):
    """`x << y` of integers. `y` counts as unsigned; the number of bits or more shifts all of them
    out, with a warning if it is known at compile time."""
    left, right = _shift("<<", x, y)
    return op("arith.shli", [left, right], left.type)


def rshift(x, y):
    """`x >> y` of integers. The sign is shifted in if the type of `x` has one. `y` is as in
    `x << y`."""
    left, right = _shift(">>", x, y)
    # A number is what it becomes where the two meet.
    signed = left.dtype if is_number(x) else x.dtype
    return op("arith.shrsi" if signed.is_int_signed() else "arith.shrui", [left, right], left.type)


def _shift(symbol: str, x, y) -> tuple[tensor, tensor]:
    left, right = _bitwise(symbol, x, y)
    if is_number(y) and not 0 <= y < left.dtype.primitive_bitwidth:
        emitter().warn(f"`{symbol}` of {left.dtype} by {describe(y)} shifts all bits out")
    return left, right


#: Python's comparisons: the predicates for signed and unsigned integers and for floats.
_PREDICATES = {
    "==": ("eq", "eq", "oeq"),
    "!=": ("ne", "ne", "une"),
    "<": ("slt", "ult", "olt"),
    "<=": ("sle", "ule", "ole"),
    ">": ("sgt", "ugt", "ogt"),
    ">=": ("sge", "uge", "oge"),
}


def compare(symbol: str, x, y) -> tensor:
    """int1: whether `x` and `y` compare so. NaN is not equal to anything, and not less or
    greater."""
    x, y = promote(f"`{symbol}`", x, y)
    signed, unsigned, floating = _PREDICATES[symbol]
    result = x.type.with_scalar(dtypes.int1)
    if x.dtype.is_floating():
        return op("arith.cmpf", [x, y], result, predicate=enum("CmpFPredicate", floating))
    predicate = signed if x.dtype.is_int_signed() else unsigned
    return op("arith.cmpi", [x, y], result, predicate=enum("CmpIPredicate", predicate))


def negative(x: tensor) -> tensor:
    """`-x`. The smallest integer of a type is its own negative."""
    if x.dtype.is_fp8():
        refuse_float8("unary `-`", x.dtype)
    if x.dtype.is_ptr():
        raise Mistake(f"unary `-` does not take an operand of type {x.dtype}")
    if x.dtype.is_floating():
        return op("arith.negf", [x], x.type)
    return op("arith.subi", [constant(0, x.type), x], x.type)


def positive(x: tensor) -> tensor:
    """`+x`."""
    if x.dtype.is_ptr():
        raise Mistake(f"unary `+` does not take an operand of type {x.dtype}")
    return x


def invert(x: tensor) -> tensor:
    """`~x` of an integer: every bit flipped."""
    if not x.dtype.is_int():
        raise Mistake(f"unary `~` does not take an operand of type {x.dtype}")
    low, high = x.dtype.int_range()
    ones = constant(high if low == 0 else -1, x.type)
    return op("arith.xori", [x, ones], x.type)


def truth(x: tensor) -> tensor:
    """int1, true where a number is not zero, or a pointer not null."""
    return cast_to(x, dtypes.int1)


def logical_not(x: tensor) -> tensor:
    """`not x`, for every element."""
    return invert(truth(x))


def logical_and(x, y) -> tensor:
    """`x and y`, for every element: whether neither is zero. Both are computed."""
    return and_(truth(to_tensor(x)), truth(to_tensor(y)))


def logical_or(x, y) -> tensor:
    """`x or y`, for every element: whether one is not zero. Both are computed."""
    return or_(truth(to_tensor(x)), truth(to_tensor(y)))


#: Python's names of the operators: the symbol and the function.
BINARY = {
    "add": ("+", add),
    "sub": ("-", sub),
    "mul": ("*", mul),
    "truediv": ("/", truediv),
    "floordiv": ("//", floordiv),
    "mod": ("%", mod),
    "and": ("&", and_),
    "or": ("|", or_),
    "xor": ("^", xor),
    "lshift": ("<<", lshift),
    "rshift": (">>", rshift),
}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
UNARY = {"neg": negative, "pos": positive, "invert": invert}


def _add_operators():
    for name, (_, function) in BINARY.items():
        setattr(tensor, f"__{name}__", function)
        setattr(tensor, f"__r{name}__", lambda y, x, function=function: function(x, y))
    for name, symbol in COMPARISONS.items():
        setattr(tensor, f"__{name}__", lambda x, y, symbol=symbol: compare(symbol, x, y))
    for name, function in UNARY.items():
        setattr(tensor, f"__{name}__", function)
    for function in (logical_and, logical_or):
        builtin(function, method=True)


_add_operators()
