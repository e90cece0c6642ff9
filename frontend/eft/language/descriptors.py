# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors. A tensor descriptor describes an array, and the shape of the blocks that a
kernel loads from the array and stores to it. No access goes beyond the array's bounds.

A descriptor exists in the frontend only. On every target, an access makes a block of pointers and a
mask from it. If a kernel makes the descriptor, nothing is assumed about the array's alignment: the
facts about its address and strides come from the launch, as for other pointers. If the descriptor
is an argument, the address and all strides but the last are multiples of 16 bytes.
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
    """The type of a tensor descriptor.

    Attributes:
        block_type: the type of the blocks that the descriptor loads and stores.
    """

    def __init__(self, block_type: dtypes.block_type):
        self.block_type = block_type
        self.name = f"tensor_descriptor<{block_type}>"
        self.primitive_bitwidth = 0
        self.kind = 3

    def __repr__(self):
        return self.name


class descriptor_argument:
    """The type of a parameter that is a tensor descriptor. It is made from its text in a signature,
    such as `tensordesc<fp16[128, 64]>`.

    A `k` in front of the elements' type says that the array is only read. `, nan` at the end says
    that the padding is NaN, and `, i64` after it that the extents need 64 bits.

    Attributes:
        signature: the text.
        pointer: the type of the pointer to the array.
        block_shape: the extents of the blocks.
        padding: the value that loads give outside of the array: "zero" or "nan".
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
        """The types of the extents, and of all strides but the last. Each comes with a fact about
        the value, as `Arguments` takes it: `special` for the last extent, nothing for the other
        extents, and for the strides the number of elements in 16 bytes, which divides them."""
        extents = [(self._extent, "")] * len(self.block_shape)
        extents[-1] = self._extent, special
        elements = max(1, 16 // self.pointer.element_ty.itemsize)
        return extents + [(dtypes.int64, str(elements))] * (len(extents) - 1)

    def descriptor(self, base: tensor, numbers) -> tensor_descriptor:
        """Makes the descriptor from the pointer `base`, and from extents and strides that it takes
        from the iterator `numbers`."""
        rank = len(self.block_shape)
        shape = tuple(next(numbers) for _ in range(rank))
        strides = *(next(numbers) for _ in range(rank - 1)), cast_to(to_tensor(1), dtypes.int64)
        return tensor_descriptor(base, shape, strides, check_shape(self.block_shape), self.padding)


class tensor_descriptor(structure):
    """An array, and the shape of the blocks in which a kernel accesses it.

    Attributes:
        base: the pointer to the array's element with the index (0, …, 0).
        shape: the array's extents; int32, or int64 if they were given in a type that int32 does not
            hold.
        strides: for each dimension, the distance between neighbours, in elements; int64.
        block_shape: the blocks' extents, known at compile time.
        padding: the value that loads give outside of the array: "zero" or "nan".
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
        """The type of the array's elements."""
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
        """Returns the block that begins at the index `offsets`, which has an int32 for each
        dimension. The block has the shape `block_shape` and the type of the array's elements.
        Elements outside of the array are zero, or NaN if the descriptor's padding is "nan"."""
        return _load(self, *_block(self, offsets))

    @builtin
    def store(self, offsets, value):
        """Writes the block `value` to the array, beginning at the index `offsets`, which has an
        int32 for each dimension. `value` must have the shape `block_shape`; it is converted to the
        type of the array's elements. Elements outside of the array are not written."""
        _store("store", *_block(self, offsets), value)

    @builtin
    def gather(self, x_offsets, y_offset):
        """Loads rows of an array of two dimensions. The descriptor's `block_shape` must be one row,
        [1, N].

        Args:
            x_offsets: the numbers of the rows: an int32 block of rank 1, of M elements.
            y_offset: the column at which each row begins; an int32.

        Returns:
            An M × N block. Elements outside of the array have the padding.
        """
        return _load(self, *_rows(self, "gather", x_offsets, y_offset))

    @builtin
    def scatter(self, value, x_offsets, y_offset):
        """Stores the rows of the block `value` to an array of two dimensions; the reverse of
        `gather`. If `x_offsets` has the same number twice, either row remains."""
        _store("scatter", *_rows(self, "scatter", x_offsets, y_offset), value)

    @builtin
    def atomic_add(self, offsets, value):
        """Adds `value` to the block that begins at the index `offsets`, each element atomically.

        `value` must have the shape `block_shape`. Elements outside of the array are left out. The
        memory order is "relaxed". Returns nothing.
        """
        _update(atomics.atomic_add, self, offsets, value)

    @builtin
    def atomic_min(self, offsets, value):
        """Atomically replaces each element of the block that begins at `offsets` by the smaller of
        itself and the element of `value`. The rules are those of `atomic_add`."""
        _update(atomics.atomic_min, self, offsets, value)

    @builtin
    def atomic_max(self, offsets, value):
        """Atomically replaces each element of the block that begins at `offsets` by the larger of
        itself and the element of `value`. The rules are those of `atomic_add`."""
        _update(atomics.atomic_max, self, offsets, value)

    @builtin
    def atomic_and(self, offsets, value):
        """Atomically replaces each element of the block that begins at `offsets` by the bitwise and
        of itself and the element of `value`. The rules are those of `atomic_add`."""
        _update(atomics.atomic_and, self, offsets, value)

    @builtin
    def atomic_or(self, offsets, value):
        """Atomically replaces each element of the block that begins at `offsets` by the bitwise or
        of itself and the element of `value`. The rules are those of `atomic_add`."""
        _update(atomics.atomic_or, self, offsets, value)

    @builtin
    def atomic_xor(self, offsets, value):
        """Atomically replaces each element of the block that begins at `offsets` by the bitwise
        exclusive or of itself and the element of `value`. The rules are those of `atomic_add`."""
        _update(atomics.atomic_xor, self, offsets, value)


