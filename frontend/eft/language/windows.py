# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows of a fixed shape into an array of any rank: pointers to their elements, and the mask of
those that lie in the array. Block pointers and tensor descriptors are accessed by them."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.accesses import check_choice
from eft.language.casts import cast_to
from eft.language.constants import to_tensor
from eft.language.dtypes import describe, dtype
from eft.language.math import maximum
from eft.language.shapes import arange
from eft.language.tensor import tensor

_PADDINGS = ("", "zero", "nan")


def check_padding(padding_option, element: dtype):
    """Refuses what can't be loaded outside of an array of elements of this type."""
    check_choice("padding_option", padding_option, _PADDINGS)
    if padding_option == "nan" and not element.is_floating():
        raise Mistake(f"padding_option 'nan' needs floats, got {element}")


def integers(what: str, owner: str, values, rank: int) -> tuple[tensor, ...]:
    """Integers for each dimension, as tensors; `what` and `owner` are for mistakes."""
    values = tuple(values) if isinstance(values, tuple | list) else (values,)
    if len(values) != rank:
        raise Mistake(
            f"the {what} of {owner} must have {rank} numbers, as its block_shape has, "
            f"got {len(values)}"
        )
    numbers = tuple(map(to_tensor, values))
    for number in numbers:
        if number.shape or not number.dtype.is_int():
            raise Mistake(f"the {what} of {owner} must be integers, got {describe(number)}")
    return numbers


def window(base, shape, strides, places, steps, axes) -> tuple[tensor, tensor | None]:
    """The pointers to the window's elements, and the mask of those that lie in the array as far as
    the dimensions `axes` tell; None for all.

    Args:
        base: the pointer to the array's element (0, …, 0).
        shape, strides: the array's extents, and the distances of neighbours in elements.
        places: where the window begins, an int32 number for each dimension.
        steps: the distances from there, an int32 block for each dimension. The blocks broadcast to
            the window's shape.
    """
    # The window's place moves the one pointer: what is left are small numbers that start at 0.
    for place, stride in zip(places, strides, strict=True):
        base = base + cast_to(place, dtypes.int64) * stride
    mask = None
    for axis, (stride, step) in enumerate(zip(strides, steps, strict=True)):
        distance = cast_to(step, dtypes.int64)
        base = base + distance * stride
        if axis in axes:
            # As unsigned numbers, indices below zero are too large as well. Along an extent below
            # zero there are no elements.
            index = cast_to(cast_to(places[axis], dtypes.int64) + distance, dtypes.uint64)
            extent = maximum(cast_to(shape[axis], dtypes.int64), 0)
            inside = index < cast_to(extent, dtypes.uint64)
            mask = inside if mask is None else mask & inside
    return base, mask


def steps_along(shape: tuple[int, ...], axis: int) -> tensor:
    """0, 1, 2, … along a dimension of a block of this shape."""
    slices = [None] * len(shape)
    slices[axis] = slice(None)
    return arange(0, shape[axis])[tuple(slices)]
