# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The constants outside of a kernel that its code was compiled with.

A launch of a variant that is compiled does not look at them: that would cost more than all else
that it does in Python. But the variants of one kernel must not differ in what they read, so a new
one is refused after a change.
"""

from __future__ import annotations

from eft.closure import Closure, is_allowed
from eft.errors import CompilationError
from eft.language.constexpr import constexpr, unwrap
from eft.language.dtypes import describe
from eft.stable_text import NotStable, stable_text


def find_constants(function) -> dict:
    """The constants that a kernel, with the functions that it calls, reads now: by the function
    that reads it and by name, each constant's value with what tells it from others. To be kept in
    `function.constants` once a variant is compiled."""
    found = {}
    _collect(function, found, set())
    return found


def check_constants(function, found: dict):
    """Compares the constants that `find_constants` has found with those of earlier variants.

    Raises:
        CompilationError: one of them is another one.
    """
    for key, (identity, value) in found.items():
        before, old = function.constants.get(key, (identity, value))
        if not _same(before, identity):
            reader, name = key
            source = reader.source
            line, column = source.first_use(name)
            raise CompilationError(
                f"{name!r} has changed from {describe(old)} to {describe(value)} since "
                f"{function.__name__!r} was first compiled, which reads it: pass it as an argument",
                source.file,
                line,
                column,
                source.line(line),
            )


def _collect(function, found: dict, seen: set):
    if function in seen:
        return
    seen.add(function)
    source = function.source  # tells of a function that is not there
    closure, global_names = Closure(function.fn), _global_names(function.fn.__code__)
    if not source.is_original:  # whose names the code does not have
        global_names = {name for name, *_ in source.summary.chains}
    for name in dict.fromkeys(name for name, *_ in source.summary.chains):
        is_global = name not in closure.variables
        names = closure.globals if is_global else closure.variables
        if name not in names or (is_global and name not in global_names):
            continue
        value = names[name]
        if hasattr(value, "_eft_jit"):
            _collect(value, found, seen)
        elif (
            isinstance(value, constexpr)
            or (is_global and closure.is_annotated(name))
            or is_allowed(value)
        ):
            value = unwrap(value)
            found[function, name] = _identity(value), value


def _identity(value):
    try:
        return stable_text(value)
    except NotStable:
        return value


def _same(a, b) -> bool:
    return a is b or (type(a) is str and type(b) is str and a == b)


def _global_names(code) -> set[str]:
    """The names that a code reads of its globals, and the codes inside it: up to Python 3.11
    a comprehension is one."""
    inner = (_global_names(each) for each in code.co_consts if isinstance(each, type(code)))
    return set(code.co_names).union(*inner)
