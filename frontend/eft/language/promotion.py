# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common type and the common shape of operands. The rules are Triton's.

A Python number affects the common type only if its kind is higher than that of the tensors (bool <
integer < float). Then its default type takes part. The first rule that applies decides:

1. for two 8-bit floats: their type if they have the same type, otherwise fp16;
2. fp64, if an operand is fp64;
3. fp32, for a division or a remainder, if an operand is a float that is not an 8-bit float;
4. fp32, if an operand is fp32;
5. fp16, if an operand is fp16;
6. bf16 if both operands are bf16, fp32 if only one is bf16;
7. an error, for an 8-bit float and an integer;
8. for two integers of the same signedness, the wider type;
9. for two integers of different signedness, the unsigned type, unless the signed type is wider. A
   division or a remainder of these integers is an error.

A Python number becomes a constant of the common type, so it is rounded once.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.casts import cast_to
from eft.language.constants import constant, number_dtype, splat, to_tensor
from eft.language.dtypes import block_type, describe, dtype
from eft.language.tensor import is_number, op, tensor


def promote_integers(a: dtype, b: dtype) -> dtype:
    """The common type of two integer types."""
    if a.is_int_unsigned() == b.is_int_unsigned():
        return a if a.primitive_bitwidth > b.primitive_bitwidth else b
    unsigned, signed = (a, b) if a.is_int_unsigned() else (b, a)
    return unsigned if unsigned.primitive_bitwidth >= signed.primitive_bitwidth else signed


def computation_dtype(a: dtype, b: dtype, division: bool = False) -> dtype:
    """The common type of two types, by the numbered rules. `division` says that the operation is a
    division or a remainder."""
    both = (a, b)
    if a.is_fp8() and b.is_fp8():
        return a if a == b else dtypes.float16
    if dtypes.float64 in both:
        return dtypes.float64
    if division and (a.is_standard_floating() or b.is_standard_floating()):
        return dtypes.float32
    if dtypes.float32 in both:
        return dtypes.float32
    if dtypes.float16 in both:
        return dtypes.float16
    if dtypes.bfloat16 in both:
        return dtypes.bfloat16 if a == b else dtypes.float32
    if a.is_fp8() or b.is_fp8():
        raise Mistake(f"unexpected type {a} and {b}: convert one of them")
    if division and a.is_int_unsigned() != b.is_int_unsigned():
        raise Mistake(
            f"can't divide {a} and {b} because they have different signedness: cast one of them"
        )
    return promote_integers(a, b)


def own_dtype(x) -> dtype:
    return number_dtype(x) if is_number(x) else x.dtype


def meeting_dtype(*operands, division: bool = False) -> dtype:
    """The common type of operands, which are tensors or Python numbers. First the tensors get a
    common type, and so do the numbers. The result is the common type of these two; the type of the
    numbers only counts if its kind is higher."""
    numbers = [own_dtype(x) for x in operands if is_number(x)]
    others = [x.dtype for x in operands if not is_number(x)]
    if not numbers or not others:
        return _meeting_of_all(numbers or others, division)
    a, b = _meeting_of_all(others, division), _meeting_of_all(numbers, division)
    return computation_dtype(a, b if b.kind > a.kind else a, division)


def _meeting_of_all(types, division: bool) -> dtype:
    total, *others = types
    for each in others:
        total = computation_dtype(total, each, division)
    return total


def check_operands(what: str, *operands):
    """Raises a `Mistake` if an operand is neither a tensor nor a Python number."""
    for operand in operands:
        if not is_number(operand) and not isinstance(operand, tensor):
            raise Mistake(f"{what} takes values of the kernel and numbers, got {describe(operand)}")


def refuse(what: str, *operands):
    """Raises a `Mistake`: `what` does not take operands of these types."""
    *types, last = (str(own_dtype(x)) for x in operands)
    types = f"{', '.join(types)} and {last}"
    raise Mistake(f"invalid operands of type {types}: {what} does not take them")


def refuse_float8(what: str, scalar: dtype):
    """Raises a `Mistake`: `what` would have to compute with `scalar`, a type of 8-bit floats."""
    raise Mistake(f"{what} does not take {scalar}: convert it first, such as by .to(tl.float16)")


def promote(what: str, *operands, division: bool = False, chooses: bool = False) -> list[tensor]:
    """Returns the operands as tensors of their common type and shape. Raises a `Mistake` for
    pointers. Also raises one if the common type is an 8-bit float, unless `chooses` says that
    `what` only selects one of its operands."""
    check_operands(what, *operands)
    if any(own_dtype(x).is_ptr() for x in operands):
        refuse(what, *operands)
    meeting = meeting_dtype(*operands, division=division)
    if meeting.is_fp8() and not chooses:
        refuse_float8(what, meeting)
    shape = ()
    for x in operands:
        shape = broadcast_shape(shape, shape_of(x))
    return [materialize(x, meeting, shape) for x in operands]


def shape_of(x) -> tuple[int, ...]:
    return () if is_number(x) else x.shape


def materialize(x, scalar: dtype, shape) -> tensor:
    """Returns the operand `x` as a tensor of the type `scalar` and the shape `shape`."""
    if not is_number(x):
        return broadcast_to_shape(cast_to(x, scalar), shape)
    if scalar.is_int_unsigned() and x < 0:
        raise Mistake(
            f"the negative number {describe(x)} meets an operand of type {scalar}: cast one of them"
        )
    return constant(x, block_type(scalar, shape) if shape else scalar)


def broadcast_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The common shape of two shapes. The shorter shape gets extents of 1 in front, and an extent
    of 1 is repeated. Raises a `Mistake` if other extents differ."""
    rank = max(len(a), len(b))
    wide_a, wide_b = ((1,) * (rank - len(shape)) + shape for shape in (a, b))
    for axis, (left, right) in enumerate(zip(wide_a, wide_b, strict=True)):
        if left != right and 1 not in (left, right):
            raise Mistake(
                f"Cannot make_shape_compatible: incompatible dimensions at index {axis}: {left} "
                f"and {right}: shapes {list(a)} and {list(b)} don't broadcast"
            )
    return tuple(max(pair) for pair in zip(wide_a, wide_b, strict=True))


def broadcast_to_shape(x: tensor, shape: tuple[int, ...]) -> tensor:
    """Returns `x` broadcast to `shape`. Raises a `Mistake` if that is not possible."""
    if x.shape == shape:
        return x
    if not x.type.is_block():
        return splat(x, shape)
    if broadcast_shape(x.shape, shape) != shape:
        raise Mistake(f"a block of shape {list(x.shape)} can't be broadcast to {list(shape)}")
    for _ in range(len(shape) - len(x.shape)):
        x = op("eft.expand_dims", [x], block_type(x.dtype, (1, *x.shape)), axis="0 : i32")
    return x if x.shape == shape else op("eft.broadcast", [x], block_type(x.dtype, shape))


def promote_pointer_or_number(what: str, x, y) -> tuple[tensor, tensor]:
    """Does the same as `promote` with `chooses`, but also takes two pointers, which must have the
    same type."""
    check_operands(what, x, y)
    if not own_dtype(x).is_ptr() and not own_dtype(y).is_ptr():
        return promote(what, x, y, chooses=True)
    x, y = to_tensor(x), to_tensor(y)
    if x.dtype != y.dtype:
        refuse(what, x, y)
    shape = broadcast_shape(x.shape, y.shape)
    return broadcast_to_shape(x, shape), broadcast_to_shape(y, shape)
