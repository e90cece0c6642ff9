# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libdevice's arithmetic and conversions that round in one direction: down, up, or toward zero.

The exact result is represented by two fp64: a wide number, and an error. The error is smaller than
half of the wide number's last bit, and only its sign counts. The wide number is first rounded to
nearest. The correctly rounded result is this number or one of its neighbours, and a comparison with
the exact result tells which.

Products of two floats of up to 32 bits are exact in fp64. Quotients and square roots are not. But
if a quotient or a root is not a number of the narrow type, its distance from every number of that
type is larger than the rounding error of fp64.
"""

from __future__ import annotations

from math import inf

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.casts import cast_to
from eft.language.constants import constant, to_tensor
from eft.language.elementary import check_floats
from eft.language.extra.bits import nextafter, signbit
from eft.language.extra.offer import offer_in
from eft.language.math import where
from eft.language.promotion import promote
from eft.language.tensor import op, tensor

__all__ = []
offer = offer_in(__all__)

_DIRECTIONS = {"rd": "down", "ru": "up", "rz": "toward zero"}


def _rounded(mode: str, wide: tensor, error: tensor | None, target) -> tensor:
    """The number of type `target` next to `wide + error`, in the direction of `mode`."""
    nearest = cast_to(wide, target)
    back = cast_to(nearest, dtypes.float64)
    is_above, is_below = back > wide, back < wide
    if error is not None:
        is_above = is_above | ((back == wide) & (error < 0.0))
        is_below = is_below | ((back == wide) & (error > 0.0))
    if mode == "rz":
        is_above, is_below = is_above & (wide > 0.0), is_below & (wide < 0.0)
    if mode != "ru":
        nearest = where(is_above, nextafter(nearest, -inf), nearest)
    if mode != "rd":
        nearest = where(is_below, nextafter(nearest, inf), nearest)
    return nearest


def _sum(x: tensor, y: tensor) -> tuple[tensor, tensor]:
    """The sum of two fp64, and its rounding error, which is computed exactly (Knuth's
    algorithm)."""
    total = x + y
    share = total - x
    return total, (x - (total - share)) + (y - share)


def _signed_zero(mode: str, result: tensor, x: tensor, y: tensor) -> tensor:
    """The result of a sum of `x` and `y`. If it is zero and is rounded down, it is -0 if a summand
    is negative or -0."""
    if mode != "rd":
        return result
    has_sign = (signbit(x) | signbit(y)) != 0
    return where((result == 0.0) & has_sign, constant(-0.0, result.type), result)


def _operands(name: str, *operands) -> tuple[list[tensor], dtypes.dtype]:
    """The operands converted to fp64, and their common type. Raises a `Mistake` unless it is a
    float of up to 32 bits."""
    operands = promote(name, *operands) if len(operands) > 1 else [to_tensor(operands[0])]
    check_floats(name, *operands)
    target = operands[0].dtype
    if target == dtypes.float64:
        raise Mistake(f"{name} takes floats of up to 32 bits, got {target}")
    return [cast_to(x, dtypes.float64) for x in operands], target


def _fused(x: tensor, y: tensor) -> tensor:
    """The product of two numbers, as an operation that is never fused with a sum."""
    return op("math.fma", [x, y, constant(-0.0, x.type)], x.type)


def _divided(x: tensor, y: tensor) -> tensor:
    return op("arith.divf", [x, y], x.type)


def _add(mode: str):
    name = f"add_{mode}"

    def add(arg0, arg1):
        (x, y), target = _operands(name, arg0, arg1)
        return _signed_zero(mode, _rounded(mode, *_sum(x, y), target), x, y)

    return add, "arg0 + arg1"


def _sub(mode: str):
    name = f"sub_{mode}"

    def sub(arg0, arg1):
        (x, y), target = _operands(name, arg0, arg1)
        return _signed_zero(mode, _rounded(mode, *_sum(x, -y), target), x, -y)

    return sub, "arg0 - arg1"


def _fma(mode: str):
    name = f"fma_{mode}"

    def fma(arg0, arg1, arg2):
        (x, y, z), target = _operands(name, arg0, arg1, arg2)
        product = _fused(x, y)
        return _signed_zero(mode, _rounded(mode, *_sum(product, z), target), product, z)

    return fma, "arg0 * arg1 + arg2"


def _mul(mode: str):
    def mul(arg0, arg1):
        (x, y), target = _operands(f"mul_{mode}", arg0, arg1)
        return _rounded(mode, _fused(x, y), None, target)

    return mul, "arg0 * arg1"


def _div(mode: str):
    def div(arg0, arg1):
        (x, y), target = _operands(f"div_{mode}", arg0, arg1)
        return _rounded(mode, _divided(x, y), None, target)

    return div, "arg0 / arg1"


def _rcp(mode: str):
    def rcp(arg0):
        (x,), target = _operands(f"rcp_{mode}", arg0)
        return _rounded(mode, _divided(constant(1.0, x.type), x), None, target)

    return rcp, "1 / arg0"


def _sqrt(mode: str):
    def sqrt(arg0):
        (x,), target = _operands(f"sqrt_{mode}", arg0)
        return _rounded(mode, op("math.sqrt", [x], x.type), None, target)

    return sqrt, "the square root of arg0"


def _convert(name: str, mode: str, is_source, target):
    def convert(arg0):
        x = to_tensor(arg0)
        if not is_source(x.dtype):
            raise Mistake(f"{name} does not take an operand of type {x.dtype}")
        if x.dtype.is_floating() or x.dtype.primitive_bitwidth <= 32:
            return _rounded(mode, cast_to(x, dtypes.float64), None, target)
        # Both halves of the integer are exact in fp64. The error of their sum is the part that fp64
        # does not hold.
        low = cast_to(x & 0xFFFFFFFF, dtypes.float64)
        high = _fused(cast_to(x >> 32, dtypes.float64), constant(2.0**32, low.type))
        return _rounded(mode, *_sum(high, low), target)

    return convert, f"arg0 as {target}"


def _offer(name: str, mode: str, made):
    function, meaning = made
    function.__name__ = name
    function.__doc__ = f"`{meaning}`, rounded {_DIRECTIONS[mode]}."
    globals()[name] = offer(function)


for _mode in _DIRECTIONS:
    for _make in (_add, _sub, _mul, _div, _fma, _rcp, _sqrt):
        _offer(f"{_make.__name__[1:]}_{_mode}", _mode, _make(_mode))
    for _source, _is_source in (
        ("int", dtypes.dtype.is_int),
        ("uint", dtypes.dtype.is_int),
        ("ll", dtypes.dtype.is_int),
        ("ull", dtypes.dtype.is_int),
        ("double", dtypes.dtype.is_floating),
    ):
        for _target, _type in (("float", dtypes.float32), ("double", dtypes.float64)):
            if _target == "float" or "ll" in _source:
                _name = f"{_source}2{_target}_{_mode}"
                _offer(_name, _mode, _convert(_name, _mode, _is_source, _type))
