# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common parts of reductions and scans: their inputs, and the function that combines two
elements.

The function becomes the region of `eft.reduce` and `eft.scan`. It is called on numbers: for each
block of the inputs one from the elements before, then for each one from the elements behind.
"""

from __future__ import annotations

from collections.abc import Callable

from eft.errors import Mistake
from eft.language.constants import to_tensor
from eft.language.dtypes import describe, dtype
from eft.language.tensor import emitter, is_number, tensor


def check_axis(what: str, axis, rank: int) -> int:
    """An axis counted from the front. Negative ones are counted from the end."""
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
    """A flag that is known at compile time; 0 and 1 are as good as False and True."""
    if isinstance(value, bool | int) and value in (0, 1):
        return bool(value)
    wanted = "known at compile time" if isinstance(value, tensor) else "True or False"
    raise Mistake(f"{what} needs {name} to be {wanted}, got {describe(value)}")


def check_block(what: str, x) -> tensor:
    """A block of numbers."""
    if not isinstance(x, tensor) or not x.type.is_block() or x.dtype.is_ptr():
        raise Mistake(f"{what} needs a block of numbers, got {describe(x)}")
    return x


def check_inputs(what: str, input) -> tuple[tensor, ...]:
    """The blocks that are combined, all of one shape."""
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
    """A function that calls one which a kernel has passed; `kind` is what `what` takes it for."""
    if not hasattr(function, "_eft_jit"):
        raise Mistake(f"{what} needs a {kind} under @eft.jit, got {describe(function)}")
    return lambda *operands: emitter().call(function, list(operands), {})


def combining(name: str, what: str, blocks, types, function: Callable, **attributes):
    """Creates `eft.reduce` or `eft.scan`; gives its results, which have the types `types`."""
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
    """The result of a combine function: a number for each block, of its type."""
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
