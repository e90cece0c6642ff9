# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys of the disk cache: everything that a kernel's code depends on."""

from __future__ import annotations

import hashlib
from collections import namedtuple
from types import BuiltinFunctionType, FunctionType, ModuleType

from eft import host
from eft._runtime import MISSING
from eft.compiler.scope import Closure
from eft.errors import Mistake
from eft.language.builtin import is_constexpr_function
from eft.language.constexpr import unwrap
from eft.language.dtypes import dtype
from eft.language.tuples import constant_elements, is_named_class
from eft.version import fingerprint

#: What every class of tuples with names has.
_USUAL = frozenset(vars(namedtuple("Usual", ()))) | {
    "__annotations__",
    "__orig_bases__",
    "__annotate__",
    "__annotate_func__",
    "__annotations_cache__",
    "__firstlineno__",
    "__static_attributes__",
}
_DEEPEST = 8  # modules that hold each other


class NotStable(Exception):
    """A value has no text that means the same in another process."""


def cache_key(function, variant, kind: str) -> str | None:
    """The key for what `kind` says of a variant of a kernel; None if it depends on something that
    has no stable text."""
    try:
        parts = [
            kind,
            fingerprint(),
            _function_text(function, set()),
            variant.target,
            host.description() if variant.target == "cpu" else "",
            repr(variant.types),
            stable_text(sorted(variant.constexprs.items())),
            stable_text(sorted(variant.options.items())),
            repr(variant.specialization),
        ]
    except NotStable:
        return None
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def stable_text(value, seen: set | None = None) -> str:
    """A text that is the same for equal values in every process, and differs for different ones."""
    value = unwrap(value)
    if type(value) is int:
        return f"int {value:x}"  # of any size: Python refuses long ones their decimal digits
    if value is None or type(value) in (bool, float, str):
        return f"{type(value).__name__} {value!r}"
    if type(value) in (tuple, list):
        return f"[{', '.join(stable_text(each, seen) for each in value)}]"
    if is_named_class(type(value)):
        return f"{stable_text(type(value), seen)} {stable_text(tuple(value), seen)}"
    if is_named_class(value):
        return _class_text(value, seen)
    if isinstance(value, dtype):
        return f"dtype {value.name}"
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if hasattr(value, "_eft_jit"):
        return _function_text(value, set() if seen is None else seen)
    module = getattr(value, "__module__", None) or ""
    if module.split(".")[0] == "eft":
        return f"{module}.{getattr(value, '__qualname__', repr(value))}"
    if isinstance(value, FunctionType | BuiltinFunctionType) and not is_constexpr_function(value):
        return f"{module}.{value.__qualname__}"  # Python's own, or an error
    raise NotStable


def _class_text(kind, seen: set | None) -> str:
    """What tells a class of tuples with names from others, if it has nothing but the names."""
    if kind.__bases__ != (tuple,) or not vars(kind).keys() <= _USUAL.union(kind._fields):
        raise NotStable
    fixed = constant_elements(kind._make(kind._fields))
    defaults = sorted(kind._field_defaults.items())
    return f"{kind.__qualname__} {kind._fields} {fixed} {stable_text(defaults, seen)}"


def _function_text(function, seen: set) -> str:
    """The source of a function with what it reads of its surroundings. Names that only look like
    such reads do no harm."""
    if function in seen:
        return ""
    seen.add(function)
    parts = [function.source.text]
    for each in function.parameters:
        default = "" if each.default is MISSING else stable_text(each.default, seen)
        parts.append(f"{each.name} {each.is_constexpr} {each.is_const} {each.dtype} {default}")
    for name, value in sorted(_surroundings(function.fn).items()):
        parts.append(f"{name} = {stable_text(value, seen)}")
    return "\n".join(parts)


def _surroundings(function) -> dict:
    """What a function's code can read outside of itself: of the variables of the functions around
    it and of the globals, those that kernels may read; and the attributes of the modules among
    them."""
    closure = Closure(function)
    names = function.__code__.co_names
    found = {}
    for name in (*function.__code__.co_freevars, *names):
        try:
            found[name] = closure.get(name)
        except Mistake:  # not defined, or it may not be read: an error if it really is
            continue
    modules = [(name, value) for name, value in found.items() if _is_foreign_module(value)]
    while modules:
        prefix, module = modules.pop()
        for name in names:
            key = f"{prefix}.{name}"
            if name in vars(module) and key not in found and key.count(".") < _DEEPEST:
                found[key] = vars(module)[name]
                if _is_foreign_module(found[key]):
                    modules.append((key, found[key]))
    return found


def _is_foreign_module(value) -> bool:
    """Whether `value` is a module of someone else. What is in our own, the version tells."""
    return isinstance(value, ModuleType) and value.__name__.split(".")[0] != "eft"
