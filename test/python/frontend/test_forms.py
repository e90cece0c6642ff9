# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that Triton compiles although its reference does not describe it."""

import types

import eft
import eft.language as tl
import numpy as np
import pytest
from support import lower

SCALE = tl.constexpr(2)
PLAIN = 3
module = types.ModuleType("module")
module.NUMBER = 5


def run(kernel, *args, size: int = 8, **kwargs) -> list[float]:
    x = np.zeros(size, np.float32)
    kernel[(1,)](x, *args, **kwargs)
    return x.tolist()


# -- pointers as conditions ------------------------------------------------------------------------


@eft.jit
def asks_for_a_pointer(x_ptr, p, n):
    if p:
        tl.store(x_ptr, 1)
    if not p:
        tl.store(x_ptr + 1, 1)
    if p and n > 2:
        tl.store(x_ptr + 2, 1)
    tl.store(x_ptr + 3, 1 if p else 2)


@pytest.mark.parametrize("n, last", [(1, 0), (3, 1)])
def test_a_pointer_is_true_where_it_is_not_null(n, last):
    there = np.zeros(1, np.float32)
    assert run(asks_for_a_pointer, there, n)[:4] == [1, 0, last, 1]
    assert run(asks_for_a_pointer, there[:0].reshape(0), n)[3] in (1, 2)


def test_a_pointer_that_is_none_is_false():
    @eft.jit
    def kernel(x_ptr, p):
        if p:
            tl.store(x_ptr, 1)
        else:
            tl.store(x_ptr, 2)

    assert run(kernel, None)[0] == 2
    assert "scf.if" not in lower(kernel, "*fp32 _", p=None)
    assert "eft.cast_ptr" in lower(kernel, "*fp32 *fp32")


# -- numbers as blocks -----------------------------------------------------------------------------


@eft.jit
def indexes_a_number(x_ptr, n):
    a = n[:, None]
    b = n[None, :, None]
    tl.static_assert(a.shape == (1,) and b.shape == (1, 1) and n[:].shape == ())
    i = tl.arange(0, 4)
    tl.store(x_ptr + i, a + i)
    tl.store(x_ptr + 4 + i[:, None], n[:, None, None] + i[:, None])


def test_a_number_keeps_no_dimension():
    assert run(indexes_a_number, 10) == [10, 11, 12, 13] * 2


# -- types of pointers to blocks -------------------------------------------------------------------


@eft.jit
def asks_for_the_type_of_a_window(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,))
    tl.static_assert(p.type.element_ty.shape == (8,))
    tl.static_assert(p.type.element_ty.element_ty == tl.float32 and p.type.is_ptr())
    tl.static_assert(p.type == p.advance((8,)).type and not p.type.is_block())
    value = tl.full((8,), n, tl.int32)
    tl.store(p, value.to(p.type.element_ty) + value.to(p.type.element_ty.element_ty))


def test_the_type_of_a_window():
    assert run(asks_for_the_type_of_a_window, 8) == [16] * 8


# -- what is known at compile time -----------------------------------------------------------------


@tl.constexpr
def twice(value):
    return 2 * value


@eft.jit
def calls_a_constexpr(x_ptr, B: tl.constexpr):
    size: tl.constexpr = twice(B)
    tl.store(x_ptr + tl.arange(0, size), size)


@eft.jit
def converts_to_a_constexpr(x_ptr, n, TYPE: tl.constexpr):
    value = n.to(TYPE.value)
    tl.static_assert(value.dtype == TYPE and value.dtype == tl.float16)
    tl.store(x_ptr, value)


def test_the_value_of_a_constexpr_that_is_a_dtype():
    # fp16 has 2048 and 2050, but not 2049: the kernel has converted the number to fp16.
    assert run(converts_to_a_constexpr, 2049, TYPE=tl.constexpr(tl.float16))[0] == 2048


def test_a_function_under_constexpr():
    assert run(calls_a_constexpr, B=2)[:5] == [4, 4, 4, 4, 0]
    assert twice(3) == 6


@eft.jit
def unwraps(x_ptr, TYPE: tl.constexpr, B: tl.constexpr):
    element: tl.constexpr = x_ptr.dtype.element_ty
    tl.static_assert(element.value == tl.float32 and TYPE.value == tl.int32)
    tl.store(x_ptr, tl.full((), B.value, TYPE.value))


