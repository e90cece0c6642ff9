# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libdevice's functions on the bits of integers and of floats."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.casts import bitcast_to, cast_to
from eft.language.constants import constant, to_tensor
from eft.language.elementary import check_floats
from eft.language.extra.offer import offer_in
from eft.language.math import abs, maximum, minimum, multiply_high, where
from eft.language.promotion import promote
from eft.language.tensor import op, tensor

__all__ = ["abs"]
offer = offer_in(__all__)

_INTEGER_OF_WIDTH = {16: dtypes.int16, 32: dtypes.int32, 64: dtypes.int64}
_MANTISSA_BITS = {
    dtypes.float16: 10,
    dtypes.bfloat16: 7,
    dtypes.float32: 23,
    dtypes.float64: 52,
}


def _float(name: str, x) -> tensor:
    x = to_tensor(x)
    check_floats(name, x)
    return x


def _floats(name: str, x, y) -> tuple[tensor, tensor]:
    x, y = promote(name, x, y)
    check_floats(name, x, y)
    return x, y


def _integer(name: str, x, *widths: int) -> tensor:
    x = to_tensor(x)
    if not x.dtype.is_int() or x.dtype.primitive_bitwidth not in widths:
        allowed = " or ".join(map(str, widths))
        raise Mistake(f"{name} needs an integer of {allowed} bits, got {x.dtype}")
    return x


def _bits(x: tensor) -> tensor:
    return bitcast_to(x, _INTEGER_OF_WIDTH[x.dtype.primitive_bitwidth])


def _magnitude_bits(x: tensor) -> tensor:
    return _bits(x) & (2 ** (x.dtype.primitive_bitwidth - 1) - 1)


def _infinity_bits(x: tensor) -> int:
    mantissa = _MANTISSA_BITS[x.dtype]
    return (2 ** (x.dtype.primitive_bitwidth - 1 - mantissa) - 1) << mantissa


def _bias(x: tensor) -> int:
    return 2 ** (x.dtype.primitive_bitwidth - 2 - _MANTISSA_BITS[x.dtype]) - 1


@offer
def fabs(arg0):
    """The magnitude of a float."""
    return abs(_float("fabs", arg0))


@offer
def isnan(arg0):
    """int1: whether a float is NaN."""
    x = _float("isnan", arg0)
    return x != x


@offer
def isinf(arg0):
    """int1: whether a float is infinite."""
    x = _float("isinf", arg0)
    return _magnitude_bits(x) == _infinity_bits(x)


@offer
def finitef(arg0):
    """int1: whether a float is neither infinite nor NaN."""
    x = _float("finitef", arg0)
    return _magnitude_bits(x) < _infinity_bits(x)


@offer
def isfinited(arg0):
    """int1: whether a float is neither infinite nor NaN."""
    x = _float("isfinited", arg0)
    return _magnitude_bits(x) < _infinity_bits(x)


@offer
def signbit(arg0):
    """int32: 1 if the sign bit of a float is set, as in -0, otherwise 0."""
    return cast_to(_bits(_float("signbit", arg0)) < 0, dtypes.int32)


@offer
def copysign(arg0, arg1):
    """The magnitude of `arg0` with the sign of `arg1`."""
    x, y = _floats("copysign", arg0, arg1)
    sign = _bits(y) & -(2 ** (x.dtype.primitive_bitwidth - 1))
    return bitcast_to(_magnitude_bits(x) | sign, x.dtype)


@offer
def nextafter(arg0, arg1):
    """The float next to `arg0` in the direction of `arg1`. If they are equal, it is `arg1`."""
    x, y = _floats("nextafter", arg0, arg1)
    bits = _bits(x)
    least = copysign(bitcast_to(constant(1, bits.type), x.dtype), y)
    # As an integer, the bits of the next float away from zero are one more.
    step = where((x < y) == (x > 0.0), constant(1, bits.type), constant(-1, bits.type))
    result = where(x == 0.0, least, bitcast_to(bits + step, x.dtype))
    return where(x == y, y, where(isnan(x) | isnan(y), x + y, result))


@offer
def ldexp(arg0, arg1):
    """`arg0`, a float, times 2 to the power of `arg1`, an integer."""
    return _scale("ldexp", arg0, arg1)


