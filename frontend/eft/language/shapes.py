# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that make blocks from numbers, insert dimensions, and broadcast."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin
from eft.language.casts import cast_to
from eft.language.constants import constant, splat
from eft.language.dtypes import block_type, check_shape, describe
from eft.language.promotion import broadcast_shape, broadcast_to_shape
from eft.language.tensor import is_number, op, tensor

__all__ = ["arange", "broadcast", "broadcast_to", "expand_dims", "full", "zeros", "zeros_like"]

_INT32 = dtypes.int32.int_range()


@builtin
def arange(start, end):
    """The int32 block of the integers start, start + 1, …, end - 1.

    Both arguments are ints that are known at compile time, and end - start must be a power of two.
    """
    for name, bound in (("start", start), ("end", end)):
        if isinstance(bound, tensor):
            raise Mistake(
                f"arange needs its {name} to be known at compile time, got {describe(bound)}: "
                "is a tl.constexpr annotation missing?"
            )
        if isinstance(bound, bool) or not isinstance(bound, int):
            raise Mistake(f"arange needs an int as its {name}, got {describe(bound)}")
        if not _INT32[0] <= bound <= _INT32[1]:
            raise Mistake(f"arange needs its {name} to fit in int32, got {describe(bound)}")
    extent = end - start
    if extent <= 0:
        raise Mistake(f"arange needs an end above its start, got {start} and {end}")
    if extent & (extent - 1):
        raise Mistake(
            f"a block's extent must be a power of two, got arange({start}, {end}) of {extent}"
        )
    type = block_type(dtypes.int32, (extent,))
    return op("eft.arange", [], type, start=f"{start} : i32", end=f"{end} : i32")


@builtin
def full(shape, value, dtype):
    """A block in which every element has the same value.

    Args:
        shape: the extents: powers of two, known at compile time. `()` gives a number.
        value: a number. If it is known only at run time, it is converted to `dtype`. If it is a
            Python number that an integer `dtype` can't hold, that is an error.
        dtype: the type of the elements.
    """
    if not isinstance(dtype, dtypes.dtype) or dtype.is_block() or dtype == dtypes.void:
        raise Mistake(f"full needs a dtype, got {describe(dtype)}")
    shape = check_shape(shape)
    if is_number(value):
        return constant(value, block_type(dtype, shape) if shape else dtype)
    if not isinstance(value, tensor) or value.type.is_block():
        raise Mistake(f"full needs a number as its value, got {describe(value)}")
    return splat(cast_to(value, dtype), shape)


@builtin
def zeros(shape, dtype):
    """A block of zeros: the same as `full(shape, 0, dtype)`."""
    return full(shape, 0, dtype)


@builtin
def zeros_like(input):
    """A block of zeros with the shape and the type of `input`."""
    if not isinstance(input, tensor):
        raise Mistake(f"zeros_like needs a value of the kernel, got {describe(input)}")
    return full(input.shape, 0, input.dtype)


@builtin(method=True)
def expand_dims(input, axis):
    """Inserts dimensions of extent 1.

    Args:
        input: a block or a number.
        axis: an int or a tuple of ints, known at compile time: the new dimensions, as dimensions of
            the result. A negative number counts from the last dimension of the result.
    """
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    if not isinstance(input, tensor) or not all(type(each) is int for each in axes):
        raise Mistake(
            f"expand_dims needs a block and ints, got {describe(input)} and {describe(axis)}"
        )
    rank = len(input.shape) + len(axes)
    for each in axes:
        if not -rank <= each < rank:
            raise Mistake(
                f"expand_dims to rank {rank} needs an axis from {-rank} to {rank - 1}, got {each}"
            )
    places = sorted(each % rank for each in axes)
    if len(set(places)) != len(places):
        raise Mistake(f"expand_dims needs distinct axes, got {list(axes)}")
    for place in places:
        input = _expand(input, place)
    return input


def _expand(x: tensor, axis: int) -> tensor:
    if not x.type.is_block():
        return splat(x, (1,))
    shape = (*x.shape[:axis], 1, *x.shape[axis:])
    return op("eft.expand_dims", [x], block_type(x.dtype, shape), axis=f"{axis} : i32")


@builtin(method=True)
def broadcast_to(input, *shape):
    """Broadcasts a block or a number to `shape`: extents of 1 are repeated, and a block of a lower
    rank first gets extents of 1 in front. `shape` is a tuple, or separate arguments."""
    if not isinstance(input, tensor):
        raise Mistake(f"broadcast_to needs a value of the kernel, got {describe(input)}")
    return broadcast_to_shape(input, check_shape(extents_of(shape)))


def extents_of(arguments: tuple) -> tuple:
    """The extents or dimensions that a builtin got as one tuple or as separate arguments."""
    if len(arguments) == 1 and isinstance(arguments[0], tuple | list):
        return tuple(arguments[0])
    return arguments


@builtin
def broadcast(input, other):
    """Broadcasts two values to their common shape. Returns both as a tuple; each keeps its type."""
    for operand in (input, other):
        if not isinstance(operand, tensor):
            raise Mistake(f"broadcast needs values of the kernel, got {describe(operand)}")
    shape = broadcast_shape(input.shape, other.shape)
    return broadcast_to_shape(input, shape), broadcast_to_shape(other, shape)


def index(x: tensor, slices) -> tensor:
    """`x[:, None]`: each `:` keeps a dimension, and each None inserts one of extent 1. For a
    number, each None inserts a dimension and `:` has no effect: `n[:, None]` has the shape [1]."""
    parts = slices if isinstance(slices, tuple) else (slices,)
    for part in parts:
        if part is not None and not isinstance(part, slice):
            if x.dtype.is_ptr():
                raise Mistake(
                    f"a pointer can't be indexed, got {describe(part)}: add to it, and use tl.load "
                    "or tl.store"
                )
            raise Mistake(f"a block can be indexed by `:` and None, got {describe(part)}")
        if part is not None and _has_bounds(part):
            raise Mistake("a block can be indexed by `:` and None, got a slice with bounds")
    new = [axis for axis, part in enumerate(parts) if part is None]
    if not x.shape:
        new = list(range(len(new)))
    elif len(parts) - len(new) > len(x.shape):
        raise Mistake(f"too many indices for a block of shape {list(x.shape)}")
    for axis in new:
        x = _expand(x, axis)
    return x


def _has_bounds(part: slice) -> bool:
    return any(bound is not None for bound in (part.start, part.stop, part.step))


tensor.__getitem__ = index
