# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mathematical functions of libdevice: exponentials, logarithms, powers, roots, angles.

A function for which the IR has an operation becomes this operation. The others are computed by
several operations.
"""

from __future__ import annotations

from eft.language import dtypes, elementary
from eft.language.casts import cast_to
from eft.language.constants import to_tensor
from eft.language.elementary import check_floats, function_of_float, function_of_floats, measured
from eft.language.extra.offer import offer_in
from eft.language.math import where
from eft.language.promotion import materialize, promote
from eft.language.tensor import op, tensor

__all__ = []
offer = offer_in(__all__)


def _unary(name: str, operation: str, meaning: str, *errors: float):
    def function(arg0):
        return function_of_float(name, operation, arg0)

    _define(name, function, f"{meaning}, element by element, of floats.", errors)


def _binary(name: str, operation: str, meaning: str, *errors: float):
    def function(arg0, arg1):
        return function_of_floats(name, operation, arg0, arg1)

    doc = f"{meaning}, element by element, of floats that meet in one type."
    _define(name, function, doc, errors)


def _define(name: str, function, doc: str, errors: tuple[float, ...]):
    """Offers a function under `name`. Without `errors`, it has those of the function of `tl` with
    the same name."""
    function.__name__ = name
    function.__doc__ = doc
    errors = errors or getattr(getattr(elementary, name, None), "errors", ())
    globals()[name] = offer(measured(*errors)(function) if errors else function)


#: For each function: the operation, the meaning, and the largest errors found, in fp32 and
#: in fp64, in units in the last place. A function without errors here has those of the function of
#: `tl` that has the same name, if there is one.
_UNARY = {
    "exp": ("math.exp", "e to the power of `arg0`"),
    "exp2": ("math.exp2", "2 to the power of `arg0`"),
    "exp10": ("eft.exp10", "10 to the power of `arg0`", 1.00, 0.97),
    "expm1": ("math.expm1", "e to the power of `arg0`, less 1", 1.60, 1.71),
    "log": ("math.log", "the natural logarithm"),
    "log2": ("math.log2", "the logarithm to base 2"),
    "log10": ("math.log10", "the logarithm to base 10", 1.87, 1.85),
    "log1p": ("math.log1p", "the natural logarithm of 1 + `arg0`", 1.81, 1.77),
    "sin": ("math.sin", "the sine"),
    "cos": ("math.cos", "the cosine"),
    "tan": ("math.tan", "the tangent", 1.07, 0.95),
    "asin": ("math.asin", "the arcsine", 1.18, 1.10),
    "acos": ("math.acos", "the arccosine", 1.14, 1.12),
    "atan": ("math.atan", "the arctangent", 1.57, 1.55),
    "sinh": ("math.sinh", "the hyperbolic sine", 1.62, 1.61),
    "cosh": ("math.cosh", "the hyperbolic cosine", 1.35, 1.30),
    "tanh": ("math.tanh", "the hyperbolic tangent"),
    "asinh": ("math.asinh", "the inverse of the hyperbolic sine", 1.40, 1.61),
    "acosh": ("math.acosh", "the inverse of the hyperbolic cosine", 1.30, 1.47),
    "atanh": ("math.atanh", "the inverse of the hyperbolic tangent", 1.12, 1.33),
    "erf": ("math.erf", "the error function"),
    "erfc": (
        "eft.erfc",
        "1 less the error function, accurate also where that is nearly 1",
        1.37,
        1.35,
    ),
    "sqrt": ("math.sqrt", "the square root, correctly rounded"),
    "sqrt_rn": ("math.sqrt", "the square root, correctly rounded"),
    "rsqrt": ("math.rsqrt", "1 divided by the square root"),
    "cbrt": ("math.cbrt", "the cube root", 0.50, 0.50),
    # CUDA approximates these functions. Eft computes them like the accurate ones. (`fast_expf`
    # below is an approximation.)
    "fast_exp10f": ("eft.exp10", "the same as `exp10`"),
    "fast_logf": ("math.log", "the same as `log`"),
    "fast_log2f": ("math.log2", "the same as `log2`"),
    "fast_log10f": ("math.log10", "the same as `log10`"),
    "fast_sinf": ("math.sin", "the same as `sin`"),
    "fast_cosf": ("math.cos", "the same as `cos`"),
    "fast_tanf": ("math.tan", "the same as `tan`"),
    "fast_tanhf": ("math.tanh", "the same as `tanh`"),
}
_BINARY = {
    "atan2": ("math.atan2", "the angle of the point (`arg1`, `arg0`)", 1.73, 1.55),
    "hypot": ("eft.hypot", "the square root of the sum of the squares", 0.98, 0.98),
    "div_rn": ("arith.divf", "the quotient, correctly rounded"),
    "fast_dividef": ("arith.divf", "the quotient, correctly rounded"),
    "fast_powf": ("math.powf", "the same as `pow`"),
}
for _name, _row in _UNARY.items():
    _unary(_name, *_row)
for _name, _row in _BINARY.items():
    _binary(_name, *_row)


@offer
def fast_expf(arg0):
    """e to the power of `arg0`, element by element, of floats. A GPU uses its approximation of
    powers of two, if `arg0` is no fp64: in fp32, the result is within 3 units in the last place,
    and 0 where it is less than 2⁻¹²⁶. A CPU computes the same as `exp`."""
    x = to_tensor(arg0)
    check_floats("fast_expf", x)
    return op("math.exp", [x], x.type, fastmath="#arith.fastmath<afn>")


@offer
@measured(fp32=0.90, fp64=1.44)
def pow(arg0, arg1):
    """`arg0`, a float, to the power of `arg1`, a float or an integer, which becomes a float."""
    x, y = to_tensor(arg0), to_tensor(arg1)
    check_floats("pow", x)
    if y.dtype.is_int():
        y = cast_to(y, x.dtype)
    return function_of_floats("pow", "math.powf", x, y)


@offer
def rcbrt(arg0):
    """1 divided by the cube root."""
    x, scalar = _at_least_fp32("rcbrt", arg0)
    return cast_to(1.0 / function_of_float("rcbrt", "math.cbrt", x[0]), scalar)


@offer
def rhypot(arg0, arg1):
    """1 divided by the square root of the sum of the squares."""
    return _norm("rhypot", True, arg0, arg1)


@offer
def norm3d(arg0, arg1, arg2):
    """The square root of the sum of three squares."""
    return _norm("norm3d", False, arg0, arg1, arg2)


@offer
def norm4d(arg0, arg1, arg2, arg3):
    """The square root of the sum of four squares."""
    return _norm("norm4d", False, arg0, arg1, arg2, arg3)


@offer
def rnorm3d(arg0, arg1, arg2):
    """1 divided by the square root of the sum of three squares."""
    return _norm("rnorm3d", True, arg0, arg1, arg2)


@offer
def rnorm4d(arg0, arg1, arg2, arg3):
    """1 divided by the square root of the sum of four squares."""
    return _norm("rnorm4d", True, arg0, arg1, arg2, arg3)


def _norm(name: str, is_reciprocal: bool, *operands) -> tensor:
    (first, *others), scalar = _at_least_fp32(name, *operands)
    for other in others:
        first = function_of_floats(name, "eft.hypot", first, other)
    return cast_to(1.0 / first if is_reciprocal else first, scalar)


def _at_least_fp32(name: str, *operands) -> tuple[list[tensor], dtypes.dtype]:
    """The operands in their common type, but fp16 and bf16 in fp32; and the common type, which is
    the type of the result. So a result that takes several operations is rounded to a narrow type
    only at the end."""
    first, *_ = promote(name, *operands)
    check_floats(name, first)
    wide = first.dtype if first.dtype == dtypes.float64 else dtypes.float32
    return [materialize(x, wide, first.shape) for x in operands], first.dtype


@offer
def sinpi(arg0):
    """The sine of π · `arg0`; exactly 0 for integers."""
    (x,), scalar = _at_least_fp32("sinpi", arg0)
    quadrant, angle = _reduce_half_turns(x)
    is_odd = (quadrant == 1.0) | (quadrant == 3.0)
    value = where(is_odd, elementary.cos(angle), elementary.sin(angle))
    value = where(quadrant >= 2.0, -value, value)
    # The sine of n π is 0 with the sign of n.
    is_integer = function_of_float("sinpi", "math.trunc", x) == x
    return cast_to(where(is_integer, x * 0.0, value), scalar)


@offer
def cospi(arg0):
    """The cosine of π · `arg0`."""
    (x,), scalar = _at_least_fp32("cospi", arg0)
    quadrant, angle = _reduce_half_turns(x)
    is_odd = (quadrant == 1.0) | (quadrant == 3.0)
    value = where(is_odd, elementary.sin(angle), elementary.cos(angle))
    value = where((quadrant == 1.0) | (quadrant == 2.0), -value, value)
    return cast_to(value, scalar)


def _reduce_half_turns(x: tensor) -> tuple[tensor, tensor]:
    """The quadrant of π · x, a float from 0 to 3; and the angle π · x minus the multiple of π / 2
    next to it."""
    turns = op("math.roundeven", [x + x], x.type)
    quadrant = turns - elementary.floor(turns * 0.25) * 4.0
    return quadrant, (x - turns * 0.5) * 3.141592653589793
