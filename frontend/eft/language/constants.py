# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversion of Python numbers to values in the IR."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes, float8
from eft.language.dtypes import describe, dtype
from eft.language.tensor import emitter, is_number, op, tensor

_FP32_MIN_NORMAL = 2.0**-126
_FP32_MAX = (2 - 2.0**-23) * 2.0**127


def number_dtype(value) -> dtype:
    """The default type of a Python number. A bool has int1. An int has the first of int32, uint32,
    int64 and uint64 that holds it. A float has fp32 if it is 0, infinite, NaN, or in fp32's normal
    range, otherwise fp64."""
    if isinstance(value, bool):
        return dtypes.int1
    if isinstance(value, int):
        for candidate in (dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64):
            low, high = candidate.int_range()
            if low <= value <= high:
                return candidate
        raise Mistake(f"an integer must be from -2**63 to 2**64 - 1, got {describe(value)}")
    magnitude = abs(value)
    if value != value or magnitude in (0.0, float("inf")):
        return dtypes.float32
    return dtypes.float32 if _FP32_MIN_NORMAL <= magnitude <= _FP32_MAX else dtypes.float64


def constant(value, type: dtype) -> tensor:
    """A constant of type `type`: the number `value`, or a block with `value` as every element."""
    if type.scalar.is_fp8():
        return float8.truncate(constant(value, type.with_scalar(dtypes.float64)), type.scalar)
    return tensor(emitter().constant(_converted(value, type.scalar), type), type)


def _converted(value, scalar: dtype):
    """The Python number that encodes `value` as a `scalar`. Raises a `Mistake` if `value` is out of
    the range of `scalar`, or is a float other than 0 for an integer type."""
    if scalar.is_ptr():
        raise Mistake(f"a pointer can't be made from the number {describe(value)}")
    if scalar.is_floating():
        try:
            return float(value)
        except OverflowError:
            raise Mistake(f"the number {describe(value)} is out of the range of {scalar}") from None
    if scalar.is_bool():
        if value in (0, 1):
            return int(value)
        raise Mistake(f"the number {describe(value)} is out of the range of int1")
    if isinstance(value, float) and value != 0:
        raise Mistake(f"the float {value} can't become a constant of type {scalar}")
    low, high = scalar.int_range()
    if not low <= value <= high:
        raise Mistake(
            f"the number {describe(value)} is out of the range of {scalar}: {low} to {high}"
        )
    return int(value)


def to_tensor(x) -> tensor:
    """Returns a tensor as it is, and a Python number as a constant of its default type. Raises a
    `Mistake` for everything else."""
    if isinstance(x, tensor):
        return x
    if is_number(x):
        return constant(x, number_dtype(x))
    raise Mistake(f"expected a value of the kernel or a number, got {describe(x)}")


def splat(value: tensor, shape) -> tensor:
    """A block with the number or pointer `value` as every element; `value` itself if `shape` is
    ()."""
    if shape == ():
        return value
    return op("eft.splat", [value], dtypes.block_type(value.type, shape))
