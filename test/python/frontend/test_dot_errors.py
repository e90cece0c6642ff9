# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors for matrix products with wrong operands: their text and their place."""

import eft
import eft.language as tl
import pytest
from support import assert_mistake


@eft.jit
def scalar_factor(x_ptr, n):
    tl.dot(n, n)


@eft.jit
def two_types(x_ptr, n):
    tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.bfloat16))


@eft.jit
def unsigned_bytes(x_ptr, n):
    tl.dot(tl.zeros((16, 16), tl.uint8), tl.zeros((16, 16), tl.uint8))


@eft.jit
def different_counts(x_ptr, n):
    tl.dot(tl.zeros((2, 16, 16), tl.float32), tl.zeros((4, 16, 16), tl.float32))


@eft.jit
def four_dimensions(x_ptr, n):
    tl.dot(tl.zeros((2, 2, 16, 16), tl.float32), tl.zeros((2, 2, 16, 16), tl.float32))


@eft.jit
def one_dimension(x_ptr, n):
    tl.dot(tl.zeros((16, 16), tl.float32), tl.zeros((16,), tl.float32))


@eft.jit
def inner_extents(x_ptr, n):
    tl.dot(tl.zeros((16, 32), tl.float32), tl.zeros((16, 32), tl.float32))


@eft.jit
def unknown_precision(x_ptr, n):
    x = tl.zeros((16, 16), tl.float32)
    tl.dot(x, x, input_precision="fp32")


@eft.jit
def two_precisions(x_ptr, n):
    x = tl.zeros((16, 16), tl.float32)
    tl.dot(x, x, input_precision="ieee", allow_tf32=False)


@eft.jit
def imprecise_sums(x_ptr, n):
    x = tl.zeros((16, 16), tl.float32)
    tl.dot(x, x, max_num_imprecise_acc=-1)


@eft.jit
def result_in_bfloats(x_ptr, n):
    x = tl.zeros((16, 16), tl.bfloat16)
    tl.dot(x, x, out_dtype=tl.bfloat16)


@eft.jit
def result_in_integers(x_ptr, n):
    x = tl.zeros((16, 16), tl.float16)
    tl.dot(x, x, out_dtype=tl.int32)


@eft.jit
def result_in_no_type(x_ptr, n):
    x = tl.zeros((16, 16), tl.float16)
    tl.dot(x, x, out_dtype=32)


@eft.jit
def accumulator_of_another_type(x_ptr, n):
    x = tl.zeros((16, 16), tl.float32)
    tl.dot(x, x, acc=tl.zeros((16, 16), tl.float16))


@eft.jit
def accumulator_of_another_shape(x_ptr, n):
    x = tl.zeros((16, 16), tl.float32)
    tl.dot(x, x, acc=tl.zeros((16, 32), tl.float32))


@pytest.mark.parametrize(
    "kernel, message",
    [
        (scalar_factor, "dot needs two blocks, got a value of type int32"),
        (
            two_types,
            "dot needs two blocks of one type, of int8, fp16, bf16, fp32 or fp64, or two of 8-bit "
            "floats, got fp16 and bf16",
        ),
        (
            unsigned_bytes,
            "dot needs two blocks of one type, of int8, fp16, bf16, fp32 or fp64, or two of 8-bit "
            "floats, got uint8 and uint8",
        ),
        (
            different_counts,
            "dot needs blocks of as many matrices, got shapes [2, 16, 16] and [4, 16, 16]",
        ),
        (
            four_dimensions,
            "dot needs two blocks of two dimensions, or of three, got shapes [2, 2, 16, 16] and "
            "[2, 2, 16, 16]",
        ),
        (
            one_dimension,
            "dot needs two blocks of two dimensions, or of three, got shapes [16, 16] and [16]",
        ),
        (
            inner_extents,
            "dot needs as many columns in its first block as rows in its second, got shapes "
            "[16, 32] and [16, 32]",
        ),
        (
            unknown_precision,
            "input_precision must be one of 'ieee', 'tf32', 'tf32x3', 'bf16x3', 'bf16x6', got "
            "'fp32'",
        ),
        (two_precisions, "dot takes input_precision or allow_tf32, got both"),
        (imprecise_sums, "max_num_imprecise_acc must be a number of sums, got -1"),
        (
            result_in_bfloats,
            "dot can't give bf16: take out_dtype=tl.float32, and .to(tl.bfloat16)",
        ),
        (result_in_integers, "dot of fp16 gives fp16 or fp32, got out_dtype=int32"),
        (result_in_no_type, "out_dtype must be a dtype, got 32"),
        (
            accumulator_of_another_type,
            "dot needs an acc of type fp32[16, 16], got a block of type fp16[16, 16]",
        ),
        (
            accumulator_of_another_shape,
            "dot needs an acc of type fp32[16, 16], got a block of type fp32[16, 32]",
        ),
    ],
)
def test_mistake(kernel, message):
    assert_mistake(kernel, "tl.dot(", message)
