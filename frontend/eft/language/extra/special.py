# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libdevice's special functions: the inverses of the error function, the normal distribution, gamma
functions and Bessel functions.

They are computed in fp64 for every type of operand, and the result is rounded to this type. So
results of narrower types than fp64 are almost correctly rounded. There are no branches that depend
on an operand: a function with several formulas computes all of them for every element, and selects
one result. docs/mathematics.md has the formulas, and a table of the largest errors that were found
in fp64.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.casts import bitcast_to, cast_to
from eft.language.constants import to_tensor
from eft.language.elementary import check_floats, cos, exp, floor, fma, log, sin, sqrt
from eft.language.extra.bits import copysign
from eft.language.extra.elementary import erfc, pow, sinpi
from eft.language.extra.offer import offer_in
from eft.language.math import abs, maximum, minimum, where
from eft.language.promotion import broadcast_shape, broadcast_to_shape
from eft.language.tensor import emitter, tensor

__all__ = []
offer = offer_in(__all__)

_PI = 3.141592653589793
_SQRT_2 = 1.4142135623730951
_INFINITY, _NAN = float("inf"), float("nan")


def _wide(name: str, arg0) -> tuple[tensor, dtypes.dtype]:
    """The operand converted to fp64, and its own type, which is the type of the result."""
    x = to_tensor(arg0)
    check_floats(name, x)
    return cast_to(x, dtypes.float64), x.dtype


def _error(text: str):
    """A decorator that stores the largest error found in fp64 as the function's `error`, and adds
    it to the function's docstring. scripts/docs makes a table of these errors."""

    def keep(function):
        function.error = text
        if function.__doc__:  # python -OO leaves none
            function.__doc__ += f"\n\n    Largest error found in fp64: {text}."
        return function

    return keep


def _special(function):
    """Offers a function that takes and returns fp64. Kernels can call it with any type of float."""

    def offered(arg0):
        x, scalar = _wide(function.__name__, arg0)
        return cast_to(function(x), scalar)

    offered.__name__ = function.__name__
    offered.__doc__ = function.__doc__
    offered.error = function.error
    return offer(offered)


def _polynomial(name: str, x: tensor) -> tensor:
    """The value at x of the polynomial with this name in special_coefficients.py."""
    from eft.language.extra import special_coefficients  # which few kernels need

    middle, half, (*others, last) = getattr(special_coefficients, name)
    t = (x - middle) * (1.0 / half)
    total = last
    for coefficient in reversed(others):
        total = total * t + coefficient
    return total


# -- the error function ----------------------------------------------------------------------------


def _erfinv_center(x: tensor) -> tensor:
    """erfinv for |x| up to 1/2."""
    return x * _polynomial("ERFINV_CENTER", x * x)


def _erfcinv_tail(q: tensor) -> tensor:
    """The inverse of erfc at q, for 0 ≤ q ≤ 1/2."""
    r = sqrt(-log(q))
    return where(q == 0.0, _INFINITY, r * _polynomial("ERFCINV_TAIL", (r - 2.0) / (r + 2.0)))


@_special
@_error("4 ulp")
def erfinv(x):
    """The inverse of the error function: ±∞ for ±1, NaN for operands outside of [-1, 1]."""
    magnitude = abs(x)
    tail = copysign(_erfcinv_tail(1.0 - magnitude), x)
    return where(magnitude <= 0.5, _erfinv_center(x), tail)


def _erfcinv(q: tensor) -> tensor:
    tail = where(q < 1.0, _erfcinv_tail(q), -_erfcinv_tail(2.0 - q))
    return where(abs(q - 1.0) <= 0.5, _erfinv_center(1.0 - q), tail)


@_special
@_error("4 ulp")
def erfcinv(x):
    """The inverse of 1 less the error function: ∞ for 0, -∞ for 2, NaN for operands outside of [0,
    2]."""
    return _erfcinv(x)


@_special
@_error("2 ulp")
def erfcx(x):
    """e to the power of x² times erfc(x)."""
    magnitude = minimum(abs(x), 1e300)
    place = (magnitude - 3.75) / (magnitude + 3.75)
    positive = _polynomial("ERFCX", place) / (1.0 + 2.0 * magnitude)
    square = x * x
    low = fma(x, x, -square)
    power = exp(square)
    # Where the power is infinite, the correction could make it NaN.
    power = where(power < _INFINITY, power + power * low, power)
    positive = where(x == _INFINITY, 0.0, positive)
    result = where(x < 0.0, 2.0 * power - positive, positive)
    return where(x == x, result, x)


