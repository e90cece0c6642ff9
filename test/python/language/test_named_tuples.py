# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuples whose elements have names: made in a kernel, passed, returned, carried."""

from collections import namedtuple
from typing import NamedTuple

import eft
import eft.language as tl
import numpy as np
import pytest
from eft.stable_text import stable_text
from support import assert_mistake, fails, mistakes

Complex = namedtuple("Complex", "real imag", defaults=(0.0,))


class Window(NamedTuple):
    start: tl.tensor
    LENGTH: tl.constexpr
    combine: object = None


class Spelled(NamedTuple):
    x: "tl.tensor"
    LENGTH: "tl.constexpr"


@eft.jit
def times(x, y):
    return Complex(x.real * y.real - x.imag * y.imag, imag=x.real * y.imag + x.imag * y.real)


@eft.jit
def load_complex(pointer, i):
    return Complex(tl.load(pointer + 2 * i), tl.load(pointer + 2 * i + 1))


@eft.jit
def multiplies(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    product = times(load_complex(x_ptr, i), load_complex(y_ptr, i))
    real, imag = product
    tl.store(out_ptr + 2 * i, real)
    tl.store(out_ptr + 2 * i + 1, product[1])
    tl.static_assert(len(product) == 2)
    tl.static_assert(isinstance(product, Complex))


def test_functions_take_and_return_them(device):
    x, y = np.random.default_rng(0).standard_normal((2, 64)).astype(np.float32)
    out = device.put(np.zeros(64, np.float32))
    multiplies[1](device.put(x), device.put(y), out, N=32)
    expected = x.view(np.complex64) * y.view(np.complex64)
    np.testing.assert_allclose(device.get(out).view(np.complex64), expected, rtol=1e-5, atol=1e-6)


@eft.jit
def powers(x_ptr, out_ptr, n):
    x = load_complex(x_ptr, 0)
    power = Complex(1.0)
    for _ in range(n):
        power = times(power, x)
    if n > 3:
        power = Complex(-power.real, power.imag)
    chosen = power if n > 4 else Complex(power.imag, power.real)
    tl.store(out_ptr, chosen.real)
    tl.store(out_ptr + 1, chosen.imag)


@pytest.mark.parametrize("n", [0, 3, 4, 5])
def test_loops_and_choices_carry_them(device, n):
    x, out = np.array([1.5, -0.5], np.float32), device.put(np.zeros(2, np.float32))
    powers[1](device.put(x), out, n)
    expected = complex(1.5, -0.5) ** n
    real, imag = expected.real, expected.imag
    if n > 3:
        real = -real
    if n <= 4:
        real, imag = imag, real
    np.testing.assert_allclose(device.get(out), [real, imag], rtol=1e-6)


@eft.jit
def add(x, y):
    return x + y


@eft.jit
def read(x_ptr, window):
    # LENGTH is known at compile time here, so it can be an extent.
    return tl.load(x_ptr + window.start + tl.arange(0, window.LENGTH))


@eft.jit
def slides(x_ptr, out_ptr, n, SHAPE: tl.constexpr):
    window = Window(0, SHAPE.LENGTH, add)
    total = tl.zeros((SHAPE.LENGTH,), tl.float32)
    for _ in range(n):
        total = window.combine(total, read(x_ptr, window))
        window = Window(window.start + 2, window.LENGTH, window.combine)
    tl.store(out_ptr + tl.arange(0, SHAPE.LENGTH), total)


@pytest.mark.parametrize("kind", [Window, Spelled])
def test_what_is_known_at_compile_time_stays_so(device, kind):
    x = np.arange(20, dtype=np.float32)
    out = device.put(np.zeros(8, np.float32))
    slides[1](device.put(x), out, 5, SHAPE=kind(0, 8))
    np.testing.assert_array_equal(device.get(out), sum(x[2 * i :][:8] for i in range(5)))


@eft.jit
def least_and_place(x, y):
    smaller = x.value < y.value
    return Extreme(tl.where(smaller, x.value, y.value), tl.where(smaller, x.place, y.place))


Extreme = namedtuple("Extreme", "value place")


@eft.jit
def combine_extremes(value, place, other_value, other_place):
    return least_and_place(Extreme(value, place), Extreme(other_value, other_place))


@eft.jit
def reduces(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    found = Extreme(*tl.reduce(Extreme(tl.load(x_ptr + i), i), 0, combine_extremes))
    tl.store(out_ptr, found.place)


def test_reductions_take_and_combine_them(device):
    x = np.random.default_rng(1).permutation(256).astype(np.float32)
    out = device.put(np.zeros(1, np.int32))
    reduces[1](device.put(x), out, N=256)
    assert device.get(out)[0] == x.argmin()


def test_what_the_disk_cache_tells_apart():
    class Twice(NamedTuple):
        a: int

        def double(self):
            return 2 * self.a

    class Thrice(NamedTuple):
        a: int

        def double(self):
            return 3 * self.a

    Thrice.__qualname__ = Twice.__qualname__
    Thrice.double.__qualname__ = Twice.double.__qualname__
    Other = namedtuple("Complex", "real imaginary")
    texts = [Complex, Other, Complex(1, 2), Other(1, 2), (1, 2), Complex(1.0, 2), Window]
    texts += [Twice(1), Thrice(1)]
    assert len({stable_text(each) for each in texts}) == len(texts)
    assert stable_text(Complex(1, 2)) == stable_text(Complex(1, tl.constexpr(2)))


@eft.jit
def too_few(x_ptr, n):
    Window(n)


@eft.jit
def length_at_run_time(x_ptr, n):
    Window(n, n)


@eft.jit
def unknown_field(x_ptr, n):
    tl.store(x_ptr, Complex(n, n).magnitude)


@eft.jit
def other_length(x_ptr, n):
    window = Window(n, 4)
    for i in range(n):
        window = Window(i, 8)
    tl.store(x_ptr, window.start)


@eft.jit
def two_kinds(x_ptr, n):
    x = Complex(n, n) if n > 0 else (n, n)
    tl.store(x_ptr, x[0])


@eft.jit
def compared(x_ptr, n):
    if Complex(n, 1) == Complex(1, 1):
        tl.store(x_ptr, n)


@eft.jit
def contains(x_ptr, n):
    if 1 in (n, 2):
        tl.store(x_ptr, n)


@eft.jit
def looks_up(x_ptr, n):
    tl.store(x_ptr, (n, 2).index(2))


@mistakes(
    (
        too_few,
        "Window(",
        "TypeError: Window.__new__() missing 1 required positional argument: 'LENGTH'",
    ),
    (
        length_at_run_time,
        "Window(",
        "the field 'LENGTH' of 'Window' must be known at compile time, got a value of type int32",
    ),
    (unknown_field, "Complex(", "a Complex of 2 has no attribute 'magnitude'"),
    (
        two_kinds,
        "Complex(n, n) if",
        "a conditional expression that is decided at run time must be the same kind of value "
        "either way, got Complex(real=a value of type int32, imag=a value of type int32) and "
        "(a value of type int32, a value of type int32)",
    ),
    (
        compared,
        "Complex(n, 1) ==",
        "tuples of values that exist at run time can't be compared: compare their elements",
    ),
    (contains, "1 in", "`in` needs values that are known at compile time"),
    (
        looks_up,
        "(n, 2).index",
        "'index' runs at compile time and can't take a value that is known only at run time",
    ),
)
def test_mistakes(kernel, marker, message):
    assert_mistake(kernel, marker, message)


def test_a_length_that_a_loop_changes():
    message = fails(other_length).message
    assert message.startswith("'window' must stay the same in the loop at ")
    assert "it is Window(start=a value of type int32, LENGTH=4, combine=None) from" in message
    assert "and Window(start=a value of type int32, LENGTH=8, combine=None) from" in message