@offer
def scalbn(arg0, arg1):
    """`arg0`, a float, times 2 to the power of `arg1`, an integer."""
    return _scale("scalbn", arg0, arg1)


def _scale(name: str, x, power) -> tensor:
    given = _float(name, x)
    x = given if given.dtype == dtypes.float64 else cast_to(given, dtypes.float32)
    n = _integer(name, power, 8, 16, 32, 64)
    bias, mantissa = _bias(x), _MANTISSA_BITS[x.dtype]
    # Beyond these bounds every result is 0 or infinite.
    n = minimum(maximum(cast_to(n, dtypes.int64), -4 * bias), 4 * bias)
    n = cast_to(n, dtypes.int32)
    # Only the last product may round. If a product before it rounds, or is infinite, the final
    # result is 0 or infinite anyway.
    down = bias - 1 - mantissa - 1
    for _ in range(3):
        x = where(n > bias, x * 2.0**bias, where(n < 1 - bias, x * 2.0**-down, x))
        n = where(n > bias, n - bias, where(n < 1 - bias, n + down, n))
    n = minimum(maximum(n, 1 - bias), bias)
    factor = cast_to(n + bias, _INTEGER_OF_WIDTH[x.dtype.primitive_bitwidth]) << mantissa
    return cast_to(x * bitcast_to(factor, x.dtype), given.dtype)


@offer
def ilogb(arg0):
    """int32: the exponent e of a float, whose magnitude is m · 2^e with 1 ≤ m < 2. The least int32
    for 0 and NaN, the greatest int32 for infinity."""
    given = _float("ilogb", arg0)
    x = given if given.dtype == dtypes.float64 else cast_to(given, dtypes.float32)
    mantissa, bias = _MANTISSA_BITS[x.dtype], _bias(x)
    is_denormal = abs(x) < 2.0 ** (1 - bias)
    normal = where(is_denormal, x * 2.0**mantissa, x)
    field = cast_to(_magnitude_bits(normal) >> mantissa, dtypes.int32)
    exponent = where(is_denormal, field - (bias + mantissa), field - bias)
    least, greatest = -(2**31), 2**31 - 1
    exponent = where(isinf(x), greatest, exponent)
    return where((x == 0.0) | isnan(x), least, exponent)


@offer
def logb(arg0):
    """The exponent of a float, as a float; see `ilogb`. -∞ for 0, ∞ for infinity, NaN for NaN."""
    x = _float("logb", arg0)
    exponent = cast_to(ilogb(x), x.dtype)
    exponent = where(x == 0.0, float("-inf"), exponent)
    return where(isnan(x) | isinf(x), abs(x), exponent)


def _reinterpret(name: str, source, target):
    def function(arg0):
        x = to_tensor(arg0)
        if x.dtype != source:
            raise Mistake(f"{name} needs an operand of type {source}, got {x.dtype}")
        return bitcast_to(x, target)

    function.__name__ = name
    function.__doc__ = f"The bits of {source} as {target}."
    globals()[name] = offer(function)


_reinterpret("float_as_int", dtypes.float32, dtypes.int32)
_reinterpret("float_as_uint", dtypes.float32, dtypes.uint32)
_reinterpret("int_as_float", dtypes.int32, dtypes.float32)
_reinterpret("uint_as_float", dtypes.uint32, dtypes.float32)
_reinterpret("double_as_longlong", dtypes.float64, dtypes.int64)
_reinterpret("longlong_as_double", dtypes.int64, dtypes.float64)


@offer
def hiloint2double(arg0, arg1):
    """The fp64 whose upper 32 bits are `arg0` and whose lower 32 bits are `arg1`; both are integers
    of 32 bits."""
    high = cast_to(_integer("hiloint2double", arg0, 32), dtypes.int64)
    low = bitcast_to(_integer("hiloint2double", arg1, 32), dtypes.uint32)
    return bitcast_to((high << 32) | cast_to(low, dtypes.int64), dtypes.float64)


@offer
def double2hiint(arg0):
    """int32: the upper 32 bits of an fp64."""
    return cast_to(double_as_longlong(arg0) >> 32, dtypes.int32)  # noqa: F821


@offer
def double2loint(arg0):
    """int32: the lower 32 bits of an fp64."""
    return cast_to(double_as_longlong(arg0), dtypes.int32)  # noqa: F821


