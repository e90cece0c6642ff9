# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors: an array of any rank, of which blocks of a fixed shape are loaded and stored,
never beyond its bounds.

A descriptor exists in the frontend only. An access makes a block of pointers and a mask of it, on
every target. Nothing is assumed of where an array lies whose descriptor a kernel makes: what is
known of its address and strides comes from the launch, as for other pointers. Of one that is an
argument, the address and the rows are multiples of 16 bytes.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import atomics, dtypes, memory
from eft.language.builtin import builtin
from eft.language.casts import cast_to
from eft.language.constants import to_tensor
from eft.language.dtypes import check_shape, describe
from eft.language.tensor import structure, tensor
from eft.language.windows import check_padding, integers, steps_along, window

_MAX_RANK = 5
_OWNER = "a tensor descriptor"
_ARGUMENT = r"tensordesc<(k?)(\w+)\[(\d+(?:, ?\d+)*)\](, nan)?(, i64)?>"


class tensor_descriptor_type(dtypes.dtype):
    """The type of a descriptor.

    Attributes:
        block_type: the type of its blocks.
    """

    def __init__(self, block_type: dtypes.block_type):
        self.block_type = block_type
        self.name = f"tensor_descriptor<{block_type}>"
        self.primitive_bitwidth = 0
        self.kind = 3

    def __repr__(self):
        return self.name


