# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""8-bit floats. They lie in memory, move, and are converted; nothing is computed with them.

A conversion to one rounds once, to nearest even, or toward zero where that is asked for. What is
beyond the greatest finite number, infinities among it, becomes that number with its sign.
"""

from __future__ import annotations

from eft.language import dtypes
from eft.language.dtypes import dtype
from eft.language.tensor import enum, op, tensor


def extend(x: tensor, scalar: dtype) -> tensor:
    """8-bit floats as fp16 or fp32, which have all of their values."""
    target = x.type.with_scalar(scalar)
    return op("eft.extend_float8", [x], target, format=enum("Float8", x.dtype.float8_format))


def truncate(x: tensor, scalar: dtype, toward_zero: bool = False) -> tensor:
    """fp16, fp32 or fp64 as 8-bit floats."""
    rounding = {"towardZero": "unit"} if toward_zero else {}
    target = x.type.with_scalar(scalar)
    format = enum("Float8", scalar.float8_format)
    return op("eft.truncate_float8", [x], target, format=format, **rounding)


def wider(scalar: dtype) -> dtype:
    """The type through which an 8-bit float becomes `scalar`: it has all values."""
    is_half = scalar.is_fp8() or scalar == dtypes.float16
    return dtypes.float16 if is_half else dtypes.float32
