# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that are known at compile time.

Inside a kernel such a value is an ordinary Python object, and Python itself computes with it. The
class `constexpr` is for code outside of kernels: it annotates parameters, and wraps the values of
globals that kernels may read.
"""

from __future__ import annotations

import operator
import sys
from types import FunctionType


class constexpr:
    """A value that is known at compile time. It marks a parameter (`BLOCK: tl.constexpr`) or a
    global (`N = tl.constexpr(4)`).

    Outside of kernels, arithmetic with a constexpr gives a constexpr, and a comparison gives a
    bool. As a decorator of a function, `constexpr` does the same as `constexpr_function`.
    """

    def __init__(self, value):
        self.value = unwrap(value)
        if type(self.value) is FunctionType:  # used as a decorator, `@tl.constexpr`
            self.value._eft_constexpr_function = True

    def __repr__(self):
        return f"constexpr[{self.value!r}]"

    def __hash__(self):
        return hash(self.value)

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return operator.index(self.value)

    def __iter__(self):
        return iter(self.value)

    def __getitem__(self, index):
        return constexpr(self.value[unwrap(index)])

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)


def unwrap(value):
    """Returns `value` without the `constexpr` around it. In tuples and lists, the elements are
    unwrapped. A NumPy scalar becomes a Python number."""
    if isinstance(value, constexpr):
        return value.value
    if type(value) in (tuple, list):
        return type(value)(unwrap(element) for element in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return tuple.__new__(type(value), map(unwrap, value))
    return _python_number(value)


def _python_number(value):
    """Converts a NumPy scalar to a Python number, and returns everything else as it is."""
    numpy = sys.modules.get("numpy")  # if NumPy is not loaded, `value` can't be its scalar
    if numpy is None or not isinstance(value, numpy.generic):
        return value
    if isinstance(value, numpy.bool_):
        return bool(value)
    if isinstance(value, numpy.integer):
        return int(value)
    is_float = isinstance(value, numpy.floating) or type(value).__module__ == "ml_dtypes"
    return float(value) if is_float else value


def _arithmetic(function):
    return lambda x, y: constexpr(function(x.value, unwrap(y)))


def _reflected(function):
    return lambda y, x: constexpr(function(unwrap(x), y.value))


def _comparison(function):
    return lambda x, y: function(x.value, unwrap(y))


def _unary(function):
    return lambda x: constexpr(function(x.value))


def _add_operators():
    """Adds Python's operators to `constexpr`. Arithmetic gives a constexpr, a comparison a bool."""
    for name in "add sub mul truediv floordiv mod pow lshift rshift and or xor".split():
        function = getattr(operator, f"__{name}__")
        setattr(constexpr, f"__{name}__", _arithmetic(function))
        setattr(constexpr, f"__r{name}__", _reflected(function))
    for name in "eq ne lt le gt ge".split():
        function = getattr(operator, f"__{name}__")
        setattr(constexpr, f"__{name}__", _comparison(function))
    for name in ("neg", "pos", "invert"):
        function = getattr(operator, f"__{name}__")
        setattr(constexpr, f"__{name}__", _unary(function))


_add_operators()


class const:
    """Marks a pointer parameter (`x_ptr: tl.const`) whose memory the kernel only reads. A store
    through the pointer is an error."""
