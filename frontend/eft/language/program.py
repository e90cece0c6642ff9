# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program's place in the grid."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin
from eft.language.dtypes import describe
from eft.language.tensor import op


def _axis(name: str, axis) -> str:
    if type(axis) is not int or axis not in (0, 1, 2):
        raise Mistake(f"{name} needs an axis of 0, 1 or 2, got {describe(axis)}")
    return f"{axis} : i32"


@builtin
def program_id(axis):
    """The int32 position of this program along an axis of the grid: 0, 1 or 2."""
    return op("eft.program_id", [], dtypes.int32, axis=_axis("program_id", axis))


@builtin
def num_programs(axis):
    """The int32 number of programs along an axis of the grid: 0, 1 or 2."""
    return op("eft.num_programs", [], dtypes.int32, axis=_axis("num_programs", axis))
