# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block pointers: a window of a fixed shape into an array of any rank, which moves as a whole.

A block pointer exists in the frontend only. What it is made of (the base, the array's extents and
strides, the window's place) are ordinary values; a load or a store makes a block of pointers of
them, and a mask.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin
from eft.language.casts import cast_to
from eft.language.core import must_use_result
from eft.language.dtypes import check_shape, describe
from eft.language.tensor import structure, tensor
from eft.language.windows import check_padding, integers, steps_along, window


class block_pointer_type(dtypes.dtype):
    """The type of a window's pointer.

    Attributes:
        element_ty: the type of the block that it points to, whose `element_ty` is a number's.
    """

    def __init__(self, element_ty: dtypes.dtype, block_shape):
        self.element_ty = dtypes.block_type(element_ty, block_shape)
        self.name = f"pointer<{self.element_ty}>"
        self.primitive_bitwidth = 64
        self.itemsize = 8
        self.kind = 3

    def is_ptr(self) -> bool:
        return True

    def __repr__(self):
        return self.name


class block_pointer(structure):
    """A window into an array.

    Attributes:
        base: the pointer to the array's element (0, …, 0).
        shape, strides: the array's extents, and the distances of neighbours in elements; int64.
        offsets: where the window's first element is; int32.
        block_shape: the window's extents, known at compile time.
        order: the dimensions from the fastest on, a hint.
    """

    __slots__ = ("base", "shape", "strides", "offsets", "block_shape", "order")

    def __init__(self, base, shape, strides, offsets, block_shape, order):
        self.base = base
        self.shape = shape
        self.strides = strides
        self.offsets = offsets
        self.block_shape = block_shape
        self.order = order

    @property
    def dtype(self):
        """The type of a pointer to an element."""
        return self.base.dtype

    @property
    def type(self) -> block_pointer_type:
        return block_pointer_type(self.base.dtype.element_ty, self.block_shape)

    def parts(self) -> tuple:
        return self.base, self.shape, self.strides, self.offsets

    def with_parts(self, parts) -> block_pointer:
        return block_pointer(*parts, self.block_shape, self.order)

    def static(self) -> tuple:
        return self.block_shape, self.order

    def __repr__(self):
        extents = ", ".join(map(str, self.block_shape))
        return f"block_pointer<{self.dtype.element_ty}[{extents}]>"


@builtin
def make_block_ptr(base, shape, strides, offsets, block_shape, order):
    """A pointer to a window of `block_shape` into an array.

    Args:
        base: a pointer to the array's first element.
        shape: the array's extents.
        strides: for each dimension, the distance of neighbours, in elements.
        offsets: the place of the window's first element in the array.
        block_shape: the window's extents: powers of two, known at compile time.
        order: the dimensions from the fastest to the slowest, known at compile time; a hint.
    """
    if not isinstance(base, tensor) or base.shape or not base.dtype.is_ptr():
        raise Mistake(f"make_block_ptr needs a pointer as its base, got {describe(base)}")
    block_shape = check_shape(block_shape)
    rank = len(block_shape)
    if rank == 0:
        raise Mistake("make_block_ptr needs a block_shape of at least one dimension")
    order = tuple(order) if isinstance(order, tuple | list) else (order,)
    if sorted(map(str, order)) != sorted(map(str, range(rank))):
        raise Mistake(
            f"the order of a block pointer of {rank} dimensions must be an order of 0 to "
            f"{rank - 1}, got {list(order)}"
        )
    return block_pointer(
        base,
        _integers("shape", shape, rank, dtypes.int64),
        _integers("strides", strides, rank, dtypes.int64),
        _integers("offsets", offsets, rank, dtypes.int32),
        block_shape,
        order,
    )


@must_use_result("it is the pointer that was moved, and the old one stays where it is")
@builtin(method=True)
def advance(base, offsets):
    """The block pointer moved by `offsets`, one for each dimension. `base` stays where it is."""
    if not isinstance(base, block_pointer):
        raise Mistake(f"advance needs a block pointer, got {describe(base)}")
    steps = _integers("offsets", offsets, len(base.block_shape), dtypes.int32)
    places = tuple(place + step for place, step in zip(base.offsets, steps, strict=True))
    return base.with_parts((base.base, base.shape, base.strides, places))


block_pointer.advance = advance


def _integers(what: str, values, rank: int, dtype) -> tuple[tensor, ...]:
    numbers = integers(what, "a block pointer", values, rank)
    return tuple(cast_to(number, dtype) for number in numbers)


# -- accesses --------------------------------------------------------------------------------------


def check_window(pointer: block_pointer, boundary_check, padding_option="") -> tuple[int, ...]:
    """The dimensions along which an access looks where the array ends."""
    check_padding(padding_option, pointer.dtype.element_ty)
    axes = boundary_check if isinstance(boundary_check, tuple | list) else (boundary_check,)
    rank = len(pointer.block_shape)
    for axis in axes:
        if type(axis) is not int or not 0 <= axis < rank:
            raise Mistake(
                f"boundary_check needs dimensions from 0 to {rank - 1}, got {describe(axis)}"
            )
    return tuple(axes)


def elements(pointer: block_pointer, axes: tuple[int, ...]) -> tuple[tensor, tensor | None]:
    """The pointers to the window's elements, and the mask of those that lie in the array as far as
    the dimensions `axes` tell; None for all."""
    shape = pointer.block_shape
    steps = (steps_along(shape, axis) for axis, _ in enumerate(shape))
    return window(pointer.base, pointer.shape, pointer.strides, pointer.offsets, steps, axes)
