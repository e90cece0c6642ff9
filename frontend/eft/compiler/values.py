# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of names, and how functions and regions pass them on.

A value is a tensor, a Python object that is known at compile time, a tuple of values, or a
structure, which consists of a tuple of values. Functions, loops and conditionals pass the tensors
of a value on, in order. The rest of the value, its *pattern*, exists in the compiler only.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language.constants import number_dtype, to_tensor
from eft.language.dtypes import describe, dtype
from eft.language.tensor import is_number, structure, tensor
from eft.language.tuples import constant_elements, is_tuple, map_elements, remake


class Unusable:
    """The value of a name that can't be read, with the reason. After a run-time choice or loop, a
    name may have no value, or the branches may have left it with values of different kinds."""

    def __init__(self, reason: str):
        self.reason = reason


class Later(Unusable):
    """A value that is computed only when its name is read: `make` writes the operations for it.
    Loops and conditionals do not carry such a value."""

    def __init__(self, reason: str, make):
        super().__init__(reason)
        self.make = make


def contains_tensor(value) -> bool:
    """Returns whether `value` or a part of it is known only at run time."""
    if isinstance(value, tuple | list):
        return any(contains_tensor(element) for element in value)
    return isinstance(value, tensor | structure)


def flatten(value):
    """Yields the tensors of a value in order."""
    if isinstance(value, tensor):
        yield value
    elif is_tuple(value):
        for element in value:
            yield from flatten(element)
    elif isinstance(value, structure):
        yield from flatten(value.parts())


def rebuild(pattern, tensors):
    """A copy of `pattern` in which its tensors are replaced, in order, by those of the iterator
    `tensors`."""
    if isinstance(pattern, tensor):
        return next(tensors)
    if is_tuple(pattern):
        return remake(pattern, (rebuild(element, tensors) for element in pattern))
    if isinstance(pattern, structure):
        return pattern.with_parts(rebuild(pattern.parts(), tensors))
    return pattern


def to_tensors(value):
    """The value with all its numbers converted to tensors."""
    if is_number(value):
        return to_tensor(value)
    if isinstance(value, structure):
        return value.with_parts(to_tensors(value.parts()))
    return map_elements(to_tensors, value) if is_tuple(value) else value


def type_of(value) -> dtype | None:
    """The type of a tensor, or the default type of a number. None for other values."""
    if isinstance(value, tensor):
        return value.type
    return number_dtype(value) if is_number(value) else None


# -- values from two ways ------------------------------------------------------------------------


def pair(one, other) -> list | None:
    """The pairs of elements in which two values differ, for a run-time choice between the values:
    each pair has two tensors or numbers of the same type. None if the values differ in another
    element, too, such as a string or a tensor of another type: then there can be no run-time choice
    between them."""
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
    """The value of a run-time choice between two values. The iterator `tensors` gives the result of
    the choice for each pair of `pair(one, other)`."""
    if is_tuple(one) and is_tuple(other):
        return remake(
            one, (choose(*elements, tensors) for elements in zip(one, other, strict=True))
        )
    if _are_alike(one, other):
        return one.with_parts(choose(one.parts(), other.parts(), tensors))
    return one if is_same(one, other) else next(tensors)


def _are_alike(one, other) -> bool:
    """Returns whether two values are structures that can differ only in their parts."""
    return (
        isinstance(one, structure)
        and type(one) is type(other)
        and one.static() == other.static()
        and one is not other
    )


def is_same(one, other) -> bool:
    """Returns whether two values are known at compile time to be the same."""
    if one is other:
        return True
    if isinstance(one, tensor | structure) or isinstance(other, tensor | structure):
        return False
    return type(one) is type(other) and content(one) == content(other)


def in_words(value) -> str:
    """A text that describes a value, for a message."""
    if type(value) is tuple:
        return f"({', '.join(in_words(element) for element in value)})"
    if is_tuple(value):
        fields = zip(type(value)._fields, value, strict=True)
        return f"{type(value).__name__}({', '.join(f'{n}={in_words(x)}' for n, x in fields)})"
    return describe(value)


# -- telling constants apart -----------------------------------------------------------------------


def key(name: str, value):
    """A key of an argument of a function. Two arguments have the same key if the code of the
    function is the same for both."""
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
    """A key that tells a constant from other constants of its type. It follows the rule of the
    runtime's Constants.cpp: types and bits count, so 1 differs from True, and 0.0 from -0.0."""
    if isinstance(value, tuple):
        return tuple(key("", element) for element in value)
    if isinstance(value, frozenset):
        return frozenset(key("", element) for element in value)
    # The texts of 0.0 and -0.0 differ. All NaNs have the same text.
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, complex):
        return repr(value.real), repr(value.imag)
    return value
