# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names that a kernel has assigned."""

from __future__ import annotations

from eft.compiler.values import Unusable
from eft.errors import Mistake


class Scope:
    """The names that a function has assigned, and which of them are constexpr.

    A region of run-time control flow gets a scope of its own, with the one around it as its parent,
    so that what the region assigns can be told from what it only reads.

    Attributes:
        values: what the names hold.
        places: the nodes that assigned them.
        constants: the names that are constexpr.
    """

    #: The result of `value` for a name that nobody has assigned.
    NOTHING = object()

    def __init__(self, parent: Scope | None = None):
        self.parent = parent
        self.values = {}
        self.places = {}
        self.constants = set()

    def find(self, name: str):
        """The scope that has assigned `name`, or None."""
        scope = self
        while scope is not None and name not in scope.values:
            scope = scope.parent
        return scope

    def value(self, name: str):
        """The value of `name` here, or NOTHING."""
        owner = self.find(name)
        return Scope.NOTHING if owner is None else owner.values[name]

    def names(self):
        """The names that are assigned here."""
        scope = self
        while scope is not None:
            yield from scope.values
            scope = scope.parent

    def place(self, name: str):
        """The node that gave `name` what it holds here."""
        return self.find(name).places[name]

    def set(self, name: str, value, node):
        """Gives a name a value, which it got at `node`."""
        self.values[name] = value
        self.places[name] = node

    def assign(self, name: str, value, node):
        """Assigns a name, in a statement at `node`."""
        owner = self.find(name)
        if owner is not None and name in owner.constants:
            raise Mistake(f"{name!r} is a constexpr and can't be assigned again")
        self.set(name, value, node)

    def declare_constant(self, name: str, value, node):
        """Assigns a name that is annotated as constexpr."""
        held = self.value(name)
        if held is not Scope.NOTHING and not isinstance(held, Unusable):
            if self.place(name) is node:
                raise Mistake(
                    f"{name!r} is a constexpr since the loop came here before, and can't be "
                    "assigned again: write what it is where it is used"
                )
            raise Mistake(f"{name!r} has a value already and can't become a constexpr")
        self.set(name, value, node)
        self.constants.add(name)
