# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language.accesses import check_choice, check_mask, check_pointer, in_memory, to_shape
from eft.language.block_pointers import block_pointer, check_window, elements
from eft.language.builtin import builtin
from eft.language.casts import cast_to
from eft.language.constants import to_tensor
from eft.language.dtypes import describe
from eft.language.promotion import broadcast_shape, broadcast_to_shape
from eft.language.tensor import enum, op, ops

#: The values of the cache hints of loads, of stores, and of both.
_LOAD_MODIFIERS = ("", ".ca", ".cg", ".cs", ".cv")
_STORE_MODIFIERS = ("", ".wb", ".cg", ".cs", ".wt")
_POLICIES = ("", "evict_first", "evict_last", "evict_normal")


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
        pointer: a pointer, a block of pointers, or a block pointer.
        mask: int1, broadcast with `pointer`. Where it is false, memory is not read. Not for block
            pointers.
        other: the result where the mask is false, converted to the type that `pointer` points to;
            zero by default. It needs a mask. Not for block pointers.
        boundary_check: for a block pointer, the dimensions along which its window may extend beyond
            the array. Memory outside of the array is not read.
        padding_option: for a block pointer, the result outside of the array: "zero" (or "", the
            default), or "nan" for floats.
        cache_modifier: a hint to a GPU: "", ".ca", ".cg", ".cs" or ".cv". A load with ".cv" reads
            memory every time it runs.
        eviction_policy: a hint to a GPU: "", "evict_first", "evict_last" or "evict_normal".
        volatile: whether the load reads memory every time it runs.

    Returns:
        A number or a block of the type that `pointer` points to, in the shape of `pointer` or its
        window. A block of pointers and its mask are broadcast to each other first.
    """
    qualifiers = _qualifiers(_LOAD_MODIFIERS, cache_modifier, eviction_policy)
    if not isinstance(volatile, bool):
        raise Mistake(f"volatile must be True or False, got {describe(volatile)}")
    if volatile:
        qualifiers["isVolatile"] = "unit"
    if isinstance(pointer, block_pointer):
        if mask is not None or other is not None:
            raise Mistake(
                "a block pointer takes boundary_check and padding_option instead of mask and other"
            )
        axes = check_window(pointer, boundary_check, padding_option)
        pointer, mask = elements(pointer, axes)
        other = float("nan") if padding_option == "nan" and axes else None
    elif boundary_check or padding_option:
        raise Mistake(
            f"boundary_check and padding_option need a block pointer, got {describe(pointer)}"
        )
    check_pointer("load", pointer)
    if mask is None and other is not None:
        raise Mistake("load has a value for masked elements but no mask")
    operands = [pointer]
    if mask is not None:
        mask = check_mask("load", mask)
        shape = _masked_shape(pointer.shape, mask.shape)
        operands = [broadcast_to_shape(pointer, shape), to_shape("mask", mask, shape)]
    pointee = in_memory(pointer.dtype.element_ty)
    result = operands[0].type.with_scalar(pointee)
    if other is not None:
        other = cast_to(to_tensor(other), pointee)
        operands.append(to_shape("value for masked elements", other, operands[0].shape))
    sizes = f"array<i32: 1, {int(mask is not None)}, {int(other is not None)}>"
    loaded = op("eft.load", operands, result, operandSegmentSizes=sizes, **qualifiers)
    return cast_to(loaded, pointer.dtype.element_ty)


def _masked_shape(pointer, mask) -> tuple:
    """The shape of the result: a block of pointers and its mask are broadcast to each other. One
    pointer gives a number."""
    if not pointer:
        return ()
    try:
        return broadcast_shape(pointer, mask)
    except Mistake:
        message = f"the mask of shape {list(mask)} does not fit a pointer of shape {list(pointer)}"
        raise Mistake(message) from None


@builtin(method=True)
def store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy=""):
    """Writes to memory.

    Args:
        pointer: a pointer, a block of pointers, or a block pointer. Read-only memory is an error.
        value: the value to write, broadcast to the pointer's shape and converted to the type that
            the pointer points to.
        mask: int1, broadcast to the pointer's shape. Where it is false, memory is not written. Not
            for block pointers.
        boundary_check: for a block pointer, the dimensions along which its window may extend beyond
            the array. Memory outside of the array is not written.
        cache_modifier: a hint to a GPU: "", ".wb", ".cg", ".cs" or ".wt".
        eviction_policy: a hint to a GPU: "", "evict_first", "evict_last" or "evict_normal".
    """
    qualifiers = _qualifiers(_STORE_MODIFIERS, cache_modifier, eviction_policy)
    if isinstance(pointer, block_pointer):
        if mask is not None:
            raise Mistake("a block pointer takes boundary_check instead of mask")
        pointer, mask = elements(pointer, check_window(pointer, boundary_check))
    elif boundary_check:
        raise Mistake(f"boundary_check needs a block pointer, got {describe(pointer)}")
    check_pointer("store", pointer)
    if pointer.dtype.is_const():
        raise Mistake("can't store through a pointer to read-only memory")
    value = to_shape("value", to_tensor(value), pointer.shape)
    element = pointer.dtype.element_ty
    operands = [pointer, cast_to(cast_to(value, element), in_memory(element))]
    if mask is not None:
        operands.append(to_shape("mask", check_mask("store", mask), pointer.shape))
    ops("eft.store", operands, (), **qualifiers)


block_pointer.store = store


def _qualifiers(modifiers: tuple[str, ...], cache_modifier, eviction_policy) -> dict:
    """The attributes for the cache hints."""
    check_choice("cache_modifier", cache_modifier, modifiers)
    check_choice("eviction_policy", eviction_policy, _POLICIES)
    attributes = {}
    if cache_modifier:
        attributes["cache"] = enum("CacheModifier", cache_modifier[1:])
    if eviction_policy:
        attributes["eviction"] = enum("Eviction", eviction_policy)
    return attributes
