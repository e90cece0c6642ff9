# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`eft.aggregate`: classes that combine several values of a kernel."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_mistake, mistakes

N = 16


@eft.aggregate
class Interval:
    """Numbers from `low` to `high`."""

    low: tl.tensor
    high: tl.tensor
    scale: tl.constexpr = 1

    @eft.jit
    def width(self):
        return (self.high - self.low) * self.scale

    @eft.jit
    def moved(self, by):
        return Interval(self.low + by, high=self.high + by, scale=self.scale)

    def middle(self):
        return (self.low + self.high) * 0.5

    @eft.constexpr_function
    def twice_the_scale(self):
        return 2 * self.scale


@eft.aggregate
class Named(Interval):
    interval: Interval
    kind: tl.constexpr

    def __init__(self, interval, kind):
        self.low = interval.low
        self.high = interval.high
        self.scale = interval.scale
        self.interval = interval
        self.kind = kind

    @eft.jit
    def lowest(self):
        if self.kind == "moved":
            return self.interval.low
        else:
            return self.low - self.interval.low


@eft.jit
def outer(x):
    return x.width() + x.middle()


@eft.jit
def carried(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = Interval(tl.load(x_ptr + i), 10.0, scale=3)
    tl.static_assert(isinstance(x, Interval) and x.twice_the_scale() == 6)
    for _ in range(n):
        x = x.moved(1.0)
    if n > 2:
        x = x.moved(100.0)
    tl.store(out_ptr + i, x.low)
    tl.store(out_ptr + N + i, outer(x))


@pytest.mark.parametrize("n", [0, 2, 3])
def test_loops_choices_and_functions_pass_them_on(device, n):
    x = np.arange(N, dtype=np.float32)
    out = device.put(np.zeros((2, N), np.float32))
    carried[1](device.put(x), out, n, N=N)
    low = x + n + 100 * (n > 2)
    high = np.full(N, 10 + n + 100 * (n > 2), np.float32)
    expected = [low, (high - low) * 3 + (low + high) * 0.5]
    np.testing.assert_allclose(device.get(out), expected, rtol=1e-6)


@eft.jit
def nested(out_ptr, value):
    x = Interval(value, value + 4)
    named = Named(x, "moved")
    tl.store(out_ptr, named.lowest() + named.width())
    other = tl.aggregate_replace(x, low=value - 1)
    tl.store(out_ptr + 1, other.width() * 100 + x.width())
    tl.store(out_ptr + 2, Named(other, "other").lowest())


def test_nested_and_derived_ones(device):
    out = device.put(np.zeros(3, np.int32))
    nested[1](out, 7)
    assert list(device.get(out)) == [11, 504, 0]


@eft.aggregate
class Empty:
    size: tl.constexpr

    def __init__(self):
        pass


@eft.jit
def unset(x_ptr, n):
    Empty()


@eft.jit
def missing_field(x_ptr, n):
    Interval(n)


@eft.jit
def unknown_field(x_ptr, n):
    Interval(n, n, width=n)


@eft.jit
def twice(x_ptr, n):
    Interval(n, n, low=n)


@eft.jit
def too_many(x_ptr, n):
    Interval(n, n, 1, 2)


@eft.jit
def run_time_constant(x_ptr, n):
    Interval(n, n, n)


@eft.jit
def not_a_tensor(x_ptr, n):
    Interval("n", n)


@eft.jit
def unknown_replacement(x_ptr, n):
    tl.aggregate_replace(Interval(n, n), width=n)


@eft.jit
def replaces_a_number(x_ptr, n):
    tl.aggregate_replace(n, low=n)


@eft.aggregate
class Changing:
    x: tl.tensor

    def change(self):
        self.x = self.x + 1

    def add(self):
        self.y = 1


@eft.jit
def changes(x_ptr, n):
    Changing(n).change()


@eft.jit
def adds(x_ptr, n):
    Changing(n).add()


@eft.jit
def unknown_attribute(x_ptr, n):
    tl.store(x_ptr, Interval(n, n).length)


@mistakes(
    (unset, "Empty()", "Empty.__init__ did not set the field 'size'"),
    (missing_field, "Interval(n)", "Interval() is missing the argument 'high'"),
    (unknown_field, "Interval(", "Interval() got an unexpected keyword argument 'width'"),
    (twice, "Interval(", "Interval() got multiple values for argument 'low'"),
    (too_many, "Interval(", "Interval() takes 3 arguments, got 4"),
    (
        run_time_constant,
        "Interval(",
        "the field 'scale' of Interval must be known at compile time, got a value of type int32",
    ),
    (not_a_tensor, "Interval(", "the field 'low' of Interval must be a tensor, got 'n'"),
    (unknown_replacement, "tl.aggregate_replace(", "Interval has no field 'width'"),
    (
        replaces_a_number,
        "tl.aggregate_replace(",
        "aggregate_replace needs an aggregate, got a value of type int32",
    ),
    (
        changes,
        "Changing(n).change()",
        "AttributeError: the field 'x' of Changing can't be changed: aggregate_replace makes "
        "another value",
    ),
    (adds, "Changing(n).add()", "AttributeError: Changing has no field 'y'"),
    (
        unknown_attribute,
        "Interval(n, n).length",
        "an object of type 'test_aggregates.Interval' has no attribute 'length'",
    ),
)
def test_mistakes(kernel, marker, message):
    assert_mistake(kernel, marker, message)


@eft.aggregate
class Padded(Interval):
    padding: tl.tensor

    def middle(self):
        return super().middle() + self.padding


@eft.jit
def padded(out_ptr, value):
    x = Padded(value, value + 4, padding=value)
    tl.store(out_ptr, x.middle())


def test_a_method_calls_that_of_its_base(device):
    out = device.put(np.zeros(1, np.float32))
    padded[1](out, 7)
    assert list(device.get(out)) == [16]


def test_a_class_derives_from_aggregates_alone():
    class Other:
        pass

    with pytest.raises(TypeError, match="^an aggregate can only derive from aggregates, got "):

        @eft.aggregate
        class Derived(Other):
            x: tl.tensor


def test_annotations_that_name_nothing():
    message = "^the field 'x' of Wrong is annotated with 'Nothing', which names nothing: name 'Noth"
    with pytest.raises(NameError, match=message):

        @eft.aggregate
        class Wrong:
            x: "Nothing"  # noqa: F821


@pytest.mark.parametrize("annotation", [3, tl.int32, eft.cdiv, "tl.int32"])
def test_annotations_that_are_no_class(annotation):
    message = "the field 'x' of Wrong must be annotated with a class, such as tl.tensor or tl.const"
    with pytest.raises(TypeError, match=message):

        @eft.aggregate
        class Wrong:
            x: annotation


@eft.jit
def shifts(x_ptr, by):
    tl.store(x_ptr, Shift(by).apply(tl.load(x_ptr)))  # noqa: F821


def test_annotations_may_be_names_from_around_the_class(device, monkeypatch):
    Number = tl.tensor | tl.dtype  # noqa: F841

    @eft.aggregate
    class Shift:
        by: "Number"  # noqa: F821

        @eft.jit
        def apply(self, x):
            return x + self.by

    monkeypatch.setitem(globals(), "Shift", Shift)
    x = device.put(np.array([1], np.int32))
    shifts[1](x, 3)
    assert list(device.get(x)) == [4]


def test_the_name_is_triton_s():
    import eft.triton

    assert eft.triton.aggregate is eft.aggregate is tl.core.aggregate
