# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans: each element combined with all before it along an axis.

The order in which they are combined is fixed; docs/language.md tells it, and
`eft.reference.scan_in_order` computes it.
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
    """Combines each element with all before it along an axis, with a function of the kernel's
    author.

    Args:
        input: a block, or a tuple of blocks of one shape.
        axis: the dimension along which.
        combine_fn: a function under @eft.jit, associative. It takes a number from each block, then
            another from each, and gives one for each.
        reverse: go from the last element to the first.

    Returns:
        A block for `input`; a tuple of them if that is a tuple.
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
    """The sum of each element and all before it along an axis.

    Args:
        input: a block of numbers.
        axis: the dimension along which.
        reverse: sum each element and all behind it.
        dtype: what the elements are converted to first; by default int32 or uint32 if they are
            narrower integers, else their own type.
    """
    x = in_sum_dtype("cumsum", input, dtype)
    return _scan("cumsum", [x], axis, operators.add, reverse)[0]


@builtin(method=True)
def cumprod(input, axis=0, reverse=False, dtype=None):
    """The product of each element and all before it; the arguments are those of `cumsum`."""
    x = in_sum_dtype("cumprod", input, dtype)
    return _scan("cumprod", [x], axis, operators.mul, reverse)[0]