@_special
@_error("1.1 ulp")
def normcdf(x):
    """The probability that a normally distributed number with mean 0 and variance 1 is at most
    x."""
    # x / √2 as high + low: erfc changes so quickly that one fp64 is not precise enough.
    high = x * (1.0 / _SQRT_2)
    low = fma(high, -_SQRT_2, x) * (1.0 / _SQRT_2) + high * 6.834e-17
    value = erfc(-high)
    derivative = 1.1283791670955126 * exp(-(high * high))
    bounded = abs(high) < 30.0
    return 0.5 * where(bounded, value + derivative * low, value)


@_special
@_error("4.1 ulp")
def normcdfinv(x):
    """The inverse of `normcdf`: -∞ for 0, ∞ for 1, NaN for operands outside of [0, 1]."""
    return _erfcinv(2.0 * x) * -_SQRT_2 + 0.0


# -- gamma functions -------------------------------------------------------------------------------


def _rising(x: tensor, low: int, high: int) -> tuple[tensor, tensor]:
    """Two values for x from `low` to `high`: the product of those of the factors x - 1, x - 2, …
    that are at least 2; and the first factor below 2, minus 1."""
    product = to_tensor(1.0)
    factor = x - 1.0
    for _ in range(low, high - 1):
        product = where(factor >= 2.0, product * factor, product)
        factor = where(factor >= 2.0, factor - 1.0, factor)
    return product, factor - 1.0


def _lgamma_of_positive(x: tensor) -> tensor:
    product, rest = _rising(minimum(x, 8.0), 2, 8)
    is_small, is_far = x < 0.5, x >= 8.0
    is_near_one = (x >= 0.5) & (x < 1.5)
    logarithm = log(where(is_small | is_far, x, product))
    d = where(is_small, x, x - 1.0)
    near_one = d * _polynomial("LGAMMA_ONE", d) + 0.0
    e = where(x < 3.0, x - 2.0, rest)
    near_two = e * _polynomial("LGAMMA_TWO", e)
    inverse = 1.0 / x
    far = (x - 0.5) * (logarithm - 1.0) + 0.4189385332046727
    far = far + inverse * _polynomial("STIRLING", inverse * inverse)
    result = where(is_near_one, near_one, near_two + where(x < 3.0, 0.0, logarithm))
    result = where(is_small, near_one - logarithm, result)
    return where(is_far, where(x < 1e306, far, _far_lgamma(x, logarithm)), result)


def _far_lgamma(x: tensor, logarithm: tensor) -> tensor:
    """lgamma of a large number, without terms that are infinity times zero."""
    return x * (logarithm - 1.0)


@_special
@_error("3.1 ulp for positive numbers, 2⁻⁴⁹ · (1 + its magnitude) for negative ones")
def lgamma(x):
    """The natural logarithm of the absolute value of the gamma function: ∞ for 0 and negative
    integers."""
    is_negative = x < 0.0
    positive = _lgamma_of_positive(where(is_negative, 1.0 - x, x))
    sine = abs(sinpi(x))
    reflected = log(_PI / sine) - positive
    reflected = where(x == floor(x), _INFINITY, reflected)
    result = where(is_negative, reflected, positive)
    result = where(abs(x) == _INFINITY, _INFINITY, result)
    return where(x == x, where(x == 0.0, _INFINITY, result), x)


def _gamma_factors(x: tensor) -> tuple[tensor, tensor]:
    """The gamma function of x > 0, as two factors. Each is finite for x up to 180."""
    shift = where(x < 1.0, 2.0, where(x < 2.0, 1.0, 0.0))
    near = where(x < 2.0, x + shift, minimum(x, 12.0))
    product, rest = _rising(near, 2, 12)
    rest = where(x < 1.0, x, where(x < 2.0, x - 1.0, rest))
    below = where(x < 1.0, x * (x + 1.0), where(x < 2.0, x, 1.0))
    near = product * _polynomial("GAMMA", rest) / below
    far = minimum(maximum(x, 12.0), 180.0)
    inverse = 1.0 / far
    half = pow(far, 0.5 * far - 0.25)
    series = exp(inverse * _polynomial("STIRLING", inverse * inverse))
    other = half * exp(-far) * (2.5066282746310002 * series)
    is_far = x >= 12.0
    return where(is_far, half, 1.0), where(is_far, other, near)


