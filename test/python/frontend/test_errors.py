# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every mistake in a kernel has its error: the right text at the right line and column."""
# ruff: noqa: F821, F841, B015, B018 (the kernels are wrong on purpose)

import eft
import eft.language as tl
import numpy as np
import pytest
from support import lower

PLAIN_GLOBAL = 4
TABLE = {"a": 1}


def python_function(x):
    return x


def fails(kernel, types="*fp32 i32", **constexprs) -> eft.CompilationError:
    with pytest.raises(eft.CompilationError) as raised:
        lower(kernel, types, **constexprs)
    return raised.value


def assert_at(error: eft.CompilationError, marker: str):
    """The error is where the source of its line has `marker`."""
    assert error.file == __file__
    assert error.source is not None
    with open(__file__) as file:
        assert file.read().splitlines()[error.line - 1] == error.source
    assert error.source[error.column - 1 :].startswith(marker), error


@eft.jit
def undefined_name(x_ptr, n):
    tl.store(x_ptr, n + missing)


def test_undefined_name():
    error = fails(undefined_name)
    assert error.message == "'missing' is not defined"
    assert_at(error, "missing")


def test_text_shows_the_place():
    lines = str(fails(undefined_name)).splitlines()
    assert lines[0].startswith(f"{__file__}:") and lines[0].endswith(": 'missing' is not defined")
    assert lines[1] == "    tl.store(x_ptr, n + missing)"
    assert lines[2] == "                        ^"


@eft.jit
def with_statement(x_ptr, n):
    with n:
        pass


@eft.jit
def while_loop(x_ptr, n):
    while n > 0:
        n -= 1


@eft.jit
def range_loop(x_ptr, n):
    for i in range(4):
        tl.store(x_ptr + i, 0.0)


@eft.jit
def run_time_range(x_ptr, n):
    for i in range(n):
        tl.store(x_ptr + i, 0.0)


@eft.jit
def run_time_if(x_ptr, n):
    if n > 0:
        tl.store(x_ptr, 0.0)


@eft.jit
def run_time_choice(x_ptr, n):
    tl.store(x_ptr, 1.0 if n > 0 else 2.0)


@eft.jit
def nested_function(x_ptr, n):
    def inner():
        pass


@eft.jit
def comprehension(x_ptr, n):
    values = [i for i in (1, 2)]


@eft.jit
def assertion(x_ptr, n):
    assert n > 0


@eft.jit
def set_element(x_ptr, n):
    x_ptr[0] = n


@eft.jit
def set_attribute(x_ptr, n):
    n.value = 1


@eft.jit
def matrix_product(x_ptr, n):
    n @ n


@eft.jit
def power(x_ptr, n):
    n**2


@eft.jit
def starred_target(x_ptr, n):
    a, *b = (1, 2, 3)


