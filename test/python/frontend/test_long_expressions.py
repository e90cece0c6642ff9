# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions that are nearly too long for Python's parser, and launches from deep recursion."""

import eft
import numpy as np
import pytest
from support import lower

#: Python 3.10 to 3.12 parse sums of nearly 3000 terms, fewer in deep recursion; 3.13 parses more.
LONG = 2400


def from_text(tmp_path, body: str):
    """A kernel of a pointer, an int32 and a constexpr."""
    path = tmp_path / "long.py"
    path.write_text(
        f"""
import eft
import eft.language as tl

@eft.jit
def plus_one(x):
    return x + 1

@eft.jit
def kernel(x_ptr, n, C: tl.constexpr):
{body}
"""
    )
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["kernel"]


@pytest.mark.parametrize(
    "expression, expected",
    [
        (" + ".join(["n"] * LONG), 3 * LONG),
        (" + ".join(["1"] * LONG), LONG),
        (" - ".join(["C"] * LONG), 2 - LONG),
        ("n" + ".to(tl.int32).abs()" * (LONG // 4), 3),
        ("tl.abs(" * 190 + "n" + ")" * 190, 3),
        ("plus_one(" * 190 + "n" + ")" * 190, 193),
        ("(1 + plus_one(n) * " * 180 + "0" + ")" * 180, sum(4**i for i in range(180))),
        ("- " * LONG + "n", 3),
        ("not " * LONG + "n", 1),
        ("".join(f"{i} if C == {i + 2} else " for i in range(1, LONG)) + "7", 7),
        ("".join(f"{i} if n == {i} else " for i in range(150)) + "7", 3),
        (" and ".join(["n > 0"] * 500), 1),
        (" <= ".join(["n"] * 500), 1),
        ("(" * 90 + "n" + ",)" * 90 + "[0]" * 90, 3),
    ],
    ids=range(14),
)
def test_a_long_expression(tmp_path, expression, expected):
    x = np.zeros(1, np.int32)
    from_text(tmp_path, f"    tl.store(x_ptr, {expression})")[(1,)](x, 3, C=1)
    assert x[0] == (expected + 2**31) % 2**32 - 2**31


def test_many_conditions_of_the_compile_time(tmp_path):
    ways = "".join(f"    elif C == {i}:\n        pass\n" for i in range(2, LONG))
    x = np.zeros(1, np.int32)
    text = f"    if C == 0:\n        pass\n{ways}    else:\n        tl.store(x_ptr, n)\n"
    from_text(tmp_path, text)[(1,)](x, 3, C=1)
    assert x[0] == 3


def nested(depth: int, call):
    """The result of `call()`, which is called at a recursion depth of `depth`."""
    return nested(depth - 1, call) if depth else call()


def test_a_compile_under_many_calls(tmp_path):
    text = f"    tl.store(x_ptr, {' + '.join(['n'] * LONG)})"
    kernel = from_text(tmp_path, text)
    ir = nested(800, lambda: lower(kernel, "*i32 i32 _", C=0))
    assert ir == lower(from_text(tmp_path, text), "*i32 i32 _", C=0)


def test_a_mistake_under_many_calls(tmp_path):
    kernel = from_text(tmp_path, "    tl.store(x_ptr, wrong)")
    with pytest.raises(eft.CompilationError) as raised:
        nested(800, lambda: lower(kernel, "*i32 i32 _", C=0))
    assert raised.value.message == "'wrong' is not defined"


def test_a_message_shows_the_beginning_of_a_long_expression(tmp_path):
    expression = " + ".join(["n"] * LONG)
    kernel = from_text(tmp_path, f"    x = lambda: {expression}")
    with pytest.raises(eft.CompilationError) as raised:
        lower(kernel, "*i32 i32 _", C=0)
    assert len(raised.value.message) < 200
    assert raised.value.message.startswith("this expression can't be used in a kernel: `")