@_special
@_error("5 ulp")
def tgamma(x):
    """The gamma function: ±∞ for ±0, NaN for negative integers."""
    magnitude = abs(x)
    first, second = _gamma_factors(magnitude)
    positive = where(magnitude > 180.0, _INFINITY, first * second)
    sine = sinpi(magnitude)
    negative = (-_PI / (magnitude * sine)) / first / second
    negative = where(magnitude > 190.0, where(sine < 0.0, 0.0, -0.0), negative)
    negative = where(magnitude == floor(magnitude), _NAN, negative)
    result = where(x < 0.0, negative, positive)
    return where(x == x, where(magnitude < 2.0**-60, 1.0 / x, result), x)


# -- Bessel functions ------------------------------------------------------------------------------

#: The error of the Bessel functions. Near their zeros it is an absolute error.
_NEAR_ZEROS = "2⁻⁴⁹, or 4 ulp where that is more"


def _far(order: int, x: tensor) -> tuple[tensor, tensor]:
    """J and Y of order 0 or 1 for x ≥ 8, by Hankel's expansion."""
    inverse = 8.0 / x
    v = inverse * inverse
    p = _polynomial(("P0", "P1")[order], v)
    q = inverse * _polynomial(("Q0", "Q1")[order], v)
    sine, cosine = sin(x), cos(x)
    # √2 times the cosine and the sine of x - π/4 for order 0, of x - 3π/4 for order 1.
    turned_cos, turned_sin = cosine + sine, sine - cosine
    if order == 1:
        turned_cos, turned_sin = turned_sin, -turned_cos
    scale = 0.5641895835477563 / sqrt(x)
    return scale * (p * turned_cos - q * turned_sin), scale * (p * turned_sin + q * turned_cos)


def _j_and_y(order: int, x: tensor) -> tuple[tensor, tensor]:
    """J and Y of order 0 or 1 for x ≥ 0."""
    near = minimum(x, 8.0)
    u = near * near
    j = _polynomial(("J0", "J1")[order], u)
    y = _polynomial(("Y0", "Y1")[order], u)
    if order == 1:
        j, y = near * j, near * y - 0.6366197723675814 / near
    else:
        j = 1.0 - u * j
    y = y + 0.6366197723675814 * log(near) * j
    j_far, y_far = _far(order, maximum(x, 8.0))
    is_far, is_infinite = x >= 8.0, x == _INFINITY
    j, y = where(is_far, j_far, j), where(is_far, y_far, y)
    j, y = where(is_infinite, 0.0, j), where(is_infinite, 0.0, y)
    return j, where(x == 0.0, -_INFINITY, y)


@_special
@_error(_NEAR_ZEROS)
def j0(x):
    """The Bessel function of the first kind of order 0."""
    return where(x == x, _j_and_y(0, abs(x))[0], x)


@_special
@_error(_NEAR_ZEROS)
def j1(x):
    """The Bessel function of the first kind of order 1."""
    value = _j_and_y(1, abs(x))[0]
    value = where(x < 0.0, -value, value)
    return where((x == 0.0) | (x != x), x, value)


@_special
@_error(_NEAR_ZEROS)
def y0(x):
    """The Bessel function of the second kind of order 0: -∞ for 0, NaN for negative numbers."""
    return where(x >= 0.0, _j_and_y(0, x)[1], _NAN)


@_special
@_error(_NEAR_ZEROS)
def y1(x):
    """The Bessel function of the second kind of order 1: -∞ for 0, NaN for negative numbers."""
    return where(x >= 0.0, _j_and_y(1, x)[1], _NAN)


def _modified(order: int, x: tensor) -> tensor:
    """The modified Bessel function I of order 0 or 1 for x ≥ 0."""
    near = minimum(x, 8.0)
    near_value = _polynomial(("I0", "I1")[order], near * near)
    near_value = near_value if order == 0 else near * near_value
    far = minimum(maximum(x, 8.0), 800.0)
    half = exp(0.5 * far)
    polynomial = _polynomial(("I0_FAR", "I1_FAR")[order], 8.0 / far)
    value = where(x >= 8.0, half * polynomial / sqrt(far) * half, near_value)
    return where(x == x, value, x)


