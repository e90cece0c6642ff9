# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block pointers. A block pointer is a window of a fixed shape into an array of any rank. The
window moves as a whole.

A block pointer exists in the frontend only. Its parts (the base, the array's extents and strides,
the window's offsets) are ordinary values. A load or a store makes a block of pointers and a mask
from them.
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
    """The type of a block pointer.

    Attributes:
        element_ty: the type of the window's block, a `block_type`.
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
        base: the pointer to the array's element with the index (0, …, 0).
        shape: the array's extents; int64.
        strides: for each dimension, the distance between neighbours, in elements; int64.
        offsets: the index of the window's first element in the array; int32.
        block_shape: the window's extents, known at compile time.
        order: the dimensions from the fastest to the slowest; a hint without effect.
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
    """Makes a block pointer: a pointer to a window of the shape `block_shape` into an array.

    All arguments but `base` are tuples or lists with one integer for each dimension.

    Args:
        base: a pointer to the array's first element.
        shape: the array's extents; converted to int64.
        strides: for each dimension, the distance between neighbours, in elements; converted to
            int64.
        offsets: the index of the window's first element in the array; converted to int32.
        block_shape: the window's extents: powers of two, known at compile time.
        order: the dimensions from the fastest to the slowest, known at compile time; a hint without
            effect.

    Returns:
        The block pointer, for `load`, `store` and `advance`.
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
    """Returns the block pointer moved by `offsets`, which has an integer for each dimension.

    `base` itself does not change, so a call whose result is not used is an error.
    """
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
    """The dimensions along which an access checks the bounds of the array: `boundary_check` as a
    tuple. Raises a `Mistake` if one of the arguments is invalid."""
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
    """The pointers to the window's elements, and a mask that is true where an element is inside the
    array along all of the dimensions `axes`. The mask is None if `axes` is empty."""
    shape = pointer.block_shape
    steps = (steps_along(shape, axis) for axis, _ in enumerate(shape))
    return window(pointer.base, pointer.shape, pointer.strides, pointer.offsets, steps, axes)
