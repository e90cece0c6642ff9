# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions: they combine all elements along an axis into one.

The order in which elements are combined is fixed. docs/language.md defines it, and
`eft.reference.reduce_in_order` computes in this order.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes, math, operators
from eft.language.builtin import builtin
from eft.language.casts import bitcast_to, cast_to
from eft.language.combining import (
    check_axis,
    check_block,
    check_flag,
    check_inputs,
    combining,
    users_function,
)
from eft.language.constants import constant
from eft.language.dtypes import block_type, describe
from eft.language.promotion import broadcast_to_shape
from eft.language.shapes import arange, expand_dims
from eft.language.tensor import emitter, op, tensor

__all__ = ["argmax", "argmin", "max", "min", "reduce", "reduce_or", "softmax", "sum", "xor_sum"]


@builtin(method=True)
def reduce(input, axis, combine_fn, keep_dims=False):
    """Combines all elements along an axis with a given function.

    Args:
        input: a block, or a tuple of blocks of one shape.
        axis: the dimension that is reduced. None reduces all dimensions, with the elements in
            row-major order.
        combine_fn: an associative and commutative function under @eft.jit. Its parameters are a
            number from each block, followed by another number from each block. It returns one
            number for each block.
        keep_dims: whether the reduced dimension stays, with extent 1.

    Returns:
        A block or, if no dimension remains, a number. If `input` is a tuple, a tuple with one
        result for each block.
    """
    combine = users_function("reduce", combine_fn)
    results = _reduce("reduce", check_inputs("reduce", input), axis, combine, keep_dims)
    return results if isinstance(input, tuple) else results[0]


def _reduce(what: str, blocks, axis, combine, keep_dims, is_order_free=False) -> tuple[tensor, ...]:
    rank = len(blocks[0].shape)
    keep_dims = check_flag(what, "keep_dims", keep_dims)
    if axis is None:
        blocks = [flatten(block) for block in blocks]
        results = _reduce_axis(what, blocks, 0, combine, is_order_free)
        kept = tuple(range(rank))
    else:
        kept = check_axis(what, axis, rank)
        results = _reduce_axis(what, blocks, kept, combine, is_order_free)
    return tuple(expand_dims(result, kept) for result in results) if keep_dims else results


def _reduce_axis(what: str, blocks, axis: int, combine, is_order_free) -> tuple[tensor, ...]:
    """Reduces one axis. `is_order_free` says that the function gives the same bits in every order,
    and if its arguments are swapped."""
    shape = blocks[0].shape[:axis] + blocks[0].shape[axis + 1 :]
    types = [block_type(block.dtype, shape) if shape else block.dtype for block in blocks]
    attributes = {"axis": f"{axis} : i32"}
    if is_order_free:
        attributes["order_free"] = "unit"
    return combining("eft.reduce", what, blocks, types, combine, **attributes)


def flatten(x: tensor) -> tensor:
    """The elements of a block in row-major order, as a block of one dimension."""
    if len(x.shape) == 1:
        return x
    return op("eft.reshape", [x], block_type(x.dtype, (x.numel,)))


def number_of(what: str, x: tensor) -> tensor:
    """The number in a block of one element; a number as it is."""
    if not x.type.is_block():
        return x
    # With one element, there is nothing to combine.
    return _reduce_axis(what, [flatten(check_block(what, x))], 0, lambda a, b: a, True)[0]


# -- sums ------------------------------------------------------------------------------------------


def in_sum_dtype(what: str, x, dtype) -> tensor:
    """The block in the type in which its elements are summed or multiplied: `dtype` if it is given;
    otherwise int32 or uint32 for narrower integers, and the own type for all others."""
    check_block(what, x)
    if dtype is None:
        if x.dtype.is_int() and x.dtype.primitive_bitwidth < 32:
            return cast_to(x, dtypes.uint32 if x.dtype.is_int_unsigned() else dtypes.int32)
        return x
    if not isinstance(dtype, dtypes.dtype) or dtype.is_block() or dtype.is_ptr():
        raise Mistake(f"{what} needs the dtype of a number, got {describe(dtype)}")
    return cast_to(x, dtype)


