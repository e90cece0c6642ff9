# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common type of two operands, against a table that Triton printed."""

import pytest
from eft.errors import Mistake
from eft.language.constants import number_dtype
from eft.language.dtypes import NUMBERS, from_name
from eft.language.promotion import computation_dtype, meeting_dtype
from support import DATA

_LINES = (DATA / "promotion.txt").read_text().splitlines()
_ROWS = [line.split() for line in _LINES if not line.startswith("#")]
_PAIRS = [row for row in _ROWS if from_name(row[1]) is not None]
_WITH_NUMBERS = [row for row in _ROWS if from_name(row[1]) is None]


class Operand:
    """Has the attributes of a tensor that promotion reads."""

    is_tensor = True

    def __init__(self, dtype):
        self.dtype = dtype


def meeting(left, right, division) -> str:
    try:
        return str(meeting_dtype(left, right, division=division))
    except Mistake:
        return "refused"


def test_the_table_has_every_pair():
    assert len(_PAIRS) == len(NUMBERS) ** 2
    assert len(_WITH_NUMBERS) == len(NUMBERS) * 7


@pytest.mark.parametrize("left, right, arithmetic, division", _PAIRS)
def test_two_values(left, right, arithmetic, division):
    operands = Operand(from_name(left)), Operand(from_name(right))
    assert meeting(*operands, division=False) == arithmetic
    assert meeting(*operands, division=True) == division


@pytest.mark.parametrize("left, number, arithmetic, division", _WITH_NUMBERS)
def test_a_value_and_a_number(left, number, arithmetic, division):
    operand, value = Operand(from_name(left)), eval(number)
    assert meeting(operand, value, division=False) == arithmetic
    assert meeting(value, operand, division=False) == arithmetic
    assert meeting(operand, value, division=True) == division


@pytest.mark.parametrize(
    "value, expected",
    [
        (True, "int1"),
        (0, "int32"),
        (-(1 << 31), "int32"),
        ((1 << 31) - 1, "int32"),
        (1 << 31, "uint32"),
        ((1 << 32) - 1, "uint32"),
        (1 << 32, "int64"),
        (-(1 << 31) - 1, "int64"),
        ((1 << 63) - 1, "int64"),
        (1 << 63, "uint64"),
        (1.0, "fp32"),
        (0.0, "fp32"),
        (float("nan"), "fp32"),
        (float("-inf"), "fp32"),
        (1e-38, "fp64"),
        (3.5e38, "fp64"),
    ],
)
def test_the_type_of_a_number(value, expected):
    assert str(number_dtype(value)) == expected


def test_two_numbers_of_different_kinds():
    assert str(computation_dtype(number_dtype(1), number_dtype(0.5))) == "fp32"
