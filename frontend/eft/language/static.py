# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assertions and output while a kernel is compiled."""

from __future__ import annotations

import builtins

from eft.errors import FailedAssertion, Mistake
from eft.language.builtin import builtin
from eft.language.dtypes import describe
from eft.language.tensor import emitter, tensor


@builtin
def static_assert(cond, msg=""):
    """Checks, at compile time, that `cond` is true. If it is false, the compilation fails with an
    error that contains `msg`. It is an error if `cond` is known only at run time."""
    if isinstance(cond, tensor):
        raise Mistake(
            f"static_assert needs a condition that is known at compile time, got {describe(cond)}"
        )
    if not cond:
        raise FailedAssertion("this assertion does not hold" + (f": {msg}" if msg else ""))


@builtin
def static_print(*values, sep=" ", end="\n", file=None, flush=False):
    """Prints while the kernel is compiled, with the arguments of Python's `print`. A value that is
    known only at run time is printed as its type. If the kernel is already compiled, or comes from
    the disk cache, nothing is printed."""
    if not emitter("static_print").prints:
        return
    try:
        builtins.print(*values, sep=sep, end=end, file=file, flush=flush)
    except (TypeError, ValueError) as error:
        raise Mistake(f"{type(error).__name__}: {error}") from None
