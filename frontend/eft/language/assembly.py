# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembly in a kernel: PTX, on GPUs alone."""

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
    """Runs PTX on the elements of blocks, `pack` of them at a time, on GPUs alone.

    The `args` are broadcast to one shape, which the results have: one of the type `dtype`, or a
    tuple of them, one for each type in a tuple. `constraints` are LLVM's: first registers of the
    results, then those of the operands. Elements of less than 32 bits share registers.
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
    """The operands in one shape, each of its own type."""
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
