# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program's position in the grid, and a reordering of positions."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin
from eft.language.constants import to_tensor
from eft.language.dtypes import describe
from eft.language.math import minimum
from eft.language.tensor import enum, op


def _axis(name: str, axis):
    if type(axis) is not int or axis not in (0, 1, 2):
        raise Mistake(f"{name} needs an axis of 0, 1 or 2, got {describe(axis)}")
    return enum("Axis", "xyz"[axis])


@builtin
def program_id(axis):
    """The index of this program along an axis of the grid, an int32. `axis` is 0, 1 or 2, known at
    compile time."""
    return op("eft.program_id", [], dtypes.int32, axis=_axis("program_id", axis))


@builtin
def num_programs(axis):
    """The number of programs along an axis of the grid, an int32. `axis` is 0, 1 or 2, known at
    compile time."""
    return op("eft.num_programs", [], dtypes.int32, axis=_axis("num_programs", axis))


@builtin
def swizzle2d(i, j, size_i, size_j, size_g):
    """Reorders the tiles of a matrix of `size_i` × `size_j` tiles. A tile is the part of the matrix
    that one program computes. Returns the row and the column of tile number n, where
    n = i · `size_j` + j.

    The tiles are numbered in groups of `size_g` rows, one group after the other, and within each
    group column by column. So programs with neighbouring numbers share rows and columns of a
    product's operands. For 4 × 4 tiles in groups of 2 rows, these are the numbers of the tiles:

        0  2  4  6
        1  3  5  7
        8 10 12 14
        9 11 13 15

    Args:
        i, j: integers, 0 ≤ i < size_i and 0 ≤ j < size_j.
        size_i, size_j, size_g: integers above 0. The last group may have fewer rows.
    """
    i, j, size_i, size_j, size_g = (to_tensor(x) for x in (i, j, size_i, size_j, size_g))
    number = i * size_j + j
    group_size = size_g * size_j
    first = number // group_size * size_g
    rows = minimum(size_i - first, size_g)
    number = number % group_size
    return first + number % rows, number // rows
