# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans: they combine each element with all elements before it along an axis.

The order in which elements are combined is fixed. docs/language.md defines it, and
`eft.reference.scan_in_order` computes in this order.
"""

from __future__ import annotations

from eft.language import operators
from eft.language.builtin import builtin
from eft.language.combining import (
    check_axis,
    check_flag,
    check_inputs,
    combining,
    users_function,
)
from eft.language.reductions import in_sum_dtype
from eft.language.tensor import tensor

__all__ = ["associative_scan", "cumprod", "cumsum"]


@builtin(method=True)
def associative_scan(input, axis, combine_fn, reverse=False):
    """Combines each element with all elements before it along an axis, with a given function.

    Args:
        input: a block, or a tuple of blocks of one shape.
        axis: the dimension along which elements are combined. A negative number counts from the
            last dimension.
        combine_fn: an associative function under @eft.jit. Its parameters are a number from each
            block, followed by another number from each block. It returns one number for each block.
        reverse: whether each element is combined with all elements after it instead.

    Returns:
        A block of the shape of `input`. If `input` is a tuple, a tuple of such blocks.
    """
    combine = users_function("associative_scan", combine_fn)
    blocks = check_inputs("associative_scan", input)
    results = _scan("associative_scan", blocks, axis, combine, reverse)
    return results if isinstance(input, tuple) else results[0]


def _scan(what: str, blocks, axis, combine, reverse) -> tuple[tensor, ...]:
    attributes = {"axis": f"{check_axis(what, axis, len(blocks[0].shape))} : i32"}
    if check_flag(what, "reverse", reverse):
        attributes["reverse"] = "unit"
    types = [block.type for block in blocks]
    return combining("eft.scan", what, blocks, types, combine, **attributes)


@builtin(method=True)
def cumsum(input, axis=0, reverse=False, dtype=None):
    """The sum of each element and all elements before it along an axis.

    Args:
        input: a block of numbers.
        axis: the dimension along which elements are summed. A negative number counts from the last
            dimension.
        reverse: whether each element is summed with all elements after it instead.
        dtype: the type to which the elements are converted first, and the type of the result. By
            default it is int32 or uint32 for narrower integers, and the elements' own type for all
            others.

    Returns:
        A block of the shape of `input`.
    """
    x = in_sum_dtype("cumsum", input, dtype)
    return _scan("cumsum", [x], axis, operators.add, reverse)[0]


@builtin(method=True)
def cumprod(input, axis=0, reverse=False, dtype=None):
    """The product of each element and all elements before it along an axis. The arguments are those
    of `cumsum`."""
    x = in_sum_dtype("cumprod", input, dtype)
    return _scan("cumprod", [x], axis, operators.mul, reverse)[0]
