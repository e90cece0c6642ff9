# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The classes of Triton's errors, and the phrases in messages that programs look for."""

import eft
import eft.language as tl
import numpy as np
import pytest
from eft.triton.compiler.errors import (
    CompilationError,
    CompileTimeAssertionFailure,
    UnsupportedLanguageConstruct,
)


@eft.jit
def checks(STATEMENT: tl.constexpr):
    if STATEMENT:
        assert 1 + 1 == 3, "of a statement"
    tl.static_assert(1 + 1 == 3, "of a call")


@pytest.mark.parametrize("is_statement, text", [(True, "of a statement"), (False, "of a call")])
def test_assertions_at_compile_time(host, is_statement, text):
    with pytest.raises(CompileTimeAssertionFailure) as raised:
        checks[1](is_statement)
    assert raised.value.message == f"this assertion does not hold: {text}"
    assert issubclass(CompileTimeAssertionFailure, CompilationError)


@eft.jit
def in_a_function():
    tl.static_assert(False)


@eft.jit
def calls():
    in_a_function()


def test_assertions_in_functions_that_a_kernel_calls(host):
    with pytest.raises(CompileTimeAssertionFailure) as raised:
        calls[1]()
    assert [function for *_, function in raised.value.calls] == ["calls"]


@eft.jit
def has_a_break(n):
    while n > 0:
        break


@eft.jit
def has_a_try(n):
    try:
        n + 1
    finally:
        pass


@eft.jit
def has_a_dict(n):
    tl.static_print({1: n})


@pytest.mark.parametrize("kernel", [has_a_break, has_a_try, has_a_dict])
def test_what_kernels_can_not_have(host, kernel):
    with pytest.raises(UnsupportedLanguageConstruct):
        kernel[1](3)


@eft.jit
def misfits(x_ptr, n, CASE: tl.constexpr):
    if CASE == "types":
        x_ptr * n
    if CASE == "signs":
        n // n.to(tl.uint32)
    if CASE == "shapes":
        tl.arange(0, 16) + tl.arange(0, 32)


@pytest.mark.parametrize(
    "case, words",
    [
        ("types", "invalid operands of type pointer<fp32> and int32"),
        ("signs", "because they have different signedness"),
        ("shapes", "Cannot make_shape_compatible: incompatible dimensions at index 0: 16 and 32"),
    ],
)
def test_words_that_programs_look_for(host, case, words):
    with pytest.raises(CompilationError, match=words):
        misfits[1](np.zeros(16, np.float32), 3, case)