@builtin
def make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero"):
    """Makes the tensor descriptor of an array of one to five dimensions.

    `shape`, `strides` and `block_shape` have one integer for each dimension.

    Args:
        base: a pointer to the array's first element.
        shape: the array's extents.
        strides: for each dimension, the distance between neighbours, in elements. The last stride
            must be 1. If it is known only at run time, this is not checked.
        block_shape: the extents of the blocks that are loaded and stored: powers of two, known at
            compile time.
        padding_option: the value that loads give outside of the array: "zero", or "nan" for floats.

    Returns:
        A `tensor_descriptor`, with the methods `load`, `store`, `gather`, `scatter` and `atomic_…`.
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
    """The same as `desc.load(offsets)`."""
    return tensor_descriptor.load(_check("load_tensor_descriptor", desc), offsets)


@builtin
def store_tensor_descriptor(desc, offsets, value):
    """The same as `desc.store(offsets, value)`."""
    tensor_descriptor.store(_check("store_tensor_descriptor", desc), offsets, value)


def _check(name: str, desc) -> tensor_descriptor:
    if not isinstance(desc, tensor_descriptor):
        raise Mistake(f"{name} needs {_OWNER}, got {describe(desc)}")
    return desc


# -- the elements of an access ---------------------------------------------------------------------


def _block(desc: tensor_descriptor, offsets) -> tuple[tensor, tensor]:
    """The pointers to the elements of the block that begins at `offsets`, and a mask that is true
    inside the array."""
    shape = desc.block_shape
    places = _as_int32(integers("offsets", _OWNER, offsets, len(shape)))
    return _elements(desc, places, (steps_along(shape, axis) for axis, _ in enumerate(shape)))


def _rows(desc: tensor_descriptor, name: str, x_offsets, y_offset) -> tuple[tensor, tensor]:
    """The pointers to `block_shape[1]` elements of each row whose number is in `x_offsets`, from
    the column `y_offset` on, and a mask that is true inside the array."""
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
    """Applies the builtin `atomic` to the block that begins at `offsets`, with the order
    "relaxed"."""
    pointers, mask = _block(desc, offsets)
    value = _checked(atomic.__name__, value, pointers.shape)
    atomic(pointers, value, mask=mask, sem="relaxed")


def _checked(name: str, value, shape: tuple[int, ...]) -> tensor:
    """Returns `value` if it is a block of the shape `shape`; otherwise raises a `Mistake`. Values
    are not broadcast."""
    if not isinstance(value, tensor) or value.shape != shape:
        raise Mistake(f"{name} needs a block of shape {list(shape)}, got {describe(value)}")
    return value
