# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors for mistakes in control flow: their text and their place."""
# ruff: noqa: F821, F841, B007, B018 (the kernels are wrong on purpose)

import eft
import eft.language as tl
import numpy as np
import pytest
from source_places import filled
from support import assert_at, assert_mistake, fails, lower, mistakes


@eft.jit
def endless(x_ptr, n):
    while True:
        n += 1


@eft.jit
def breaks(x_ptr, n):
    for i in range(n):
        break


@eft.jit
def continues(x_ptr, n):
    for i in range(n):
        continue


@eft.jit
def returns_from_a_loop(x_ptr, n):
    for i in range(n):
        if i == 3:
            return


@eft.jit
def loop_with_else(x_ptr, n):
    while n > 0:
        n -= 1
    else:
        n = 1


@eft.jit
def block_decides(x_ptr, n):
    if tl.arange(0, 8) > n:
        pass


@eft.jit
def two_kinds_of_choice(x_ptr, n):
    n = n if n > 0 else None


@eft.jit
def loops_over_a_number(x_ptr, n):
    for i in n:
        pass


@eft.jit
def loops_over_a_tuple(x_ptr, n):
    for i in (1, 2):
        pass


@eft.jit
def loop_with_two_variables(x_ptr, n):
    for i, j in range(n):
        pass


@eft.jit
def comprehension_of_run_time(x_ptr, n):
    [x_ptr + i for i in range(n)]


@eft.jit
def comprehension_of_a_number(x_ptr, n):
    [x_ptr + i for i in n]


@eft.jit
def comprehension_with_a_choice(x_ptr, n):
    [x_ptr + i for i in (1, 2) if i < n]


@eft.jit
def comprehension_of_many(x_ptr, n):
    [i for i in range(10001)]


@eft.jit
def variable_of_a_comprehension(x_ptr, n):
    [i for i in range(4)]
    n + i


@eft.jit
def range_of_floats(x_ptr, n):
    for i in range(0.5, n):
        pass


@eft.jit
def range_of_blocks(x_ptr, n):
    for i in range(tl.arange(0, 8)):
        pass


@eft.jit
def range_without_bounds(x_ptr, n):
    for i in range():
        pass


@eft.jit
def range_without_a_step(x_ptr, n):
    for i in range(0, n, 0):
        pass


@eft.jit
def unsigned_range_from_below_zero(x_ptr, n):
    for i in range(-1, n.to(tl.uint32)):
        pass


@eft.jit
def stages_at_run_time(x_ptr, n):
    for i in tl.range(0, n, num_stages=n):
        pass


@eft.jit
def flag_of_text(x_ptr, n):
    for i in tl.range(0, n, flatten="yes"):
        pass


@eft.jit
def unrolled_at_run_time(x_ptr, n):
    for i in tl.static_range(n):
        pass


@eft.jit
def unrolled_by_floats(x_ptr, n):
    for i in tl.static_range(4.0):
        pass


@eft.jit
def unrolled_without_a_step(x_ptr, n):
    for i in tl.static_range(4, 1, step=0):
        pass


@eft.jit
def assigns_a_constant(x_ptr, n):
    WIDTH: tl.constexpr = 4
    for i in range(n):
        WIDTH = 5


@eft.jit
def wrong_assertion(x_ptr, n):
    assert x_ptr.dtype.element_ty == tl.float64, f"got {x_ptr.dtype.element_ty}"


@eft.jit
def wrong_assertion_without_words(x_ptr, n):
    tl.static_assert(1 + 1 == 3)


@eft.jit
def wrong_static_assertion(x_ptr, n):
    tl.static_assert(1 + 1 == 3, "so it is")


@eft.jit
def static_assertion_at_run_time(x_ptr, n):
    tl.static_assert(n > 3)


@eft.jit
def leads_on(x_ptr, n):
    for i in tl.static_range(12):
        if n > i:
            if n > 2 * i:
                return
    tl.store(x_ptr, n)


