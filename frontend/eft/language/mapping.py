# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that are called for each element of blocks, with control flow that depends on the
element."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language.builtin import builtin
from eft.language.combining import users_function
from eft.language.constants import to_tensor
from eft.language.dtypes import block_type, describe
from eft.language.promotion import broadcast_shape, broadcast_to_shape
from eft.language.tensor import emitter, is_number, tensor

_WHAT = "map_elementwise"
#: The largest `pack`. Each of the `pack` elements is a separate value in the code.
_MOST_PACKED = 64


@builtin
def map_elementwise(scalar_fn, *args, pack=1):
    """Calls a function for each element of blocks. Inside the function, each element takes its own
    branch of an `if` and its own number of iterations of a loop.

    Args:
        scalar_fn: a function under @eft.jit that takes a number from each of `args` and returns a
            number or a tuple of numbers. It computes from these numbers alone and does not access
            memory.
        args: numbers and at least one block, which are broadcast to one shape.
        pack: the number of elements that one call takes, from 1 to 64. The function takes `pack`
            numbers from the first of `args`, then `pack` from the second, and so on, and returns
            `pack` numbers of each result. Which elements share a call is not defined.

    Returns:
        A block if the function returns a number, a tuple of blocks if it returns a tuple.
    """
    if type(pack) is not int or not 1 <= pack <= _MOST_PACKED:
        raise Mistake(
            f"{_WHAT} needs pack to be an int from 1 to {_MOST_PACKED}, got {describe(pack)}"
        )
    function = users_function(_WHAT, scalar_fn, "function")
    blocks = _blocks(args)
    writer = emitter()
    scalars = [block.dtype for block in blocks for _ in range(pack)]
    region = writer.region(scalars)
    writer.enter(region)
    elements = [tensor(*pair) for pair in zip(region.arguments, scalars, strict=True)]
    given = function(*elements)
    values = _numbers(given, pack)
    writer.create("eft.yield", [value.handle for value in values], [], {})
    writer.leave()
    shape = blocks[0].shape
    types = [block_type(value.dtype, shape) for value in values[::pack]]
    operands = [block.handle for block in blocks]
    handles = writer.create("eft.map", operands, types, {"pack": f"{pack} : i32"}, [region])
    results = tuple(tensor(*pair) for pair in zip(handles, types, strict=True))
    return results if isinstance(given, tuple) else results[0]


def _blocks(args) -> list[tensor]:
    """The operands as blocks of one shape."""
    operands = [to_tensor(each) for each in args]
    if not operands:
        raise Mistake(f"{_WHAT} needs at least one value to map")
    shape = ()
    for each in operands:
        if each.dtype.is_ptr():
            raise Mistake(f"{_WHAT} maps numbers, got {describe(each)}")
        shape = broadcast_shape(shape, each.shape)
    if not shape:
        raise Mistake(f"{_WHAT} needs a block among its values: call the function itself")
    return [broadcast_to_shape(each, shape) for each in operands]


def _numbers(given, pack: int) -> list[tensor]:
    """The numbers that the function has returned, as a list. Raises a `Mistake` unless each result
    has `pack` numbers of the same type."""
    given = given if isinstance(given, tuple) else (given,)
    values = [to_tensor(each) if is_number(each) else each for each in given]
    for value in values:
        if not isinstance(value, tensor) or value.shape or value.dtype.is_ptr():
            raise Mistake(f"{_WHAT} needs a function that gives numbers, got {describe(value)}")
    if not values or len(values) % pack:
        raise Mistake(
            f"{_WHAT} with pack {pack} needs a function that gives {pack} numbers of each result, "
            f"got {len(values)}"
        )
    for first in range(0, len(values), pack):
        for value in values[first : first + pack]:
            if value.dtype != values[first].dtype:
                raise Mistake(
                    f"{_WHAT} needs a function that gives {pack} numbers of one type of each "
                    f"result, got {values[first].dtype} and {value.dtype}"
                )
    return values
