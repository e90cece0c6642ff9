# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's `triton.language.core`: by it kernels call what `tl` has, and what is only here."""

from __future__ import annotations

import sys

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin, constexpr_function, is_builtin  # noqa: F401 (by name)
from eft.language.constexpr import constexpr, unwrap
from eft.language.dtypes import describe

#: The default of Triton's own functions in place of False.
CONSTEXPR_0 = constexpr(0)


@constexpr_function
def get_int_dtype(bitwidth: int, signed: bool) -> dtypes.dtype:
    """The type of integers of `bitwidth` bits: 1, 8, 16, 32 or 64; those of 1 have no sign."""
    has_sign = signed or bitwidth == 1
    found = dtypes.from_name(f"{'' if has_sign else 'u'}int{bitwidth}")
    if found is None:
        raise Mistake(f"there are no integers of {describe(bitwidth)} bits")
    return found


@constexpr_function
def _unwrap_if_constexpr(o):
    """The value of a constant, which values in a kernel of Eft's are already."""
    return unwrap(o)


def must_use_result(x, s=True):
    """Makes it a mistake of a kernel to call a function and do nothing with what it returns; `s`
    may be a text that says why. Above a function with a text alone, `@must_use_result("…")`."""
    if isinstance(x, str):
        return lambda function: must_use_result(function, x)
    x._must_use_result = s
    return x


#: Names that Triton has here, which are no part of its language, and Eft does not have.
_INSIDE = frozenset(
    """
    base_type base_value binary_op_type_legalization builtin_max builtin_min check_bit_width
    dispatch extern extern_elementwise is_negative_zero slice_type tensor_descriptor_base
    tensor_descriptor_base_type
    """.split()
)


def __getattr__(name: str):
    if name.startswith("__"):  # what Python itself asks for
        raise AttributeError(name)
    if name in _INSIDE:
        from eft.language.missing import NotYet

        return NotYet(f"core.{name}")
    return getattr(sys.modules["eft.language"], name)