@_special
@_error("3.7 ulp")
def cyl_bessel_i0(x):
    """The modified Bessel function of the first kind of order 0."""
    return _modified(0, abs(x))


@_special
@_error("3.7 ulp")
def cyl_bessel_i1(x):
    """The modified Bessel function of the first kind of order 1."""
    value = _modified(1, abs(x))
    return where(x == 0.0, x, where(x < 0.0, -value, value))


def _order_and_operand(name: str, n, x) -> tuple[tensor, tensor, dtypes.dtype]:
    """The order as an int32 and the operand in fp64, broadcast to one shape; and the type of the
    result."""
    order = to_tensor(n)
    if not order.dtype.is_int() or order.dtype.primitive_bitwidth > 32:
        raise Mistake(f"{name} needs an order of type int32, got {order.dtype}")
    operand, scalar = _wide(name, x)
    shape = broadcast_shape(order.shape, operand.shape)
    order = broadcast_to_shape(cast_to(order, dtypes.int32), shape)
    return order, broadcast_to_shape(operand, shape), scalar


def _recurrence(name: str, *operands) -> tensor:
    from eft.language.extra import recurrences  # which need eft.jit

    return emitter().call(getattr(recurrences, name), list(operands), {})


@offer
@_error(_NEAR_ZEROS)
def jn(arg0, arg1):
    """The Bessel function of the first kind of order `arg0` at `arg1`. The order is an int32; the
    result is NaN for negative orders."""
    n, x, scalar = _order_and_operand("jn", arg0, arg1)
    magnitude = abs(x)
    zero, one = _j_and_y(0, magnitude)[0], _j_and_y(1, magnitude)[0]
    is_near = magnitude < 1e-8
    # Each formula is computed for all elements. For an element whose result comes from one formula,
    # the other formulas get a harmless operand in place of the element.
    up = _recurrence("upward", n, where(magnitude > 0.0, magnitude, 1.0), zero, one)
    down = _recurrence("downward", n, where(is_near, 1.0, minimum(magnitude, 1e9)))
    value = where(cast_to(n, dtypes.float64) > magnitude, down, up)
    value = where(is_near, _recurrence("first_term", n, where(is_near, magnitude, 1.0)), value)
    value = where(n == 0, zero, where(n == 1, one, value))
    value = where((x < 0.0) & (n % 2 == 1), -value, value)
    return cast_to(where(n < 0, _NAN, where(x == x, value, x)), scalar)


@offer
@_error("some ulp; for orders up to the operand, what the recurrence loses")
def yn(arg0, arg1):
    """The Bessel function of the second kind of order `arg0` at `arg1`. The order is an int32. The
    result is -∞ for the operand 0, and NaN for negative operands and orders."""
    n, x, scalar = _order_and_operand("yn", arg0, arg1)
    zero, one = _j_and_y(0, x)[1], _j_and_y(1, x)[1]
    value = _recurrence("upward", n, where(x > 0.0, x, 1.0), zero, one)
    value = where(n == 0, zero, value)
    return cast_to(where((x >= 0.0) & (n >= 0), value, _NAN), scalar)


# -- reciprocals -----------------------------------------------------------------------------------


@offer
def rsqrt_rn(arg0):
    """1 divided by the square root of a float of up to 32 bits, correctly rounded."""
    x, scalar = _wide("rsqrt_rn", arg0)
    if scalar == dtypes.float64:
        raise Mistake("rsqrt_rn rounds floats of up to 32 bits, got fp64")
    return cast_to(1.0 / sqrt(x), scalar)


@offer
def rcp64h(arg0):
    """1 divided by an fp64, with the lower 32 bits of the result set to 0."""
    x = to_tensor(arg0)
    if x.dtype != dtypes.float64:
        raise Mistake(f"rcp64h needs an operand of type fp64, got {x.dtype}")
    bits = bitcast_to(1.0 / x, dtypes.int64)
    return bitcast_to((bits >> 32) << 32, dtypes.float64)
