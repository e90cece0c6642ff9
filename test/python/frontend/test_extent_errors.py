# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors for wrong extents and shapes: their text, line and column."""
# ruff: noqa: B018 (the kernels are wrong on purpose)

import eft
import eft.language as tl
import pytest
from support import assert_mistake, mistakes


@eft.jit
def extent(x_ptr, n, N: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, N), 0.0)


@eft.jit
def full_extent(x_ptr, n, N: tl.constexpr):
    tl.zeros((4, N), tl.float32)


@pytest.mark.parametrize(
    "kernel, value, message",
    [
        (extent, 24, "a block's extent must be a power of two, got arange(0, 24) of 24"),
        (extent, 0, "arange needs an end above its start, got 0 and 0"),
        (extent, 64.0, "arange needs an int as its end, got 64.0"),
        (extent, True, "arange needs an int as its end, got True"),
        (extent, (1, 2), "arange needs an int as its end, got a tuple or list of 2"),
        (extent, 1 << 40, f"arange needs its end to fit in int32, got {1 << 40}"),
        (extent, 1 << 24, "a block must have at most 1048576 elements, got 16777216"),
        (full_extent, 3, "a block's extent must be a power of two, got 3"),
        pytest.param(
            full_extent,
            10**5000,
            "a block's extent must be a power of two, got ~2**16609",
            id="many digits",
        ),
        pytest.param(
            full_extent,
            1 << 20000,
            "a block must have at most 1048576 elements, got ~2**20002",
            id="power of many digits",
        ),
        (full_extent, -4, "a block's extent must be a power of two, got -4"),
        (full_extent, 1 << 19, "a block must have at most 1048576 elements, got 2097152"),
        (full_extent, "4", "a block's extent must be an int, got '4'"),
        (full_extent, 64.0, "a block's extent must be an int, got 64.0"),
        (full_extent, False, "a block's extent must be an int, got False"),
    ],
)
def test_extents(kernel, value, message):
    assert_mistake(
        kernel,
        "tl.arange(0, N)" if kernel is extent else "tl.zeros(",
        message,
        "*fp32 i32 _",
        N=value,
    )


@eft.jit
def run_time_extent(x_ptr, n):
    tl.arange(0, n)


def test_extent_that_is_known_at_run_time():
    assert_mistake(
        run_time_extent,
        "tl.arange(0, n)",
        "arange needs its end to be known at compile time, got a value of type int32: is a "
        "tl.constexpr annotation missing?",
    )


@eft.jit
def shapes(x_ptr, n):
    tl.arange(0, 32) + tl.arange(0, 64)


@eft.jit
def value_too_large(x_ptr, n):
    tl.store(x_ptr + tl.arange(0, 32), tl.zeros((64,), tl.float32))


@eft.jit
def block_into_pointer(x_ptr, n):
    tl.store(x_ptr, tl.arange(0, 32))


@eft.jit
def broadcast(x_ptr, n):
    tl.broadcast_to(tl.arange(0, 32), (64,))


@eft.jit
def too_many_indices(x_ptr, n):
    tl.arange(0, 32)[:, :]


@eft.jit
def too_many_indices_and_none(x_ptr, n):
    tl.arange(0, 32)[:, :, None]


@eft.jit
def index_by_range(x_ptr, n):
    tl.arange(0, 32)[n:]


@eft.jit
def mask_too_large(x_ptr, n):
    tl.load(x_ptr + tl.arange(0, 32), mask=tl.arange(0, 64) < n)


@eft.jit
def index_of_pointer(x_ptr, n):
    tl.store(x_ptr[0], 1.0)


@eft.jit
def index_by_number(x_ptr, n):
    tl.arange(0, 32)[0]


@eft.jit
def broadcast_of_number(x_ptr, n):
    tl.broadcast_to(1, (4,))


@eft.jit
def axis_at_run_time(x_ptr, n):
    tl.expand_dims(tl.arange(0, 4), n)


@mistakes(
    (
        shapes,
        "tl.arange(0, 32) +",
        "Cannot make_shape_compatible: incompatible dimensions at index 0: 32 and 64: "
        "shapes [32] and [64] don't broadcast",
    ),
    (
        value_too_large,
        "tl.store(",
        "the value of shape [64] does not fit a pointer of shape [32]",
    ),
    (
        mask_too_large,
        "tl.load(",
        "the mask of shape [64] does not fit a pointer of shape [32]",
    ),
    (block_into_pointer, "tl.store(", "the value of shape [32] does not fit a pointer of shape []"),
    (
        broadcast,
        "tl.broadcast_to(",
        "Cannot make_shape_compatible: incompatible dimensions at index 0: 32 and 64: "
        "shapes [32] and [64] don't broadcast",
    ),
    (broadcast_of_number, "tl.broadcast_to(", "broadcast_to needs a value of the kernel, got 1"),
    (
        axis_at_run_time,
        "tl.expand_dims(",
        "expand_dims needs a block and ints, got a block of type int32[4] and a value of type "
        "int32",
    ),
    (too_many_indices, "tl.arange(0, 32)[", "too many indices for a block of shape [32]"),
    (too_many_indices_and_none, "tl.arange(0, 32)[", "too many indices for a block of shape [32]"),
    (
        index_by_range,
        "tl.arange(0, 32)[",
        "a block can be indexed by `:` and None, got a slice with bounds",
    ),
    (
        index_of_pointer,
        "x_ptr[",
        "a pointer can't be indexed, got 0: add to it, and use tl.load or tl.store",
    ),
    (index_by_number, "tl.arange(0, 32)[", "a block can be indexed by `:` and None, got 0"),
)
def test_shapes(kernel, marker, message):
    assert_mistake(kernel, marker, message)
