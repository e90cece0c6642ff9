# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys of the disk cache: everything that a kernel's code depends on."""

from __future__ import annotations

import hashlib
from types import ModuleType

from eft.language.constexpr import constexpr, unwrap
from eft.language.dtypes import dtype
from eft.version import fingerprint


class _NotStable(Exception):
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
            _host() if variant.target == "cpu" else "",
            repr(variant.types),
            _stable(sorted(variant.constexprs.items())),
            _stable(sorted(variant.options.items())),
            repr(variant.specialization),
        ]
    except _NotStable:
        return None
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _host() -> str:
    from eft import _compiler

    return _compiler.host_description()


def _stable(value) -> str:
    """A text that is the same for equal values in every process, and differs for different ones."""
    value = unwrap(value)
    if value is None or type(value) in (bool, int, float, str):
        return f"{type(value).__name__} {value!r}"
    if type(value) in (tuple, list):
        return f"[{', '.join(map(_stable, value))}]"
    if isinstance(value, dtype):
        return f"dtype {value.name}"
    if hasattr(value, "_eft_jit"):
        return _function_text(value, set())
    raise _NotStable


def _function_text(function, seen: set) -> str:
    """The source of a function with what it reads of its surroundings: other functions under
    @eft.jit and constants. Names that only look like such reads do no harm."""
    if function in seen:
        return ""
    seen.add(function)
    source = function.source
    parts = [f"{source.file}:{source.first_line}", source.text]
    parts += [_annotation_text(each) for each in function.parameters]
    for name, value in sorted(_surroundings(function.fn).items()):
        if hasattr(value, "_eft_jit"):
            parts.append(f"{name} = {_function_text(value, seen)}")
        elif isinstance(value, constexpr) or type(value) in (bool, int, float, str, tuple):
            parts.append(f"{name} = {_stable(value)}")
        elif getattr(value, "_eft_constexpr_function", False) and not _is_ours(value):
            parts.append(f"{name} = {value.__code__.co_code.hex()} {value.__code__.co_consts!r}")
    return "\n".join(parts)


def _is_ours(value) -> bool:
    return (value.__module__ or "").split(".")[0] == "eft"


def _annotation_text(parameter) -> str:
    default = parameter.default
    text = _stable(default) if _has_text(default) else ""
    return (
        f"{parameter.name} {parameter.is_constexpr} {parameter.is_const} {parameter.dtype} {text}"
    )


def _has_text(value) -> bool:
    return value is None or isinstance(value, bool | int | float | str | tuple | dtype)


def _surroundings(function) -> dict:
    """The values of the names that a function's code mentions: of globals, of variables of the
    functions around it, and of the attributes of modules among those."""
    code = function.__code__
    found = {}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    for name in code.co_names:
        if name in function.__globals__:
            found[name] = function.__globals__[name]
    modules = [(name, value) for name, value in found.items() if isinstance(value, ModuleType)]
    while modules:
        prefix, module = modules.pop()
        for name in code.co_names:
            value = vars(module).get(name)
            key = f"{prefix}.{name}"
            if value is None or key in found:
                continue
            found[key] = value
            if isinstance(value, ModuleType) and not _is_ours_module(value):
                modules.append((key, value))
    return found


def _is_ours_module(module) -> bool:
    return module.__name__.split(".")[0] == "eft"
