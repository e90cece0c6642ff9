# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names that a function has assigned."""

from __future__ import annotations

from eft.compiler.values import Unusable
from eft.errors import Mistake


class Scope:
    """The names that a function has assigned, and which of them are constexpr.

    Each region of run-time control flow has its own scope, whose parent is the scope around it. So
    the names that a region assigns are known separately from those that it only reads.

    Attributes:
        values: the values of the names.
        places: for each name, the node that assigned it.
        constants: the names that are constexpr.
    """

    #: The result of `value` for a name that has not been assigned.
    NOTHING = object()

    def __init__(self, parent: Scope | None = None):
        self.parent = parent
        self.values = {}
        self.places = {}
        self.constants = set()

    def find(self, name: str):
        """The innermost scope that has assigned `name`: this scope or one around it. None if there
        is none."""
        scope = self
        while scope is not None and name not in scope.values:
            scope = scope.parent
        return scope

    def value(self, name: str):
        """The value of `name` in this scope or one around it, or NOTHING."""
        owner = self.find(name)
        return Scope.NOTHING if owner is None else owner.values[name]

    def names(self):
        """The names that are assigned in this scope and those around it."""
        scope = self
        while scope is not None:
            yield from scope.values
            scope = scope.parent

    def place(self, name: str):
        """The node that assigned the current value of `name`."""
        return self.find(name).places[name]

    def set(self, name: str, value, node):
        """Gives `name` the value `value`, which the node `node` assigned."""
        self.values[name] = value
        self.places[name] = node

    def assign(self, name: str, value, node):
        """Assigns a name in the statement `node`. Raises a `Mistake` if the name is a constexpr."""
        owner = self.find(name)
        if owner is not None and name in owner.constants:
            raise Mistake(f"{name!r} is a constexpr and can't be assigned again")
        self.set(name, value, node)

    def declare_constant(self, name: str, value, node):
        """Assigns a name that is annotated as constexpr. Raises a `Mistake` if the name already has
        a value."""
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
