# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows of a fixed shape into an array of any rank: the pointers to their elements, and a mask
that is true inside the array. Accesses by block pointers and tensor descriptors use these."""

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
    """Raises a `Mistake` if `padding_option` is invalid, or is "nan" for elements that are not
    floats."""
    check_choice("padding_option", padding_option, _PADDINGS)
    if padding_option == "nan" and not element.is_floating():
        raise Mistake(f"padding_option 'nan' needs floats, got {element}")


def integers(what: str, owner: str, values, rank: int) -> tuple[tensor, ...]:
    """Returns one integer for each of `rank` dimensions, as tensors. `what` and `owner` describe
    them in messages."""
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
    """Returns the pointers to the window's elements, and a mask that is true where an element is
    inside the array along all of the dimensions `axes`. The mask is None if `axes` is empty.

    Args:
        base: the pointer to the array's element with the index (0, …, 0).
        shape: the array's extents.
        strides: for each dimension, the distance between neighbours, in elements.
        places: the index at which the window begins, an int32 for each dimension.
        steps: for each dimension, an int32 block: the indices of the elements relative to `places`.
            The blocks broadcast to the window's shape.
        axes: the dimensions along which the mask checks the bounds.
    """
    # The pointer moves to the beginning of the window. The offsets of the elements from there are
    # small numbers that start at 0.
    for place, stride in zip(places, strides, strict=True):
        base = base + cast_to(place, dtypes.int64) * stride
    mask = None
    for axis, (stride, step) in enumerate(zip(strides, steps, strict=True)):
        distance = cast_to(step, dtypes.int64)
        base = base + distance * stride
        if axis in axes:
            # Read as unsigned, a negative index is larger than any extent, so one comparison checks
            # both bounds. A negative extent counts as 0.
            index = cast_to(cast_to(places[axis], dtypes.int64) + distance, dtypes.uint64)
            extent = maximum(cast_to(shape[axis], dtypes.int64), 0)
            inside = index < cast_to(extent, dtypes.uint64)
            mask = inside if mask is None else mask & inside
    return base, mask


def steps_along(shape: tuple[int, ...], axis: int) -> tensor:
    """The numbers 0, 1, 2, … along the dimension `axis`, with extents of 1 along all other
    dimensions."""
    slices = [None] * len(shape)
    slices[axis] = slice(None)
    return arange(0, shape[axis])[tuple(slices)]
