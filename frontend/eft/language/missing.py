# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Placeholders for names that modules of Triton's language have and Eft's modules do not have. A
kernel that uses such a name gets an error that says so."""

from __future__ import annotations


def attribute(module: str, prefix: str, names: frozenset):
    """Makes the `__getattr__` of a module that lacks some of Triton's names. It gives a `NotYet`
    for each of `names`. `prefix` is the path of the module in `tl`, such as "extra.hip."."""

    def find(name: str):
        if name in names:
            return NotYet(f"{prefix}{name}")
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return find


class NotYet:
    """A placeholder for a function of Triton that Eft does not have yet."""

    def __init__(self, name: str):
        self.__name__ = name

    def __eq__(self, other):
        return isinstance(other, NotYet) and self.__name__ == other.__name__

    def __hash__(self):
        return hash(self.__name__)

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(self.message)

    @property
    def message(self) -> str:
        return f"tl.{self.__name__} is not supported yet"
