# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between types.

Every type becomes int1 by a comparison: true where the value is not zero. A float becomes another
integer by rounding toward zero. A float outside of the integer's range becomes the nearest integer
of the range, and NaN becomes 0. All other conversions round to nearest, ties to even; conversions
to narrower floats round toward zero if the caller asks for it. An integer becomes a narrower
integer by dropping its high bits. A signed integer becomes a wider integer by copies of its sign
bit, an unsigned integer by zeros.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes, float8
from eft.language.builtin import builtin
from eft.language.constants import constant, to_tensor
from eft.language.dtypes import describe, dtype
from eft.language.tensor import enum, op, tensor


@builtin(method=True)
def cast(input, dtype: dtype, fp_downcast_rounding: str | None = None, bitcast: bool = False):
    """Converts `input` to another type.

    A float that becomes an integer is rounded toward zero. If it is outside of the integer's range,
    it becomes the nearest integer of the range; NaN becomes 0. An integer that becomes a narrower
    integer loses its high bits. With int1 as the target, the result is true where `input` is not
    zero.

    Args:
        input: a number, a pointer, or a block.
        dtype: the type of the result's elements.
        fp_downcast_rounding: the rounding of a float to a narrower float: "rtne" (to nearest, ties
            to even; the default) or "rtz" (toward zero). With any other change of type it is an
            error.
        bitcast: whether the bits stay the same instead of the value. Both types must have the same
            width.

    Returns:
        A value of type `dtype` in the shape of `input`.
    """
    x = to_tensor(input)
    if not isinstance(dtype, dtypes.dtype) or dtype == dtypes.void:
        raise Mistake(f"cast needs a dtype, got {describe(dtype)}")
    scalar = dtype.scalar
    if bitcast:
        return bitcast_to(x, scalar)
    _check_rounding(x.dtype, scalar, fp_downcast_rounding)
    is_truncated = fp_downcast_rounding == "rtz" and x.dtype != scalar
    return _truncate(x, scalar) if is_truncated else cast_to(x, scalar)


def _check_rounding(source: dtype, target: dtype, rounding):
    if rounding is None:
        return
    if rounding not in ("rtne", "rtz"):
        raise Mistake(f"fp_downcast_rounding must be 'rtne' or 'rtz', got {describe(rounding)}")
    is_narrower = target.primitive_bitwidth < source.primitive_bitwidth
    if source != target and not (source.is_floating() and target.is_floating() and is_narrower):
        raise Mistake(
            "fp_downcast_rounding should be set only for truncating fp conversions. Source scalar "
            f"type is {source} and destination type is {target}"
        )


def _truncate(x: tensor, scalar: dtype) -> tensor:
    """Converts a float to a narrower float, rounded toward zero."""
    if scalar.is_fp8():
        return _to_float8(x, scalar, toward_zero=True)
    nearest = cast_to(x, scalar)
    back = cast_to(nearest, x.dtype)
    magnitudes = [op("math.absf", [each], each.type) for each in (back, x)]
    condition = x.type.with_scalar(dtypes.int1)
    is_beyond = op("arith.cmpf", magnitudes, condition, predicate=enum("CmpFPredicate", "ogt"))
    # The bits of the next float toward zero, as an integer, are one less.
    integer = dtypes.from_name(f"int{scalar.primitive_bitwidth}")
    bits = bitcast_to(nearest, integer)
    step = op("arith.extui", [is_beyond], bits.type)
    return bitcast_to(op("arith.subi", [bits, step], bits.type), scalar)


def bitcast_to(x: tensor, scalar: dtype) -> tensor:
    """The bits of `x`, read as another type of the same width."""
    if x.dtype.is_ptr() or scalar.is_ptr():
        return cast_to(x, scalar)
    if x.dtype.primitive_bitwidth != scalar.primitive_bitwidth:
        raise Mistake(
            f"a bitcast needs types of one width, got {x.dtype} "
            f"({x.dtype.primitive_bitwidth} bits) and {scalar} ({scalar.primitive_bitwidth} bits)"
        )
    if x.dtype.ir == scalar.ir:
        return x.retyped(scalar)
    return op("arith.bitcast", [x], x.type.with_scalar(scalar))


