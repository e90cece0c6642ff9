# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of builtins, of functions under @eft.jit, and of Python functions at compile time."""

from __future__ import annotations

from types import BuiltinMethodType, MethodType

from eft.closure import PYTHON_FUNCTIONS, is_of_math
from eft.compiler.expressions import shown
from eft.compiler.suggestions import instead_of
from eft.compiler.values import contains_tensor
from eft.errors import Mistake
from eft.language import loops, math
from eft.language.aggregates import BoundKernel, is_method_of_aggregate, make
from eft.language.builtin import is_builtin, is_constexpr_function
from eft.language.casts import cast_to
from eft.language.constants import to_tensor
from eft.language.constexpr import constexpr
from eft.language.debug import device_print
from eft.language.dtypes import describe, dtype, from_name, pointer_type
from eft.language.missing import NotYet
from eft.language.tensor import is_aggregate_class, structure, tensor
from eft.language.tuples import constant_elements, is_named_class
from eft.parameters import match

#: Python's functions that have another implementation for tensors.
_ON_TENSORS = {
    abs: math.abs,
    min: math.minimum,
    max: math.maximum,
    float: lambda x: cast_to(to_tensor(x), from_name("fp32")),
    int: lambda x: cast_to(to_tensor(x), from_name("int32")),
    bool: lambda x: cast_to(to_tensor(x), from_name("int1")),
}
_VAR_POSITIONAL, _VAR_KEYWORD = 0x04, 0x08  # inspect.CO_VARARGS, inspect.CO_VARKEYWORDS
_TYPES_WITH_METHODS = (dtype, str, int, float, tuple)


class Calls:
    """The part of a function's lowering that lowers calls."""

    def _get_Call(self, node):
        function = yield node.func
        if node is self.unused and (why := getattr(function, "_must_use_result", False)):
            hint = f": {why}" if isinstance(why, str) else ""
            raise Mistake(f"the result of `{shown(node.func)}` is not used{hint}")
        args = yield from self.elements(node.args)
        kwargs = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise Mistake("`**` in a call can't be used in a kernel")
            kwargs[keyword.arg] = yield keyword.value
        return self.call(function, args, kwargs)

    def call(self, function, args: list, kwargs: dict):
        """Lowers the call `function(*args, **kwargs)` and returns its value."""
        if hasattr(function, "_eft_jit"):
            return self.program.call(function, args, kwargs)
        if isinstance(function, NotYet):
            raise Mistake(function.message)
        if is_builtin(function):
            return _call_builtin(function, args, kwargs)
        if _is_any(function, PYTHON_FUNCTIONS.values()):
            return self._call_python(function, args, kwargs)
        if isinstance(function, BoundKernel):
            return self.call(function.function, [function.owner, *args], kwargs)
        if is_aggregate_class(function):
            return self.at_compile_time(make, function, args, kwargs)
        if is_method_of_aggregate(function):
            return self.at_compile_time(function, *args, **kwargs)
        if is_named_class(function):
            return self._make_named(function, args, kwargs)
        if _runs_at_compile_time(function):
            return self._call_at_compile_time(function, args, kwargs)
        if not callable(function):
            raise Mistake(f"{describe(function)} can't be called")
        if found := instead_of(function):
            raise Mistake(f"{found[0]!r} can't be called in a kernel: use {found[1]}")
        raise Mistake(f"{describe(function)} can't be called in a kernel: it is not under @eft.jit")

    def _call_python(self, function, args, kwargs):
        if function is print:
            return self.call(device_print, args, kwargs)
        if function in (isinstance, hasattr, getattr, len):
            return self._inspect(function, args, kwargs)
        if not contains_tensor([*args, *kwargs.values()]):
            return self.at_compile_time(function, *args, **kwargs)
        if function is range and 1 <= len(args) <= 3 and not kwargs:
            return loops.range(*args)
        if function in (min, max) and not kwargs and len(args) >= 2:
            total = args[0]
            for each in args[1:]:
                total = _ON_TENSORS[function](total, each)
            return total
        is_pairwise = function in (min, max)
        if function in _ON_TENSORS and not is_pairwise and len(args) == 1 and not kwargs:
            return _ON_TENSORS[function](args[0])
        raise Mistake(f"{function.__name__!r} does not take these values in a kernel")

    def _inspect(self, function, args, kwargs):
        """Calls `isinstance`, `hasattr`, `getattr` or `len`. These inspect a value and do not
        compute with it, so the value may be known only at run time."""
        if function is len and args and isinstance(args[0], tensor):
            if not args[0].shape:
                raise Mistake(f"{describe(args[0])} has no length")
            return args[0].shape[0]
        return self.at_compile_time(function, *args, **kwargs)

    def _call_at_compile_time(self, function, args, kwargs):
        if contains_tensor([getattr(function, "__self__", None), *args, *kwargs.values()]):
            found = instead_of(function)
            raise Mistake(
                f"{describe(function)} runs at compile time and can't take a value that is known "
                f"only at run time{f': use {found[1]}' if found else ''}"
            )
        return self.at_compile_time(function, *args, **kwargs)

    def _make_named(self, kind, args, kwargs):
        """Makes a named tuple, `kind(*args, **kwargs)`."""
        value = self.at_compile_time(kind, *args, **kwargs)
        for name, element, fixed in zip(kind._fields, value, constant_elements(value), strict=True):
            if fixed and contains_tensor(element):
                raise Mistake(
                    f"the field {name!r} of {kind.__name__!r} must be known at compile time, got "
                    f"{describe(element)}"
                )
        return value


def _is_any(function, functions) -> bool:
    return any(function is each for each in functions)


def _runs_at_compile_time(function) -> bool:
    """Returns whether a Python function may run while a kernel is compiled: a `constexpr_function`,
    a function of the module math, the classes `constexpr`, `dtype`, `pointer_type` and `slice`, or
    a method of a type, a string, a number or a tuple."""
    if is_constexpr_function(function) or _is_any(
        function, (constexpr, dtype, pointer_type, slice)
    ):
        return True
    if is_of_math(function):
        return True
    is_method = isinstance(function, MethodType | BuiltinMethodType)
    return is_method and isinstance(function.__self__, _TYPES_WITH_METHODS)


def _call_builtin(function, args, kwargs):
    # A bound method gets its object as the first argument.
    owner = getattr(function, "__self__", None)
    if owner is not None:
        function, args = function.__func__, [owner, *args]
    prefix = f"{type(owner).__name__}." if isinstance(owner, structure) else "tl."
    function = getattr(function, "__wrapped__", function)
    code = function.__code__
    # A function with parameters after `*values` has defaults for them.
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    required = names[: code.co_argcount - len(function.__defaults__ or ())]
    takes_more = code.co_flags & _VAR_POSITIONAL
    placed = args[: code.co_argcount] if takes_more else args
    takes_any_name = code.co_flags & _VAR_KEYWORD
    named = {key: kwargs[key] for key in kwargs if key in names} if takes_any_name else kwargs
    match(f"{prefix}{function.__name__}", names, required, placed, named)
    return function(*args, **kwargs)
