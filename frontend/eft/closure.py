# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the values of names that are defined outside of a kernel, and says which of these values
the kernel may read.

The first launch of a process imports this module, so the module imports little.
"""

from __future__ import annotations

import builtins
import os
from types import BuiltinFunctionType, FunctionType, ModuleType

from eft._runtime import MISSING
from eft.annotations import annotations_of_globals
from eft.errors import Mistake
from eft.language.builtin import is_builtin, is_constexpr_function
from eft.language.constexpr import const, constexpr, unwrap
from eft.language.dtypes import describe, dtype
from eft.language.math import PropagateNan
from eft.language.missing import NotYet
from eft.language.tensor import is_aggregate_class, tensor

#: Python's own functions that kernels may call.
_CALLABLE = "abs bool float getattr hasattr int isinstance len max min print range tuple"
PYTHON_FUNCTIONS = {name: getattr(builtins, name) for name in _CALLABLE.split()}
_LANGUAGE_CLASSES = (constexpr, const, tensor, dtype, PropagateNan)


class Closure:
    """The names that a function can use but that are defined outside of it: variables of enclosing
    functions, globals, and builtins."""

    def __init__(self, function):
        self.globals = function.__globals__
        self.variables = {}
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            try:
                self.variables[name] = cell.cell_contents
            except ValueError:  # not assigned yet
                continue

    def find(self, name: str):
        """Returns the value of `name`. Returns MISSING if a kernel may not read the value, or if
        there is no such name."""
        for names in (self.variables, self.globals):
            if name in names:
                value = names[name]
                is_constant = names is self.globals and self.is_annotated(name)
                may = is_constant or may_read(value) or is_allowed(value)
                return unwrap(value) if may else MISSING
        return PYTHON_FUNCTIONS.get(name, MISSING)

    def get(self, name: str, others=()):
        """Returns the value of `name`. The error message may suggest a similar name from `others`.

        Raises:
            Mistake: a kernel may not read the value, or there is no such name.
        """
        found = self.find(name)
        if found is MISSING:
            raise self._mistake(name, others)
        return found

    def _mistake(self, name: str, others) -> Mistake:
        from eft.compiler.suggestions import did_you_mean, instead_of

        for names in (self.variables, self.globals):
            if name in names:
                return _mistake_of_value(name, names[name])
        if hasattr(builtins, name):
            found = instead_of(getattr(builtins, name))
            hint = f": use {found[1]}" if found else ""
            return Mistake(f"Python's {name!r} can't be used in a kernel{hint}")
        names = (*others, *self.variables, *self.globals, *PYTHON_FUNCTIONS)
        return Mistake(f"{name!r} is not defined{did_you_mean(name, names)}")

    def is_annotated(self, name: str) -> bool:
        """Returns whether a global is annotated as `tl.constexpr`, which declares that it never
        changes."""
        annotation = annotations_of_globals(self.globals).get(name)
        if annotation is None:
            return False
        from eft.language.tuples import is_constexpr_annotation

        return is_constexpr_annotation(annotation)


def _mistake_of_value(name: str, value) -> Mistake:
    from eft.compiler.suggestions import instead_of

    if found := instead_of(value):
        return Mistake(f"{found[0]!r} can't be called in a kernel: use {found[1]}")
    if isinstance(value, FunctionType | BuiltinFunctionType):
        return Mistake(
            f"{name!r} is a Python function: only functions under @eft.jit can be called"
        )
    return Mistake(
        f"{name!r} is {describe(value)} outside of the kernel, which may change: pass it as an "
        f"argument, or make it `{name} = tl.constexpr(...)`"
    )


def is_allowed(value) -> bool:
    """Returns whether the environment variable EFT_ALLOW_NON_CONSTEXPR_GLOBALS allows kernels to
    read this value although it may change. The variable allows only numbers and strings."""
    if not isinstance(value, bool | int | float | str):
        return False
    return os.environ.get("EFT_ALLOW_NON_CONSTEXPR_GLOBALS", "0") not in ("", "0")


def is_of_math(value) -> bool:
    """Returns whether a value is a function of Python's module `math`."""
    return isinstance(value, BuiltinFunctionType) and value.__module__ == "math"


def may_read(value) -> bool:
    """Returns whether a kernel may read a global with this value: the value never changes, or it is
    a `constexpr`, which declares the same."""
    return (
        isinstance(value, ModuleType | constexpr | dtype | NotYet | PropagateNan)
        or is_builtin(value)
        or is_constexpr_function(value)
        or hasattr(value, "_eft_jit")
        or any(value is each for each in (*_LANGUAGE_CLASSES, *PYTHON_FUNCTIONS.values()))
        or is_aggregate_class(value)
        or is_of_math(value)
        or _may_read_elements(value)
    )


def _may_read_elements(value) -> bool:
    """Returns whether a value is a class of named tuples, or a tuple of elements all of which a
    kernel may read."""
    from eft.language.tuples import is_named_class, is_tuple

    return is_named_class(value) or (is_tuple(value) and all(map(may_read, value)))
