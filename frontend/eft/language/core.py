# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's `triton.language.core`: by it kernels call what `tl` has, and what is only here."""

from __future__ import annotations

import sys

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import constexpr_function
from eft.language.constexpr import constexpr
from eft.language.dtypes import describe

#: What Triton's own functions have as a default in place of False.
CONSTEXPR_0 = constexpr(0)


@constexpr_function
def get_int_dtype(bitwidth: int, signed: bool) -> dtypes.dtype:
    """The type of integers of `bitwidth` bits: 1, 8, 16, 32 or 64; those of 1 have no sign."""
    has_sign = signed or bitwidth == 1
    found = dtypes.from_name(f"{'' if has_sign else 'u'}int{bitwidth}")
    if found is None:
        raise Mistake(f"there are no integers of {describe(bitwidth)} bits")
    return found


def __getattr__(name: str):
    if name.startswith("__"):  # what Python itself asks for
        raise AttributeError(name)
    return getattr(sys.modules["eft.language"], name)