@builtin(method=True)
def sum(input, axis=None, keep_dims=False, dtype=None):
    """The sum along an axis.

    Args:
        input: a block of numbers.
        axis: the dimension that is reduced. None sums all elements.
        keep_dims: whether the reduced dimension stays, with extent 1.
        dtype: the type to which the elements are converted first, and the type of the result. By
            default it is int32 or uint32 for narrower integers, and the elements' own type for all
            others.

    Returns:
        A block or, if no dimension remains, a number.
    """
    x = in_sum_dtype("sum", input, dtype)
    return _reduce("sum", [x], axis, operators.add, keep_dims, x.dtype.is_int())[0]


def _bitwise(what: str, input, axis, combine, keep_dims) -> tensor:
    if not check_block(what, input).dtype.is_int():
        raise Mistake(f"{what} needs a block of integers, got {describe(input)}")
    return _reduce(what, [input], axis, combine, keep_dims, is_order_free=True)[0]


@builtin(method=True)
def xor_sum(input, axis=None, keep_dims=False):
    """The bitwise exclusive or of integers along an axis. The arguments are those of `sum`, without
    `dtype`."""
    return _bitwise("xor_sum", input, axis, operators.xor, keep_dims)


@builtin(method=True)
def reduce_or(input, axis=None, keep_dims=False):
    """The bitwise or of integers along an axis. The arguments are those of `sum`, without
    `dtype`."""
    return _bitwise("reduce_or", input, axis, operators.or_, keep_dims)


# -- extrema ---------------------------------------------------------------------------------------


def _extremum(what: str, input, axis, with_index, tie_break_left, keep_dims):
    check_block(what, input)
    with_index = check_flag(what, "return_indices", with_index)
    flag = "return_indices_tie_break_left" if what in ("max", "min") else "tie_break_left"
    check_flag(what, flag, tie_break_left)
    x = input
    if x.dtype.primitive_bitwidth < 32:
        x = cast_to(x, dtypes.float32 if x.dtype.is_floating() else dtypes.int32)
    is_max = what in ("max", "argmax")
    if not with_index:
        combine = math.maximum if is_max else math.minimum
        return _reduce(what, [x], axis, combine, keep_dims, is_order_free=True)[0]
    keep_dims = check_flag(what, "keep_dims", keep_dims)
    rank = len(x.shape)
    if axis is None:
        kept = tuple(range(rank))
        value, index = _with_index(flatten(x), 0, is_max)
    else:
        kept = check_axis(what, axis, rank)
        value, index = _with_index(x, kept, is_max)
    results = _as_element(value, input.dtype), index
    return tuple(expand_dims(result, kept) for result in results) if keep_dims else results


#: The magnitudes of elements that a conversion from fp32 never gives, because it saturates below
#: them, and their bits.
_BEYOND_CONVERSION = {
    dtypes.float8e5: (float("inf"), 0x7C),
    dtypes.float8e4b15: (1.875, 0x7F),
}


def _as_element(value: tensor, dtype: dtypes.dtype) -> tensor:
    """An element of a block of `dtype`, given as fp32 or int32, in its own type."""
    element = cast_to(value, dtype)
    if dtype in _BEYOND_CONVERSION:
        magnitude, bits = _BEYOND_CONVERSION[dtype]
        for number, pattern in ((magnitude, bits), (-magnitude, bits | 0x80)):
            beyond = bitcast_to(constant(pattern, dtypes.uint8), dtype)
            element = math.where(operators.compare("==", value, number), beyond, element)
    return element


#: The largest extent of an axis along which an extremum and its index are found one after the
#: other. That reads the elements twice. Longer rows do not fit a GPU program's registers, so they
#: are faster if pairs of an element and its index are combined. A CPU would be faster with pairs
#: from about 4096 elements on.
_MAX_READ_TWICE = 16384


def _with_index(x: tensor, axis: int, is_max: bool) -> tuple[tensor, tensor]:
    """The extremum along an axis, and the first index at which `x` equals it."""
    index = arange(0, x.shape[axis])
    if others := tuple(dim for dim in range(len(x.shape)) if dim != axis):
        index = broadcast_to_shape(expand_dims(index, others), x.shape)
    find = _one_after_other if x.shape[axis] <= _MAX_READ_TWICE else _at_once
    return find(x, index, axis, is_max)