@mistakes(
    (endless, "True", "this `while` would never end: its condition is true at compile time"),
    (breaks, "break", "`break` can't be used in a kernel: a `while` has a condition to end by"),
    (continues, "continue", "`continue` can't be used in a kernel: an `if` can leave out the rest"),
    (returns_from_a_loop, "return", "a loop that runs at run time can't be left by `return`"),
    (loop_with_else, "while", "a loop's `else` can't be used in a kernel"),
    (
        block_decides,
        "tl.arange(0, 8) > n",
        "`if` needs one truth, got a block of type int1[8], which has one for each element: "
        "tl.where chooses between elements",
    ),
    (
        two_kinds_of_choice,
        "n if n",
        "a conditional expression that is decided at run time must be the same kind of value "
        "either way, got a value of type int32 and None",
    ),
    (
        loops_over_a_number,
        "n:",
        "a `for` loop runs over `range`, `tl.range` or `tl.static_range`, got a value of type "
        "int32",
    ),
    (
        loops_over_a_tuple,
        "(1, 2)",
        "a `for` loop runs over `range`, `tl.range` or `tl.static_range`, got a tuple or list of "
        "2: count its elements by tl.static_range",
    ),
    (loop_with_two_variables, "for i, j", "a loop's variable must be a name"),
    (
        comprehension_of_run_time,
        "range(n)]",
        "a comprehension runs over a tuple or a range that is known at compile time, got bounds "
        "of run time",
    ),
    (
        comprehension_of_a_number,
        "n]",
        "a comprehension runs over a tuple or a range that is known at compile time, got a value "
        "of type int32",
    ),
    (
        comprehension_with_a_choice,
        "i < n]",
        "the condition of a comprehension must be known at compile time, got a value of type int1",
    ),
    (
        comprehension_of_many,
        "range(10001)",
        "static_range unrolls a loop at most 10000 times, got 10001",
    ),
    (variable_of_a_comprehension, "i", "'i' is not defined"),
    (range_of_floats, "range(0.5, n)", "range needs integers, got 0.5"),
    (range_of_blocks, "range(tl", "range needs integers, got a block of type int32[8]"),
    (range_without_bounds, "range()", "TypeError: range expected at least 1 argument, got 0"),
    (range_without_a_step, "range(0, n, 0)", "range needs a step that is not zero"),
    (
        unsigned_range_from_below_zero,
        "range(-1",
        "the negative number -1 meets an operand of type uint32: cast one of them",
    ),
    (
        stages_at_run_time,
        "tl.range",
        "a hint of tl.range must be an int or None, got a value of type int32",
    ),
    (flag_of_text, "tl.range", "a hint of tl.range must be True or False, got 'yes'"),
    (
        unrolled_at_run_time,
        "tl.static_range",
        "'static_range' runs at compile time and can't take a value that is known only at run time",
    ),
    (
        unrolled_by_floats,
        "tl.static_range",
        "static_range needs ints that are known at compile time, got 4.0",
    ),
    (unrolled_without_a_step, "tl.static_range", "static_range needs a step that is not zero"),
    (assigns_a_constant, "WIDTH = 5", "'WIDTH' is a constexpr and can't be assigned again"),
    (wrong_assertion, "assert", "this assertion does not hold: got fp32"),
    (wrong_assertion_without_words, "tl.static", "this assertion does not hold"),
    (wrong_static_assertion, "tl.static", "this assertion does not hold: so it is"),
    (
        static_assertion_at_run_time,
        "tl.static",
        "static_assert needs a condition that is known at compile time, got a value of type int1",
    ),
    (
        leads_on,
        "if n > i",
        "too many nested early returns: the statements behind a `return` under a condition are "
        "compiled for each way that leads to them",
    ),
)
def test_control_flow(kernel, marker, message):
    assert_mistake(kernel, marker, message)


@eft.jit
def gives_either(n):
    if n > 0:
        return n
    return 0.5


@eft.jit
def gives_sometimes(n):
    if n > 0:
        return n


@eft.jit
def calls_gives_either(x_ptr, n):
    gives_either(n)


@eft.jit
def calls_gives_sometimes(x_ptr, n):
    gives_sometimes(n)


def test_returns_that_differ():
    error = fails(calls_gives_either)
    assert error.message == filled(
        "a function must return the same kind of value whatever is decided at run time: it is a "
        "value of type int32 from <return n>, and 0.5 from <return 0.5>",
        gives_either,
    )
    assert_at(error, "return 0.5")
    error = fails(calls_gives_sometimes)
    assert error.message == filled(
        "a function must return the same kind of value whatever is decided at run time: it is a "
        "value of type int32 from <return n>, and None from <def gives>",
        gives_sometimes,
    )


def from_file(tmp_path, body: str):
    """A kernel of x_ptr, n and a constexpr C, whose body is generated text."""
    path = tmp_path / "written.py"
    head = "import eft.language as tl, eft\n@eft.jit\ndef kernel(x_ptr, n, C: tl.constexpr):\n"
    path.write_text(head + body)
    namespace = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace["kernel"]


@pytest.mark.parametrize("condition", ["n == {}", "C == {}", "n == {} and C > 0"])
@pytest.mark.parametrize(
    "way", ["        x = {}\n", "        tl.store(x_ptr, {})\n        return\n"]
)
def test_a_long_chain_of_conditions(tmp_path, device, condition, way):
    ways = "".join(f"    elif {condition.format(i)}:\n{way.format(i)}" for i in range(150))
    kernel = from_file(
        tmp_path, f"    x = -1\n    if n < 0:\n        pass\n{ways}    tl.store(x_ptr, x)\n"
    )
    for n in (-1, 0, 80, 149, 150):
        x = device.put(np.zeros(1, np.int32))
        kernel[1](x, n, C=n)
        is_found = 0 <= n < 150 and not (n == 0 and "and" in condition)
        assert device.get(x)[0] == (n if is_found else -1)


def test_nested_too_deeply(tmp_path):
    ways = "".join(f"    if n == {i}:\n        return\n" for i in range(400))
    kernel = from_file(tmp_path, ways + "    tl.store(x_ptr, n)\n")
    with pytest.raises(eft.CompilationError) as raised:
        lower(kernel, "*i32 i32 _", C=0)
    assert raised.value.message == (
        "too much is nested here: calls of functions in functions, statements in statements, or "
        "what follows a `return` under a condition"
    )


def test_too_many_conditions_in_an_expression(tmp_path):
    ways = "".join(f"{i} if n == {i} else " for i in range(1001))
    kernel = from_file(tmp_path, f"    tl.store(x_ptr, {ways} 0)\n")
    with pytest.raises(eft.CompilationError) as raised:
        lower(kernel, "*i32 i32 _", C=0)
    assert raised.value.message == (
        "a conditional expression has at most 1000 conditions that exist at run time"
    )


def test_too_many_conditions(tmp_path):
    ways = "".join(f"    elif n == {i}:\n        pass\n" for i in range(1000))
    kernel = from_file(tmp_path, f"    if n < 0:\n        pass\n{ways}")
    with pytest.raises(eft.CompilationError) as raised:
        lower(kernel, "*i32 i32 _", C=0)
    assert raised.value.message == "an `if` has at most 1000 conditions that exist at run time"
    assert (raised.value.line, raised.value.column) == (2 * 1000 + 4, 5)
