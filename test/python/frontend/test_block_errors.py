# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes with shapes, reductions, scans and what is built on them: text, line and column.

Each kernel holds many; the constexpr CASE says which one is looked at.
"""
# ruff: noqa: B018 (the kernels are wrong on purpose)

import eft
import eft.language as tl
import pytest
from support import assert_at, fails


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
            "tl.reshape() got an unexpected keyword argument 'reorder'",
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
            "shapes [4, 8] and [4] don't broadcast: 8 and 4 differ and neither is 1",
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
    _check(shapes, case, marker, message)


def _check(kernel, case, marker, message):
    error = fails(kernel, "*fp32 i32 _", CASE=case)
    assert error.message == message
    assert_at(error, marker)


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
            "shapes [4, 8] and [4] don't broadcast: 8 and 4 differ and neither is 1",
        ),
        (
            "join pointer",
            "tl.join",
            "join does not take operands of types fp32 and pointer<fp32>",
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
    _check(moves, case, marker, message)


@eft.jit
def add(a, b):
    return a + b


@eft.jit
def add_pairs(a, b, c, d):
    return a + c, b + d


@eft.jit
def compare(a, b):
    return a < b


@eft.jit
def add_range(a, b):
    return a + b + tl.arange(0, 4)


@eft.jit
def gives_nothing(a, b):
    pass


def plain(a, b):
    return a + b


@eft.jit
def reductions(x_ptr, n, CASE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 32)).reshape(4, 8)
    i = x.to(tl.int32)
    if CASE == "sum axis":
        x.sum(2)
    if CASE == "sum axis of run time":
        tl.sum(x, axis=n)
    if CASE == "sum keep_dims":
        tl.sum(x, 0, keep_dims=n)
    if CASE == "sum number":
        tl.sum(n)
    if CASE == "sum pointers":
        tl.sum(x_ptr + tl.arange(0, 4))
    if CASE == "sum dtype":
        tl.sum(x, dtype=4)
    if CASE == "xor_sum of floats":
        x.xor_sum(0)
    if CASE == "reduce_or of floats":
        tl.reduce_or(x, 0)
    if CASE == "max flag":
        x.max(0, return_indices=n)
    if CASE == "max tie flag":
        x.max(0, True, return_indices_tie_break_left=2)
    if CASE == "argmin flag":
        x.argmin(0, tie_break_left=n)
    if CASE == "argmax axis":
        x.argmax()
    if CASE == "argmax bad axis":
        x.argmax(-3)
    if CASE == "reduce by python":
        tl.reduce(x, 0, plain)
    if CASE == "reduce by builtin":
        tl.reduce(x, 0, tl.maximum)
    if CASE == "reduce by nothing":
        tl.reduce(x, 0, None)
    if CASE == "reduce nothing":
        tl.reduce((), 0, add)
    if CASE == "reduce shapes":
        tl.reduce((x, x.T), 0, add_pairs)
    if CASE == "reduce number":
        tl.reduce((x, n), 0, add_pairs)
    if CASE == "reduce arity":
        tl.reduce((x, x), 0, add)
    if CASE == "reduce values":
        tl.reduce(x, 0, add_pairs)
    if CASE == "reduce gives other type":
        tl.reduce(x, 0, compare)
    if CASE == "reduce gives block":
        tl.reduce(i, 0, add_range)
    if CASE == "reduce gives nothing":
        tl.reduce(x, 0, gives_nothing)
    if CASE == "softmax of integers":
        i.softmax(0)
    if CASE == "softmax dim":
        x.softmax(2)


@pytest.mark.parametrize(
    "case, marker, message",
    [
        ("sum axis", "x.sum", "sum of a block of rank 2 needs an axis from -2 to 1, got 2"),
        (
            "sum axis of run time",
            "tl.sum",
            "sum needs an axis that is an int known at compile time, got a value of type int32",
        ),
        (
            "sum keep_dims",
            "tl.sum",
            "sum needs keep_dims to be known at compile time, got a value of type int32",
        ),
        ("sum number", "tl.sum", "sum needs a block of numbers, got a value of type int32"),
        (
            "sum pointers",
            "tl.sum",
            "sum needs a block of numbers, got a block of type pointer<fp32>[4]",
        ),
        ("sum dtype", "tl.sum", "sum needs the dtype of a number, got 4"),
        (
            "xor_sum of floats",
            "x.xor_sum",
            "xor_sum needs a block of integers, got a block of type fp32[4, 8]",
        ),
        (
            "reduce_or of floats",
            "tl.reduce_or",
            "reduce_or needs a block of integers, got a block of type fp32[4, 8]",
        ),
        (
            "max flag",
            "x.max",
            "max needs return_indices to be known at compile time, got a value of type int32",
        ),
        (
            "max tie flag",
            "x.max",
            "max needs return_indices_tie_break_left to be True or False, got 2",
        ),
        (
            "argmin flag",
            "x.argmin",
            "argmin needs tie_break_left to be known at compile time, got a value of type int32",
        ),
        ("argmax axis", "x.argmax", "tl.argmax() is missing the argument 'axis'"),
        (
            "argmax bad axis",
            "x.argmax",
            "argmax of a block of rank 2 needs an axis from -2 to 1, got -3",
        ),
        (
            "reduce by python",
            "plain",
            "'plain' is a Python function: only functions under @eft.jit can be called",
        ),
        (
            "reduce by builtin",
            "tl.reduce",
            "reduce needs a combine function under @eft.jit, got 'maximum'",
        ),
        (
            "reduce by nothing",
            "tl.reduce",
            "reduce needs a combine function under @eft.jit, got None",
        ),
        ("reduce nothing", "tl.reduce", "reduce needs at least one block, got an empty tuple"),
        (
            "reduce shapes",
            "tl.reduce",
            "reduce needs blocks of one shape, got [4, 8] and [8, 4]",
        ),
        (
            "reduce number",
            "tl.reduce",
            "reduce needs a block of numbers, got a value of type int32",
        ),
        ("reduce arity", "tl.reduce", "add() takes 2 arguments, got 4"),
        (
            "reduce values",
            "tl.reduce",
            "add_pairs() is missing the argument 'c'",
        ),
        (
            "reduce gives other type",
            "tl.reduce",
            "reduce of a block of fp32 needs a combine function that gives one fp32, got a value "
            "of type int1",
        ),
        (
            "reduce gives block",
            "tl.reduce",
            "reduce of a block of int32 needs a combine function that gives one int32, got a "
            "block of type int32[4]",
        ),
        (
            "reduce gives nothing",
            "tl.reduce",
            "reduce of a block of fp32 needs a combine function that gives one fp32, got None",
        ),
        (
            "softmax of integers",
            "i.softmax",
            "softmax needs a block of floats, got a block of type int32[4, 8]",
        ),
        (
            "softmax dim",
            "x.softmax",
            "softmax of a block of rank 2 needs an axis from -2 to 1, got 2",
        ),
    ],
)
def test_reductions(case, marker, message):
    _check(reductions, case, marker, message)


@eft.jit
def mixes_pointer(a, b):
    return a + b + "1"


@eft.jit
def fails_inside(x_ptr, n):
    tl.reduce(tl.arange(0, 4), 0, mixes_pointer)


def test_mistake_in_a_combine_function():
    error = fails(fails_inside)
    assert error.message == "`+` takes values of the kernel and numbers, got '1'"
    assert_at(error, "a + b +")
    assert [call[3] for call in error.calls] == ["fails_inside"]


@eft.jit
def gives_three(a, b):
    return a, b, a


@eft.jit
def too_many_values(x_ptr, n):
    tl.associative_scan(tl.arange(0, 4), 0, gives_three)


def test_combine_function_with_too_many_values():
    error = fails(too_many_values)
    assert error.message == (
        "associative_scan of 1 block needs a combine function that gives 1 value, got 3"
    )
    assert_at(error, "tl.associative_scan")


@eft.jit
def scans(x_ptr, n, CASE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 32)).reshape(4, 8)
    if CASE == "scan without axis":
        tl.associative_scan(x, None, add)
    if CASE == "scan by python":
        tl.associative_scan(x, 0, tl.add)
    if CASE == "scan reverse":
        x.associative_scan(0, add, reverse=n)
    if CASE == "cumsum axis":
        x.cumsum(2)
    if CASE == "cumprod number":
        n.cumprod()
    if CASE == "cumprod dtype":
        x.cumprod(dtype="fp32")
    if CASE == "sort axis":
        x.sort(3)
    if CASE == "sort flag":
        x.sort(0, n)
    if CASE == "sort number":
        tl.sort(n)
    if CASE == "topk odd":
        tl.topk(x, 3)
    if CASE == "topk many":
        tl.topk(x, 16)
    if CASE == "topk by run time":
        tl.topk(x, n)
    if CASE == "histogram rank":
        x.to(tl.int32).histogram(4)
    if CASE == "histogram type":
        x.ravel().histogram(4)
    if CASE == "histogram bins":
        tl.arange(0, 4).histogram(3)
    if CASE == "histogram many bins":
        tl.arange(0, 4).histogram(1 << 21)
    if CASE == "histogram mask":
        tl.arange(0, 4).histogram(4, mask=n)
    if CASE == "histogram mask shape":
        tl.arange(0, 4).histogram(4, mask=tl.arange(0, 8) < 3)


@pytest.mark.parametrize(
    "case, marker, message",
    [
        (
            "scan without axis",
            "tl.associative_scan",
            "associative_scan needs an axis that is an int known at compile time, got None",
        ),
        (
            "scan by python",
            "tl.associative_scan",
            "associative_scan needs a combine function under @eft.jit, got 'add'",
        ),
        (
            "scan reverse",
            "x.associative_scan",
            "associative_scan needs reverse to be known at compile time, got a value of type int32",
        ),
        (
            "cumsum axis",
            "x.cumsum",
            "cumsum of a block of rank 2 needs an axis from -2 to 1, got 2",
        ),
        (
            "cumprod number",
            "n.cumprod",
            "cumprod needs a block of numbers, got a value of type int32",
        ),
        ("cumprod dtype", "x.cumprod", "cumprod needs the dtype of a number, got 'fp32'"),
        ("sort axis", "x.sort", "sort of a block of rank 2 needs an axis from -2 to 1, got 3"),
        (
            "sort flag",
            "x.sort",
            "sort needs descending to be known at compile time, got a value of type int32",
        ),
        ("sort number", "tl.sort", "sort needs a block of numbers, got a value of type int32"),
        ("topk odd", "tl.topk", "topk needs a k that is a power of two from 1 to 8, got 3"),
        ("topk many", "tl.topk", "topk needs a k that is a power of two from 1 to 8, got 16"),
        (
            "topk by run time",
            "tl.topk",
            "topk needs a k that is a power of two from 1 to 8, got a value of type int32",
        ),
        (
            "histogram rank",
            "x.to",
            "histogram needs a block of rank 1 of int32 or uint32, got a block of type int32[4, 8]",
        ),
        (
            "histogram type",
            "x.ravel",
            "histogram needs a block of rank 1 of int32 or uint32, got a block of type fp32[32]",
        ),
        (
            "histogram bins",
            "tl.arange",
            "histogram needs a power of two as num_bins, got 3",
        ),
        (
            "histogram many bins",
            "tl.arange",
            "a block must have at most 1048576 elements, got 2097152",
        ),
        (
            "histogram mask",
            "tl.arange",
            "histogram needs a mask of type int1, got a value of type int32",
        ),
        (
            "histogram mask shape",
            "tl.arange",
            "the mask of shape [8] does not fit a block of shape [4]",
        ),
    ],
)
def test_scans_and_sorting(case, marker, message):
    _check(scans, case, marker, message)
