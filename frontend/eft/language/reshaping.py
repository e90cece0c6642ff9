# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that give the elements of a block another shape, or its dimensions another order."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language.builtin import builtin
from eft.language.combining import check_axis, check_flag
from eft.language.constants import splat
from eft.language.dtypes import block_type, check_shape, describe
from eft.language.reductions import number_of
from eft.language.shapes import expand_dims, extents_of
from eft.language.tensor import op, tensor

__all__ = ["item", "permute", "ravel", "reshape", "squeeze", "trans", "unsqueeze", "view"]


@builtin(method=True)
def reshape(input, *shape, can_reorder=False):
    """The same elements, in row-major order, in another shape.

    Args:
        input: a block, or a number, which counts as one element.
        shape: the extents, as a tuple or as separate arguments: powers of two, known at compile
            time. `()` gives the number in a block of one element.
        can_reorder: accepted without effect: the elements keep their order.
    """
    check_flag("reshape", "can_reorder", can_reorder)
    return _reshaped("reshape", input, extents_of(shape))


@builtin(method=True)
def view(input, *shape):
    """The same as `reshape(input, *shape)`."""
    return _reshaped("view", input, extents_of(shape))


@builtin(method=True)
def ravel(x, can_reorder=False):
    """The elements in row-major order, as a block of one dimension. `can_reorder` has no effect."""
    check_flag("ravel", "can_reorder", can_reorder)
    return _reshaped("ravel", x, (_numel("ravel", x),))


def _numel(what: str, x) -> int:
    if not isinstance(x, tensor):
        raise Mistake(f"{what} needs a value of the kernel, got {describe(x)}")
    return x.numel


def _reshaped(what: str, x, shape) -> tensor:
    numel = _numel(what, x)
    shape = check_shape(shape)
    count = block_type(x.dtype, shape).numel
    if count != numel:
        raise Mistake(
            f"{what} keeps the number of elements, got shapes {list(x.shape)} of {numel} and "
            f"{list(shape)} of {count}"
        )
    if not shape:
        return number_of(what, x)
    if not x.type.is_block():
        return splat(x, shape)
    return x if x.shape == shape else op("eft.reshape", [x], block_type(x.dtype, shape))


@builtin(method=True)
def item(input):
    """The number in a block of one element."""
    return _reshaped("item", input, ())


@builtin(method=True)
def trans(input, *dims):
    """Permutes the dimensions: dimension i of the result is dimension `dims[i]` of the block.

    Args:
        input: a block.
        dims: the order, as a tuple or as separate arguments, known at compile time. Without it, the
            last two dimensions are swapped.
    """
    order = extents_of(dims)
    if order:
        return _permuted("trans", input, order)
    rank = len(_block("trans", input).shape)
    if rank < 2:
        raise Mistake(f"trans needs a block of rank 2 or more, got {describe(input)}")
    return _permuted("trans", input, (*range(rank - 2), rank - 1, rank - 2))


@builtin(method=True)
def permute(input, *dims):
    """The dimensions in another order: dimension i of the result is `dims[i]` of the block."""
    return _permuted("permute", input, extents_of(dims))


def _block(what: str, x) -> tensor:
    if not isinstance(x, tensor) or not x.type.is_block():
        raise Mistake(f"{what} needs a block, got {describe(x)}")
    return x


def _permuted(what: str, x, order) -> tensor:
    rank = len(_block(what, x).shape)
    if not all(type(dim) is int for dim in order):
        named = next(dim for dim in order if type(dim) is not int)
        raise Mistake(f"{what} needs ints that are known at compile time, got {describe(named)}")
    if sorted(order) != list(range(rank)):
        raise Mistake(
            f"{what} of a block of rank {rank} needs each of 0 to {rank - 1} once, "
            f"got {list(order)}"
        )
    type_ = block_type(x.dtype, tuple(x.shape[dim] for dim in order))
    return op("eft.trans", [x], type_, order=f"array<i32: {', '.join(map(str, order))}>")


@builtin(method=True)
def squeeze(x, dim):
    """The block without the dimension `dim`, whose extent must be 1. A negative `dim` counts from
    the last dimension."""
    axis = check_axis("squeeze", dim, len(_block("squeeze", x).shape))
    if x.shape[axis] != 1:
        raise Mistake(f"squeeze needs a dimension of extent 1, got dimension {axis} of {x.type}")
    return _reshaped("squeeze", x, x.shape[:axis] + x.shape[axis + 1 :])


@builtin(method=True)
def unsqueeze(x, dim):
    """Inserts one dimension of extent 1: the same as `expand_dims(x, dim)` for an int."""
    if isinstance(dim, tuple | list):
        raise Mistake("unsqueeze needs one axis, got a tuple: expand_dims takes several")
    return expand_dims(x, dim)


# `x.T` swaps the last two dimensions.
tensor.T = property(trans)
