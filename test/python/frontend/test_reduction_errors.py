# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of reductions, scans, and functions built on these: text, line and column.

Each kernel contains several mistakes; the constexpr CASE selects the one that is compiled.
"""
# ruff: noqa: B018 (the kernels are wrong on purpose)

import eft
import eft.language as tl
import pytest
from support import assert_mistake


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
    assert_mistake(reductions, marker, message, "*fp32 i32 _", CASE=case)


@eft.jit
def mixes_pointer(a, b):
    return a + b + "1"


@eft.jit
def fails_inside(x_ptr, n):
    tl.reduce(tl.arange(0, 4), 0, mixes_pointer)


def test_mistake_in_a_combine_function():
    error = assert_mistake(
        fails_inside, "a + b +", "`+` takes values of the kernel and numbers, got '1'"
    )
    assert [call[3] for call in error.calls] == ["fails_inside"]


@eft.jit
def gives_three(a, b):
    return a, b, a


@eft.jit
def too_many_values(x_ptr, n):
    tl.associative_scan(tl.arange(0, 4), 0, gives_three)


def test_combine_function_with_too_many_values():
    assert_mistake(
        too_many_values,
        "tl.associative_scan",
        "associative_scan of 1 block needs a combine function that gives 1 value, got 3",
    )


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
    assert_mistake(scans, marker, message, "*fp32 i32 _", CASE=case)
