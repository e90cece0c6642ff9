# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of Python's numbers as operands: the rules of docs/language.md, "Promotion".

The expected types were looked up in Triton 3.9's compiler, unless a comment says otherwise.
"""

import re
import warnings

import eft
import numpy as np
import pytest
from eft.language.dtypes import from_name
from support import lower

inf = float("inf")


def kernel_of(tmp_path, *statements: str):
    """A kernel of a pointer, a value and its type."""
    path = tmp_path / "literals.py"
    lines = "".join(f"    {statement}\n" for statement in statements)
    path.write_text(
        f"""
import eft
import eft.language as tl
from eft.language.extra import libdevice

@eft.jit
def kernel(x_ptr, y, T: tl.constexpr):
    x = y.to(T)
{lines}
"""
    )
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["kernel"]


@pytest.mark.parametrize(
    "expression, type, meeting",
    [
        # Kinds: bool, integer, float. A number of no higher kind than x does not change the type.
        ("x + True", "int8", "int8"),
        ("x + 1", "int8", "int8"),
        ("x + 1", "fp16", "fp16"),
        ("x + 0.1", "bf16", "bf16"),
        ("x + 1e300", "fp32", "fp32"),
        ("x + 1e-300", "fp16", "fp16"),
        ("2**40 + x", "fp16", "fp16"),
        # A number of a higher kind than x has the type that it would have alone.
        ("x + 1", "int1", "int32"),
        ("x + 3000000000", "int1", "uint32"),
        ("x + 2**40", "int1", "int64"),
        ("x + 2**63", "int1", "uint64"),
        ("x + 0.5", "int64", "fp32"),
        ("x + 1e39", "int8", "fp64"),
        ("x + 1e-40", "int8", "fp64"),
        ("x + float('inf')", "int8", "fp32"),
        ("x << 3", "int1", "int32"),
        # Divisions and remainders.
        ("0.1 / x", "fp16", "fp32"),
        ("x % 2", "bf16", "fp32"),
        ("x / 2", "int32", "fp32"),
        ("1 / x", "fp64", "fp64"),
        ("tl.fdiv(x, 2)", "fp16", "fp32"),
        ("tl.fdiv(x, 2.0)", "int32", "fp32"),
        # Functions.
        ("tl.maximum(x, 1e300)", "fp32", "fp32"),
        ("tl.maximum(x, 1)", "uint8", "uint8"),
        ("tl.where(x > 0, x, 0.1)", "int16", "fp32"),
        ("tl.where(x > 0, 1, 2.0)", "int16", "fp32"),
        ("tl.clamp(x, 0, 1)", "fp16", "fp16"),
        ("tl.clamp(x, 0, 0.25)", "int8", "fp32"),
        ("tl.clamp(x, 200, 0.25)", "int8", "fp32"),
        ("tl.clamp(x, 1e39, y.to(tl.float32))", "int8", "fp32"),
        ("tl.clamp(0.1, x, y.to(tl.float32))", "fp16", "fp32"),
        ("tl.fma(x, 2, 0.5)", "bf16", "bf16"),
        # Triton's library has no functions of fp16. The same rule holds here.
        ("libdevice.hypot(x, 0.1)", "fp16", "fp16"),
        ("libdevice.pow(x, 0.1)", "fp64", "fp64"),
    ],
)
def test_the_type_in_which_operands_meet(tmp_path, expression, type, meeting):
    kernel = kernel_of(
        tmp_path,
        f"result = {expression}",
        f"tl.static_assert(result.dtype == tl.{LONG_NAMES.get(meeting, meeting)})",
    )
    lower(kernel, "*fp32 i32 _", T=from_name(type))


LONG_NAMES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}


@pytest.mark.parametrize(
    "expression, type, expected",
    [
        # The number is rounded once, to the common type of the operands.
        ("0.1 * x", "fp16", float(np.float16(0.1))),
        ("0.1 / x", "fp16", float(np.float32(0.1))),
        ("0.1 * x", "fp64", 0.1),
        ("x * 16777217", "fp32", 16777216.0),
        ("tl.fma(x, 0.1, 0 * y.to(tl.float32))", "fp16", float(np.float32(0.1))),
        ("tl.clamp(0 * x, 0.1, y.to(tl.float32))", "fp16", float(np.float32(0.1))),
        ("libdevice.hypot(0 * x, 0.1)", "fp64", 0.1),
        ("tl.full((), 0.1, tl.float64)", "fp64", 0.1),
        # Numbers beyond the range of a float become infinite.
        ("x + 1e10", "fp16", inf),
        ("x + 65520", "fp16", inf),
        ("x - 10**18", "fp16", -inf),
        ("tl.maximum(x, 1e300)", "fp32", inf),
        ("tl.minimum(x, -1e39)", "bf16", -inf),
        ("tl.where(x > 0, 1e39, x)", "fp32", inf),
        ("tl.full((), 1e300, T)", "fp32", inf),
        ("x + 1e-300", "fp32", 1.0),
        ("x * 1e300", "fp64", 1e300),
        # The number is converted from the type that it has alone.
        ("tl.cast(0.1, tl.float64)", "fp64", float(np.float32(0.1))),
        ("tl.cast(1e10, T)", "fp16", inf),
        # Shifts are logical if the number becomes unsigned, and arithmetic otherwise.
        ("(200 >> x).to(tl.float32)", "uint8", 100.0),
        ("(-8 >> x).to(tl.float32)", "int8", -4.0),
        ("(-8 >> x).to(tl.float32)", "int1", -4.0),
    ],
)
def test_the_value_of_a_number(tmp_path, expression, type, expected):
    kernel = kernel_of(tmp_path, f"tl.store(x_ptr, {expression})")
    x = np.zeros(1)
    kernel[(1,)](x, 1, T=from_name(type))
    assert x[0] == expected


@pytest.mark.parametrize(
    "statement, type, message",
    [
        ("x + 200", "int8", "the number 200 is out of the range of int8: -128 to 127"),
        ("-200 * x", "int8", "the number -200 is out of the range of int8: -128 to 127"),
        ("x < 300", "uint8", "the number 300 is out of the range of uint8: 0 to 255"),
        ("x & 2**40", "int32", "the number 1099511627776 is out of the range of int32: "
         "-2147483648 to 2147483647"),
        ("x << 200", "int8", "the number 200 is out of the range of int8: -128 to 127"),
        ("x + -1", "uint32", "the negative number -1 meets an operand of type uint32: cast one of "
         "them"),
        ("tl.minimum(-1, x)", "uint8", "the negative number -1 meets an operand of type uint8: "
         "cast one of them"),
        ("tl.clamp(x, 0, 200)", "int8", "the number 200 is out of the range of int8: -128 to 127"),
        ("x + 2**64", "fp32", "an integer must be from -2**63 to 2**64 - 1, got "
         "18446744073709551616"),
        ("x // 2.0", "int32", "invalid operands of type int32 and fp32: `//` does not take them"),
        ("x & 1.0", "int32", "invalid operands of type int32 and fp32: `&` does not take them"),
        # Triton cuts off the upper bits of these integers.
        ("tl.full((4,), 200, T)", "int8", "the number 200 is out of the range of int8: -128 to "
         "127"),
        ("tl.full((4,), -1, T)", "uint8", "the number -1 is out of the range of uint8: 0 to 255"),
        ("tl.full((4,), 0.5, T)", "int8", "the float 0.5 can't become a constant of type int8"),
        ("tl.full((4,), 10**400, T)", "fp32", "the number ~2**1328 is out of the range of fp32"),
    ],
)  # fmt: skip
def test_numbers_that_do_not_fit(tmp_path, statement, type, message):
    with pytest.raises(eft.CompilationError) as raised:
        lower(kernel_of(tmp_path, statement), "*fp32 i32 _", T=from_name(type))
    assert raised.value.message == message


@pytest.mark.parametrize(
    "expression, type, value, expected",
    [
        ("x << 100", "int32", 5, 0),
        ("x << 32", "uint32", 5, 0),
        ("x >> 32", "uint32", 5, 0),
        ("x >> 100", "int32", 5, 0),
        ("x >> 100", "int32", -5, -1),
        ("x << -1", "int32", 5, 0),
        ("x >> -1", "int64", -5, -1),
        ("x << True", "int1", 1, 0),
        ("tl.sum(tl.full((64,), 1, T) * x << 64)", "int64", 1, 0),
    ],
)
def test_a_shift_by_a_number_that_is_too_large(tmp_path, expression, type, value, expected):
    kernel = kernel_of(tmp_path, f"tl.store(x_ptr, {expression})")
    bits = re.search(r"(-?\w+)\)?$", expression)[1]
    x = np.ones(1, np.int64)
    with warnings.catch_warnings(record=True):
        kernel[(1,)](x, value, T=from_name(type))
    assert x[0] == expected
    with pytest.warns(UserWarning) as warned:
        lower(kernel_of(tmp_path, "0", expression), "*fp32 i32 _", T=from_name(type))
    symbol = "<<" if "<<" in expression else ">>"
    assert str(warned[0].message) == f"`{symbol}` of {type} by {bits} shifts all bits out"


@pytest.mark.parametrize("expression", ["x << 31", "x >> 31", "x << 0", "100 << x", "(x > 0) << 5"])
def test_a_shift_that_leaves_bits_does_not_warn(tmp_path, expression):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lower(kernel_of(tmp_path, expression), "*fp32 i32 _", T=from_name("int32"))


@pytest.mark.parametrize(
    "statement, dtype, expected",
    [
        ("tl.store(x_ptr, 300)", np.uint8, 44),
        ("tl.store(x_ptr, -1)", np.uint8, 255),
        ("tl.store(x_ptr, 1e10)", np.float16, inf),
        ("tl.store(x_ptr, 0.1)", np.float64, float(np.float32(0.1))),
        ("tl.store(x_ptr, 1e300)", np.float64, 1e300),
        ("tl.store(x_ptr, tl.load(x_ptr, y < 0, other=300))", np.uint8, 44),
    ],
)
def test_numbers_that_are_converted(tmp_path, statement, dtype, expected):
    x = np.zeros(1, dtype)
    kernel_of(tmp_path, statement)[(1,)](x, 1, T=from_name("int32"))
    assert x[0] == expected
