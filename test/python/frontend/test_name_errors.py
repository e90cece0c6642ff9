# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors for wrong names, calls and annotations: their text, line and column."""
# ruff: noqa: F821, F841, B015, B018 (the kernels are wrong on purpose)

import operator

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_at, assert_mistake, fails, mistakes

PLAIN_GLOBAL = 4
TABLE = {"a": 1}


def python_function(x):
    return x


@eft.jit
def two(a, b):
    return a + b


@eft.jit
def missing_argument(x_ptr, n):
    two(n)


@eft.jit
def unknown_argument(x_ptr, n):
    two(n, n, c=n)


@eft.jit
def too_many_arguments(x_ptr, n):
    two(n, n, n)


@eft.jit
def argument_twice(x_ptr, n):
    two(n, n, a=n)


@eft.jit
def builtin_argument(x_ptr, n):
    tl.load(x_ptr, msk=None)


@eft.jit
def builtin_without_argument(x_ptr, n):
    tl.load()


@eft.jit
def needs_constexpr(a, N: tl.constexpr):
    return a


@eft.jit
def unhashable(x_ptr, n):
    needs_constexpr(n, TABLE_OBJECT)


TABLE_OBJECT = tl.constexpr({"a": 1})


@eft.jit
def recursive(x_ptr, n):
    inner_recursive(n)


@eft.jit
def inner_recursive(n):
    return inner_recursive(n - 1)


@eft.jit
def arguments_from_a_dict(x_ptr, n):
    two(n, **TABLE_OBJECT)


@eft.jit
def arguments_from_a_number(x_ptr, n):
    two(*n)


@mistakes(
    (missing_argument, "two(", "two() is missing the argument 'b'"),
    (unknown_argument, "two(", "two() got an unexpected keyword argument 'c'"),
    (too_many_arguments, "two(", "two() takes 2 arguments, got 3"),
    (argument_twice, "two(", "two() got multiple values for argument 'a'"),
    (arguments_from_a_dict, "two(n", "`**` in a call can't be used in a kernel"),
    (arguments_from_a_number, "two(*n", "`*` needs a tuple, got a value of type int32"),
    (
        builtin_argument,
        "tl.load(",
        "tl.load() got an unexpected keyword argument 'msk': did you mean 'mask'?",
    ),
    (builtin_without_argument, "tl.load(", "tl.load() is missing the argument 'pointer'"),
    (
        unhashable,
        "needs_constexpr(",
        "the argument 'N' must be hashable, got an object of type 'dict'",
    ),
    (
        recursive,
        "inner_recursive(n - 1)",
        "'inner_recursive' calls itself, which a kernel can't do",
    ),
)
def test_calls(kernel, marker, message):
    assert_mistake(kernel, marker, message)


@eft.jit
def helper_with_mistake(n):
    return n + wrong


@eft.jit
def calls_helper(x_ptr, n):
    tl.store(x_ptr, helper_with_mistake(n))


def test_a_mistake_in_a_called_function_names_the_caller():
    error = fails(calls_helper)
    assert_at(error, "wrong")
    (file, line, column, function) = error.calls[0]
    assert (file, function) == (__file__, "calls_helper")
    assert str(error).splitlines()[-1] == f"  called from {file}:{line}:{column}, in calls_helper"


@eft.jit
def block_of(x, N: tl.constexpr):
    return x + tl.arange(0, N)


@eft.jit
def run_time_constexpr(x_ptr, n):
    tl.store(x_ptr, block_of(n, n))


def test_a_mistake_tells_which_constexpr_is_none():
    error = fails(run_time_constexpr)
    assert_at(error, "tl.arange(0, N)")
    assert error.notes == [
        "the parameter 'N' of 'block_of' is annotated as tl.constexpr, and got a value of type "
        "int32"
    ]
    assert str(error).splitlines()[-1] == f"  {error.notes[0]}"


@eft.jit
def reads_global(x_ptr, n):
    n + PLAIN_GLOBAL


@eft.jit
def reads_object(x_ptr, n):
    TABLE["a"]


@eft.jit
def calls_python(x_ptr, n):
    python_function(n)


@eft.jit
def calls_python_builtin(x_ptr, n):
    sorted((2, 1))


@eft.jit
def calls_number(x_ptr, n):
    n(1)


@eft.jit
def assigns_constexpr_twice(x_ptr, n):
    A: tl.constexpr = 1
    A = 2


@eft.jit
def constexpr_after_assignment(x_ptr, n):
    A = 1
    A: tl.constexpr = 2


