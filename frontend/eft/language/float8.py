# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""8-bit floats. Kernels can store, move and convert them, and multiply them by `dot`; no other
operation computes with them.

A conversion to an 8-bit float rounds once: to nearest, ties to even, or toward zero if the caller
asks for it. A number beyond the largest finite number, or an infinity, becomes the largest finite
number with the same sign; for fp8e4b15 it becomes 1.75 or -1.75.
"""

from __future__ import annotations

from eft.language import dtypes
from eft.language.dtypes import dtype
from eft.language.tensor import enum, op, tensor


def extend(x: tensor, scalar: dtype) -> tensor:
    """Converts 8-bit floats to fp16 or fp32, which hold all of their values."""
    target = x.type.with_scalar(scalar)
    return op("eft.extend_float8", [x], target, format=enum("Float8", x.dtype.float8_format))


def truncate(x: tensor, scalar: dtype, toward_zero: bool = False) -> tensor:
    """Converts fp16, fp32 or fp64 to 8-bit floats."""
    rounding = {"towardZero": "unit"} if toward_zero else {}
    target = x.type.with_scalar(scalar)
    format = enum("Float8", scalar.float8_format)
    return op("eft.truncate_float8", [x], target, format=format, **rounding)


def wider(scalar: dtype) -> dtype:
    """The type through which an 8-bit float is converted to `scalar`: fp16 if `scalar` is fp16 or
    an 8-bit float, otherwise fp32. It holds all values of the 8-bit float."""
    is_half = scalar.is_fp8() or scalar == dtypes.float16
    return dtypes.float16 if is_half else dtypes.float32
