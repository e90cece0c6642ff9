# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suggestions for names that a kernel can't use: the end of an error message, or an empty text."""

from __future__ import annotations

import sys

from eft.language.builtin import is_builtin

#: Functions of Python, math, NumPy and PyTorch, with the name or the operator that the language has
#: for each.
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
    """The end of a message that suggests the one of `names` that is most similar to `name`; "" if
    none is similar. `owner` is the prefix of the suggestion, such as "tl."."""
    import difflib

    known = [each for each in names if isinstance(each, str) and not each.startswith("_")]
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.76)
    return f": did you mean {f'{owner}{close[0]}'!r}?" if close else ""


def in_language(name: str, owner: str = "tl.") -> str:
    """The language's name, with the prefix `owner`, for a function that other libraries call
    `name`. It may also be an operator. The result is "" if the language has no such function."""
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
    """For a function of another library, its full name and the name of the function of the language
    that replaces it. None for other functions."""
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        return None
    for library in _LIBRARIES:
        if getattr(sys.modules.get(library), name, None) is function:
            ours = in_language(name)
            full = name if library == "builtins" else f"{library}.{name}"
            return (full, ours) if ours else None
    return None
