# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline assembly in a kernel: PTX, for GPUs only."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language.builtin import builtin
from eft.language.combining import check_flag
from eft.language.constants import to_tensor
from eft.language.dtypes import block_type, describe, dtype
from eft.language.promotion import broadcast_shape, broadcast_to_shape
from eft.language.tensor import emitter, ops, tensor

_WHAT = "inline_asm_elementwise"


@builtin
def inline_asm_elementwise(asm: str, constraints: str, args, dtype, is_pure: bool, pack: int):
    """Runs PTX on the elements of blocks, once for each `pack` elements of each operand. In a
    kernel for a CPU this is an error.

    Args:
        asm: the PTX. `$0`, `$1`, … are the registers of `constraints`, and `$$` is a dollar sign.
        constraints: the kinds of the registers as in LLVM, first those of the results, then those
            of the operands: "=f,f". Elements of less than 32 bits share a register.
        args: a list or tuple of numbers and blocks, which are broadcast to one shape.
        dtype: the type of the result's elements, or a tuple with one type for each result.
        is_pure: promises that the results depend on the operands alone. If it is False, the
            assembly may have any effect: it keeps its place in the order of the program and is
            never removed.
        pack: an int from 1 to 1024. Which elements one execution of the PTX gets is not defined.

    Returns:
        A block of type `dtype` in the shape of the operands; a number if all operands are numbers.
        If `dtype` is a tuple, a tuple with one such result for each type.
    """
    types = _types(dtype)
    operands = _operands(args)
    shape = operands[0].shape if operands else ()
    results = ops(
        "eft.inline_asm",
        operands,
        [block_type(each, shape) if shape else each for each in types],
        code=emitter().context.string(_text("asm", asm)),
        constraints=emitter().context.string(_text("constraints", constraints)),
        pack=f"{_pack(pack)} : i32",
        **({"pure": "unit"} if check_flag(_WHAT, "is_pure", is_pure) else {}),
    )
    return tuple(results) if isinstance(dtype, tuple) else results[0]


def _operands(args) -> list[tensor]:
    """The operands, broadcast to one shape. Each keeps its type."""
    if not isinstance(args, tuple):
        raise Mistake(f"{_WHAT} needs args that are a list or a tuple, got {describe(args)}")
    operands = [to_tensor(each) for each in args]
    shape = ()
    for each in operands:
        shape = broadcast_shape(shape, each.shape)
    return [broadcast_to_shape(each, shape) for each in operands]


def _types(given) -> tuple[dtype, ...]:
    types = given if isinstance(given, tuple) else (given,)
    if not types:
        raise Mistake(f"{_WHAT} needs at least one result, got no dtype")
    for each in types:
        if not isinstance(each, dtype) or each.is_block():
            raise Mistake(f"{_WHAT} needs a dtype or a tuple of them, got {describe(given)}")
    return types


def _text(name: str, value) -> str:
    if not isinstance(value, str):
        raise Mistake(
            f"{_WHAT} needs {name} to be a text known at compile time, got {describe(value)}"
        )
    return value


def _pack(pack) -> int:
    if type(pack) is not int or not 1 <= pack <= 1024:
        raise Mistake(f"{_WHAT} needs pack to be an int from 1 to 1024, got {describe(pack)}")
    return pack
