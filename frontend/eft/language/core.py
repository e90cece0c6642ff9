# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The equivalent of Triton's module `triton.language.core`. It has all names of `tl`, and those
that this file defines."""

from __future__ import annotations

import sys

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin, constexpr_function, is_builtin  # noqa: F401 (by name)
from eft.language.constexpr import constexpr, unwrap
from eft.language.dtypes import describe

#: Triton's own functions have this default where other functions have False.
CONSTEXPR_0 = constexpr(0)


@constexpr_function
def get_int_dtype(bitwidth: int, signed: bool) -> dtypes.dtype:
    """The type of integers of `bitwidth` bits: 1, 8, 16, 32 or 64. int1 is unsigned, whatever
    `signed` says. Raises a `Mistake` for other widths."""
    has_sign = signed or bitwidth == 1
    found = dtypes.from_name(f"{'' if has_sign else 'u'}int{bitwidth}")
    if found is None:
        raise Mistake(f"there are no integers of {describe(bitwidth)} bits")
    return found


@constexpr_function
def _unwrap_if_constexpr(o):
    """Returns `o` without a `constexpr` around it. In a kernel of Eft's, no value has one."""
    return unwrap(o)


def must_use_result(x, s=True):
    """Marks a function: a kernel that calls it and does not use the result is an error.

    Args:
        x: the function. If it is a text, `must_use_result` returns a decorator with this text as
            `s`: `@must_use_result("…")`.
        s: True, or a text that the error message contains as the reason.
    """
    if isinstance(x, str):
        return lambda function: must_use_result(function, x)
    x._must_use_result = s
    return x


#: Names that Triton's module has and Eft does not have. They are not part of Triton's language.
_INSIDE = frozenset(
    """
    base_type base_value binary_op_type_legalization builtin_max builtin_min check_bit_width
    dispatch extern extern_elementwise is_negative_zero slice_type tensor_descriptor_base
    tensor_descriptor_base_type
    """.split()
)


def __getattr__(name: str):
    if name.startswith("__"):  # Python itself looks for these
        raise AttributeError(name)
    if name in _INSIDE:
        from eft.language.missing import NotYet

        return NotYet(f"core.{name}")
    return getattr(sys.modules["eft.language"], name)
