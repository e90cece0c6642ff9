# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers and constants as arguments: their types in the signature, and the bits in the kernel's
slots."""

import struct

import eft._runtime as runtime
import numpy as np
import pytest
from runtime_kernels import RecordingKernel, failure, float_bits, read


def double_bits(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


@pytest.mark.parametrize(
    "value, type_, slot",
    [
        (0, "i32", 0),
        (2**31 - 1, "i32", 2**31 - 1),
        (-1, "i32", 2**64 - 1),
        (-(2**31), "i32", 2**64 - 2**31),
        (2**31, "i64", 2**31),
        (-(2**31) - 1, "i64", 2**64 - 2**31 - 1),
        (2**63 - 1, "i64", 2**63 - 1),
        (-(2**63), "i64", 2**63),
        (2**63, "u64", 2**63),
        (2**64 - 1, "u64", 2**64 - 1),
        (True, "i1", 1),
        (False, "i1", 0),
        (0.5, "fp32", float_bits(0.5)),
        (0.1, "fp32", float_bits(0.1)),
        (1e300, "fp32", float_bits(float("inf"))),
        (-0.0, "fp32", 0x80000000),
    ],
)
def test_numbers(make_kernel, value, type_, slot):
    assert read(make_kernel, value) == (type_, slot)


@pytest.mark.parametrize(
    "value, type_, slot",
    [
        (np.int8(-3), "i32", 2**64 - 3),
        (np.uint64(2**63), "u64", 2**63),
        (np.int64(2**40), "i64", 2**40),
        (np.float64(0.5), "fp32", float_bits(0.5)),
        (np.float32(0.1), "fp32", float_bits(0.1)),
        (np.float16(2), "fp32", float_bits(2)),
        (np.bool_(True), "i1", 1),
    ],
)
def test_numpy_scalars(make_kernel, value, type_, slot):
    assert read(make_kernel, value) == (type_, slot)


def test_subclasses_of_numbers(make_kernel):
    class Size(int):
        pass

    class Rate(float):
        pass

    class Index:
        def __index__(self):
            return 12

    assert read(make_kernel, Size(5)) == ("i32", 5)
    assert read(make_kernel, Rate(0.5)) == ("fp32", float_bits(0.5))
    assert read(make_kernel, Index()) == ("i32", 12)


def test_none_is_a_constant(make_kernel):
    kernel = make_kernel("x, y, z")
    kernel[1](1, None, 3)
    assert kernel.types == ("i32", None, "i32")
    assert kernel.compiled[0][3] == {"y": None}
    assert kernel.slots() == [1, 3]


def test_constexprs_take_no_slot(make_kernel):
    kernel = make_kernel("x, BLOCK: constexpr, y")
    kernel[1](1, 1024, 3)
    assert kernel.types == ("i32", None, "i32")
    assert kernel.compiled[0][3] == {"BLOCK": 1024}
    assert kernel.slots() == [1, 3]


@pytest.mark.parametrize(
    "value, found",
    [
        (2**64, "18446744073709551616"),
        (-(2**63) - 1, "-9223372036854775809"),
        (2**200, "one of 201 bits"),
        pytest.param(-(2**20000), "one of 20001 bits", id="many digits"),
    ],
)
def test_ints_beyond_64_bits(make_kernel, value, found):
    assert failure(make_kernel, value) == (
        f"kernel 'dropout': argument 'x' must be an int from -2**63 to 2**64 - 1, got {found}"
    )


@pytest.mark.parametrize("value", [0.1, np.float64(0.1), np.float32(0.5)])
def test_floats_for_a_parameter_that_is_declared_as_fp64(make_kernel, value):
    kernel = RecordingKernel(
        make_kernel("x").library,
        [("x", 1, runtime.MISSING, "fp64"), ("y", 1, runtime.MISSING, "fp32")],
    )
    kernel[1](value, value)
    assert kernel.types == ("fp64", "fp32")
    assert kernel.slots() == [double_bits(value), float_bits(value)]
    kernel[1](1, True)
    assert kernel.types == ("i32", "i1")


@pytest.mark.parametrize(
    "value, found",
    [
        (1j, "complex"),
        ("text", "str"),
        ([1, 2], "list"),
        ({}, "dict"),
        (object(), "object"),
        (int, "type"),
        (np.float32, "type"),
        (np.complex64(1), "numpy.complex64"),
        (np.str_("a"), "numpy.str_"),
        (np.datetime64("2020-01-01"), "numpy.datetime64"),
    ],
)
def test_objects_that_are_no_arguments(make_kernel, value, found):
    assert failure(make_kernel, value) == (
        "kernel 'dropout': argument 'x' must be an array, int, float, bool or None, got " + found
    )


def test_registered_constexprs_are_unwrapped(make_kernel):
    class Constexpr:
        def __init__(self, value):
            self.value = value

    runtime.register_constexpr(Constexpr)
    kernel = make_kernel("x, BLOCK: constexpr")
    metas = []

    def grid(meta):
        metas.append(meta)
        return (1,)

    kernel[grid](Constexpr(5), Constexpr(64))
    kernel[grid](5, 64)
    assert kernel.slots() == [5]
    assert metas == [{"x": 5, "BLOCK": 64}] * 2
    assert len(kernel.compiled) == 1
