# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common parts of reductions and scans: the checks of their inputs, and the function that
combines two elements.

The function becomes the region of `eft.reduce` or `eft.scan`. Its arguments are numbers: first the
left operand, with one number from each input block, then the right operand, with one number from
each.
"""

from __future__ import annotations

from collections.abc import Callable

from eft.errors import Mistake
from eft.language.constants import to_tensor
from eft.language.dtypes import describe, dtype
from eft.language.tensor import emitter, is_number, tensor


def check_axis(what: str, axis, rank: int) -> int:
    """Returns the axis as a number from 0 to `rank` - 1. A negative axis is counted from the end.
    Raises a `Mistake` if there is no such axis."""
    if type(axis) is not int:
        raise Mistake(
            f"{what} needs an axis that is an int known at compile time, got {describe(axis)}"
        )
    if not -rank <= axis < rank:
        raise Mistake(
            f"{what} of a block of rank {rank} needs an axis from {-rank} to {rank - 1}, got {axis}"
        )
    return axis % rank


def check_flag(what: str, name: str, value) -> bool:
    """Returns a flag that is known at compile time, as a bool. 0 and 1 count as False and True."""
    if isinstance(value, bool | int) and value in (0, 1):
        return bool(value)
    wanted = "known at compile time" if isinstance(value, tensor) else "True or False"
    raise Mistake(f"{what} needs {name} to be {wanted}, got {describe(value)}")


def check_block(what: str, x) -> tensor:
    """Returns `x` if it is a block of numbers; otherwise raises a `Mistake`."""
    if not isinstance(x, tensor) or not x.type.is_block() or x.dtype.is_ptr():
        raise Mistake(f"{what} needs a block of numbers, got {describe(x)}")
    return x


def check_inputs(what: str, input) -> tuple[tensor, ...]:
    """Returns the blocks to combine as a tuple. Raises a `Mistake` unless all have the same
    shape."""
    blocks = tuple(input) if isinstance(input, tuple) else (input,)
    if not blocks:
        raise Mistake(f"{what} needs at least one block, got an empty tuple")
    for block in blocks:
        check_block(what, block)
        if block.shape != blocks[0].shape:
            raise Mistake(
                f"{what} needs blocks of one shape, got {list(blocks[0].shape)} and "
                f"{list(block.shape)}"
            )
    return blocks


def users_function(what: str, function, kind: str = "combine function") -> Callable:
    """Returns a function that emits a call of `function`, which a kernel has passed to the builtin
    `what`. `kind` is the name of this argument in messages."""
    if not hasattr(function, "_eft_jit"):
        raise Mistake(f"{what} needs a {kind} under @eft.jit, got {describe(function)}")
    return lambda *operands: emitter().call(function, list(operands), {})


def combining(name: str, what: str, blocks, types, function: Callable, **attributes):
    """Creates the operation `name`, which is `eft.reduce` or `eft.scan`, with `function` as its
    region. Returns its results, which have the types `types`."""
    writer = emitter()
    scalars = [block.dtype for block in blocks]
    region = writer.region([*scalars, *scalars])
    writer.enter(region)
    pairs = zip(region.arguments, [*scalars, *scalars], strict=True)
    combined = function(*(tensor(*pair) for pair in pairs))
    yielded = [value.handle for value in _check_combined(what, combined, scalars)]
    writer.create("eft.yield", yielded, [], {})
    writer.leave()
    operands = [block.handle for block in blocks]
    handles = writer.create(name, operands, types, attributes, [region])
    return tuple(tensor(*pair) for pair in zip(handles, types, strict=True))


def _check_combined(what: str, combined, scalars: list[dtype]) -> list[tensor]:
    """Returns the results of a combine function as a list. Raises a `Mistake` unless there is one
    number for each block, of the type of the block's elements."""
    values = combined if isinstance(combined, tuple) else (combined,)
    if len(values) != len(scalars):
        some = "1 block" if len(scalars) == 1 else f"{len(scalars)} blocks"
        raise Mistake(
            f"{what} of {some} needs a combine function that gives {len(scalars)} "
            f"value{'s'[: len(scalars) - 1]}, got {len(values)}"
        )
    values = [to_tensor(value) if is_number(value) else value for value in values]
    for value, scalar in zip(values, scalars, strict=True):
        if not isinstance(value, tensor) or value.type.ir != scalar.ir:
            raise Mistake(
                f"{what} of a block of {scalar} needs a combine function that gives one {scalar}, "
                f"got {describe(value)}"
            )
    return values
