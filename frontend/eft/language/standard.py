# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's `triton.language.standard`: by it kernels call what `tl` has, and what is only here."""

from __future__ import annotations

import sys

from eft.errors import Mistake
from eft.language.builtin import constexpr_function
from eft.language.dtypes import describe
from eft.language.sorting import sort_impl  # noqa: F401 (by name)


@constexpr_function
def _log2(i: int) -> int:
    """The logarithm of a power of two; kernels that sort by hand take it from here."""
    if type(i) is not int or i < 1 or i & (i - 1):
        raise Mistake(f"_log2 needs a power of two, got {describe(i)}")
    return i.bit_length() - 1


def __getattr__(name: str):
    if name.startswith("__"):  # what Python itself asks for
        raise AttributeError(name)
    return getattr(sys.modules["eft.language"], name)
