# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that modules of Triton's language have and Eft's do not have, so that a kernel which uses
one gets an error that says so."""

from __future__ import annotations


def attribute(module: str, prefix: str, names: frozenset):
    """Makes the `__getattr__` of a module of the language that lacks some of Triton's names, which
    go by `tl.` and a prefix."""

    def find(name: str):
        if name in names:
            return NotYet(f"{prefix}{name}")
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return find


class NotYet:
    """Stands for a function of Triton that Eft does not have yet."""

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