@offer
def clz(arg0):
    """int32: the number of leading zeros of an integer of 32 or 64 bits."""
    x = _integer("clz", arg0, 32, 64)
    return cast_to(op("math.ctlz", [x], x.type), dtypes.int32)


@offer
def popc(arg0):
    """int32: the number of bits that are 1 in an integer of 32 or 64 bits."""
    x = _integer("popc", arg0, 32, 64)
    return cast_to(op("math.ctpop", [x], x.type), dtypes.int32)


@offer
def ffs(arg0):
    """int32: the position of the lowest bit that is 1 in an integer of 32 or 64 bits, counted from
    1; 0 if there is none."""
    x = _integer("ffs", arg0, 32, 64)
    place = cast_to(op("math.cttz", [x], x.type), dtypes.int32)
    return where(x == 0, 0, place + 1)


@offer
def brev(arg0):
    """The bits of an integer of 32 or 64 bits in reverse order."""
    x = _integer("brev", arg0, 32, 64)
    width = x.dtype.primitive_bitwidth
    word = bitcast_to(x, dtypes.uint32 if width == 32 else dtypes.uint64)
    step = 1
    while step < width:
        # Of each 2 * step bits, the mask selects the lower half.
        mask = (2**width - 1) // (2**step + 1)
        word = ((word & mask) << step) | ((word >> step) & mask)
        step *= 2
    return bitcast_to(word, x.dtype)


@offer
def byte_perm(arg0, arg1, arg2):
    """Selects four bytes from two integers of 32 bits. Bytes 0 to 3 are those of `arg0`, from the
    lowest on; bytes 4 to 7 are those of `arg1`. Byte i of the result is the one whose number is in
    the lowest three bits of hexadecimal digit i of `arg2`, counted from the lowest."""
    x, y = (_integer("byte_perm", arg, 32) for arg in (arg0, arg1))
    selector = _integer("byte_perm", arg2, 32)
    result = 0
    for i in range(4):
        choice = (selector >> (4 * i)) & 7
        word = where(choice < 4, bitcast_to(x, dtypes.int32), bitcast_to(y, dtypes.int32))
        byte = (word >> ((choice & 3) * 8)) & 0xFF
        result = result | (byte << (8 * i))
    return bitcast_to(result, x.dtype)


@offer
def mulhi(arg0, arg1):
    """The upper half of the product of two integers of 32 or 64 bits, which are signed or unsigned
    like their common type."""
    x, y = promote("mulhi", arg0, arg1)
    return multiply_high("mulhi", x, y, is_signed=x.dtype.is_int_signed())


@offer
def umulhi(arg0, arg1):
    """The upper half of the product of two integers of 32 or 64 bits, which are read as
    unsigned."""
    return multiply_high("umulhi", arg0, arg1, is_signed=False)


@offer
def mul24(arg0, arg1):
    """The lower 32 bits of the product of two numbers: the lower 24 bits of `arg0` and those of
    `arg1`, which are integers of 32 bits."""
    x, y = promote("mul24", _integer("mul24", arg0, 32), _integer("mul24", arg1, 32))
    return ((x << 8) >> 8) * ((y << 8) >> 8)


@offer
def sad(arg0, arg1, arg2):
    """The absolute difference of `arg0` and `arg1` plus `arg2`, all integers of 32 bits. The result
    is uint32."""
    x, y = promote("sad", _integer("sad", arg0, 32), _integer("sad", arg1, 32))
    distance = bitcast_to(where(x > y, x - y, y - x), dtypes.uint32)
    return distance + bitcast_to(_integer("sad", arg2, 32), dtypes.uint32)


@offer
def hadd(arg0, arg1):
    """The mean of two integers of 32 bits, rounded down."""
    x, y = promote("hadd", _integer("hadd", arg0, 32), _integer("hadd", arg1, 32))
    return (x & y) + ((x ^ y) >> 1)


@offer
def rhadd(arg0, arg1):
    """The mean of two integers of 32 bits, rounded up."""
    x, y = promote("rhadd", _integer("rhadd", arg0, 32), _integer("rhadd", arg1, 32))
    return (x | y) - ((x ^ y) >> 1)