def _one_after_other(x: tensor, index: tensor, axis: int, is_max: bool):
    """Reduces the elements, and then the indices of those that equal the result."""
    extremum = math.maximum if is_max else math.minimum
    value = _reduce_axis("max", [x], axis, extremum, True)[0]
    is_found = operators.compare("==", x, broadcast_to_shape(expand_dims(value, axis), x.shape))
    behind = constant(x.shape[axis], dtypes.int32)
    index = math.where(is_found, index, behind)
    first = _reduce_axis("max", [index], axis, math.minimum, True)[0]
    # If all elements are NaN, none equals the extremum.
    if x.dtype.is_floating():
        first = math.where(operators.compare("==", first, behind), 0, first)
    return value, first


def _at_once(x: tensor, index: tensor, axis: int, is_max: bool):
    """Reduces pairs of an element and its index."""
    extremum = math.maximum if is_max else math.minimum

    def combine(a, i, b, j):
        tie = operators.and_(operators.compare("==", a, b), operators.compare("<", i, j))
        first = operators.or_(operators.compare(">" if is_max else "<", a, b), tie)
        return extremum(a, b), math.where(first, i, j)

    if not x.dtype.is_floating():
        return _reduce_axis("max", [x, index], axis, combine, True)
    # NaN competes as the worst infinity, with an index behind those of all numbers.
    behind = constant(dtypes.MAX_ELEMENTS, dtypes.int32)
    is_nan = operators.compare("!=", x, x)
    index = math.where(is_nan, operators.add(index, behind), index)
    x = math.where(is_nan, float("-inf" if is_max else "inf"), x)
    value, first = _reduce_axis("max", [x, index], axis, combine, True)
    is_nan = operators.compare(">=", first, behind)
    return math.where(is_nan, float("nan"), value), math.where(is_nan, 0, first)


@builtin(method=True)
def max(
    input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False
):
    """The largest element along an axis. NaN is ignored, unless all elements are NaN. The element
    +0 is larger than -0, but the index is that of the first of both.

    Args:
        input: a block of numbers.
        axis: the dimension that is reduced. None takes all elements; then the index is the
            row-major number of the element.
        return_indices: whether the index of the element is returned, too. Without the index,
            elements of less than 32 bits are converted to fp32 or int32. With the index, the
            element keeps its type.
        return_indices_tie_break_left: accepted without effect: the index is always that of the
            first of several equal elements.
        keep_dims: whether the reduced dimension stays, with extent 1.

    Returns:
        The element; with `return_indices`, a tuple of the element and its index as int32.
    """
    return _extremum("max", input, axis, return_indices, return_indices_tie_break_left, keep_dims)


@builtin(method=True)
def min(
    input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False
):
    """The smallest element along an axis. The arguments and the rules are those of `max`."""
    return _extremum("min", input, axis, return_indices, return_indices_tie_break_left, keep_dims)


@builtin(method=True)
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    """The index of the largest element along an axis, as int32. If `axis` is None, it is the
    row-major number of the element. The rules are those of `max` with `return_indices`;
    `tie_break_left` is its `return_indices_tie_break_left`."""
    return _extremum("argmax", input, axis, True, tie_break_left, keep_dims)[1]


@builtin(method=True)
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    """The index of the smallest element along an axis, as int32. If `axis` is None, it is the
    row-major number of the element. The rules are those of `max` with `return_indices`;
    `tie_break_left` is its `return_indices_tie_break_left`."""
    return _extremum("argmin", input, axis, True, tie_break_left, keep_dims)[1]


@builtin(method=True)
def softmax(x, dim=None, keep_dims=None, ieee_rounding=False):
    """exp(x - max(x)) divided by its sum along an axis.

    Args:
        x: a block of floats. fp16 and bf16 give fp32.
        dim: the axis; None means 0.
        keep_dims: has no effect but a warning; the result has the shape of `x`.
        ieee_rounding: accepted without effect: the division is always correctly rounded.
    """
    check_block("softmax", x)
    check_flag("softmax", "ieee_rounding", ieee_rounding)
    if not x.dtype.is_floating():
        raise Mistake(f"softmax needs a block of floats, got {describe(x)}")
    if keep_dims is not None:
        emitter().warn("softmax gives a block of the shape of its operand: keep_dims does nothing")
    axis = check_axis("softmax", 0 if dim is None else dim, len(x.shape))
    numerator = math.exp(x - max(x, axis, keep_dims=True))
    return numerator / sum(numerator, axis, keep_dims=True)
