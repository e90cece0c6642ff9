# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementary functions, which are computed for each element. An operand is a float of any type but
the 8-bit ones, and the result has the same type.

Each result is correctly rounded or within 2 ulp of the exact value; only `sigmoid`, and `tanh` of
fp64, have larger errors. The bits are the same on every target, except for `exp`, `exp2`
and `sigmoid` of numbers that depend on a matrix product of tensor cores. fp16 and bf16 are computed
in fp32. If a function is not correctly rounded, its docstring has the largest errors that were
measured.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language.builtin import builtin
from eft.language.constants import to_tensor
from eft.language.dtypes import describe
from eft.language.promotion import promote, refuse_float8
from eft.language.tensor import op, tensor

__all__ = [
    "ceil",
    "cos",
    "div_rn",
    "erf",
    "exp",
    "exp2",
    "fdiv",
    "floor",
    "fma",
    "log",
    "log2",
    "rsqrt",
    "sigmoid",
    "sin",
    "sqrt",
    "sqrt_rn",
    "tanh",
]


def measured(fp32: float, fp64: float):
    """A decorator for a function whose largest errors math-test has found, in units in the last
    place of the result. It stores them as the function's `errors`, (fp32, fp64), and adds them to
    its docstring. scripts/docs makes a table of them."""

    def keep(function):
        function.errors = (fp32, fp64)
        text = f"Largest error found: {fp32:.2f} ulp in fp32, {fp64:.2f} ulp in fp64."
        if function.__doc__:  # python -OO leaves none
            function.__doc__ += f"\n\n    {text}"
        return function

    return keep


def check_floats(name: str, *operands: tensor):
    """Raises a `Mistake` if an operand is not a float, or is an 8-bit float."""
    for x in operands:
        if x.dtype.is_fp8():
            refuse_float8(name, x.dtype)
        if not x.dtype.is_floating():
            raise Mistake(f"{name} needs a floating-point operand, got {x.dtype}")


def function_of_float(name: str, operation: str, x) -> tensor:
    """Creates the operation `operation` with the operand `x`, a float. `name` is the builtin, for
    messages."""
    x = to_tensor(x)
    check_floats(name, x)
    return op(operation, [x], x.type)


def function_of_floats(name: str, operation: str, *operands) -> tensor:
    """Creates the operation `operation` with operands that are floats, converted to their common
    type and broadcast to one shape. `name` is the builtin, for messages."""
    operands = promote(name, *operands)
    check_floats(name, *operands)
    return op(operation, operands, operands[0].type)


@builtin(method=True)
@measured(fp32=0.90, fp64=0.90)
def exp(x):
    """e to the power of `x`."""
    return function_of_float("exp", "math.exp", x)


@builtin(method=True)
@measured(fp32=0.88, fp64=0.84)
def exp2(x):
    """2 to the power of `x`; exact where `x` is an integer."""
    return function_of_float("exp2", "math.exp2", x)


@builtin(method=True)
@measured(fp32=1.06, fp64=1.29)
def log(x):
    """The natural logarithm of `x`."""
    return function_of_float("log", "math.log", x)


@builtin(method=True)
@measured(fp32=1.90, fp64=1.54)
def log2(x):
    """The logarithm of `x` to base 2."""
    return function_of_float("log2", "math.log2", x)


@builtin(method=True)
@measured(fp32=0.82, fp64=0.82)
def sin(x):
    """The sine of `x`, an angle in radians of any magnitude."""
    return function_of_float("sin", "math.sin", x)


@builtin(method=True)
@measured(fp32=0.84, fp64=0.80)
def cos(x):
    """The cosine of `x`, an angle in radians of any magnitude."""
    return function_of_float("cos", "math.cos", x)


@builtin(method=True)
@measured(fp32=1.96, fp64=2.13)
def tanh(x):
    """The hyperbolic tangent of `x`."""
    return function_of_float("tanh", "math.tanh", x)


@builtin(method=True)
@measured(fp32=1.10, fp64=1.09)
def erf(x):
    """The error function of `x`."""
    return function_of_float("erf", "math.erf", x)


@builtin(method=True)
@measured(fp32=2.79, fp64=2.71)
def sigmoid(x):
    """1 / (1 + e^-x)."""
    return function_of_float("sigmoid", "eft.sigmoid", x)


@builtin(method=True)
def sqrt(x):
    """The square root of `x`, correctly rounded."""
    return function_of_float("sqrt", "math.sqrt", x)


@builtin(method=True)
def sqrt_rn(x):
    """The square root of `x`, correctly rounded: the same as `sqrt`."""
    return function_of_float("sqrt_rn", "math.sqrt", x)


@builtin(method=True)
@measured(fp32=1.49, fp64=1.50)
def rsqrt(x):
    """1 divided by the square root of `x`."""
    return function_of_float("rsqrt", "math.rsqrt", x)


@builtin(method=True)
def floor(x):
    """The greatest integer that is not above `x`."""
    return function_of_float("floor", "math.floor", x)


@builtin(method=True)
def ceil(x):
    """The least integer that is not below `x`."""
    return function_of_float("ceil", "math.ceil", x)


@builtin
def fma(x, y, z):
    """`x * y + z` of floats, rounded once."""
    return function_of_floats("fma", "math.fma", x, y, z)


@builtin
def div_rn(x, y):
    """`x / y` of floats, correctly rounded, in their common type."""
    return function_of_floats("div_rn", "arith.divf", x, y)


@builtin
def fdiv(x, y, ieee_rounding=False, approx=False):
    """`x / y` of floats: in fp64 if an operand is fp64, else in fp32. Always correctly rounded,
    whatever `ieee_rounding` and `approx` ask for."""
    for name, flag in (("ieee_rounding", ieee_rounding), ("approx", approx)):
        if type(flag) is not bool:
            raise Mistake(f"fdiv needs {name} to be True or False, got {describe(flag)}")
    x, y = promote("fdiv", x, y, division=True)
    check_floats("fdiv", x, y)
    return op("arith.divf", [x, y], x.type)
