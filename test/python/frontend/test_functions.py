# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that kernels call, and Python code that runs while a kernel is compiled."""

import eft
import eft.language as tl
import helpers
import numpy as np
import pytest
from helpers import smallest_and_largest
from support import assert_mistake, fails, lower


@eft.jit
def calls(out, a, b):
    tl.store(out, helpers.scaled(a))
    tl.store(out + 1, helpers.scaled(a, b))
    tl.store(out + 2, helpers.scaled(by=b, x=a, plus=1))
    arguments = (a, 5)
    tl.store(out + 3, helpers.scaled(*arguments))
    low, high = smallest_and_largest(a, b)
    tl.store(out + 4, low - high)
    low, high = smallest_and_largest(*(a, b), UP=False)
    tl.store(out + 5, low - high)


def test_arguments_find_their_parameters(device):
    out = device.put(np.zeros(6, np.int32))
    calls[(1,)](out, 7, 4)
    assert device.get(out).tolist() == [42, 84, 85, 105, -3, 3]


@eft.jit
def fold(x, offsets: tl.constexpr, bound: tl.constexpr, DOUBLE: tl.constexpr):
    factor = 2 if DOUBLE else 1
    return tl.sum(tl.where(offsets < bound, x, 0)) * factor


@eft.jit
def run_time_values_for_constexprs(out, n):
    i = tl.arange(0, 16)
    tl.store(out, fold(i, i, n, True) + fold(i, 4, 5, DOUBLE=False))


def test_a_function_takes_values_of_the_run_time_for_a_constexpr(device):
    out = device.put(np.zeros(1, np.int32))
    run_time_values_for_constexprs[(1,)](out, 5)
    assert device.get(out)[0] == 2 * sum(range(5)) + sum(range(16))


@eft.jit
def shape_of(x):
    return x.shape[0]


@eft.jit
def constants_from_functions(out, x):
    WIDTH: tl.constexpr = shape_of(tl.arange(0, 16))
    tl.store(out + tl.arange(0, WIDTH), WIDTH)


def test_functions_return_constants(device):
    out = device.put(np.zeros(16, np.int32))
    constants_from_functions[(1,)](out, 1)
    assert device.get(out).tolist() == [16] * 16


@eft.jit
def calls_in_a_loop(out, n):
    total = 0
    for i in range(n):
        if i % 2 == 0:
            total = helpers.scaled(total, plus=i)
    tl.store(out, total)


def test_functions_are_called_in_loops_and_branches(device):
    out = device.put(np.zeros(1, np.int32))
    calls_in_a_loop[(1,)](out, 5)
    assert device.get(out)[0] == ((0 * 6 + 0) * 6 + 2) * 6 + 4


@eft.jit
def itself(n):
    return itself(n)


@eft.jit
def calls_itself(x_ptr, n):
    itself(n)


@eft.jit
def calls_ping(x_ptr, n):
    helpers.ping(n)


def test_recursion():
    assert_mistake(calls_itself, "itself(n)", "'itself' calls itself, which a kernel can't do")
    error = assert_mistake(
        calls_ping, "ping(n) - 1", "'ping' calls itself by way of 'pong', which a kernel can't do"
    )
    assert [call[3] for call in error.calls] == ["ping", "calls_ping"]
    assert error.file == helpers.__file__


@eft.jit
def prints(x_ptr, n, WIDTH: tl.constexpr):
    tl.static_print("width", WIDTH, n, x_ptr, sep="|", end="!\n")
    for i in tl.static_range(2):
        tl.static_print(f"i = {i}")
    tl.static_assert(WIDTH == 8, "wide")


def test_static_print(capsys):
    lower(prints, "*fp32 i32 _", WIDTH=8)
    text = "width|8|tensor<int32>|tensor<pointer<fp32>>!\ni = 0\ni = 1\n"
    assert capsys.readouterr().out == text


def test_static_print_prints_once_for_each_compile(capsys):
    x = np.zeros(1, np.float32)
    for n in (2, 3, 16):
        prints[(1,)](x, n, WIDTH=8)
    assert prints.warmup(x, 3, WIDTH=8).asm["ir"]
    assert capsys.readouterr().out.count("width") == 1


@eft.jit
def prints_before_a_mistake(x_ptr, n):
    tl.static_print("until here", n)
    tl.store(x_ptr, missing)  # noqa: F821


def test_static_print_before_a_mistake(capsys):
    with pytest.raises(eft.CompilationError, match="'missing' is not defined"):
        prints_before_a_mistake[(1,)](np.zeros(1, np.float32), 3)
    assert capsys.readouterr().out == "until here tensor<int32>\n"


@eft.jit
def unknown_keyword_of_print(x_ptr, n):
    tl.static_print(n, colour=1)


def test_static_print_with_an_unknown_keyword():
    error = fails(unknown_keyword_of_print)
    assert error.message == "tl.static_print() got an unexpected keyword argument 'colour'"


@tl.core.must_use_result("it changes nothing")
@eft.jit
def must_be_used(x):
    return x + 1


@tl.core.must_use_result
@eft.jit
def must_be_used_too(x):
    return x + 1


@eft.jit
def uses_a_result(x_ptr, n):
    tl.store(x_ptr, must_be_used(n))


@eft.jit
def uses_no_result(x_ptr, n):
    must_be_used(must_be_used(n))


@eft.jit
def uses_no_result_either(x_ptr, n):
    if n > 1:
        must_be_used_too(n)


def test_a_result_that_must_be_used():
    assert "arith.addi" in lower(uses_a_result, "*i32 i32")
    text = "the result of `must_be_used` is not used: it changes nothing"
    assert_mistake(uses_no_result, "must_be_used(must", text)
    text = "the result of `must_be_used_too` is not used"
    assert_mistake(uses_no_result_either, "must_be_used_too(", text)
