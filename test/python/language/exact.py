# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy versions of those operators and functions of kernels that have exact results. A type is
given by its name in Eft, or by the dtype of an array."""

from __future__ import annotations

import numpy as np
from eft.language.constants import number_dtype
from eft.language.dtypes import from_name
from eft.language.promotion import computation_dtype
from reference import convert
from support import DTYPES

_NAMES = {dtype: name for name, dtype in DTYPES.items()}
COMPARISONS = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_FLOATING = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "%": np.fmod}
_INTEGER = {"+": np.add, "-": np.subtract, "*": np.multiply}
_BITWISE = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}


def name_of(x: np.ndarray) -> str:
    return _NAMES[x.dtype]


def is_float(name: str) -> bool:
    return from_name(name).is_floating()


def meeting(a: str, b: str, symbol: str = "+") -> str:
    """The common type to which operands of two types are converted."""
    types = from_name(a), from_name(b)
    return computation_dtype(*types, division=symbol in ("/", "//", "%")).name


def literal(number: int | float, other: str, symbol: str = "+") -> np.ndarray | None:
    """A Python number, converted to the common type of the number and an operand of type `other`;
    None if the common type cannot hold it."""
    own, partner = number_dtype(number), from_name(other)
    own = own if own.kind > partner.kind else partner
    common = meeting(own.name, other, symbol)
    if not is_float(common):
        low, high = from_name(common).int_range()
        if not low <= number <= high:
            return None
    return cast(np.asarray(number), common)


def cast(x: np.ndarray, name: str) -> np.ndarray:
    shape = x.shape
    return convert(x.reshape(-1), DTYPES[name]).reshape(shape)


def binary(symbol: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The result of `x symbol y`, such as `x + y`."""
    signed = name_of(x).startswith("int") and name_of(x) != "int1"
    common = meeting(name_of(x), name_of(y), symbol)
    x, y = np.broadcast_arrays(cast(x, common), cast(y, common))
    with np.errstate(all="ignore"):
        if symbol in COMPARISONS:
            return np.asarray(COMPARISONS[symbol](x, y))
        if is_float(common):
            return np.asarray(_FLOATING[symbol](x, y)).astype(x.dtype)
        if symbol == "/":
            return np.asarray(cast(x, "fp32") / cast(y, "fp32"))
        return np.asarray(_integers(symbol, x, y, signed)).astype(x.dtype)


def _integers(symbol: str, x, y, signed: bool):
    if symbol in _BITWISE:
        return _BITWISE[symbol](x, y)
    if symbol in ("<<", ">>"):
        return _shifted(symbol, x, y, signed)
    if x.dtype == np.bool_:
        return x & y if symbol == "*" else x ^ y
    if symbol in _INTEGER:
        return _INTEGER[symbol](x, y)
    quotient = _quotient(x, y)
    if symbol == "//":
        return np.where(y == 0, np.array(-1).astype(x.dtype), quotient)
    return np.where(y == 0, x, x - quotient * y)


def _quotient(x, y):
    """The quotient of integers, truncated toward zero."""
    divisor = np.where(y == 0, np.ones_like(y), y)
    floor = x // divisor
    if x.dtype.kind == "u":
        return floor
    floor = np.where(divisor == -1, -x, floor)
    inexact = (floor * divisor != x) & ((x < 0) != (divisor < 0))
    return floor + inexact.astype(x.dtype)


def _shifted(symbol: str, x, y, signed: bool):
    bits = 8 * x.dtype.itemsize
    y = y.view(f"u{x.dtype.itemsize}") if y.flags.c_contiguous else y.copy().view(f"u{x.itemsize}")
    amount = np.minimum(y, bits - 1).astype(x.dtype)
    if symbol == "<<":
        return np.where(y >= bits, np.zeros_like(x), x << amount)
    if signed:
        values = x.astype(f"i{x.dtype.itemsize}")
        return (values >> amount.astype(values.dtype)).astype(x.dtype)
    values = x.astype(f"u{x.dtype.itemsize}")
    shifted = values >> amount.astype(values.dtype)
    return np.where(y >= bits, np.zeros_like(values), shifted).astype(x.dtype)


def extremum(x: np.ndarray, y: np.ndarray, is_max: bool) -> np.ndarray:
    """`maximum` or `minimum`: a number wins over NaN, and -0 is less than +0."""
    common = meeting(name_of(x), name_of(y))
    x, y = np.broadcast_arrays(cast(x, common), cast(y, common))
    if not is_float(common):
        return np.asarray((np.maximum if is_max else np.minimum)(x, y))
    with np.errstate(invalid="ignore"):
        result = np.asarray((np.fmax if is_max else np.fmin)(x, y))
    zeros = (x == 0) & (y == 0)
    negative = (np.signbit(x) & np.signbit(y)) if is_max else (np.signbit(x) | np.signbit(y))
    zero = np.where(negative, np.array(-0.0).astype(x.dtype), np.array(0.0).astype(x.dtype))
    return np.where(zeros, zero, result).astype(x.dtype)


def choose(condition: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The result of `tl.where`."""
    common = meeting(name_of(x), name_of(y))
    return np.asarray(np.where(condition, cast(x, common), cast(y, common)))


def negative(x: np.ndarray) -> np.ndarray:
    if x.dtype == np.bool_:
        return x
    with np.errstate(over="ignore"):
        return np.asarray(-x if is_float(name_of(x)) else np.zeros_like(x) - x)


def invert(x: np.ndarray) -> np.ndarray:
    return np.asarray(~x)


def absolute(x: np.ndarray) -> np.ndarray:
    return x if x.dtype == np.bool_ else np.asarray(np.abs(x)).astype(x.dtype)


def square_root(x: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.asarray(np.sqrt(x))


def place_of(x, i, y, j, is_max: bool):
    """One step of `argmax` or `argmin`: the better of two elements, with its index."""
    with np.errstate(invalid="ignore"):
        first = (x > y) if is_max else (x < y)
        first = first | (y != y) | ((x == y) & (i < j))
    return np.where(first, x, y).astype(x.dtype), np.where(first, i, j).astype(i.dtype)


def summed_name(name: str) -> str:
    """The type of `tl.sum` for elements of a type."""
    dtype = from_name(name)
    if dtype.is_int() and dtype.primitive_bitwidth < 32:
        return "uint32" if dtype.is_int_unsigned() else "int32"
    return name


def extremum_name(name: str) -> str:
    """The type of `tl.max` and `tl.min` for elements of a type."""
    dtype = from_name(name)
    if dtype.primitive_bitwidth < 32:
        return "fp32" if dtype.is_floating() else "int32"
    return name
