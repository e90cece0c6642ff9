# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a signature: `"*fp32:16, *fp32:16, i32, fp32, i32, 1024"`.

There is one entry for each parameter of the kernel, in order. An entry is either a type or a
constant. If it is a type, the program passes a value of this type at each launch. If it is a
constant, the value becomes part of the code. A type may end in a *hint*, a promise about all of its
values: `:16` for divisible by 16; for integers also `:8`, `:4` or `:2`, or `:1` for equal to 1.
"""

from __future__ import annotations

import ast
import re
from collections import namedtuple

from eft.aot.errors import AheadError
from eft.language.dtypes import NUMBERS, from_signature

#: The fields have the same form as those of `eft.driver.Variant`.
Signature = namedtuple("Signature", "types constexprs specialization")

_TYPE = re.compile(r"(\*k?)?\s*(\w+)\s*(?::\s*(.*))?", re.DOTALL)
_NAMES = tuple(number.signature for number in NUMBERS)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def read_signature(text: str, function) -> Signature:
    """Returns the types, constants and hints of the parameters of `function`.

    Raises:
        AheadError: the text is no signature, or not one of this kernel.
    """
    entries = _split(text)
    parameters = function.parameters
    if len(entries) != len(parameters):
        names = ", ".join(each.name for each in parameters)
        raise AheadError(
            f"kernel {function.__name__!r} has {len(parameters)} parameters ({names}), but the "
            f"signature has {len(entries)} entries"
        )
    types, constexprs, specialization = [], {}, []
    for number, (entry, parameter) in enumerate(zip(entries, parameters, strict=True)):
        place = f"entry {number + 1} of the signature, for the parameter {parameter.name!r}"
        type, special, value = _entry(entry, parameter, place)
        types.append(type)
        specialization.append(special)
        if type is None:
            constexprs[parameter.name] = value
    return Signature(tuple(types), constexprs, tuple(specialization))


def _split(text: str) -> list[str]:
    """Splits the text into entries, at the commas that are not inside brackets or strings."""
    entries, begin, closing, quote = [], 0, [], ""
    for index, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in _CLOSING:
            closing.append(_CLOSING[letter])
        elif closing and letter == closing[-1]:
            closing.pop()
        elif letter == "," and not closing:
            entries.append(text[begin:index].strip())
            begin = index + 1
    last = text[begin:].strip()
    return [*entries, last] if last or entries else []


def _entry(text: str, parameter, place: str):
    """Returns the type, the hint and the value of one entry. The type is None for a constant."""
    parts = _TYPE.fullmatch(text)
    if parts and (parts[1] or parts[2] in _NAMES):
        pointer, name, hint = parts.groups()
        if name not in _NAMES:
            raise AheadError(_unknown(text, place))
        type = f"{pointer or ''}{name}"
        if not parameter.is_constexpr:
            return type, _hint(hint, type, place), None
        if not pointer and hint is None:
            return None, "", from_signature(type)
        raise AheadError(f"{place}: a tl.constexpr needs a constant such as 1024, got {text!r}")
    try:
        return None, "", ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise AheadError(_unknown(text, place)) from None


def _unknown(text: str, place: str) -> str:
    return (
        f"{place}: {text!r} is neither a constant nor a type; types are "
        f"{', '.join(_NAMES)}, and pointers to them such as *fp32, or *kfp32 for memory that is "
        "only read"
    )


def _hint(hint: str | None, type: str, place: str) -> str:
    if hint is None:
        return ""
    is_integer = type[0] in "iu" and type != "i1"
    allowed = ["16"] if type.startswith("*") else ["16", "8", "4", "2", "1"] if is_integer else []
    if hint in allowed:
        return hint
    expected = " or ".join(f"':{each}'" for each in allowed) or "nothing"
    raise AheadError(f"{place}: after the type {type!r} may stand {expected}, got ':{hint}'")
