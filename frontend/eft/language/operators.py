# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's operators on tensors, the builtins `add`, `sub` and `mul`, and the methods `logical_and`
and `logical_or`.

Integers wrap around. As in C, `//` truncates toward zero, and `%` has the sign of its left operand.
`/` always gives a float. An unsigned offset is zero-extended before it is added to a pointer.
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
    # The negative of the least number of a narrow type exists only in a wider type.
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
    """`x + y`, of numbers or blocks of numbers, or of a pointer and an integer, which counts
    elements.

    Integers wrap around; `sanitize_overflow` has no effect.
    """
    check_operands("`+`", x, y)
    if own_dtype(x).is_ptr():
        return _move_pointer("+", x, y)
    if own_dtype(y).is_ptr():
        return _move_pointer("+", y, x)
    return _arithmetic("+", x, y, "addf", "addi")


@builtin
def sub(x, y, sanitize_overflow=True):
    """`x - y`, of numbers or blocks of numbers, or of a pointer `x` and an integer `y`, which
    counts elements.

    Integers wrap around; `sanitize_overflow` has no effect.
    """
    check_operands("`-`", x, y)
    if own_dtype(x).is_ptr():
        return _move_pointer("-", x, y)
    return _arithmetic("-", x, y, "subf", "subi")


@builtin
def mul(x, y, sanitize_overflow=True):
    """`x * y`. Integers wrap around; `sanitize_overflow` has no effect."""
    return _arithmetic("*", x, y, "mulf", "muli")


def truediv(x, y):
    """`x / y`, correctly rounded: in fp64 if an operand is fp64, in fp16 for 8-bit floats of two
    formats, otherwise in fp32."""
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
    """`x % y`: the remainder of the division that truncates toward zero. It has the sign of `x`."""
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
    """`x << y` of integers. `y` is read as unsigned. A shift by the width of the common type or
    more shifts all bits out, with a warning if `y` is known at compile time."""
    left, right = _shift("<<", x, y)
    return op("arith.shli", [left, right], left.type)


def rshift(x, y):
    """`x >> y` of integers: an arithmetic shift if the type of `x` is signed, otherwise a logical
    one. The rules for `y` are those of `lshift`."""
    left, right = _shift(">>", x, y)
    # A Python number has the signedness of the common type.
    signed = left.dtype if is_number(x) else x.dtype
    return op("arith.shrsi" if signed.is_int_signed() else "arith.shrui", [left, right], left.type)


def _shift(symbol: str, x, y) -> tuple[tensor, tensor]:
    left, right = _bitwise(symbol, x, y)
    if is_number(y) and not 0 <= y < left.dtype.primitive_bitwidth:
        emitter().warn(f"`{symbol}` of {left.dtype} by {describe(y)} shifts all bits out")
    return left, right


#: For each of Python's comparisons: its predicates for signed integers, for unsigned integers and
#: for floats.
_PREDICATES = {
    "==": ("eq", "eq", "oeq"),
    "!=": ("ne", "ne", "une"),
    "<": ("slt", "ult", "olt"),
    "<=": ("sle", "ule", "ole"),
    ">": ("sgt", "ugt", "ogt"),
    ">=": ("sge", "uge", "oge"),
}


def compare(symbol: str, x, y) -> tensor:
    """int1: whether `x symbol y` holds, where `symbol` is one of Python's comparisons. NaN is not
    equal to anything, and neither less nor greater."""
    x, y = promote(f"`{symbol}`", x, y)
    signed, unsigned, floating = _PREDICATES[symbol]
    result = x.type.with_scalar(dtypes.int1)
    if x.dtype.is_floating():
        return op("arith.cmpf", [x, y], result, predicate=enum("CmpFPredicate", floating))
    predicate = signed if x.dtype.is_int_signed() else unsigned
    return op("arith.cmpi", [x, y], result, predicate=enum("CmpIPredicate", predicate))


def negative(x: tensor) -> tensor:
    """`-x`. The smallest number of a signed integer type stays as it is."""
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
    """`~x` of an integer: flips every bit."""
    if not x.dtype.is_int():
        raise Mistake(f"unary `~` does not take an operand of type {x.dtype}")
    low, high = x.dtype.int_range()
    ones = constant(high if low == 0 else -1, x.type)
    return op("arith.xori", [x, ones], x.type)


def truth(x: tensor) -> tensor:
    """int1: true where a number is not zero, or a pointer is not null."""
    return cast_to(x, dtypes.int1)


def logical_not(x: tensor) -> tensor:
    """`not x`, for every element."""
    return invert(truth(x))


def logical_and(x, y) -> tensor:
    """`x and y`, for every element: int1, true where neither operand is zero. Both are computed."""
    return and_(truth(to_tensor(x)), truth(to_tensor(y)))


def logical_or(x, y) -> tensor:
    """`x or y`, for every element: int1, true where at least one operand is not zero. Both are
    computed."""
    return or_(truth(to_tensor(x)), truth(to_tensor(y)))


#: For each operator, by Python's name: its symbol and the function that computes it.
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
