# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors for mistakes with tensor descriptors: their texts and places."""

import eft
import eft.language as tl
import pytest
from support import assert_mistake, fails, mistakes


@eft.jit
def makes(x_ptr, n, CASE: tl.constexpr):
    one = n + tl.arange(0, 8)
    if CASE == "block":
        tl.make_tensor_descriptor(x_ptr + one, [n], [1], [8])
    if CASE == "number":
        tl.make_tensor_descriptor(n, [n], [1], [8])
    if CASE == "rank 0":
        tl.make_tensor_descriptor(x_ptr, [], [], [])
    if CASE == "rank 6":
        tl.make_tensor_descriptor(x_ptr, [n] * 6, [1] * 6, [1] * 6)
    if CASE == "shape":
        tl.make_tensor_descriptor(x_ptr, [n], [n, 1], [8, 8])
    if CASE == "strides":
        tl.make_tensor_descriptor(x_ptr, [n, n], [1], [8, 8])
    if CASE == "last stride":
        tl.make_tensor_descriptor(x_ptr, [n, n], [1, 8], [8, 8])
    if CASE == "float":
        tl.make_tensor_descriptor(x_ptr, [n, 0.5], [n, 1], [8, 8])
    if CASE == "stride of a block":
        tl.make_tensor_descriptor(x_ptr, [n, n], [one, 1], [8, 8])
    if CASE == "extent":
        tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [8, 12])
    if CASE == "extent at run time":
        tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [8, n])
    if CASE == "padding":
        tl.make_tensor_descriptor(x_ptr, [n], [1], [8], padding_option="inf")
    if CASE == "nothing":
        tl.make_tensor_descriptor(x_ptr, [n])


@pytest.mark.parametrize(
    "case, message",
    [
        (
            "block",
            "make_tensor_descriptor needs a pointer as its base, got a block of type "
            "pointer<fp32>[8]",
        ),
        (
            "number",
            "make_tensor_descriptor needs a pointer as its base, got a value of type int32",
        ),
        ("rank 0", "a tensor descriptor must have 1 to 5 dimensions, got 0"),
        ("rank 6", "a tensor descriptor must have 1 to 5 dimensions, got 6"),
        (
            "shape",
            "the shape of a tensor descriptor must have 2 numbers, as its block_shape has, got 1",
        ),
        (
            "strides",
            "the strides of a tensor descriptor must have 2 numbers, as its block_shape has, got 1",
        ),
        ("last stride", "the last stride of a tensor descriptor must be 1, got 8"),
        ("float", "the shape of a tensor descriptor must be integers, got a value of type fp32"),
        (
            "stride of a block",
            "the strides of a tensor descriptor must be integers, got a block of type int32[8]",
        ),
        ("extent", "a block's extent must be a power of two, got 12"),
        (
            "extent at run time",
            "a block's extent must be known at compile time, got a value of type int32: is a "
            "tl.constexpr annotation missing?",
        ),
        ("padding", "padding_option must be one of '', 'zero', 'nan', got 'inf'"),
        ("nothing", "tl.make_tensor_descriptor() is missing the argument 'strides'"),
    ],
)
def test_mistakes_in_making_one(case, message):
    assert_mistake(makes, "tl.make_tensor_descriptor(", message, "*fp32 i32 _", CASE=case)


def test_nan_in_integers():
    @eft.jit
    def kernel(x_ptr, n):
        tl.make_tensor_descriptor(x_ptr, [n], [1], [8], padding_option="nan")

    assert fails(kernel, "*i32 i32").message == "padding_option 'nan' needs floats, got int32"


@eft.jit
def uses(x_ptr, n, CASE: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [1, 8])
    tall = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [2, 8])
    rows = tl.arange(0, 16)
    zeros = tl.zeros((1, 8), tl.float32)
    if CASE == "few offsets":
        x.load([n])
    if CASE == "float offset":
        x.load([n, 0.5])
    if CASE == "wide offset":
        x.load([n, n.to(tl.int64)])
    if CASE == "far offset":
        x.store([n, 2**31], zeros)
    if CASE == "shape of a value":
        x.store([n, n], tl.zeros((8,), tl.float32))
    if CASE == "number as a value":
        x.store([n, n], 1.0)
    if CASE == "shape of an update":
        x.atomic_add([n, n], tl.zeros((8, 1), tl.float32))
    if CASE == "dtype of an update":
        x.atomic_and([n, n], zeros)
    if CASE == "tall gather":
        tall.gather(rows, n)
    if CASE == "tall scatter":
        tall.scatter(zeros, rows, n)
    if CASE == "gather by a number":
        x.gather(n, n)
    if CASE == "gather by a matrix":
        x.gather(zeros.to(tl.int32), n)
    if CASE == "gather by floats":
        x.gather(rows.to(tl.float32), n)
    if CASE == "gather by wide numbers":
        x.gather(rows.to(tl.uint32), n)
    if CASE == "gather from a float":
        x.gather(rows, 0.5)
    if CASE == "scatter of a row":
        x.scatter(zeros, rows, n)
    if CASE == "missing":
        x.atomic_add([n, n])
    if CASE == "many":
        x.load([n, n], zeros)
    if CASE == "attribute":
        x.prefetch([n, n])


