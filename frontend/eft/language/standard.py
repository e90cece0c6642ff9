# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The equivalent of Triton's module `triton.language.standard`. It has all names of `tl`, and those
that this file defines."""

from __future__ import annotations

import sys

from eft.errors import Mistake
from eft.language.builtin import constexpr_function
from eft.language.dtypes import describe
from eft.language.sorting import sort_impl  # noqa: F401 (by name)


@constexpr_function
def _log2(i: int) -> int:
    """The logarithm of a power of two to base 2, at compile time. Kernels with their own sorting
    networks use this name."""
    if type(i) is not int or i < 1 or i & (i - 1):
        raise Mistake(f"_log2 needs a power of two, got {describe(i)}")
    return i.bit_length() - 1


def __getattr__(name: str):
    if name.startswith("__"):  # Python itself looks for these
        raise AttributeError(name)
    return getattr(sys.modules["eft.language"], name)
