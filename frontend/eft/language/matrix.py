# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The matrix product."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin
from eft.language.casts import cast_to
from eft.language.constants import constant
from eft.language.dtypes import block_type, describe, dtype
from eft.language.product_shapes import of_any_shape
from eft.language.tensor import enum, op, tensor

_FACTORS = (dtypes.int8, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
#: The types of factors whose product may have the type fp16.
_NARROW = (dtypes.float16, *(number for number in dtypes.NUMBERS if number.is_fp8()))
# The precision in the IR for each `input_precision`. The IR can't compute a product of fp32 factors
# by products of bf16. Three products of tf32 are more precise than three products of bf16, and
# about as precise as six products of bf16.
_PRECISIONS = {
    "ieee": "ieee", "tf32": "tf32", "tf32x3": "tf32x3", "bf16x3": "tf32x3", "bf16x6": "tf32x3",
}  # fmt: skip


@builtin
def dot(
    input,
    other,
    acc=None,
    input_precision=None,
    allow_tf32=None,
    max_num_imprecise_acc=None,
    out_dtype=None,
):
    """The product of an M × K and a K × N block, plus `acc`. For blocks of three dimensions, the
    product of each pair of matrices.

    Products of 8-bit floats, fp16, bf16 and fp32 are summed in fp32, those of fp64 in fp64, and
    those of int8 in int32.

    Args:
        input, other: blocks of shape [M, K] and [K, N], or [B, M, K] and [B, K, N]. Both have the
            same type: int8, fp16, bf16, fp32 or fp64. Or both have 8-bit floats, whose formats may
            differ.
        acc: a block of shape [M, N] or [B, M, N] and of the result's type. None means zeros.
        input_precision: how fp32 factors are multiplied. "tf32", the default: a GPU rounds the
            factors to tf32. "tf32x3", also "bf16x3" and "bf16x6": three products of tf32 in place
            of one, which is nearly as precise as fp32. "ieee": fp32, by fused multiply-adds.
        allow_tf32: True means "tf32", False means "ieee". If `input_precision` is given too, that
            is an error.
        max_num_imprecise_acc: an int, for 8-bit floats at most K. Accepted without effect.
        out_dtype: fp16 or fp32: the result's type for factors of fp16 or 8-bit floats. By default
            it is the type of `acc`, or fp32 without `acc`. An fp16 result is summed in fp32 and
            rounded once.

    Returns:
        A block of shape [M, N] or [B, M, N]: of int32 for int8, of fp64 for fp64, of `out_dtype`
        for fp16 and 8-bit floats, of fp32 for bf16 and fp32.
    """
    shape = _check_factors(input, other)
    _check_imprecise(max_num_imprecise_acc, input)
    precision = _precision(input_precision, allow_tf32)
    result = _result_dtype(input.dtype, acc, out_dtype)
    summed = dtypes.float32 if result == dtypes.float16 else result
    if acc is None:
        acc = constant(0, block_type(summed, shape))
    else:
        acc = cast_to(_check_acc(acc, block_type(result, shape)), summed)
    if input.dtype != dtypes.float32:
        precision = "ieee"
    attributes = {"precision": enum("Precision", precision)}
    if input.dtype.is_fp8():
        attributes["formatOfA"] = enum("Float8", input.dtype.float8_format)
        attributes["formatOfB"] = enum("Float8", other.dtype.float8_format)

    def multiply(a: tensor, b: tensor, acc: tensor) -> tensor:
        return op("eft.dot", [a, b, acc], acc.type, **attributes)

    return cast_to(of_any_shape(multiply, input, other, acc), result)


def _check_factors(input, other) -> tuple[int, ...]:
    """The shape of the product. Raises a `Mistake` if the factors can't be multiplied."""
    for factor in (input, other):
        if not isinstance(factor, tensor) or not factor.type.is_block():
            raise Mistake(f"dot needs two blocks, got {describe(factor)}")
    are_float8 = input.dtype.is_fp8() and other.dtype.is_fp8()
    if not are_float8 and (input.dtype not in _FACTORS or input.dtype != other.dtype):
        raise Mistake(
            "dot needs two blocks of one type, of int8, fp16, bf16, fp32 or fp64, or two of 8-bit "
            f"floats, got {input.dtype} and {other.dtype}"
        )
    shapes = f"{list(input.shape)} and {list(other.shape)}"
    rank = len(input.shape)
    if rank not in (2, 3) or len(other.shape) != rank:
        raise Mistake(f"dot needs two blocks of two dimensions, or of three, got shapes {shapes}")
    if input.shape[-1] != other.shape[-2]:
        raise Mistake(
            "dot needs as many columns in its first block as rows in its second, "
            f"got shapes {shapes}"
        )
    if input.shape[:-2] != other.shape[:-2]:
        raise Mistake(f"dot needs blocks of as many matrices, got shapes {shapes}")
    return (*input.shape[:-1], other.shape[-1])


def _precision(input_precision, allow_tf32) -> str:
    if input_precision is not None and allow_tf32 is not None:
        raise Mistake("dot takes input_precision or allow_tf32, got both")
    if input_precision is None:
        return "tf32" if allow_tf32 is None or allow_tf32 else "ieee"
    if input_precision not in _PRECISIONS:
        choices = ", ".join(map(repr, _PRECISIONS))
        raise Mistake(f"input_precision must be one of {choices}, got {describe(input_precision)}")
    return _PRECISIONS[input_precision]


def _check_imprecise(count, input):
    if count is None:
        return
    if type(count) is not int or count < 0:
        raise Mistake(f"max_num_imprecise_acc must be a number of sums, got {describe(count)}")
    if input.dtype.is_fp8() and count > input.shape[-1]:
        raise Mistake(f"max_num_imprecise_acc ({count}) must be <= K ({input.shape[-1]})")


def _result_dtype(factor: dtype, acc, out_dtype) -> dtype:
    """The type of a product whose factors have the type `factor`."""
    if out_dtype is not None and not isinstance(out_dtype, dtype):
        raise Mistake(f"out_dtype must be a dtype, got {describe(out_dtype)}")
    if factor == dtypes.int8:
        return dtypes.int32
    if out_dtype == dtypes.bfloat16:
        raise Mistake("dot can't give bf16: take out_dtype=tl.float32, and .to(tl.bfloat16)")
    if factor == dtypes.float64:
        return dtypes.float64
    if factor not in _NARROW:
        return dtypes.float32
    if out_dtype is None:
        out_dtype = acc.dtype if isinstance(acc, tensor) else dtypes.float32
    if out_dtype not in (dtypes.float16, dtypes.float32):
        raise Mistake(f"dot of {factor} gives fp16 or fp32, got out_dtype={out_dtype}")
    return out_dtype


def _check_acc(acc, expected: block_type) -> tensor:
    if not isinstance(acc, tensor) or acc.type != expected:
        raise Mistake(f"dot needs an acc of type {expected}, got {describe(acc)}")
    return acc