@pytest.mark.parametrize(
    "case, marker, message",
    [
        (
            "few offsets",
            "x.load(",
            "the offsets of a tensor descriptor must have 2 numbers, as its block_shape has, got 1",
        ),
        (
            "float offset",
            "x.load(",
            "the offsets of a tensor descriptor must be integers, got a value of type fp32",
        ),
        (
            "wide offset",
            "x.load(",
            "the offsets of a tensor descriptor must be int32, got a value of type int64",
        ),
        (
            "far offset",
            "x.store(",
            "the offsets of a tensor descriptor must be int32, got a value of type uint32",
        ),
        (
            "shape of a value",
            "x.store(",
            "store needs a block of shape [1, 8], got a block of type fp32[8]",
        ),
        (
            "number as a value",
            "x.store(",
            "store needs a block of shape [1, 8], got 1.0",
        ),
        (
            "shape of an update",
            "x.atomic_add(",
            "atomic_add needs a block of shape [1, 8], got a block of type fp32[8, 1]",
        ),
        (
            "dtype of an update",
            "x.atomic_and(",
            "atomic_and does not work on fp32: expected one of int32, uint32, int64, uint64",
        ),
        (
            "tall gather",
            "tall.gather(",
            "gather needs a tensor descriptor with a block_shape of one row, [1, …], got [2, 8]",
        ),
        (
            "tall scatter",
            "tall.scatter(",
            "scatter needs a tensor descriptor with a block_shape of one row, [1, …], got [2, 8]",
        ),
        (
            "gather by a number",
            "x.gather(",
            "gather needs an int32 block of rank 1 as its x_offsets, got a value of type int32",
        ),
        (
            "gather by a matrix",
            "x.gather(",
            "gather needs an int32 block of rank 1 as its x_offsets, got a block of type "
            "int32[1, 8]",
        ),
        (
            "gather by floats",
            "x.gather(",
            "gather needs an int32 block of rank 1 as its x_offsets, got a block of type fp32[16]",
        ),
        (
            "gather by wide numbers",
            "x.gather(",
            "the offsets of a tensor descriptor must be int32, got a block of type uint32[16]",
        ),
        (
            "gather from a float",
            "x.gather(",
            "the y_offset of a tensor descriptor must be integers, got a value of type fp32",
        ),
        (
            "scatter of a row",
            "x.scatter(",
            "scatter needs a block of shape [16, 8], got a block of type fp32[1, 8]",
        ),
        (
            "missing",
            "x.atomic_add(",
            "tensor_descriptor.atomic_add() is missing the argument 'value'",
        ),
        ("many", "x.load(", "tensor_descriptor.load() takes 2 arguments, got 3"),
        (
            "attribute",
            "x.prefetch",
            "an object of type 'tensor_descriptor' has no attribute 'prefetch'",
        ),
    ],
)
def test_mistakes_in_its_use(case, marker, message):
    assert_mistake(uses, marker, message, "*fp32 i32 _", CASE=case)


@eft.jit
def loads_from_a_pointer(x_ptr, n):
    tl.load_tensor_descriptor(x_ptr, [n])


@eft.jit
def stores_to_a_pointer(x_ptr, n):
    tl.store_tensor_descriptor(x_ptr, [n], n)


@eft.jit
def plain_load(x_ptr, n):
    tl.load(tl.make_tensor_descriptor(x_ptr, [n], [1], [8]))


@eft.jit
def chosen_by_run_time(x_ptr, n):
    x = tl.make_tensor_descriptor(x_ptr, [n], [1], [8])
    if n > 3:
        x = tl.make_tensor_descriptor(x_ptr, [n], [1], [16])
    x.load([0])


@mistakes(
    (
        loads_from_a_pointer,
        "tl.load_tensor_descriptor(",
        "load_tensor_descriptor needs a tensor descriptor, got a value of type pointer<fp32>",
    ),
    (
        stores_to_a_pointer,
        "tl.store_tensor_descriptor(",
        "store_tensor_descriptor needs a tensor descriptor, got a value of type pointer<fp32>",
    ),
    (
        plain_load,
        "tl.load(",
        "load needs a pointer or a block of pointers, got an object of type 'tensor_descriptor'",
    ),
)
def test_other_values(kernel, marker, message):
    assert_mistake(kernel, marker, message)


def test_descriptors_of_two_block_shapes_are_no_choice():
    error = fails(chosen_by_run_time)
    assert "'x'" in error.message
    assert "tensor_descriptor" in error.message


def test_read_only_arrays_are_not_written():
    @eft.jit
    def kernel(x_ptr, n):
        x = tl.make_tensor_descriptor(x_ptr, [n], [1], [8])
        x.store([0], x.load([0]))

    message = fails(kernel, "*kfp32 i32").message
    assert message == "can't store through a pointer to read-only memory"
