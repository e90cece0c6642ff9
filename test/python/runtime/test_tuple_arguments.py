# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuples as arguments of launches, and `*args`."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import eft
import eft.language as tl
import numpy as np
import pytest
from eft.driver import Variant
from support import assert_mistake, key_of

N = 16


class Strided(NamedTuple):
    ptr: object
    stride: int
    factor: tl.constexpr = 1


Pair = namedtuple("Pair", "left right")


@eft.jit
def scaled(x, other, out, n, BLOCK: tl.constexpr):
    tl.static_assert(isinstance(x.factor, int))
    i = tl.arange(0, BLOCK)
    value = tl.load(x.ptr + i * x.stride, mask=i < n, other=0)
    shift, (first, second) = other
    tl.store(out + i, value * x.factor + shift * first + tl.load(second + i))


def test_nested_tuples_with_arrays_numbers_and_constants(device):
    x, y = np.arange(2 * N, dtype=np.float32), np.ones(N, np.float32)
    x_in, y_in, out = device.put(x), device.put(y), device.put(np.zeros(N, np.float32))
    scaled[1](Strided(x_in, 2, 3), (0.5, [4, y_in]), out, N, BLOCK=N)
    assert np.array_equal(device.get(out), x[::2] * 3 + 2 + 1)
    scaled[1](Strided(x_in, 1, tl.constexpr(5)), (2, (1.5, y_in)), out, 8, BLOCK=N)
    assert np.array_equal(device.get(out), np.where(np.arange(N) < 8, x[:N] * 5, 0) + 3 + 1)


def test_a_grid_gets_the_tuples(device):
    out, seen = device.put(np.zeros(N, np.float32)), []

    def grid(arguments):
        seen.append(arguments["other"][0])
        return (arguments["x"].stride,)

    x = Strided(device.put(np.zeros(N, np.float32)), 1, 1)
    scaled[grid](x, (7, (0, out)), out, N, BLOCK=N)
    assert seen == [7]


