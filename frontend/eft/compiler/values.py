# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of a function's names, and their way into and out of functions and regions.

A value is a tensor, a Python object that is known at compile time, a tuple of values, or a
structure, which is made of such a tuple. Functions, loops and conditionals pass on the tensors in
it, in order; the rest, its *pattern*, stays in the compiler.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language.constants import number_dtype, to_tensor
from eft.language.dtypes import describe, dtype
from eft.language.tensor import is_number, structure, tensor
from eft.language.tuples import constant_elements, is_tuple, map_elements, remake


class Unusable:
    """The value of a name that can't be read, with the reason. A branch or a loop at run time may
    leave a name without a value, or with values of different kinds on its different ways."""

    def __init__(self, reason: str):
        self.reason = reason


class Later(Unusable):
    """A value that is computed where its name is read: `make` writes the operations for it. Loops
    and conditionals do not carry it."""

    def __init__(self, reason: str, make):
        super().__init__(reason)
        self.make = make


def contains_tensor(value) -> bool:
    """Whether something in `value` is known only at run time."""
    if isinstance(value, tuple | list):
        return any(contains_tensor(element) for element in value)
    return isinstance(value, tensor | structure)


def flatten(value):
    """The tensors in a value, in order."""
    if isinstance(value, tensor):
        yield value
    elif is_tuple(value):
        for element in value:
            yield from flatten(element)
    elif isinstance(value, structure):
        yield from flatten(value.parts())


def rebuild(pattern, tensors):
    """`pattern` with its tensors replaced by those of an iterator, in order."""
    if isinstance(pattern, tensor):
        return next(tensors)
    if is_tuple(pattern):
        return remake(pattern, (rebuild(element, tensors) for element in pattern))
    if isinstance(pattern, structure):
        return pattern.with_parts(rebuild(pattern.parts(), tensors))
    return pattern


def to_tensors(value):
    """The value with all its numbers as tensors."""
    if is_number(value):
        return to_tensor(value)
    if isinstance(value, structure):
        return value.with_parts(to_tensors(value.parts()))
    return map_elements(to_tensors, value) if is_tuple(value) else value


def type_of(value) -> dtype | None:
    """The type of a tensor, or of the one that a number would become; None for other values."""
    if isinstance(value, tensor):
        return value.type
    return number_dtype(value) if is_number(value) else None


# -- values from two ways ------------------------------------------------------------------------


def pair(one, other) -> list | None:
    """The pairs of elements in which two values differ, so that run time can choose between them.
    None if it can't: each pair must be of tensors or numbers of one type."""
    if is_tuple(one) and type(one) is type(other) and len(one) == len(other):
        fixed = constant_elements(one)
        parts = [
            _same_only(*elements) if keep else pair(*elements)
            for *elements, keep in zip(one, other, fixed, strict=True)
        ]
        return None if any(part is None for part in parts) else sum(parts, [])
    if _are_alike(one, other):
        return pair(one.parts(), other.parts())
    if is_same(one, other):
        return []
    same_type = type_of(one) is not None and type_of(one) == type_of(other)
    return [(one, other)] if same_type else None


def _same_only(one, other) -> list | None:
    return [] if is_same(one, other) else None


def choose(one, other, tensors):
    """The value that run time chooses from two; `tensors` gives what it chooses from each pair."""
    if is_tuple(one) and is_tuple(other):
        return remake(
            one, (choose(*elements, tensors) for elements in zip(one, other, strict=True))
        )
    if _are_alike(one, other):
        return one.with_parts(choose(one.parts(), other.parts(), tensors))
    return one if is_same(one, other) else next(tensors)


def _are_alike(one, other) -> bool:
    """Whether both are structures that differ in their parts only."""
    return (
        isinstance(one, structure)
        and type(one) is type(other)
        and one.static() == other.static()
        and one is not other
    )


def is_same(one, other) -> bool:
    """Whether two values are known at compile time to be the same one."""
    if one is other:
        return True
    if isinstance(one, tensor | structure) or isinstance(other, tensor | structure):
        return False
    return type(one) is type(other) and content(one) == content(other)


def in_words(value) -> str:
    """Describes a value, for a mistake."""
    if type(value) is tuple:
        return f"({', '.join(in_words(element) for element in value)})"
    if is_tuple(value):
        fields = zip(type(value)._fields, value, strict=True)
        return f"{type(value).__name__}({', '.join(f'{n}={in_words(x)}' for n, x in fields)})"
    return describe(value)


# -- telling constants apart -----------------------------------------------------------------------


def key(name: str, value):
    """A key that tells one argument of a function from another, as far as its code depends on
    it."""
    if isinstance(value, tensor):
        return name, "tensor", str(value.type)
    if is_tuple(value):
        return name, type(value), tuple(key("", element) for element in value)
    if isinstance(value, structure):
        return name, type(value), value.static(), key("", value.parts())
    try:
        hash(value)
    except TypeError:
        raise Mistake(f"the argument {name!r} must be hashable, got {describe(value)}") from None
    return name, type(value), content(value)


def content(value):
    """A key that tells a constant from others of its type, by the rule of the runtime's
    Constants.cpp: types and bits count, so that neither 1 and True nor 0.0 and -0.0 are the
    same."""
    if isinstance(value, tuple):
        return tuple(key("", element) for element in value)
    if isinstance(value, frozenset):
        return frozenset(key("", element) for element in value)
    # repr tells 0.0 from -0.0, and NaN from nothing else.
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, complex):
        return repr(value.real), repr(value.imag)
    return value