def cast_to(x: tensor, scalar: dtype) -> tensor:
    """`x` converted to elements of type `scalar`."""
    source = x.dtype
    if source == scalar:
        return x
    if source.is_ptr() or scalar.is_ptr():
        return _cast_pointer(x, scalar)
    if scalar.is_bool():
        return is_nonzero(x)
    if source.is_fp8():
        return cast_to(float8.extend(x, float8.wider(scalar)), scalar)
    if scalar.is_fp8():
        return _to_float8(x, scalar)
    target = x.type.with_scalar(scalar)
    if source.is_int() and scalar.is_int():
        return _cast_integer(x, scalar)
    if source.is_int():
        return op("arith.uitofp" if source.is_int_unsigned() else "arith.sitofp", [x], target)
    if scalar.is_int():
        return op("arith.fptoui" if scalar.is_int_unsigned() else "arith.fptosi", [x], target)
    return _cast_float(x, scalar)


def _to_float8(x: tensor, scalar: dtype, toward_zero: bool = False) -> tensor:
    """Converts a number to an 8-bit float, by way of fp32 for types that have no direct conversion.
    The value is rounded only once: an integer that fp32 rounds is beyond the range of all 8-bit
    floats."""
    if x.dtype not in (dtypes.float16, dtypes.float32, dtypes.float64):
        x = cast_to(x, dtypes.float32)
    return float8.truncate(x, scalar, toward_zero)


def is_nonzero(x: tensor) -> tensor:
    """int1: true where `x` is not zero. NaN is not zero."""
    if x.dtype.is_fp8():
        x = float8.extend(x, dtypes.float32)
    result = x.type.with_scalar(dtypes.int1)
    zero = constant(0, x.type)
    if x.dtype.is_floating():
        return op("arith.cmpf", [x, zero], result, predicate=enum("CmpFPredicate", "une"))
    return op("arith.cmpi", [x, zero], result, predicate=enum("CmpIPredicate", "ne"))


def _cast_integer(x: tensor, scalar: dtype) -> tensor:
    difference = scalar.primitive_bitwidth - x.dtype.primitive_bitwidth
    if difference == 0:
        return x.retyped(scalar)
    if difference < 0:
        return op("arith.trunci", [x], x.type.with_scalar(scalar))
    name = "arith.extui" if x.dtype.is_int_unsigned() else "arith.extsi"
    return op(name, [x], x.type.with_scalar(scalar))


def _cast_float(x: tensor, scalar: dtype) -> tensor:
    difference = scalar.primitive_bitwidth - x.dtype.primitive_bitwidth
    if difference == 0:  # from fp16 to bf16 or back, by way of fp32, which holds both
        x = op("arith.extf", [x], x.type.with_scalar(dtypes.float32))
    name = "arith.extf" if difference > 0 else "arith.truncf"
    return op(name, [x], x.type.with_scalar(scalar))


def _cast_pointer(x: tensor, scalar: dtype) -> tensor:
    """Converts to a pointer or from a pointer. The address of a pointer is an integer of 64
    bits."""
    target = x.type.with_scalar(scalar)
    if not x.dtype.is_ptr():
        if not x.dtype.is_int():
            raise Mistake(f"an address must be an integer, got {describe(x)}")
        return op("eft.cast_ptr", [cast_to(x, dtypes.int64)], target)
    if scalar.is_bool():
        return is_nonzero(_cast_pointer(x, dtypes.int64))
    if not scalar.is_ptr():
        if not scalar.is_int() or scalar.primitive_bitwidth != 64:
            raise Mistake(f"an address needs an integer of 64 bits, got {scalar}")
        return op("eft.cast_ptr", [x], target)
    if x.dtype.is_const() and not scalar.is_const():
        raise Mistake("a pointer to read-only memory can't become one that may be written through")
    return x.retyped(scalar) if x.dtype.ir == scalar.ir else op("eft.cast_ptr", [x], target)


tensor.to = cast