@pytest.mark.parametrize(
    "kernel, marker, message",
    [
        (with_statement, "with n", "this statement can't be used in a kernel: `with n:`"),
        (while_loop, "while n", "a `while` loop is not supported yet"),
        (
            range_loop,
            "range(4)",
            "a `for` loop over `range` is not supported yet; `tl.static_range` unrolls one with "
            "bounds "
            "that are known at compile time",
        ),
        (
            run_time_range,
            "range(n)",
            "`range` with a bound that is known only at run time is not supported yet",
        ),
        (
            run_time_if,
            "n > 0",
            "`if` with a condition that is known only at run time is not supported yet",
        ),
        (
            run_time_choice,
            "n > 0",
            "a conditional expression with a condition that is known only at run time is not "
            "supported yet",
        ),
        (nested_function, "def inner", "this statement can't be used in a kernel: `def inner():`"),
        (
            comprehension,
            "[i for i",
            "this expression can't be used in a kernel: `[i for i in (1, 2)]`",
        ),
        (assertion, "assert n", "an `assert` statement is not supported yet"),
        (
            set_element,
            "x_ptr[0] = n",
            "an element can't be assigned: a block is written to memory by tl.store",
        ),
        (set_attribute, "n.value = 1", "`n.value` can't be assigned in a kernel"),
        (matrix_product, "n @ n", "the operator `@` is not supported yet"),
        (power, "n**2", "`**` is not supported yet for values that exist at run time"),
        (starred_target, "a, *b", "a starred target can't be used in a kernel"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_unsupported(kernel, marker, message):
    error = fails(kernel)
    assert error.message == message
    assert_at(error, marker)


@eft.jit
def float_and_int(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr) & n)


@eft.jit
def pointer_times_int(x_ptr, n):
    x_ptr * n


@eft.jit
def pointer_plus_float(x_ptr, n):
    x_ptr + 1.5


@eft.jit
def float_floor_division(x_ptr, n):
    tl.load(x_ptr) // n


@eft.jit
def number_and_text(x_ptr, n):
    n + "1"


@eft.jit
def unsigned_and_negative(x_ptr, n):
    n.to(tl.uint32) + -1


@eft.jit
def number_out_of_range(x_ptr, n):
    n.to(tl.int8) + 300


@eft.jit
def mixed_signs(x_ptr, n):
    n % n.to(tl.uint32)


@eft.jit
def shift_too_far(x_ptr, n):
    n << 32


@eft.jit
def invert_float(x_ptr, n):
    ~tl.load(x_ptr)


@eft.jit
def pointers_compared(x_ptr, n):
    x_ptr < x_ptr


@eft.jit
def exp_of_int(x_ptr, n):
    tl.exp(n)


@eft.jit
def not_a_pointer(x_ptr, n):
    tl.load(n)


@eft.jit
def mask_is_int(x_ptr, n):
    tl.load(x_ptr + tl.arange(0, 32), mask=tl.arange(0, 32))


@eft.jit
def other_without_mask(x_ptr, n):
    tl.load(x_ptr, other=0.0)


@eft.jit
def bad_axis(x_ptr, n):
    tl.program_id(3)


@eft.jit
def pointer_as_seed(x_ptr, n):
    tl.rand(x_ptr, n)


@eft.jit
def float_as_seed(x_ptr, n):
    tl.rand(tl.load(x_ptr), n)


@eft.jit
def bitcast_of_other_width(x_ptr, n):
    n.to(tl.float64, bitcast=True)


@eft.jit
def round_toward_zero(x_ptr, n):
    tl.load(x_ptr).to(tl.float16, fp_downcast_rounding="rtz")


@eft.jit
def bad_hint(x_ptr, n):
    tl.load(x_ptr, cache_modifier=".xy")


@eft.jit
def block_pointer(x_ptr, n):
    tl.load(x_ptr, boundary_check=(0,))


@eft.jit
def volatile_load(x_ptr, n):
    tl.load(x_ptr, volatile=True)


@eft.jit
def integer_too_wide(x_ptr, n):
    n + (1 << 64)


@eft.jit
def float_in_int_block(x_ptr, n):
    tl.full((4,), 1.5, tl.int32)


@pytest.mark.parametrize(
    "kernel, marker, message",
    [
        (float_and_int, "tl.load(x_ptr) &", "`&` does not take operands of types fp32 and int32"),
        (
            pointer_times_int,
            "x_ptr * n",
            "`*` does not take operands of types pointer<fp32> and int32",
        ),
        (
            pointer_plus_float,
            "x_ptr + 1.5",
            "`+` does not take operands of types pointer<fp32> and fp32",
        ),
        (float_floor_division, "tl.load", "`//` does not take operands of types fp32 and int32"),
        (number_and_text, "n + ", "`+` takes values of the kernel and numbers, got '1'"),
        (
            unsigned_and_negative,
            "n.to",
            "the negative number -1 meets an operand of type uint32: cast one of them",
        ),
        (
            number_out_of_range,
            "n.to",
            "the number 300 is out of the range of int8: -128 to 127",
        ),
        (
            mixed_signs,
            "n % n",
            "can't divide int32 and uint32, of which one has a sign and the other has none: cast "
            "one "
            "of them",
        ),
        (shift_too_far, "n << 32", "`<<` of int32 takes a number of bits from 0 to 31, got 32"),
        (invert_float, "~tl", "unary `~` does not take an operand of type fp32"),
        (
            pointers_compared,
            "x_ptr < x_ptr",
            "`<` does not take operands of types pointer<fp32> and pointer<fp32>",
        ),
        (exp_of_int, "tl.exp(n)", "exp needs an operand of type fp32 or fp64, got int32"),
        (
            not_a_pointer,
            "tl.load(n)",
            "load needs a pointer or a block of pointers, got a value of type int32",
        ),
        (
            mask_is_int,
            "tl.load(",
            "load needs a mask of type int1, got a block of type int32[32]",
        ),
        (
            other_without_mask,
            "tl.load(",
            "load has a value for masked elements but no mask",
        ),
        (bad_axis, "tl.program_id(3)", "program_id needs an axis of 0, 1 or 2, got 3"),
        (
            pointer_as_seed,
            "tl.rand(",
            "randint needs an integer as its seed, got a pointer: load the seed first",
        ),
        (
            float_as_seed,
            "tl.rand(",
            "randint needs an integer as its seed, got a value of type fp32",
        ),
        (
            bitcast_of_other_width,
            "n.to(",
            "a bitcast needs types of one width, got int32 (32 bits) and fp64 (64 bits)",
        ),
        (round_toward_zero, "tl.load", "fp_downcast_rounding='rtz' is not supported yet"),
        (
            bad_hint,
            "tl.load(",
            "cache_modifier must be one of '', '.ca', '.cg', '.cs', '.cv', got '.xy'",
        ),
        (
            block_pointer,
            "tl.load(",
            "boundary_check and padding_option need a block pointer, which is not supported yet",
        ),
        (volatile_load, "tl.load(", "volatile=True is not supported yet"),
        (integer_too_wide, "n + (", f"an integer must fit in 64 bits, got {1 << 64}"),
        (
            float_in_int_block,
            "tl.full(",
            "the float 1.5 can't become a constant of type int32",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_operands_that_do_not_fit(kernel, marker, message):
    error = fails(kernel)
    assert error.message == message
    assert_at(error, marker)


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
        (
            extent,
            1.5,
            "arange needs its end to be known at compile time, got 1.5: is a tl.constexpr "
            "annotation "
            "missing?",
        ),
        (extent, 1 << 40, f"arange needs its end to fit in int32, got {1 << 40}"),
        (extent, 1 << 24, "a block must have at most 1048576 elements, got 16777216"),
        (full_extent, 3, "a block's extent must be a power of two, got 3"),
        (full_extent, -4, "a block's extent must be a power of two, got -4"),
        (full_extent, 1 << 19, "a block must have at most 1048576 elements, got 2097152"),
        (
            full_extent,
            "4",
            "a block's extent must be an int that is known at compile time, got '4'",
        ),
    ],
)
def test_extents(kernel, value, message):
    error = fails(kernel, "*fp32 i32 _", N=value)
    assert error.message == message
    assert_at(error, "tl.arange(0, N)" if kernel is extent else "tl.zeros(")


@eft.jit
def run_time_extent(x_ptr, n):
    tl.arange(0, n)


def test_extent_that_is_known_at_run_time():
    error = fails(run_time_extent)
    assert error.message == (
        "arange needs its end to be known at compile time, got a value of type int32: is a "
        "tl.constexpr annotation missing?"
    )
    assert_at(error, "tl.arange(0, n)")


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
def index_by_number(x_ptr, n):
    tl.arange(0, 32)[0]


@pytest.mark.parametrize(
    "kernel, marker, message",
    [
        (
            shapes,
            "tl.arange(0, 32) +",
            "shapes [32] and [64] don't broadcast: 32 and 64 differ and neither is 1",
        ),
        (
            value_too_large,
            "tl.store(",
            "shapes [64] and [32] don't broadcast: 64 and 32 differ and neither is 1",
        ),
        (
            block_into_pointer,
            "tl.store(",
            "the value of shape [32] does not fit a pointer of shape []",
        ),
        (
            broadcast,
            "tl.broadcast_to(",
            "shapes [32] and [64] don't broadcast: 32 and 64 differ and neither is 1",
        ),
        (too_many_indices, "tl.arange(0, 32)[", "too many indices for a block of shape [32]"),
        (index_by_number, "tl.arange(0, 32)[", "a block can be indexed by `:` and None, got 0"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_shapes(kernel, marker, message):
    error = fails(kernel)
    assert error.message == message
    assert_at(error, marker)


@eft.jit
def store_to_argument(x_ptr, n):
    tl.store(x_ptr, n)


@eft.jit
def store_to_const(x_ptr: tl.const, n):
    tl.store(x_ptr + tl.arange(0, 4), n)


@pytest.mark.parametrize(
    "kernel, types", [(store_to_argument, "*kfp32 i32"), (store_to_const, "*fp32 i32")]
)
def test_store_to_read_only_memory(kernel, types):
    error = fails(kernel, types)
    assert error.message == "can't store through a pointer to read-only memory"
    assert_at(error, "tl.store(")


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
def run_time_constexpr(x_ptr, n):
    needs_constexpr(n, n)


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


@pytest.mark.parametrize(
    "kernel, marker, message",
    [
        (missing_argument, "two(", "two() is missing the argument 'b'"),
        (unknown_argument, "two(", "two() got an unexpected keyword argument 'c'"),
        (too_many_arguments, "two(", "two() takes 2 arguments, got 3"),
        (argument_twice, "two(", "two() got multiple values for argument 'a'"),
        (builtin_argument, "tl.load(", "tl.load() got an unexpected keyword argument 'msk'"),
        (builtin_without_argument, "tl.load(", "tl.load() is missing the argument 'pointer'"),
        (
            run_time_constexpr,
            "needs_constexpr(",
            "the argument 'N' of 'needs_constexpr' must be known at compile time, got a value of "
            "type "
            "int32",
        ),
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
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_calls(kernel, marker, message):
    error = fails(kernel)
    assert error.message == message
    assert_at(error, marker)


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
def constexpr_of_run_time(x_ptr, n):
    A: tl.constexpr = n


@eft.jit
def unpacks_too_many(x_ptr, n):
    a, b = 1, 2, 3


@eft.jit
def unpacks_number(x_ptr, n):
    a, b = n


@eft.jit
def divides_by_zero(x_ptr, n):
    1 // 0


@eft.jit
def attribute_of_block(x_ptr, n):
    n.foo


@eft.jit
def attribute_of_module(x_ptr, n):
    tl.foo


@eft.jit
def uses_dot(x_ptr, n):
    tl.dot(n, n)


@eft.jit
def uses_sum(x_ptr, n):
    tl.arange(0, 32).sum()


@eft.jit
def prints(x_ptr, n):
    print(n)


@pytest.mark.parametrize(
    "kernel, marker, message",
    [
        (
            reads_global,
            "PLAIN_GLOBAL",
            "'PLAIN_GLOBAL' is 4 outside of the kernel, which may change: pass it as an argument, "
            "or "
            "make it `PLAIN_GLOBAL = tl.constexpr(...)`",
        ),
        (
            reads_object,
            "TABLE",
            "'TABLE' is an object of type 'dict' outside of the kernel, which may change: pass it "
            "as "
            "an argument, or make it `TABLE = tl.constexpr(...)`",
        ),
        (
            calls_python,
            "python_function",
            "'python_function' is a Python function: only functions under @eft.jit can be called",
        ),
        (calls_python_builtin, "sorted", "Python's 'sorted' can't be used in a kernel"),
        (calls_number, "n(1)", "a value of type int32 can't be called"),
        (
            assigns_constexpr_twice,
            "A = 2",
            "'A' is a constexpr and can't be assigned again",
        ),
        (
            constexpr_after_assignment,
            "A: tl",
            "'A' has a value already and can't become a constexpr",
        ),
        (
            constexpr_of_run_time,
            "A: tl",
            "the constexpr 'A' needs a value that is known at compile time, got a value of type "
            "int32",
        ),
        (unpacks_too_many, "a, b", "expected 2 values to unpack, got 3"),
        (unpacks_number, "a, b", "a value of type int32 can't be unpacked"),
        (
            divides_by_zero,
            "1 // 0",
            "ZeroDivisionError: integer division or modulo by zero",
        ),
        (attribute_of_block, "n.foo", "a value of type int32 has no attribute 'foo'"),
        (attribute_of_module, "tl.foo", "module 'eft.language' has no attribute 'foo'"),
        (uses_dot, "tl.dot", "tl.dot is not supported yet"),
        (
            uses_sum,
            "tl.arange(0, 32).sum",
            "the attribute 'sum' of a block is not supported yet",
        ),
        (prints, "print(n)", "`print` is not supported yet"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_names_and_values(kernel, marker, message):
    error = fails(kernel)
    assert error.message == message
    assert_at(error, marker)


@eft.jit
def annotated_pointer(x_ptr: "*fp16", n):  # noqa: F722
    pass


@eft.jit
def annotated_number(x_ptr, n: tl.pointer_type(tl.int32)):
    pass


@eft.jit
def annotated_double(x_ptr, n: tl.float64):
    pass


@pytest.mark.parametrize(
    "kernel, types, marker, message",
    [
        (
            annotated_pointer,
            "*fp32 i32",
            "x_ptr: ",
            "the parameter 'x_ptr' is annotated as pointer<fp16>, got an argument of type "
            "pointer<fp32>",
        ),
        (
            annotated_number,
            "*fp32 i32",
            "n: ",
            "the parameter 'n' is annotated as pointer<int32>, got an argument of type int32",
        ),
        (
            annotated_double,
            "*fp32 fp32",
            "n: ",
            "the parameter 'n' is annotated as fp64, but a Python float arrives as fp32: pass an "
            "array of one fp64",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_annotations(kernel, types, marker, message):
    error = fails(kernel, types)
    assert error.message == message
    assert_at(error, marker)


@eft.jit
def returns_value(x_ptr, n):
    return n


def test_kernel_that_returns_a_value():
    error = fails(returns_value)
    assert error.message == "a kernel can't return a value, got a value of type int32"
    assert_at(error, "def returns_value")


def test_source_that_can_not_be_read():
    namespace = {"eft": eft, "tl": tl}
    exec("@eft.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, 0)", namespace)
    with pytest.raises(eft.CompilationError) as raised:
        lower(namespace["kernel"], "*fp32")
    assert raised.value.message == (
        "the source of 'kernel' can't be read: a kernel must be defined in a file or in a "
        "notebook's "
        "cell, not by exec or in an interactive session"
    )
    assert raised.value.file == "<string>"


def test_kernel_that_is_a_lambda():
    kernel = eft.jit(lambda x_ptr: None)
    with pytest.raises(eft.CompilationError) as raised:
        lower(kernel, "*fp32")
    assert raised.value.message == (
        "'test_kernel_that_is_a_lambda.<locals>.<lambda>' can't be a kernel: it must be defined "
        "by a "
        "`def` statement"
    )


def test_starred_parameters():
    def kernel(*pointers):
        pass

    with pytest.raises(TypeError) as raised:
        eft.jit(kernel)
    assert str(raised.value) == "kernel() can't be a kernel: it takes * or ** parameters"


def test_call_without_a_grid():
    with pytest.raises(RuntimeError) as raised:
        two(1, 2)
    assert (
        str(raised.value) == "two() runs on a grid: call two[grid](...), or call it from a kernel"
    )


def test_builtin_outside_of_a_kernel():
    with pytest.raises(RuntimeError) as raised:
        tl.program_id(0)
    assert str(raised.value) == "the functions of eft.language can only be called in a kernel"


def test_a_launch_shows_no_frame_of_the_compiler():
    with pytest.raises(eft.CompilationError) as raised:
        undefined_name[1](np.zeros(1, np.float32), 1)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    frames = [entry.path.name for entry in raised.traceback]
    assert not set(frames) & {"functions.py", "expressions.py", "statements.py", "driver.py"}


def test_a_bug_is_not_the_users_mistake(monkeypatch):
    def broken(*args):
        raise KeyError("oops")

    monkeypatch.setattr("eft.language.operators.compare", broken)
    with pytest.raises(eft.InternalError) as raised:
        lower(run_time_if, "*fp32 i32")
    lines = str(raised.value).splitlines()
    assert lines[0] == "KeyError: 'oops'"
    assert lines[1] == "This is a bug in Eft. Please report this text, and the kernel."
    assert lines[2].startswith(f"at {__file__}:")


@pytest.mark.parametrize(
    "launch, message",
    [
        (
            lambda x: extent[1](x),
            "extent() missing 2 required positional arguments: 'n' and 'N'",
        ),
        (
            lambda x: extent[1](x, 1, 32, block=2),
            "extent() got an unexpected keyword argument 'block'; the options are num_warps, "
            "num_stages, num_ctas, maxnreg and debug",
        ),
        (
            lambda x: extent[1](x, 1, N=[32]),
            "kernel 'extent': argument 'N' is a constexpr and must be hashable, got list",
        ),
        (
            lambda x: extent[1](x.astype(np.complex64), 1, 32),
            "kernel 'extent': argument 'x_ptr' has element type complex64, expected bool, int8 to "
            "int64, uint8 to uint64, float16, bfloat16, float32 or float64",
        ),
    ],
    ids=["missing", "unknown", "unhashable", "dtype"],
)
def test_arguments_of_a_launch(launch, message):
    with pytest.raises(TypeError) as raised:
        launch(np.zeros(32, np.float32))
    assert str(raised.value) == message


@eft.jit
def plain(x_ptr):
    tl.store(x_ptr, 1)


def compiled_from(text, monkeypatch):
    """The error that compiling this IR in place of `plain`'s gives."""
    from eft import _compiler, driver

    monkeypatch.setattr(driver, "_lower", lambda *args: _compiler.Context().parse(text))
    variant = driver.Variant("cpu", ("*fp32",), {}, {"num_warps": 4}, ("",))
    with pytest.raises((eft.CompilationError, eft.InternalError)) as raised:
        driver._run_compiler(plain, variant, keep_stages=False)
    return raised.value


def test_what_the_compiler_refuses_at_a_place(monkeypatch):
    text = f"""
    func.func @f() {{ return }}
    func.func @g() {{ return }} loc(callsite("{__file__}":2:1 at "caller.py":7:3))
    """
    error = compiled_from(text, monkeypatch)
    assert type(error) is eft.CompilationError
    assert "is a second public function" in error.message
    assert (error.file, error.line, error.column) == (__file__, 2, 1)
    assert error.source.startswith('"""Every mistake')
    assert error.calls == [("caller.py", 7, 3, "a kernel")]


def test_what_the_compiler_refuses_without_a_place(monkeypatch):
    error = compiled_from("module {} loc(unknown)", monkeypatch)
    assert type(error) is eft.InternalError
    assert error.message == ("compiling 'plain' failed: has no public function to compile")
    assert "target='cpu'" in error.report


@eft.jit
def adds(x_ptr, n):
    n + n


def test_ir_that_does_not_verify_is_a_bug(monkeypatch):
    from eft.language import operators
    from eft.language.tensor import op

    monkeypatch.setitem(
        operators.BINARY, "add", ("+", lambda x, y: op("arith.addf", [x, y], x.type))
    )
    with pytest.raises(eft.InternalError) as raised:
        lower(adds, "*fp32 i32")
    assert raised.value.message.startswith(
        "the frontend made IR that does not verify: 'arith.addf'"
    )
    line = adds.fn.__code__.co_firstlineno + 2
    assert raised.value.report.startswith(f"{__file__}:{line}:5\nmodule")