@eft.jit
def constexpr_in_a_loop(x_ptr, n):
    for i in tl.static_range(2):
        A: tl.constexpr = 1 + i


@eft.jit
def unpacks_too_many(x_ptr, n):
    a, b = 1, 2, 3


@eft.jit
def unpacks_number(x_ptr, n):
    a, b = n


@eft.jit
def divides_by_zero(x_ptr, n):
    1 // 0


def division_by_zero() -> str:
    """Python's message for `1 // 0`, which Python 3.14 has changed."""
    with pytest.raises(ZeroDivisionError) as raised:
        operator.floordiv(1, 0)
    return str(raised.value)


@eft.jit
def attribute_of_block(x_ptr, n):
    n.foo


@eft.jit
def attribute_of_module(x_ptr, n):
    tl.foo


@eft.jit
def prints(x_ptr, n):
    print(n)


@eft.jit
def calls_foreign_object(x_ptr, n):
    np.sqrt(n)


@eft.jit
def length_of_number(x_ptr, n):
    len(n)


@eft.jit
def text_of_number(x_ptr, n):
    tl.static_print(f"{n}")


@eft.jit
def index_at_run_time(x_ptr, n):
    (1, 2)[n]


@eft.jit
def annotates_attribute(x_ptr, n):
    n.value: tl.constexpr = 1


@mistakes(
    (
        reads_global,
        "PLAIN_GLOBAL",
        "'PLAIN_GLOBAL' is 4 outside of the kernel, which may change: pass it as an argument, or "
        "make it `PLAIN_GLOBAL = tl.constexpr(...)`",
    ),
    (
        reads_object,
        "TABLE",
        "'TABLE' is an object of type 'dict' outside of the kernel, which may change: pass it as "
        "an argument, or make it `TABLE = tl.constexpr(...)`",
    ),
    (
        calls_python,
        "python_function",
        "'python_function' is a Python function: only functions under @eft.jit can be called",
    ),
    (calls_python_builtin, "sorted", "Python's 'sorted' can't be used in a kernel: use tl.sort"),
    (
        calls_foreign_object,
        "np.sqrt(n)",
        "'numpy.sqrt' can't be called in a kernel: use tl.sqrt",
    ),
    (length_of_number, "len(n)", "a value of type int32 has no length"),
    (
        index_at_run_time,
        "(1, 2)[n]",
        "an index must be known at compile time, got a value of type int32",
    ),
    (annotates_attribute, "n.value: ", "only a name can be annotated"),
    (calls_number, "n(1)", "a value of type int32 can't be called"),
    (assigns_constexpr_twice, "A = 2", "'A' is a constexpr and can't be assigned again"),
    (
        constexpr_in_a_loop,
        "A: tl",
        "'A' is a constexpr since the loop came here before, and can't be assigned again: write "
        "what it is where it is used",
    ),
    (constexpr_after_assignment, "A: tl", "'A' has a value already and can't become a constexpr"),
    (unpacks_too_many, "a, b", "expected 2 values to unpack, got 3"),
    (unpacks_number, "a, b", "a value of type int32 can't be unpacked"),
    (divides_by_zero, "1 // 0", f"ZeroDivisionError: {division_by_zero()}"),
    (attribute_of_block, "n.foo", "a value of type int32 has no attribute 'foo'"),
    (attribute_of_module, "tl.foo", "'tl' has no attribute 'foo'"),
    (
        prints,
        "print(n)",
        "device_print needs a str of printable ASCII characters first, got a value of type int32",
    ),
)
def test_names_and_values(kernel, marker, message):
    assert_mistake(kernel, marker, message)


def test_text_of_a_number():
    # The column is not checked: Python before 3.12 has no columns inside of f-strings.
    assert fails(text_of_number).message == "a value of type int32 has no text at compile time"


@eft.jit
def annotated_pointer(x_ptr: "*fp16", n):  # noqa: F722
    pass


@eft.jit
def annotated_number(x_ptr, n: tl.pointer_type(tl.int32)):
    pass


@mistakes(
    (
        annotated_pointer,
        "x_ptr: ",
        "the parameter 'x_ptr' is annotated as pointer<fp16>, got an argument of type "
        "pointer<fp32>",
    ),
    (
        annotated_number,
        "n: ",
        "the parameter 'n' is annotated as pointer<int32>, got an argument of type int32",
    ),
)
def test_annotations(kernel, marker, message):
    assert_mistake(kernel, marker, message)
