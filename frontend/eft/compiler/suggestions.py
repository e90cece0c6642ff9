# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Guesses at what was meant by a name that a kernel can't use: words for the end of a mistake's
message, or nothing."""

from __future__ import annotations

import sys

from eft.language.builtin import is_builtin

#: Functions of Python, math, NumPy and PyTorch that the language has under another name, or as an
#: operator.
_OTHER_NAMES = {
    "absolute": "abs",
    "acos": "extra.libdevice.acos",
    "amax": "max",
    "amin": "min",
    "any": "reduce_or",
    "arccos": "extra.libdevice.acos",
    "arccosh": "extra.libdevice.acosh",
    "arcsin": "extra.libdevice.asin",
    "arcsinh": "extra.libdevice.asinh",
    "arctan": "extra.libdevice.atan",
    "arctan2": "extra.libdevice.atan2",
    "arctanh": "extra.libdevice.atanh",
    "around": "extra.libdevice.rint",
    "astype": "cast",
    "bincount": "histogram",
    "bmm": "dot",
    "clip": "clamp",
    "concat": "cat",
    "concatenate": "cat",
    "divide": "`/`",
    "fabs": "abs",
    "floor_divide": "`//`",
    "isfinite": "extra.libdevice.finitef",
    "matmul": "dot",
    "mm": "dot",
    "mod": "`%`",
    "multiply": "mul",
    "ones": "full",
    "power": "extra.libdevice.pow",
    "relu": "maximum",
    "round": "extra.libdevice.rint",
    "sorted": "sort",
    "stack": "join",
    "subtract": "sub",
    "take": "gather",
    "transpose": "trans",
    "true_divide": "`/`",
}
_LIBRARIES = ("math", "numpy", "torch", "torch.nn.functional", "builtins")


def did_you_mean(name: str, names, owner: str = "") -> str:
    """The one of some names that looks most like `name`; `owner` is what they are attributes of."""
    import difflib

    known = [each for each in names if isinstance(each, str) and not each.startswith("_")]
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.76)
    return f": did you mean {f'{owner}{close[0]}'!r}?" if close else ""


def in_language(name: str, owner: str = "tl.") -> str:
    """The language's own name of a function that others call `name`, or an empty text."""
    from eft import language
    from eft.language.extra import libdevice

    other = _OTHER_NAMES.get(name, name)
    if other.startswith("`"):
        return other
    has_it = is_builtin(getattr(libdevice, other, None))
    if has_it and not hasattr(language, other):
        other = f"extra.libdevice.{other}"
    first = other.partition(".")[0]
    is_type = isinstance(getattr(language, first, None), language.dtype)
    return f"{owner}{other}" if first in language.__all__ and not is_type else ""


def instead_of(function) -> tuple[str, str] | None:
    """The full name of a function of another library, and what the language has in its place."""
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        return None
    for library in _LIBRARIES:
        if getattr(sys.modules.get(library), name, None) is function:
            ours = in_language(name)
            full = name if library == "builtins" else f"{library}.{name}"
            return (full, ours) if ours else None
    return None
