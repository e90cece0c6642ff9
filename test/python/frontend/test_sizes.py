# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose code would be far too large: the errors come soon, and name the right place."""
# ruff: noqa: B007 (what the loops count does not matter)

import eft
import eft.language as tl
import pytest
from eft.compiler import emitter
from support import assert_mistake, fails, lower


@eft.jit
def unrolled(x_ptr, END: tl.constexpr):
    for i in tl.static_range(END):
        pass


@eft.jit
def unrolled_downwards(x_ptr, END: tl.constexpr):
    for i in tl.static_range(0, END, -3):
        pass


@pytest.mark.parametrize(
    "kernel, end, turns",
    [
        (unrolled, 10**4 + 1, "10001"),
        (unrolled, 10**15, "1000000000000000"),
        (unrolled, 10**6000, "~2**19931"),
        (unrolled_downwards, -(3 * 10**4) - 1, "10001"),
    ],
    ids=lambda value: "" if isinstance(value, int) else None,
)
def test_loops_that_are_unrolled_too_often(kernel, end, turns):
    assert_mistake(
        kernel,
        "tl.static_range",
        f"static_range unrolls a loop at most 10000 times, got {turns}",
        "*fp32 _",
        END=end,
    )


def test_the_longest_unrolled_loops():
    lower(unrolled, "*fp32 _", END=10**4)
    lower(unrolled, "*fp32 _", END=-(10**100))
    lower(unrolled_downwards, "*fp32 _", END=-3 * 10**4)


TOO_LARGE = (
    "a kernel may have at most {} operations, with those of the functions that it calls and of "
    "every turn of an unrolled loop"
)


@eft.jit
def unrolled_within(x_ptr):
    for i in tl.static_range(10000):
        for j in tl.static_range(10000):
            pass


def test_unrolled_loops_within_each_other():
    assert_mistake(unrolled_within, "for j", TOO_LARGE.format(100000), "*fp32")


@eft.jit
def many_operations(x_ptr, n):
    for i in tl.static_range(100):
        n = n * n
    tl.store(x_ptr, n)


def test_too_many_operations(monkeypatch):
    monkeypatch.setattr(emitter, "MOST_OPERATIONS", 300)
    lower(many_operations, "*i32 i32")
    monkeypatch.setattr(emitter, "MOST_OPERATIONS", 151)
    assert_mistake(many_operations, "n * n", TOO_LARGE.format(151), "*i32 i32")


def test_calls_that_become_too_many_when_they_are_inlined(tmp_path):
    path = tmp_path / "calls.py"
    text = "import eft\n@eft.jit\ndef f0(n):\n    return n + n\n"
    for i in range(1, 40):
        text += f"@eft.jit\ndef f{i}(n):\n    return f{i - 1}(f{i - 1}(n))\n"
    path.write_text(text + "@eft.jit\ndef kernel(n):\n    f39(n)\n")
    namespace = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    error = fails(namespace["kernel"], "i32")
    assert error.message == TOO_LARGE.format(100000)
    assert error.source == "    return f13(f13(n))"
    assert [function for *_, function in error.calls][-1] == "kernel"
