# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plain tuples and named tuples, which are those of `typing.NamedTuple` and
`collections.namedtuple`.

A field that is annotated as `tl.constexpr` holds a value that is known at compile time and stays
known.
"""

from __future__ import annotations

from eft.annotations import annotations_of
from eft.language.constexpr import constexpr


def is_named_class(value) -> bool:
    """Returns whether `value` is a class of named tuples."""
    return (
        isinstance(value, type)
        and issubclass(value, tuple)
        and type(getattr(value, "_fields", None)) is tuple
    )


def is_tuple(value) -> bool:
    """Returns whether `value` is a plain or a named tuple."""
    return type(value) is tuple or is_named_class(type(value))


def remake(pattern: tuple, elements) -> tuple:
    """A tuple of the same class as `pattern` with the elements `elements`."""
    if type(pattern) is tuple:
        return tuple(elements)
    return tuple.__new__(type(pattern), elements)


def map_elements(function, value: tuple) -> tuple:
    """`value` with `function` applied to its elements. Elements of fields that are annotated as
    constexpr stay as they are."""
    fixed = constant_elements(value)
    return remake(value, (x if keep else function(x) for x, keep in zip(value, fixed, strict=True)))


def constant_elements(value: tuple) -> list[bool]:
    """A list with a bool for each element: whether its field is annotated as constexpr."""
    if type(value) is tuple:
        return [False] * len(value)
    annotations = annotations_of(type(value))
    return [is_constexpr_annotation(annotations.get(name)) for name in type(value)._fields]


def is_constexpr_annotation(annotation) -> bool:
    """Returns whether an annotation is `tl.constexpr`, or a text with this name."""
    # typing.NamedTuple wraps an annotation that is text in a ForwardRef.
    annotation = getattr(annotation, "__forward_arg__", annotation)
    if isinstance(annotation, str):
        return annotation.split(".")[-1].strip() == "constexpr"
    return annotation is constexpr
