# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors for variables that have no value after a branch or a loop, or that change their type."""
# ruff: noqa: F821, F841, B007, B018 (the kernels are wrong on purpose)

import eft
import eft.language as tl
from source_places import filled
from support import assert_mistake, mistakes


@eft.jit
def assigned_in_one_branch(x_ptr, n):
    if n > 0:
        value = n  # assigned
    tl.store(x_ptr, value)


@eft.jit
def assigned_in_else(x_ptr, n):
    if n > 0:
        pass
    else:
        value = n  # assigned
    tl.store(x_ptr, value)


@eft.jit
def two_types(x_ptr, n):
    if n > 0:
        value = n  # first
    else:
        value = 0.5  # second
    tl.store(x_ptr, value)


@eft.jit
def none_or_value(x_ptr, n):
    value = None  # second
    if n > 0:
        value = n  # first
    tl.store(x_ptr, value)


@eft.jit
def two_shapes(x_ptr, n):
    value = (n, tl.arange(0, 8))  # second
    if n > 0:
        value = (n, tl.arange(0, 4))  # first
    tl.store(x_ptr, value[0])


@eft.jit
def first_in_a_loop(x_ptr, n):
    for i in range(n):
        value = i  # assigned
    tl.store(x_ptr, value)


@eft.jit
def variable_after_its_loop(x_ptr, n):
    for i in range(n):
        i = i + 1  # assigned
    tl.store(x_ptr, i)


@eft.jit
def variable_of_another_type(x_ptr, n):
    i = 0.5  # before
    for i in range(n):
        pass
    tl.store(x_ptr, i)


@eft.jit
def first_in_a_while(x_ptr, n):
    while n > 0:
        value = n  # assigned
        n -= 1
    tl.store(x_ptr, value)


@mistakes(
    (
        assigned_in_one_branch,
        "value)",
        "'value' may have no value here: it is assigned at <assigned>, in only one branch of "
        "the `if` at <if n>",
    ),
    (
        assigned_in_else,
        "value)",
        "'value' may have no value here: it is assigned at <assigned>, in only one branch of "
        "the `if` at <if n>",
    ),
    (
        two_types,
        "value)",
        "'value' can't be used after the `if` at <if n>, which is decided at run time: it is "
        "a value of type int32 from <first>, and a value of type fp32 from <second>",
    ),
    (
        none_or_value,
        "value)",
        "'value' can't be used after the `if` at <if n>, which is decided at run time: it is "
        "a value of type int32 from <first>, and None from <second>",
    ),
    (
        two_shapes,
        "value[0]",
        "'value' can't be used after the `if` at <if n>, which is decided at run time: it is "
        "(a value of type int32, a block of type int32[4]) from <first>, and (a value of type "
        "int32, a block of type int32[8]) from <second>",
    ),
    (
        first_in_a_loop,
        "value)",
        "'value' may have no value here: it is first assigned at <assigned>, in the loop at "
        "<for i>, which may run no iteration",
    ),
    (
        variable_after_its_loop,
        "i)",
        "'i' may have no value here: it is first assigned at <i = i + 1>, in the loop at <for i>, "
        "which may run no iteration",
    ),
    (
        variable_of_another_type,
        "i)",
        "'i' can't be used after the loop at <for i>: it is a value of type fp32 from "
        "<before>, and a value of type int32 from <i in>",
    ),
    (
        first_in_a_while,
        "value)",
        "'value' may have no value here: it is first assigned at <assigned>, in the loop at "
        "<while n>, which may run no iteration",
    ),
)
def test_names_without_a_value(kernel, marker, message):
    assert_mistake(kernel, marker, filled(message, kernel))


@eft.jit
def changes_type(x_ptr, n):
    total = 0  # before
    for i in range(n):
        total += 0.5  # after
    tl.store(x_ptr, total)


@eft.jit
def changes_sign(x_ptr, n):
    while n > 0:
        n = n.to(tl.uint32)  # after


@eft.jit
def changes_shape(x_ptr, n):
    block = tl.arange(0, 8)  # before
    while n > 0:
        block = block[:, None] + tl.arange(0, 8)  # after
        n -= 1


@eft.jit
def changes_length(x_ptr, n):
    pair = (n, n)  # before
    for i in range(n):
        pair = (n, n, n)  # after


@eft.jit
def changes_from_none(x_ptr, n):
    last = None  # before
    for i in range(n):
        last = i  # after


@eft.jit
def changes_text(x_ptr, n):
    mode = "a"  # before
    for i in range(n):
        mode = "b"  # after


@eft.jit
def changes_in_a_branch(x_ptr, n):
    total = 0  # second
    for i in range(n):
        if i > 3:
            total = 0.5  # first


@eft.jit
def changes_in_the_condition(x_ptr, n):
    total = 0  # before
    while (total := 0.5) < n:  # after
        pass


@mistakes(
    (
        changes_type,
        "total +=",
        "'total' must keep its type in the loop at <for i>: it is a value of type int32 from "
        "<before>, and a value of type fp32 from <after>",
    ),
    (
        changes_sign,
        "n = n.to",
        "'n' must keep its type in the loop at <while n>: it is a value of type int32 from "
        "<n):>, and a value of type uint32 from <after>",
    ),
    (
        changes_shape,
        "block = block",
        "'block' must keep its type in the loop at <while n>: it is a block of type int32[8] "
        "from <before>, and a block of type int32[8, 8] from <after>",
    ),
    (
        changes_length,
        "pair = (n, n, n)",
        "'pair' must stay the same in the loop at <for i>: it is (a value of type int32, a "
        "value of type int32) from <before>, and (a value of type int32, a value of type "
        "int32, a value of type int32) from <after>",
    ),
    (
        changes_from_none,
        "last = i",
        "'last' must stay the same in the loop at <for i>: it is None from <before>, and a "
        "value of type int32 from <after>",
    ),
    (
        changes_text,
        'mode = "b"',
        "'mode' must stay the same in the loop at <for i>: it is 'a' from <before>, and 'b' "
        "from <after>",
    ),
    (
        changes_in_a_branch,
        "for i",
        "'total' can't be used after the `if` at <if i>, which is decided at run time: it is "
        "a value of type fp32 from <first>, and a value of type int32 from <second>",
    ),
    (
        changes_in_the_condition,
        "total := 0.5",
        "'total' must keep its type in the loop at <while>: it is a value of type int32 from "
        "<before>, and a value of type fp32 from <total :=>",
    ),
)
def test_names_that_a_loop_changes(kernel, marker, message):
    assert_mistake(kernel, marker, filled(message, kernel))
