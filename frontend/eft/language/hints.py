# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints, which state facts that the author of a kernel knows and the compiler can't derive, and the
barrier `debug_barrier`.

If a hint is false, the behaviour of the program is undefined.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language.builtin import builtin
from eft.language.casts import is_nonzero
from eft.language.constants import to_tensor
from eft.language.dtypes import describe
from eft.language.tensor import is_number, op, ops, tensor


@builtin
def multiple_of(input, values):
    """Returns `input`, and states that its values are multiples of `values`. In a block, only the
    first number of each sequence of consecutive numbers must be a multiple, such as 16 in 16, 17,
    18, 19.

    If the hint is false, the behaviour of the program is undefined.

    Args:
        input: an integer, a pointer (the hint is about its address in bytes), or a block of these.
        values: a positive int, or one for each dimension; known at compile time.
    """
    return _hint("multiple_of", "divisibility", input, values)


@builtin
def max_contiguous(input, values):
    """Returns `input`, and states that each group of `values` neighbouring elements consists of
    consecutive numbers.

    If the hint is false, the behaviour of the program is undefined.

    Args:
        input: a block of integers or pointers.
        values: a positive int, or one for each dimension; known at compile time.
    """
    return _hint("max_contiguous", "contiguity", input, values)


@builtin
def max_constancy(input, values):
    """Returns `input`, and states that all elements in each group of `values` neighbouring elements
    are equal.

    If the hint is false, the behaviour of the program is undefined.

    Args:
        input: a block.
        values: a positive int, or one for each dimension; known at compile time.
    """
    return _hint("max_constancy", "constancy", input, values)


def _hint(name: str, attribute: str, input, values) -> tensor:
    if is_number(input):
        return input
    if not isinstance(input, tensor):
        raise Mistake(f"{name} needs a value of the kernel, got {describe(input)}")
    numbers = tuple(values) if isinstance(values, tuple | list) else (values,)
    for number in numbers:
        if type(number) is not int or number < 1:
            raise Mistake(
                f"{name} needs positive ints that are known at compile time, got {describe(number)}"
            )
    expected = max(1, len(input.shape))
    if len(numbers) != expected:
        raise Mistake(
            f"{name} needs a number for each of {expected} dimensions, got {len(numbers)}"
        )
    text = f"array<i64: {', '.join(map(str, numbers))}>"
    return op("eft.hint", [input], input.type, **{attribute: text})


@builtin
def assume(cond):
    """States that `cond` is true. If it is false, the behaviour of the program is undefined.

    `cond` is a number, not a block. A number of another type than int1 counts as true if it is not
    zero.
    """
    condition = to_tensor(cond)
    if condition.shape or condition.dtype.is_ptr():
        raise Mistake(f"assume needs a condition that is a number, got {describe(condition)}")
    if not condition.dtype.is_bool():
        condition = is_nonzero(condition)
    ops("eft.assume", [condition], ())


@builtin
def debug_barrier():
    """Makes everything that the program has stored visible to all of its later loads, also to loads
    at other positions of a block."""
    ops("eft.barrier", [], ())