@eft.jit
def sums(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(len(x)):
        total += tl.load(x[k] + i)
    tl.store(out + i, total)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_tuples_of_any_length(device, count):
    arrays = [np.full(N, k, np.float32) for k in range(count)]
    out = device.put(np.ones(N, np.float32))
    sums[1](tuple(map(device.put, arrays)), out, BLOCK=N)
    assert np.array_equal(device.get(out), np.full(N, sum(range(count))))


def test_a_launch_compiles_once_for_each_form():
    kernel = eft.jit(sums.fn)
    x, out = np.ones(N, np.float32), np.zeros(N, np.float32)
    compiled = [kernel[1](each, out, BLOCK=N) for each in [(x,), (x, x), (out,), [x]]]
    assert compiled[0] is compiled[2] is compiled[3] and compiled[0] is not compiled[1]
    assert len(kernel.kernels_of_elements) == 2
    kernel.hash = None
    assert not kernel.kernels_of_elements
    assert kernel[1]((x,), out, BLOCK=N) is not compiled[0]


@eft.jit
def forms(x, out):
    if len(x) == 2 and isinstance(x[0], tuple):
        tl.store(out, 1)
    else:
        tl.store(out, 2)


def test_forms_of_the_same_elements_differ():
    out = np.zeros(1, np.int32)
    forms[1](((1, 2), 3), out)
    assert out[0] == 1
    forms[1]((1, (2, 3)), out)
    assert out[0] == 2
    variant = Variant("cpu", ("i32", "i32", "i32", "*i32"), {}, {}, None)
    kernels = forms.kernels_of_elements.values()
    assert len({key_of(kernel, variant, "code") for kernel in kernels}) == 2


@eft.jit
def chooses(options, out):
    function, dtype, text, none = options
    if none is None:
        tl.store(out, function(tl.full((), 3, dtype)))
    else:
        tl.static_assert(text == "other")
        tl.store(out, none)


@eft.jit
def squared(x):
    return x * x


def test_functions_types_texts_and_none(device):
    out = device.put(np.zeros(1, np.float32))
    chooses[1]((squared, tl.float32, "some", None), out)
    assert device.get(out)[0] == 9
    chooses[1]((squared, tl.float32, "other", 4), out)
    assert device.get(out)[0] == 4


def test_warmup_and_place():
    x = np.zeros(N, np.float32)
    arguments = (Strided(x, 2, 3), (0.5, (4, x)), x, N)
    compiled = scaled.warmup(*arguments, BLOCK=N)
    assert scaled[1](*arguments, BLOCK=N) is compiled
    assert scaled.place(*arguments, BLOCK=N) == (-1, False)
    types = (Strided(tl.float32, 2, 3), (0.5, (4, tl.float32)), tl.float32, N)
    assert "ld.global" in scaled.warmup(*types, BLOCK=N, target="sm_90").asm["ptx"]


@pytest.mark.parametrize(
    "wrong, found",
    [((0.5, ({}, None)), "other[1][0]"), ((object(), (1, None)), "other[0]")],
)
def test_an_element_that_is_no_argument(wrong, found):
    x = np.zeros(N, np.float32)
    with pytest.raises(TypeError) as raised:
        scaled[1](Strided(x, 1), wrong, x, N, BLOCK=N)
    assert str(raised.value).startswith(
        f"kernel 'scaled': argument '{found}' must be an array, int, float, bool or None, got "
    )


def test_fields_have_their_names_in_errors():
    with pytest.raises(TypeError, match=r"argument 'x\.stride' must be an array"):
        scaled[1](Strided(np.zeros(N), {}), (0, (0, None)), np.zeros(N), N, BLOCK=N)


# -- *args -----------------------------------------------------------------------------------------


@eft.jit
def total(first, *others, factor=1):
    for k in tl.static_range(len(others)):
        first += others[k]
    return first * factor


@eft.jit
def totals(out, a, b):
    tl.store(out, total(a))
    tl.store(out + 1, total(a, b, a))
    tl.store(out + 2, total(*(a, b), factor=10))


def test_functions_take_any_number_of_arguments(device):
    out = device.put(np.zeros(3, np.int32))
    totals[1](out, 3, 4)
    assert list(device.get(out)) == [3, 10, 70]


@eft.jit
def sum_of_all(out, n, *arrays, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, total(*[tl.load(each + i) for each in arrays]), mask=i < n)


def test_kernels_take_any_number_of_arguments(device):
    x = np.arange(N, dtype=np.float32)
    out = device.put(np.zeros(N, np.float32))
    sum_of_all[1](out, N, *[device.put(x)] * 3, BLOCK=N)
    assert np.array_equal(device.get(out), 3 * x)
    sum_of_all[(1,)](out, 4, device.put(x), BLOCK=N)
    assert np.array_equal(device.get(out), np.where(np.arange(N) < 4, x, 3 * x))


@eft.jit
def without_first(x_ptr, n):
    total(factor=3)


@eft.jit
def unknown_name(x_ptr, n):
    total(1, 2, facter=3)


def test_mistakes_in_calls():
    assert_mistake(without_first, "total(", "total() is missing the argument 'first'")
    assert_mistake(
        unknown_name,
        "total(",
        "total() got an unexpected keyword argument 'facter': did you mean 'factor'?",
    )


def test_pairs_of_pairs(device):
    out = device.put(np.zeros(1, np.int32))
    reads_pairs[1](Pair(Pair(1, 2), Pair(3, out)))
    assert device.get(out)[0] == 321


@eft.jit
def reads_pairs(p):
    tl.store(p.right.right, p.right.left * 100 + p.left.right * 10 + p.left.left)


def test_debug_that_is_set_later_counts_for_tuples_too():
    @eft.jit
    def kernel(pair, out):
        tl.store(out, pair[0] + pair[1])

    out = np.zeros(1, np.int32)
    kernel[1]((1, 2), out)
    kernel.debug = True
    (of_elements,) = kernel.kernels_of_elements.values()
    assert of_elements.effective({}) == {"debug": True}
