# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common type and shape of two operands. The rules are Triton's.

A Python number whose kind (bool < integer < float) is not above the tensor's has no part in it.
Among what is left, the first rule that fits decides:

1. fp64 if either is;
2. fp32 for a division or a remainder with a float in it;
3. fp32 if either is; else fp16 if either is; bf16 if both are; fp32 if one is;
4. fp16 for two different 8-bit floats, and no type for one with an integer;
5. integers of one sign: the wider; of different signs: the unsigned one, unless the signed one is
wider;
   a division or a remainder refuses different signs.

A number becomes a constant of the type in which all operands meet: it is rounded once.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.casts import cast_to
from eft.language.constants import constant, number_dtype, splat, to_tensor
from eft.language.dtypes import block_type, describe, dtype
from eft.language.tensor import is_number, op, tensor


def promote_integers(a: dtype, b: dtype) -> dtype:
    """The type that two integer types meet in."""
    if a.is_int_unsigned() == b.is_int_unsigned():
        return a if a.primitive_bitwidth > b.primitive_bitwidth else b
    unsigned, signed = (a, b) if a.is_int_unsigned() else (b, a)
    return unsigned if unsigned.primitive_bitwidth >= signed.primitive_bitwidth else signed


def computation_dtype(a: dtype, b: dtype, division: bool = False) -> dtype:
    """The type that two operands of types `a` and `b`, neither of them a Python number, meet in."""
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
    """The type that operands, tensors or Python numbers, meet in: the tensors with each other, the
    numbers with each other, and then the two."""
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
    """Refuses what is neither a tensor nor a Python number."""
    for operand in operands:
        if not is_number(operand) and not isinstance(operand, tensor):
            raise Mistake(f"{what} takes values of the kernel and numbers, got {describe(operand)}")


def refuse(what: str, *operands):
    """Says that `what` does not take operands of these types."""
    *types, last = (str(own_dtype(x)) for x in operands)
    types = f"{', '.join(types)} and {last}"
    raise Mistake(f"invalid operands of type {types}: {what} does not take them")


def refuse_float8(what: str, scalar: dtype):
    """Says that `what` computes, which nothing does with 8-bit floats."""
    raise Mistake(f"{what} does not take {scalar}: convert it first, such as by .to(tl.float16)")


def promote(what: str, *operands, division: bool = False, chooses: bool = False) -> list[tensor]:
    """The operands in the type and the shape in which they meet. Pointers are refused, and 8-bit
    floats, unless `what` only chooses between its operands."""
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
    """The operand as a tensor of this type and shape."""
    if not is_number(x):
        return broadcast_to_shape(cast_to(x, scalar), shape)
    if scalar.is_int_unsigned() and x < 0:
        raise Mistake(
            f"the negative number {describe(x)} meets an operand of type {scalar}: cast one of them"
        )
    return constant(x, block_type(scalar, shape) if shape else scalar)


def broadcast_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape to which blocks of two shapes are broadcast: the shorter one gets extents of 1 in
    front, and along an extent of 1 elements are repeated."""
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
    """`x` repeated to `shape`, which `broadcast_shape` found or which is checked here."""
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
    """As `promote` for a choice, but two pointers of one type pass as they are."""
    check_operands(what, x, y)
    if not own_dtype(x).is_ptr() and not own_dtype(y).is_ptr():
        return promote(what, x, y, chooses=True)
    x, y = to_tensor(x), to_tensor(y)
    if x.dtype != y.dtype:
        refuse(what, x, y)
    shape = broadcast_shape(x.shape, y.shape)
    return broadcast_to_shape(x, shape), broadcast_to_shape(y, shape)
