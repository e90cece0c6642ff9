# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and output while a kernel is compiled."""

from __future__ import annotations

import builtins

from eft.errors import FailedAssertion, Mistake
from eft.language.builtin import builtin
from eft.language.dtypes import describe
from eft.language.tensor import emitter, tensor


@builtin
def static_assert(cond, msg=""):
    """Ends the compilation with the mistake `msg` unless `cond`, which is known at compile time,
    is true."""
    if isinstance(cond, tensor):
        raise Mistake(
            f"static_assert needs a condition that is known at compile time, got {describe(cond)}"
        )
    if not cond:
        raise FailedAssertion("this assertion does not hold" + (f": {msg}" if msg else ""))


@builtin
def static_print(*values, sep=" ", end="\n", file=None, flush=False):
    """Prints while the kernel is compiled, as Python's `print`. What exists at run time shows as
    its type. A kernel that is compiled already, or comes from the disk cache, prints nothing."""
    if not emitter("static_print").prints:
        return
    try:
        builtins.print(*values, sep=sep, end=end, file=file, flush=flush)
    except (TypeError, ValueError) as error:
        raise Mistake(f"{type(error).__name__}: {error}") from None
