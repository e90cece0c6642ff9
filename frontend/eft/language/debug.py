# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Output and assertions of a running kernel."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.accesses import check_mask
from eft.language.builtin import builtin
from eft.language.casts import cast_to, is_nonzero
from eft.language.constants import to_tensor
from eft.language.dtypes import describe
from eft.language.operators import invert, or_
from eft.language.promotion import broadcast_shape, broadcast_to_shape
from eft.language.tensor import emitter, ops, tensor


@builtin
def device_print(prefix, *args, hex=False):
    """Prints a line for each element of each argument when the kernel runs. Without arguments,
    prints one line.

    A line has the index of the program in the grid, the element's index, `prefix` and the value. If
    there are several arguments, "(operand 0)" and so on comes before the value.

    Args:
        prefix: a str of printable ASCII characters, known at compile time.
        args: numbers, pointers and blocks.
        hex: whether integers are printed in hexadecimal.
    """
    if not isinstance(prefix, str) or not (prefix.isascii() and prefix.isprintable()):
        raise Mistake(
            f"device_print needs a str of printable ASCII characters first, got {describe(prefix)}"
        )
    if not isinstance(hex, bool):
        raise Mistake(f"hex must be True or False, got {describe(hex)}")
    text = _as_prefix(prefix, bool(args))
    if not args:
        ops("eft.print", [], (), text=emitter().context.string(text))
    for number, value in enumerate(args):
        operand = f"(operand {number}) " if len(args) > 1 else ""
        _print(text + operand, to_tensor(value), hex)


def _as_prefix(prefix: str, has_values: bool) -> str:
    """The prefix with a space in front; before a value, also with a colon and a space at its
    end."""
    if has_values and not prefix.endswith(": "):
        prefix = prefix.removesuffix(" ") + ": "
    return prefix if prefix.startswith(" ") or prefix in ("", ": ") else f" {prefix}"


def _print(text: str, value: tensor, hex: bool):
    attributes = {"text": emitter().context.string(text)}
    if value.dtype.is_int():
        if hex:
            digits = max(1, value.dtype.primitive_bitwidth // 4)
            attributes["hexDigits"] = f"{digits} : i32"
            value = cast_to(value, _unsigned(value.dtype))
        elif value.dtype.is_int_unsigned():
            attributes["isUnsigned"] = "unit"
        is_signed = value.dtype.is_int_signed()
        value = cast_to(value, dtypes.int64 if is_signed else dtypes.uint64)
    elif value.dtype.is_floating():
        value = cast_to(value, dtypes.float64)
    ops("eft.print", [value], (), **attributes)


def _unsigned(dtype: dtypes.dtype) -> dtypes.dtype:
    return dtype if dtype.is_int_unsigned() else dtypes.dtype(f"u{dtype.name}")


@builtin
def device_assert(cond, msg="", mask=None):
    """Checks, in debug mode, that `cond` is true for every element. If it is false, the program
    ends, and the launch raises `eft.DeviceAssertionError`. Outside of debug mode, nothing is
    checked.

    Args:
        cond: a number or a block of int1, or of another integer type, which counts as true where it
            is not zero.
        msg: a str for the error message, known at compile time.
        mask: int1, broadcast with `cond`. Elements where it is false are not checked.
    """
    if not isinstance(msg, str):
        raise Mistake(f"device_assert needs its message to be a str, got {describe(msg)}")
    condition = to_tensor(cond)
    if not condition.dtype.is_int():
        raise Mistake(f"device_assert needs a condition of type int1, got {describe(condition)}")
    mask = None if mask is None else check_mask("device_assert", mask)
    if not emitter().debug:
        return
    if not condition.dtype.is_bool():
        condition = is_nonzero(condition)
    if mask is not None:
        shape = broadcast_shape(condition.shape, mask.shape)
        condition, mask = broadcast_to_shape(condition, shape), broadcast_to_shape(mask, shape)
        condition = or_(condition, invert(mask))
    ops("eft.assert", [condition], (), message=emitter().context.string(msg))


@builtin
def expect_zero(x, mask):
    """Returns `x`. In debug mode, asserts that `x` is 0 where `mask` is true. An exponential that
    must underflow is an example of such an `x`."""
    holds = or_(to_tensor(x) == 0, invert(check_mask("expect_zero", mask)))
    device_assert(holds, "expect_zero: a number is not 0 where the mask is true")
    return x
