# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts that the writer of a kernel knows and the compiler can't see, and the barrier.

If a hint is false, the program may do anything.
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
    """`input`, whose values are known to be multiples of `values`: of a block, the first value of
    each run of neighbours that grow by one.

    Args:
        input: an integer or a pointer (by its address in bytes), or a block of them.
        values: a positive int, or one for each dimension.
    """
    return _hint("multiple_of", "divisibility", input, values)


@builtin
def max_contiguous(input, values):
    """`input`, of whose values each `values` neighbours are known to grow by one.

    Args:
        input: a block of integers or pointers.
        values: a positive int, or one for each dimension.
    """
    return _hint("max_contiguous", "contiguity", input, values)


@builtin
def max_constancy(input, values):
    """`input`, of whose values each `values` neighbours are known to be equal.

    Args:
        input: a block.
        values: a positive int, or one for each dimension.
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
    """Says that `cond`, a number of the kernel, is true."""
    condition = to_tensor(cond)
    if condition.shape or condition.dtype.is_ptr():
        raise Mistake(f"assume needs a condition that is a number, got {describe(condition)}")
    if not condition.dtype.is_bool():
        condition = is_nonzero(condition)
    ops("eft.assume", [condition], ())


@builtin
def debug_barrier():
    """Lets all that the program has written to memory so far be seen by all that it reads
    afterwards, whichever positions of blocks do it."""
    ops("eft.barrier", [], ())
