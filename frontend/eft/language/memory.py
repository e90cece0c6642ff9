# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language.accesses import check_choice, check_mask, check_pointer, in_memory, to_shape
from eft.language.builtin import builtin
from eft.language.casts import cast_to
from eft.language.constants import to_tensor
from eft.language.promotion import broadcast_shape, broadcast_to_shape
from eft.language.tensor import op, ops


@builtin
def load(
    pointer,
    mask=None,
    other=None,
    boundary_check=(),
    padding_option="",
    cache_modifier="",
    eviction_policy="",
    volatile=False,
):
    """Reads from memory.

    Args:
        pointer: a pointer, or a block of them; the result has its shape.
        mask: int1, broadcast with `pointer`. Where it is false, memory is not touched.
        other: what the result is where the mask is false, converted to the pointee's type; zero if
            there is none.
        boundary_check, padding_option: for block pointers, which are not supported yet.
        cache_modifier: a hint: "", ".ca", ".cg", ".cs" or ".cv".
        eviction_policy: a hint: "", "evict_first" or "evict_last".
        volatile: must be False.
    """
    check_pointer("load", pointer)
    check_choice("cache_modifier", cache_modifier, ("", ".ca", ".cg", ".cs", ".cv"))
    check_choice("eviction_policy", eviction_policy, ("", "evict_first", "evict_last"))
    if boundary_check or padding_option:
        what = "boundary_check and padding_option"
        raise Mistake(f"{what} need a block pointer, which is not supported yet")
    if volatile:
        raise Mistake("volatile=True is not supported yet")
    if mask is None and other is not None:
        raise Mistake("load has a value for masked elements but no mask")
    operands = [pointer]
    if mask is not None:
        mask = check_mask("load", mask)
        shape = broadcast_shape(pointer.shape, mask.shape) if pointer.shape else ()
        operands = [broadcast_to_shape(pointer, shape), to_shape("mask", mask, shape)]
    pointee = in_memory(pointer.dtype.element_ty)
    result = operands[0].type.with_scalar(pointee)
    if other is not None:
        other = cast_to(to_tensor(other), pointee)
        operands.append(to_shape("value for masked elements", other, operands[0].shape))
    sizes = f"array<i32: 1, {int(mask is not None)}, {int(other is not None)}>"
    loaded = op("eft.load", operands, result, operandSegmentSizes=sizes)
    return cast_to(loaded, pointer.dtype.element_ty)


@builtin(method=True)
def store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy=""):
    """Writes to memory.

    Args:
        pointer: a pointer, or a block of them.
        value: what to write, broadcast to the pointer's shape and converted to the pointee's type.
        mask: int1, broadcast to the pointer's shape. Where it is false, memory is not touched.
        boundary_check: for block pointers, which are not supported yet.
        cache_modifier: a hint: "", ".wb", ".cg", ".cs" or ".wt".
        eviction_policy: a hint: "", "evict_first" or "evict_last".
    """
    check_pointer("store", pointer)
    check_choice("cache_modifier", cache_modifier, ("", ".wb", ".cg", ".cs", ".wt"))
    check_choice("eviction_policy", eviction_policy, ("", "evict_first", "evict_last"))
    if boundary_check:
        raise Mistake("boundary_check needs a block pointer, which is not supported yet")
    if pointer.dtype.is_const():
        raise Mistake("can't store through a pointer to read-only memory")
    value = to_shape("value", to_tensor(value), pointer.shape)
    element = pointer.dtype.element_ty
    operands = [pointer, cast_to(cast_to(value, element), in_memory(element))]
    if mask is not None:
        operands.append(to_shape("mask", check_mask("store", mask), pointer.shape))
    ops("eft.store", operands, ())
