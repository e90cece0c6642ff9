# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting by a bitonic network, and histograms.

The compiler sorts integers (`eft.sort`). Floats are mapped to integers of the same order, in which
-0 comes before +0 and NaN comes last.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes, operators
from eft.language.builtin import builtin
from eft.language.casts import bitcast_to, cast_to
from eft.language.combining import check_axis, check_block, check_flag
from eft.language.constants import constant
from eft.language.dtypes import block_type, describe
from eft.language.math import maximum, minimum, where
from eft.language.promotion import broadcast_to_shape, refuse_float8
from eft.language.rearranging import split
from eft.language.reshaping import permute, reshape
from eft.language.tensor import op, tensor

__all__ = ["bitonic_merge", "histogram", "sort", "topk"]

_INTEGERS = {16: dtypes.int16, 32: dtypes.int32, 64: dtypes.int64}


@builtin(method=True)
def sort(x, dim=None, descending=False):
    """Sorts the elements along a dimension.

    Args:
        x: a block of numbers, but not of 8-bit floats.
        dim: the dimension that is sorted, by default the last.
        descending: whether the largest element comes first. NaN counts as larger than any number,
            and -0 as less than +0.
    """
    axis, descending = _check_arguments("sort", x, dim, descending)
    keys = _sorted_runs(_to_keys(x), axis, _bits(x.shape[axis]), descending)
    return _from_keys(keys, x)


@builtin
def sort_impl(x, k=None, dim=None, descending=False):
    """Does the same as `topk`, or as `sort` if `k` is None."""
    if k is None:
        return sort(x, dim, descending)
    return topk(x, k, dim, descending)


@builtin
def bitonic_merge(x, dim=None, descending=False):
    """Sorts the elements along a dimension, if they first rise and then fall, or first fall and
    then rise. This is the last stage of sorting.

    Args:
        x: a block of numbers, but not of 8-bit floats.
        dim: the dimension that is sorted, by default the last.
        descending: whether the largest element comes first.
    """
    axis, descending = _check_arguments("bitonic_merge", x, dim, descending)
    keys = _merged(_to_keys(x), axis, _bits(x.shape[axis]), descending)
    return _from_keys(keys, x)


@builtin
def topk(x, k, dim=None, descending=True):
    """The `k` largest elements along a dimension, the largest first.

    Args:
        x: a block of numbers, but not of 8-bit floats.
        k: a power of two, at most the extent of the dimension; known at compile time.
        dim: the dimension that is reduced to the extent `k`, by default the last.
        descending: False gives the `k` smallest elements, the smallest first. NaN counts as larger
            than any number.
    """
    axis, descending = _check_arguments("topk", x, dim, descending)
    if type(k) is not int or not 0 < k <= x.shape[axis] or k & (k - 1):
        raise Mistake(
            f"topk needs a k that is a power of two from 1 to {x.shape[axis]}, got {describe(k)}"
        )
    bits = _bits(k)
    keys = _sorted_runs(_to_keys(x), axis, bits, descending)
    while keys.shape[axis] > k:
        keys = _merged(_better_halves(keys, axis, k, descending), axis, bits, descending)
    return _from_keys(keys, x)


def _check_arguments(what: str, x, dim, descending):
    check_block(what, x)
    if x.dtype.is_fp8():
        refuse_float8(what, x.dtype)
    axis = check_axis(what, -1 if dim is None else dim, len(x.shape))
    return axis, check_flag(what, "descending", descending)


def _bits(extent: int) -> int:
    return extent.bit_length() - 1


# -- keys ------------------------------------------------------------------------------------------


def _to_keys(x: tensor) -> tensor:
    """Integers that have the order of the elements."""
    if x.dtype.is_bool():
        return cast_to(x, dtypes.int8)
    if not x.dtype.is_floating():
        return x
    nan = constant(float("nan"), x.type)
    x = where(operators.compare("!=", x, x), nan, x)
    return _mirrored(bitcast_to(x, _INTEGERS[x.dtype.primitive_bitwidth]))


