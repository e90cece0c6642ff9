# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors for wrong shapes and wrong element moves: text, line and column.

Each kernel contains several mistakes; the constexpr CASE selects the one that is compiled.
"""
# ruff: noqa: B018 (the kernels are wrong on purpose)

import eft
import eft.language as tl
import pytest
from support import assert_mistake


@eft.jit
def shapes(x_ptr, n, CASE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 32)).reshape(4, 8)
    if CASE == "reshape to other size":
        x.reshape(4, 4)
    if CASE == "reshape by run time":
        tl.reshape(x, (n, 8))
    if CASE == "reshape to odd extent":
        tl.reshape(x, 3, 8)
    if CASE == "reshape of python number":
        tl.reshape(1, (1,))
    if CASE == "reshape flag":
        x.reshape((32,), can_reorder=n)
    if CASE == "reshape keyword":
        x.reshape((32,), reorder=True)
    if CASE == "view to other size":
        x.view((2, 2))
    if CASE == "ravel of text":
        tl.ravel("x")
    if CASE == "item of many":
        x.item()
    if CASE == "pointer item":
        (x_ptr + tl.arange(0, 1)).item()
    if CASE == "trans of rank 1":
        tl.arange(0, 4).T
    if CASE == "trans of number":
        n.trans()
    if CASE == "trans twice":
        x.trans(1, 1)
    if CASE == "permute nothing":
        x.permute()
    if CASE == "permute by run time":
        tl.permute(x, (n, 0))
    if CASE == "permute negative":
        tl.permute(x, -1, 0)
    if CASE == "squeeze long":
        x.squeeze(1)
    if CASE == "squeeze axis":
        x.squeeze(2)
    if CASE == "unsqueeze tuple":
        x.unsqueeze((0, 1))
    if CASE == "unsqueeze axis":
        x.unsqueeze(4)
    if CASE == "expand twice":
        x.expand_dims((0, -4))
    if CASE == "broadcast shapes":
        tl.broadcast(x, tl.arange(0, 4))
    if CASE == "broadcast number":
        tl.broadcast(x, 1)
    if CASE == "broadcast to less":
        x.broadcast_to(1, 8)
    if CASE == "zeros_like number":
        tl.zeros_like(0)


@pytest.mark.parametrize(
    "case, marker, message",
    [
        (
            "reshape to other size",
            "x.reshape",
            "reshape keeps the number of elements, got shapes [4, 8] of 32 and [4, 4] of 16",
        ),
        (
            "reshape by run time",
            "tl.reshape",
            "a block's extent must be known at compile time, got a value of type int32: is a "
            "tl.constexpr annotation missing?",
        ),
        ("reshape to odd extent", "tl.resh", "a block's extent must be a power of two, got 3"),
        ("reshape of python number", "tl.resh", "reshape needs a value of the kernel, got 1"),
        (
            "reshape flag",
            "x.reshape",
            "reshape needs can_reorder to be known at compile time, got a value of type int32",
        ),
        (
            "reshape keyword",
            "x.reshape",
            "tl.reshape() got an unexpected keyword argument 'reorder': did you mean "
            "'can_reorder'?",
        ),
        (
            "view to other size",
            "x.view",
            "view keeps the number of elements, got shapes [4, 8] of 32 and [2, 2] of 4",
        ),
        ("ravel of text", "tl.ravel", "ravel needs a value of the kernel, got 'x'"),
        (
            "item of many",
            "x.item",
            "item keeps the number of elements, got shapes [4, 8] of 32 and [] of 1",
        ),
        (
            "pointer item",
            "(x_ptr",
            "item needs a block of numbers, got a block of type pointer<fp32>[1]",
        ),
        (
            "trans of rank 1",
            "tl.arange",
            "trans needs a block of rank 2 or more, got a block of type int32[4]",
        ),
        ("trans of number", "n.trans", "trans needs a block, got a value of type int32"),
        (
            "trans twice",
            "x.trans",
            "trans of a block of rank 2 needs each of 0 to 1 once, got [1, 1]",
        ),
        (
            "permute nothing",
            "x.permute",
            "permute of a block of rank 2 needs each of 0 to 1 once, got []",
        ),
        (
            "permute by run time",
            "tl.permute",
            "permute needs ints that are known at compile time, got a value of type int32",
        ),
        (
            "permute negative",
            "tl.permute",
            "permute of a block of rank 2 needs each of 0 to 1 once, got [-1, 0]",
        ),
        (
            "squeeze long",
            "x.squeeze",
            "squeeze needs a dimension of extent 1, got dimension 1 of fp32[4, 8]",
        ),
        (
            "squeeze axis",
            "x.squeeze",
            "squeeze of a block of rank 2 needs an axis from -2 to 1, got 2",
        ),
        (
            "unsqueeze tuple",
            "x.unsqueeze",
            "unsqueeze needs one axis, got a tuple: expand_dims takes several",
        ),
        (
            "unsqueeze axis",
            "x.unsqueeze",
            "expand_dims to rank 3 needs an axis from -3 to 2, got 4",
        ),
        ("expand twice", "x.expand", "expand_dims needs distinct axes, got [0, -4]"),
        (
            "broadcast shapes",
            "tl.broadcast",
            "Cannot make_shape_compatible: incompatible dimensions at index 1: 8 and 4: "
            "shapes [4, 8] and [4] don't broadcast",
        ),
        ("broadcast number", "tl.broadcast", "broadcast needs values of the kernel, got 1"),
        (
            "broadcast to less",
            "x.broadcast_to",
            "a block of shape [4, 8] can't be broadcast to [1, 8]",
        ),
        ("zeros_like number", "tl.zeros_like", "zeros_like needs a value of the kernel, got 0"),
    ],
)
def test_shapes(case, marker, message):
    assert_mistake(shapes, marker, message, "*fp32 i32 _", CASE=case)


@eft.jit
def moves(x_ptr, n, CASE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 32)).reshape(4, 8)
    if CASE == "join shapes":
        tl.join(x, tl.arange(0, 4))
    if CASE == "join pointer":
        tl.join(x, x_ptr)
    if CASE == "split extent":
        x.split()
    if CASE == "split number":
        tl.split(n)
    if CASE == "split pointers":
        (x_ptr + tl.arange(0, 2)).split()
    if CASE == "cat shapes":
        tl.cat(x, x.T)
    if CASE == "cat types":
        tl.cat(x, x.to(tl.int32))
    if CASE == "cat numbers":
        tl.cat(n, n)
    if CASE == "cat axis":
        tl.cat(x, x, dim=2)
    if CASE == "flip axis":
        x.flip(2)
    if CASE == "flip number":
        tl.flip(n)
    if CASE == "gather number":
        n.gather(tl.arange(0, 4), 0)
    if CASE == "gather by floats":
        x.gather(x, 0)
    if CASE == "gather rank":
        x.gather(tl.arange(0, 4), 0)
    if CASE == "gather shape":
        x.gather(tl.zeros((2, 4), tl.int32), 0)
    if CASE == "gather axis":
        x.gather(x.to(tl.int32), n)


@pytest.mark.parametrize(
    "case, marker, message",
    [
        (
            "join shapes",
            "tl.join",
            "Cannot make_shape_compatible: incompatible dimensions at index 1: 8 and 4: "
            "shapes [4, 8] and [4] don't broadcast",
        ),
        (
            "join pointer",
            "tl.join",
            "invalid operands of type fp32 and pointer<fp32>: join does not take them",
        ),
        (
            "split extent",
            "x.split",
            "split needs a block whose last extent is 2, got a block of type fp32[4, 8]",
        ),
        (
            "split number",
            "tl.split",
            "split needs a block whose last extent is 2, got a value of type int32",
        ),
        (
            "split pointers",
            "(x_ptr",
            "split into numbers needs a block of numbers, got a block of type pointer<fp32>[2]",
        ),
        (
            "cat shapes",
            "tl.cat",
            "cat needs blocks of one shape and type, got fp32[4, 8] and fp32[8, 4]",
        ),
        (
            "cat types",
            "tl.cat",
            "cat needs blocks of one shape and type, got fp32[4, 8] and int32[4, 8]",
        ),
        ("cat numbers", "tl.cat", "cat needs blocks, got a value of type int32"),
        ("cat axis", "tl.cat", "cat of a block of rank 2 needs an axis from -2 to 1, got 2"),
        ("flip axis", "x.flip", "flip of a block of rank 2 needs an axis from -2 to 1, got 2"),
        ("flip number", "tl.flip", "flip needs a block, got a value of type int32"),
        ("gather number", "n.gather", "gather needs a block, got a value of type int32"),
        (
            "gather by floats",
            "x.gather",
            "gather needs a block of integers as its index, got a block of type fp32[4, 8]",
        ),
        (
            "gather rank",
            "x.gather",
            "gather along axis 0 needs shapes that agree in all other dimensions, got [4, 8] and "
            "an index of [4]",
        ),
        (
            "gather shape",
            "x.gather",
            "gather along axis 0 needs shapes that agree in all other dimensions, got [4, 8] and "
            "an index of [2, 4]",
        ),
        (
            "gather axis",
            "x.gather",
            "gather needs an axis that is an int known at compile time, got a value of type int32",
        ),
    ],
)
def test_moves(case, marker, message):
    assert_mistake(moves, marker, message, "*fp32 i32 _", CASE=case)