def test_types_have_the_value_that_a_constexpr_would_have():
    assert run(unwraps, tl.int32, 7)[0] == 7


@eft.jit
def annotates_what_runs(x_ptr, n):
    size: tl.constexpr = SCALE * n
    tl.store(x_ptr, size)
    size = size + 1
    tl.store(x_ptr + 1, size)


def test_an_annotation_of_what_is_known_at_run_time():
    with pytest.warns(UserWarning) as warned:
        assert run(annotates_what_runs, 4)[:2] == [8, 9]
    (warning,) = {str(each.message): each for each in warned}.values()
    assert str(warning.message) == (
        "the constexpr 'size' needs a value that is known at compile time, got a value of type "
        "int32: it is a variable"
    )
    place = annotates_what_runs.starting_line_number + 2
    assert (warning.filename, warning.lineno) == (__file__, place)


@eft.jit
def reads_a_module(x_ptr):
    tl.store(x_ptr, module.NUMBER + 0.5)


def test_a_number_of_a_module():
    assert run(reads_a_module)[0] == 5.5


# -- the variable of a loop ------------------------------------------------------------------------


@eft.jit
def reads_the_variable(x_ptr, start, stop, STEP: tl.constexpr):
    for i in range(start, stop, STEP):
        tl.store(x_ptr, i)
    tl.store(x_ptr + 1, i)
    if i > 2:
        tl.store(x_ptr + 2, i + 1)
    for i in range(2):
        tl.store(x_ptr + 3, i)
    tl.store(x_ptr + 4, i)


@pytest.mark.parametrize(
    "start, stop, step, last",
    [
        (0, 3, 1, 2), (1, 9, 3, 7), (1, 10, 3, 7), (9, 1, -3, 3), (-4, -1, 2, -2), (5, 5, 1, 5),
        (7, 5, 2, 7),
    ],
)  # fmt: skip
def test_a_variable_after_its_loop_is_that_of_the_last_turn(start, stop, step, last):
    out = run(reads_the_variable, start, stop, STEP=step)
    assert out[1] == last
    if range(start, stop, step):
        assert out[0] == out[1]
    assert out[2] == (last + 1 if last > 2 else 0)
    assert out[3:5] == [1, 1]


@eft.jit
def has_a_value_before(x_ptr, n):
    i = 9
    for i in range(n):  # noqa: B007
        pass
    tl.store(x_ptr, i)


def test_a_variable_that_had_a_value_keeps_it_where_no_turn_ran():
    assert [run(has_a_value_before, n)[0] for n in (0, 1, 3)] == [9, 0, 2]


def test_a_variable_that_nobody_reads_makes_no_code():
    @eft.jit
    def kernel(x_ptr, n):
        for i in range(n):
            tl.store(x_ptr + i, i)

    ir = lower(kernel, "*fp32 i32")
    assert "iter_args" not in ir and ir.count("arith.subi") == 0


# -- plain globals ---------------------------------------------------------------------------------


@eft.jit
def reads_a_plain_number(x_ptr, N: tl.constexpr):
    tl.store(x_ptr, PLAIN + N)


def test_plain_numbers_are_read_where_that_is_allowed(monkeypatch):
    with pytest.raises(eft.CompilationError, match="'PLAIN' is 3 outside of the kernel"):
        run(eft.jit(reads_a_plain_number), N=0)
    monkeypatch.setenv("EFT_ALLOW_NON_CONSTEXPR_GLOBALS", "1")
    kernel = eft.jit(reads_a_plain_number)
    assert run(kernel, N=0)[0] == 3
    monkeypatch.setitem(globals(), "PLAIN", 4)
    with pytest.raises(eft.CompilationError, match="'PLAIN' has changed from 3 to 4"):
        run(kernel, N=1)
    assert run(eft.jit(reads_a_plain_number), N=1)[0] == 5
    monkeypatch.setitem(globals(), "PLAIN", [4])
    with pytest.raises(eft.CompilationError, match="'PLAIN' is a tuple or list of 1 outside"):
        run(eft.jit(reads_a_plain_number), N=2)