def _mirrored(x: tensor) -> tensor:
    """Flips all bits but the sign of negative numbers. This turns the bits of floats into signed
    integers of the same order, and back."""
    sign = x >> (x.dtype.primitive_bitwidth - 1)
    return x ^ (sign & x.dtype.int_range()[1])


def _from_keys(keys: tensor, x: tensor) -> tensor:
    if x.dtype.is_bool():
        return cast_to(keys, dtypes.int1)
    return bitcast_to(_mirrored(keys), x.dtype) if x.dtype.is_floating() else keys


# -- the network -----------------------------------------------------------------------------------


def _sorted_runs(x: tensor, axis: int, bits: int, descending: bool) -> tensor:
    """Sorts each run of 2^bits elements along the axis. Every second run gets the opposite
    order."""
    return _stages(x, axis, 1, bits, descending) if bits > 0 else x


def _merged(x: tensor, axis: int, bits: int, descending: bool) -> tensor:
    """Sorts each run of 2^bits elements along the axis. Every second run gets the opposite order.
    Each run must first rise and then fall, or be a rotation of such a run."""
    return _stages(x, axis, bits, bits, descending) if bits > 0 else x


def _stages(x: tensor, axis: int, first: int, last: int, descending: bool) -> tensor:
    flags = {"descending": "unit"} if descending else {}
    if x.dtype.is_int_unsigned():
        flags["isUnsigned"] = "unit"
    stages = {"axis": f"{axis} : i32", "first": f"{first} : i32", "last": f"{last} : i32"}
    return op("eft.sort", [x], x.type, **stages, **flags)


def _better_halves(x: tensor, axis: int, k: int, descending: bool) -> tensor:
    """Combines each pair of neighbouring runs of k elements, one rising and one falling, into a run
    of the k largest or smallest elements of both."""
    shape = x.shape
    pairs = (*shape[:axis], shape[axis] // (2 * k), 2, k, *shape[axis + 1 :])
    order = [*range(axis + 1), *range(axis + 2, len(pairs)), axis + 1]
    a, b = split(permute(reshape(x, pairs), tuple(order)))
    better = maximum(a, b) if descending else minimum(a, b)
    return reshape(better, (*shape[:axis], shape[axis] // 2, *shape[axis + 1 :]))


# -- counting --------------------------------------------------------------------------------------


@builtin(method=True)
def histogram(input, num_bins, mask=None):
    """Counts how many elements equal 0, 1, …, `num_bins` - 1.

    The time grows with the extent of the block and with the number of bins.

    Args:
        input: a block of rank 1 of int32 or uint32. Elements outside of the bins are not counted.
        num_bins: a power of two, known at compile time.
        mask: int1, a number or a block in the shape of `input`. Elements where it is false are not
            counted.

    Returns:
        An int32 block of shape [num_bins].
    """
    _check_histogram(input, num_bins, mask)
    if mask is not None:
        outside = constant(input.dtype.int_range()[1], input.type)
        input = where(broadcast_to_shape(mask, input.shape), input, outside)
    return op("eft.histogram", [input], block_type(dtypes.int32, (num_bins,)))


def _check_histogram(input, num_bins, mask):
    check_block("histogram", input)
    if len(input.shape) != 1 or input.dtype not in (dtypes.int32, dtypes.uint32):
        raise Mistake(
            f"histogram needs a block of rank 1 of int32 or uint32, got {describe(input)}"
        )
    if type(num_bins) is not int or num_bins <= 0 or num_bins & (num_bins - 1):
        raise Mistake(f"histogram needs a power of two as num_bins, got {describe(num_bins)}")
    block_type(dtypes.int32, (num_bins,))
    if mask is None:
        return
    if not isinstance(mask, tensor) or not mask.dtype.is_bool():
        raise Mistake(f"histogram needs a mask of type int1, got {describe(mask)}")
    if mask.shape not in ((), input.shape):
        raise Mistake(
            f"the mask of shape {list(mask.shape)} does not fit a block of shape "
            f"{list(input.shape)}"
        )
