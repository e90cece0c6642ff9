# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that join and split blocks, and that move elements to other indices."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin
from eft.language.casts import cast_to
from eft.language.combining import check_axis, check_block, check_flag
from eft.language.dtypes import block_type, describe
from eft.language.promotion import promote_pointer_or_number
from eft.language.reshaping import item, permute, reshape
from eft.language.shapes import expand_dims
from eft.language.tensor import op, ops, tensor

__all__ = ["cat", "flip", "gather", "interleave", "join", "split"]


@builtin
def join(a, b):
    """Joins two blocks along a new last dimension of extent 2: `a` has the index 0 there, `b` the
    index 1.

    The operands are converted to one type and broadcast to one shape. Two numbers give a block of
    shape (2).
    """
    a, b = promote_pointer_or_number("join", a, b)
    if not a.type.is_block():
        return reshape(join(expand_dims(a, 0), expand_dims(b, 0)), 2)
    return op("eft.join", [a, b], block_type(a.dtype, (*a.shape, 2)))


@builtin(method=True)
def split(a):
    """Splits a block along its last dimension, whose extent must be 2. Returns the two halves as a
    tuple. `split` reverses `join`.

    A block of shape (2) gives two numbers.
    """
    if not isinstance(a, tensor) or not a.shape or a.shape[-1] != 2:
        raise Mistake(f"split needs a block whose last extent is 2, got {describe(a)}")
    if len(a.shape) == 1:
        check_block("split into numbers", a)
        return tuple(item(half) for half in split(expand_dims(a, 0)))
    half = block_type(a.dtype, a.shape[:-1])
    return tuple(ops("eft.split", [a], (half, half)))


@builtin
def interleave(a, b):
    """Interleaves the elements of two blocks along the last dimension: a[0], b[0], a[1], b[1], …

    The operands are converted to one type and broadcast to one shape. Two numbers give a block of
    shape (2).
    """
    joined = join(a, b)
    if len(joined.shape) == 1:
        return joined
    return reshape(joined, *joined.shape[:-2], 2 * joined.shape[-2])


@builtin
def cat(input, other, can_reorder=False, dim=0):
    """Concatenates two blocks of the same shape and type along a dimension.

    Args:
        input, other: the blocks.
        can_reorder: accepted without effect: the elements keep their order.
        dim: the dimension whose extent doubles. A negative number counts from the last dimension.
    """
    check_flag("cat", "can_reorder", can_reorder)
    for block in (input, other):
        if not isinstance(block, tensor) or not block.type.is_block():
            raise Mistake(f"cat needs blocks, got {describe(block)}")
    if input.type != other.type:
        raise Mistake(f"cat needs blocks of one shape and type, got {input.type} and {other.type}")
    rank = len(input.shape)
    axis = check_axis("cat", dim, rank)
    order = (*range(axis), rank, *range(axis, rank))
    shape = list(input.shape)
    shape[axis] *= 2
    return reshape(permute(join(input, other), order), tuple(shape))


def exchange(x: tensor, axis: int, mask: int) -> tensor:
    """The block whose element i along `axis` is element i ^ mask of `x`."""
    return op("eft.exchange", [x], x.type, axis=f"{axis} : i32", mask=f"{mask} : i32")


@builtin(method=True)
def flip(x, dim=None):
    """Reverses the order of the elements along the dimension `dim`, by default the last."""
    if not isinstance(x, tensor) or not x.type.is_block():
        raise Mistake(f"flip needs a block, got {describe(x)}")
    axis = check_axis("flip", -1 if dim is None else dim, len(x.shape))
    return exchange(x, axis, x.shape[axis] - 1) if x.shape[axis] > 1 else x


@builtin(method=True)
def gather(src, index, axis):
    """Picks elements along an axis: for blocks of one dimension, element i of the result is
    `src[index[i]]`.

    Args:
        src: a block.
        index: a block of integers of the same rank. Its extents are those of `src`, except along
            `axis`. If an index is outside of `src`, the result is some element of `src`.
        axis: the dimension along which elements are picked. A negative number counts from the last
            dimension.

    Returns:
        A block of the shape of `index` and the type of `src`.
    """
    if not isinstance(src, tensor) or not src.type.is_block():
        raise Mistake(f"gather needs a block, got {describe(src)}")
    if not isinstance(index, tensor) or not index.type.is_block() or not index.dtype.is_int():
        raise Mistake(f"gather needs a block of integers as its index, got {describe(index)}")
    rank = len(src.shape)
    axis = check_axis("gather", axis, rank)
    others = [shape[:axis] + shape[axis + 1 :] for shape in (src.shape, index.shape)]
    if len(index.shape) != rank or others[0] != others[1]:
        raise Mistake(
            f"gather along axis {axis} needs shapes that agree in all other dimensions, got "
            f"{list(src.shape)} and an index of {list(index.shape)}"
        )
    # Indices in the IR are signed integers of 32 or 64 bits.
    if index.dtype.primitive_bitwidth < 32:
        index = cast_to(index, dtypes.int32)
    elif index.dtype == dtypes.uint32:
        index = cast_to(index, dtypes.int64)
    type_ = block_type(src.dtype, index.shape)
    return op("eft.gather", [src, index], type_, axis=f"{axis} : i32")