class descriptor_argument:
    """The type of a parameter that is a tensor descriptor, from its text in a signature:
    `tensordesc<fp16[128, 64]>`, with a `k` in front of the elements' type if they are only read,
    with `, nan` at the end if that is the padding, and with `, i64` if extents need 64 bits.

    Attributes:
        signature: the text.
        pointer: the type of the base.
        block_shape: the blocks' extents.
        padding: what is loaded outside of the array.
    """

    def __init__(self, text: str):
        import re

        parts = re.fullmatch(_ARGUMENT, text)
        if parts is None:
            raise KeyError(text)
        const, element, extents, nan, wide = parts.groups()
        self.signature = text
        self.pointer = dtypes.pointer_type(dtypes.from_signature(element), const=bool(const))
        self.block_shape = tuple(map(int, extents.split(",")))
        self.padding = "nan" if nan else "zero"
        self._extent = dtypes.int64 if wide else dtypes.int32

    def __str__(self):
        return self.signature

    def numbers(self, special: str) -> list[tuple[dtypes.dtype, str]]:
        """The types of the extents, and of the strides but the last one, each with what is known
        of its values: `special` of the last extent, multiples of 16 bytes of the strides."""
        extents = [(self._extent, "")] * len(self.block_shape)
        extents[-1] = self._extent, special
        elements = max(1, 16 // self.pointer.element_ty.itemsize)
        return extents + [(dtypes.int64, str(elements))] * (len(extents) - 1)

    def descriptor(self, base: tensor, numbers) -> tensor_descriptor:
        """The descriptor of a pointer, and of the next elements of `numbers`."""
        rank = len(self.block_shape)
        shape = tuple(next(numbers) for _ in range(rank))
        strides = *(next(numbers) for _ in range(rank - 1)), cast_to(to_tensor(1), dtypes.int64)
        return tensor_descriptor(base, shape, strides, check_shape(self.block_shape), self.padding)


class tensor_descriptor(structure):
    """An array, and the shape of the blocks in which it is accessed.

    Attributes:
        base: the pointer to the array's element (0, …, 0).
        shape: the array's extents; int32, or int64 where int32 does not hold what was given.
        strides: the distances of neighbours in elements; int64.
        block_shape: the blocks' extents, known at compile time.
        padding: what is loaded outside of the array, "zero" or "nan".
    """

    __slots__ = ("base", "shape", "strides", "block_shape", "padding")

    def __init__(self, base, shape, strides, block_shape, padding):
        self.base = base
        self.shape = shape
        self.strides = strides
        self.block_shape = block_shape
        self.padding = padding

    @property
    def dtype(self) -> dtypes.dtype:
        """The type of an element."""
        return self.base.dtype.element_ty

    @property
    def block_type(self) -> dtypes.block_type:
        return dtypes.block_type(self.dtype, self.block_shape)

    @property
    def type(self) -> tensor_descriptor_type:
        return tensor_descriptor_type(self.block_type)

    def parts(self) -> tuple:
        return self.base, self.shape, self.strides

    def with_parts(self, parts) -> tensor_descriptor:
        return tensor_descriptor(*parts, self.block_shape, self.padding)

    def static(self) -> tuple:
        return self.block_shape, self.padding

    def __repr__(self):
        return str(self.type)

    # -- accesses ----------------------------------------------------------------------------------

    @builtin
    def load(self, offsets):
        """The block that begins at `offsets`, one int32 for each dimension. Outside of the array it
        has the padding."""
        return _load(self, *_block(self, offsets))

    @builtin
    def store(self, offsets, value):
        """Writes a block to where it begins at `offsets`, converted to the elements' type. What
        lies outside of the array is left out."""
        _store("store", *_block(self, offsets), value)

    @builtin
    def gather(self, x_offsets, y_offset):
        """The rows `x_offsets` of an array of two dimensions, each from the column `y_offset` on.

        Args:
            x_offsets: the rows' numbers, an int32 block of rank 1.
            y_offset: where the columns begin; int32.
        """
        return _load(self, *_rows(self, "gather", x_offsets, y_offset))

    @builtin
    def scatter(self, value, x_offsets, y_offset):
        """Writes the rows of a block to the rows `x_offsets` of an array of two dimensions, each
        from the column `y_offset` on. If two are the same row, either stays."""
        _store("scatter", *_rows(self, "scatter", x_offsets, y_offset), value)

    @builtin
    def atomic_add(self, offsets, value):
        """Adds a block to the one that begins at `offsets`, each element in one step."""
        _update(atomics.atomic_add, self, offsets, value)

    @builtin
    def atomic_min(self, offsets, value):
        """Makes each element of the block that begins at `offsets` the lesser of it and `value`."""
        _update(atomics.atomic_min, self, offsets, value)

    @builtin
    def atomic_max(self, offsets, value):
        """Makes each element of the block that begins at `offsets` the greater of it and
        `value`."""
        _update(atomics.atomic_max, self, offsets, value)

    @builtin
    def atomic_and(self, offsets, value):
        """Makes each element of the block that begins at `offsets` the bitwise and of it and
        `value`."""
        _update(atomics.atomic_and, self, offsets, value)

    @builtin
    def atomic_or(self, offsets, value):
        """Makes each element of the block that begins at `offsets` the bitwise or of it and
        `value`."""
        _update(atomics.atomic_or, self, offsets, value)

    @builtin
    def atomic_xor(self, offsets, value):
        """Makes each element of the block that begins at `offsets` the bitwise exclusive or of it
        and `value`."""
        _update(atomics.atomic_xor, self, offsets, value)


@builtin
def make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero"):
    """A descriptor of an array of one to five dimensions.

    Args:
        base: a pointer to the array's first element.
        shape: the array's extents.
        strides: for each dimension, the distance of neighbours, in elements. The last one is 1.
        block_shape: the extents of what is loaded and stored at once: powers of two, known at
            compile time.
        padding_option: what loads give outside of the array: "zero", or "nan" for floats.
    """
    if not isinstance(base, tensor) or base.shape or not base.dtype.is_ptr():
        raise Mistake(f"make_tensor_descriptor needs a pointer as its base, got {describe(base)}")
    block_shape = check_shape(block_shape)
    rank = len(block_shape)
    if not 1 <= rank <= _MAX_RANK:
        raise Mistake(f"{_OWNER} must have 1 to {_MAX_RANK} dimensions, got {rank}")
    check_padding(padding_option, base.dtype.element_ty)
    extents = integers("shape", _OWNER, shape, rank)
    distances = integers("strides", _OWNER, strides, rank)
    last = strides[-1] if isinstance(strides, tuple | list) else strides
    if not isinstance(last, tensor) and last != 1:
        raise Mistake(f"the last stride of {_OWNER} must be 1, got {describe(last)}")
    return tensor_descriptor(
        base,
        tuple(cast_to(extent, _type_of_extent(extent)) for extent in extents),
        tuple(cast_to(distance, dtypes.int64) for distance in distances),
        block_shape,
        padding_option or "zero",
    )


def _type_of_extent(extent: tensor) -> dtypes.dtype:
    return dtypes.int32 if _fits_int32(extent.dtype) else dtypes.int64


def _fits_int32(dtype: dtypes.dtype) -> bool:
    return dtype.int_range()[1] <= dtypes.int32.int_range()[1]


@builtin
def load_tensor_descriptor(desc, offsets):
    """`desc.load(offsets)`."""
    return tensor_descriptor.load(_check("load_tensor_descriptor", desc), offsets)


@builtin
def store_tensor_descriptor(desc, offsets, value):
    """`desc.store(offsets, value)`."""
    tensor_descriptor.store(_check("store_tensor_descriptor", desc), offsets, value)


def _check(name: str, desc) -> tensor_descriptor:
    if not isinstance(desc, tensor_descriptor):
        raise Mistake(f"{name} needs {_OWNER}, got {describe(desc)}")
    return desc


# -- the elements of an access ---------------------------------------------------------------------


def _block(desc: tensor_descriptor, offsets) -> tuple[tensor, tensor]:
    """The pointers to the block that begins at `offsets`, and the mask of what is in the array."""
    shape = desc.block_shape
    places = _as_int32(integers("offsets", _OWNER, offsets, len(shape)))
    return _elements(desc, places, (steps_along(shape, axis) for axis, _ in enumerate(shape)))


def _rows(desc: tensor_descriptor, name: str, x_offsets, y_offset) -> tuple[tensor, tensor]:
    """The pointers to rows, of which each has a number of its own, and the mask of what is in the
    array."""
    if len(desc.block_shape) != 2 or desc.block_shape[0] != 1:
        raise Mistake(
            f"{name} needs a tensor descriptor with a block_shape of one row, [1, …], got "
            f"{list(desc.block_shape)}"
        )
    is_block = isinstance(x_offsets, tensor) and len(x_offsets.shape) == 1
    if not is_block or not x_offsets.dtype.is_int():
        raise Mistake(
            f"{name} needs an int32 block of rank 1 as its x_offsets, got {describe(x_offsets)}"
        )
    rows, column = _as_int32([x_offsets, *integers("y_offset", _OWNER, [y_offset], 1)])
    steps = rows[:, None], steps_along(desc.block_shape, 1)
    return _elements(desc, (to_tensor(0), column), steps)


def _as_int32(offsets) -> tuple[tensor, ...]:
    for offset in offsets:
        if not _fits_int32(offset.dtype):
            raise Mistake(f"the offsets of {_OWNER} must be int32, got {describe(offset)}")
    return tuple(cast_to(offset, dtypes.int32) for offset in offsets)


def _elements(desc: tensor_descriptor, places, steps) -> tuple[tensor, tensor]:
    every_axis = range(len(desc.block_shape))
    return window(desc.base, desc.shape, desc.strides, places, steps, every_axis)


def _load(desc: tensor_descriptor, pointers: tensor, mask: tensor) -> tensor:
    other = float("nan") if desc.padding == "nan" else None
    return memory.load(pointers, mask=mask, other=other)


def _store(name: str, pointers: tensor, mask: tensor, value):
    memory.store(pointers, _checked(name, value, pointers.shape), mask=mask)


def _update(atomic, desc: tensor_descriptor, offsets, value):
    """Changes each element in one step that is ordered with no other."""
    pointers, mask = _block(desc, offsets)
    value = _checked(atomic.__name__, value, pointers.shape)
    atomic(pointers, value, mask=mask, sem="relaxed")


def _checked(name: str, value, shape: tuple[int, ...]) -> tensor:
    """The value, if it is a block of this shape: nothing is repeated."""
    if not isinstance(value, tensor) or value.shape != shape:
        raise Mistake(f"{name} needs a block of shape {list(shape)}, got {describe(value)}")
    return value
