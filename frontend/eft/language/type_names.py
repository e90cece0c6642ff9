# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's classes for the types of constants and tuples, and the types that signatures name.

Kernels do not need these names. They are for programs that inspect types."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import constexpr_function
from eft.language.constexpr import unwrap
from eft.language.dtypes import describe

#: A pointer to int32.
pi32_t = dtypes.pointer_type(dtypes.int32)


@constexpr_function
class constexpr_type:
    """The type of a value that is known at compile time.

    Attributes:
        value: the value.
    """

    def __init__(self, value):
        self.value = unwrap(value)

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"constexpr_type[{self.value}]"


@constexpr_function
class tuple_type:
    """The type of a tuple.

    Attributes:
        types: the types of the elements.
        fields: the names of the elements; an empty text for each element if they have no names.
    """

    def __init__(self, types, fields=None):
        self.types = list(types)
        self.fields = list(fields) if fields else [""] * len(self.types)
        named = zip(self.fields, self.types, strict=True)
        self.name = f"[{','.join(f'{field}:{type}' for field, type in named)}]"

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index: int):
        return self.types[index]

    def __eq__(self, other):
        same = isinstance(other, tuple_type) and self.types == other.types
        return same and self.fields == other.fields

    def __hash__(self):
        return hash((tuple(self.types), tuple(self.fields)))

    def __repr__(self):
        return self.name


@constexpr_function
def str_to_ty(name, c):
    """The type that is written as `name` in a signature, such as "i32" or "*fp32". For a tuple of
    names it is a `tuple_type`, and for "constexpr" the `constexpr_type` of the value `c`."""
    if isinstance(name, tuple):
        return tuple_type([str_to_ty(each, c) for each in name], getattr(name, "_fields", None))
    if name == "constexpr":
        return constexpr_type(c)
    try:
        return dtypes.from_signature({"u1": "i1"}.get(name, name))
    except KeyError:
        raise Mistake(f"no signature calls a type {describe(name)}") from None
