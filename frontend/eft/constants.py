# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The constants that a kernel reads from outside of itself. Their values are part of its code.

A launch of a compiled variant does not check whether these constants have changed: the check would
need Python code, and a launch of a compiled variant otherwise runs none. But all variants of one
kernel must see the same constants. So if a constant has changed, compiling another variant is an
error.
"""

from __future__ import annotations

from eft.closure import Closure, is_allowed
from eft.errors import CompilationError
from eft.language.constexpr import constexpr, unwrap
from eft.language.dtypes import describe
from eft.stable_text import NotStable, stable_text


def find_constants(function) -> dict:
    """Returns the constants that a kernel and the functions that it calls read, with their present
    values. The dict's keys are pairs: the function that reads the constant, and the constant's
    name. Its values are pairs: an identity, which is different for different constants, and the
    value. The caller puts the result into `function.constants` after a variant was compiled."""
    found = {}
    _collect(function, found, set())
    return found


def check_constants(function, found: dict):
    """Compares `found`, the result of `find_constants`, with the constants of earlier variants.

    Raises:
        CompilationError: a constant has changed.
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
    source = function.source  # raises an error if the kernel has lost its function
    closure, global_names = Closure(function.fn), _global_names(function.fn.__code__)
    if not source.is_original:  # the names in a replaced source need not occur in the code
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
    """Returns the names of globals that a code object and the code objects inside it read. Up to
    Python 3.11, a comprehension has a code object of its own."""
    inner = (_global_names(each) for each in code.co_consts if isinstance(each, type(code)))
    return set(code.co_names).union(*inner)
