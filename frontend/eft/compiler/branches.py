# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choices between two branches: `if`, conditional expressions, and returns under conditions.

If the condition is known at compile time, only the branch that it selects is lowered. If it is
known at run time, the choice becomes an `scf.if` with a region for each branch. A name that has
different values at the ends of the two branches then has a result of the `scf.if` as its value.

Control leaves a region of an `scf.if` only at its end. So if one of the branches returns, all
statements that follow the `if` in the function are lowered into the other branch. The results of
the `scf.if` are then what the function returns.
"""

from __future__ import annotations

import ast

from eft.compiler.scope import Scope
from eft.compiler.values import Unusable, choose, in_words, pair, type_of
from eft.errors import Mistake
from eft.language import operators
from eft.language.constants import to_tensor
from eft.language.tensor import tensor

#: The largest number of times that a function may lower statements that it has already lowered.
_MOST_COPIES = 32
#: The largest number of run-time conditions in an `if` with its `elif`s, or in a conditional
#: expression. Each becomes an `scf.if` inside the one before, and the deeper an `scf.if` is nested,
#: the longer the compiler takes for it.
_MOST_WAYS = 1000


class Continuation:
    """The statements of a function that follow a statement.

    Attributes:
        lower: a function that lowers the remaining statements of the innermost block, and returns
            whether they returned.
        outer: the continuation after this block, or None.
        is_used: whether the statements have been lowered by `resume`.
    """

    def __init__(self, lower, outer: Continuation | None):
        self.lower = lower
        self.outer = outer
        self.is_used = False


class Arm:
    """One branch of a run-time choice.

    Attributes:
        region: the region into which its operations are written.
        scope: the names that it assigns.
        value: the value of the branch's expression; for statements, whether they returned.
        returned: the value that the branch returned, and the node that returned it.
        outer: the scope, the continuation and the `returned` of the surrounding code.
    """

    def __init__(self, region, scope: Scope):
        self.region = region
        self.scope = scope


def _is_elif(statements) -> bool:
    """Returns whether the statements of an `else` are a single `if`."""
    return len(statements) == 1 and isinstance(statements[0], ast.If)


class Branches:
    """The part of a function's lowering that lowers choices."""

    def condition(self, node, what: str):
        """The truth of an expression: a bool if it is known at compile time, otherwise an int1."""
        value = self.expression(node)
        if not isinstance(value, tensor):
            return bool(value)
        with self.at(node):
            if value.shape:
                raise Mistake(
                    f"{what} needs one truth, got a block of type {value.type}, which has one for "
                    "each element: tl.where chooses between elements"
                )
            return operators.truth(value)

    def _do_If(self, node):
        # Each `elif` is an `if` in the `else` of the `if` before it. This loop goes through them:
        # Python's recursion limit is too low for long chains.
        opened = []
        while True:
            self.emitter.node = node
            condition = self.condition(node.test, "`if`")
            side = node.orelse
            if isinstance(condition, tensor):
                if len(opened) == _MOST_WAYS:
                    raise Mistake(
                        f"an `if` has at most {_MOST_WAYS} conditions that exist at run time"
                    )
                arm = self._arm(self.block, node.body)
                opened.append((node, condition, arm, self._open()))
            elif condition:
                side = node.body
            if side is node.body or not _is_elif(side):
                break
            node = side[0]
        returns = self.block(side)
        while opened:
            node, condition, arm, other = opened.pop()
            self._close(other, returns)
            self.emitter.node = node
            returns = self._choose_way(node, condition, [arm, other])
        return returns

    def _choose_way(self, node, condition, arms) -> bool:
        """Ends the two branches of an `if`. Returns whether a branch has returned: then the
        statements after the `if` have been lowered into the branches."""
        if not any(arm.value for arm in arms):
            self._join(condition, arms, node)
            return False
        for arm in arms:
            if not arm.value:
                self._inside(arm, self.resume, self.continuation)
        self.returned = self._join_returns(condition, arms)
        return True

    def _get_IfExp(self, node):
        condition = self.condition(node.test, "a conditional expression")
        if not isinstance(condition, tensor):
            return (yield node.body if condition else node.orelse)
        self.nesting += 1
        if self.nesting > _MOST_WAYS:
            raise Mistake(
                f"a conditional expression has at most {_MOST_WAYS} conditions that exist at run "
                "time"
            )
        arms = []
        for side in (node.body, node.orelse):
            arm = self._open()
            arms.append(arm)
            self._close(arm, (yield side))
        self.nesting -= 1
        values = [arm.value for arm in arms]
        if pair(*values) is None:
            raise Mistake(
                "a conditional expression that is decided at run time must be the same kind of "
                f"value either way, got {in_words(values[0])} and {in_words(values[1])}"
            )
        return self._join(condition, arms, node, values)

    # -- arms --------------------------------------------------------------------------------------

    def _arm(self, lower, what) -> Arm:
        """Makes a branch: `lower(what)` writes into its region, and assigns names in its scope."""
        arm = self._open()
        self._close(arm, lower(what))
        return arm

    def _inside(self, arm: Arm, lower, what):
        self._enter(arm)
        self._close(arm, lower(what))

    def _open(self) -> Arm:
        """Begins a branch. Operations are written into its region until `_close`."""
        arm = Arm(self.emitter.region([]), Scope(self.scope))
        self._enter(arm)
        return arm

    def _enter(self, arm: Arm):
        arm.outer = self.scope, self.continuation, self.returned
        self.scope = arm.scope
        self.emitter.enter(arm.region)

    def _close(self, arm: Arm, value):
        self.emitter.leave()
        arm.value, arm.returned = value, self.returned
        self.scope, self.continuation, self.returned = arm.outer

    def resume(self, continuation: Continuation | None) -> bool:
        """Lowers the statements of a continuation and of the continuations around it. Returns
        whether one of the statements returned."""
        while continuation is not None:
            self.copies += continuation.is_used
            continuation.is_used = True
            if self.copies > _MOST_COPIES:
                raise Mistake(
                    "too many nested early returns: the statements behind a `return` under a "
                    "condition are compiled for each way that leads to them"
                )
            self.continuation = continuation.outer
            if continuation.lower():
                return True
            continuation = continuation.outer
        return False

    # -- joins -------------------------------------------------------------------------------------

    def _join(self, condition, arms, node, values=()):
        """Ends both branches. Gives each name that they assigned its value after the choice.
        Returns the value of the choice if `values` are the values of the two branches."""
        joined = {}
        for name in {**arms[0].scope.values, **arms[1].scope.values}:
            ends = [arm.scope.value(name) for arm in arms]
            reason = self._why_unusable(name, ends, arms, node)
            joined[name] = (Unusable(reason),) * 2 if reason else ends
        pairs = [each for ends in joined.values() for each in pair(*ends)]
        chosen = self._choice(condition, arms, pairs + (pair(*values) if values else []))
        for name, ends in joined.items():
            place = next(arm.scope.places[name] for arm in arms if name in arm.scope.values)
            self.scope.set(name, choose(*ends, chosen), place)
            if all(name in arm.scope.constants for arm in arms):
                self.scope.constants.add(name)
        return choose(*values, chosen) if values else None

    def _why_unusable(self, name: str, ends, arms, node) -> str | None:
        """Returns the reason why a name can't be used after a choice, or None if it can be used.
        `ends` are the values of the name at the ends of the two branches."""
        for arm, end in zip(arms, ends, strict=True):
            if isinstance(end, Unusable):
                return end.reason
            if end is Scope.NOTHING:
                other = arms[1] if arm is arms[0] else arms[0]
                return (
                    f"{name!r} may have no value here: it is assigned at "
                    f"{self.place(other.scope.places[name])}, in only one branch of the `if` at "
                    f"{self.place(node)}"
                )
        if pair(*ends) is not None:
            return None
        first, second = (
            f"{in_words(end)} from {self.place(arm.scope.place(name))}"
            for arm, end in zip(arms, ends, strict=True)
        )
        return (
            f"{name!r} can't be used after the `if` at {self.place(node)}, which is decided at run "
            f"time: it is {first}, and {second}"
        )

    def _join_returns(self, condition, arms):
        """Ends the two branches of a choice if both have returned. The statements after the `if`
        have already been lowered into them. Returns the value that the function returns, and the
        node of the `return` in the second branch."""
        (one, first), (other, second) = (arm.returned for arm in arms)
        pairs = pair(one, other)
        if pairs is None:
            raise self.emitter.error(
                f"a function must return the same kind of value whatever is decided at run time: "
                f"it is {in_words(one)} from {self.place(first)}, and {in_words(other)} from "
                f"{self.place(second)}",
                second,
            )
        return choose(one, other, self._choice(condition, arms, pairs)), second

    def _choice(self, condition, arms, pairs):
        """Creates the `scf.if`, which selects one tensor of each pair. Returns an iterator over its
        results."""
        for arm, side in zip(arms, zip(*pairs, strict=True) if pairs else ((), ()), strict=True):
            self.emitter.enter(arm.region)
            handles = [to_tensor(value).handle for value in side]
            self.emitter.create("scf.yield", handles, [], {})
            self.emitter.leave()
        types = [type_of(one) for one, _ in pairs]
        regions = [arm.region for arm in arms]
        handles = self.emitter.create("scf.if", [condition.handle], types, {}, regions)
        return iter([tensor(*each) for each in zip(handles, types, strict=True)])
