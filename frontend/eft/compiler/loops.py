# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops: unrolled loops, `for` over a range, and `while`.

A run-time loop carries the names that have a value before it and that its body assigns. The body is
compiled once. So after each iteration, the types of these names' values must be the same as before
the loop, and so must everything about the values that is known at compile time.
"""

from __future__ import annotations

import ast

from eft.compiler.branches import Continuation
from eft.compiler.scope import Scope
from eft.compiler.values import (
    Later,
    Unusable,
    contains_tensor,
    flatten,
    in_words,
    pair,
    rebuild,
    to_tensors,
    type_of,
)
from eft.errors import Mistake, UnsupportedConstruct
from eft.language.constants import constant
from eft.language.dtypes import describe
from eft.language.loops import Range, static_range
from eft.language.tensor import tensor
from eft.language.tuples import is_tuple


def _assigned(*nodes) -> list[str]:
    """The names that the nodes assign, each once."""
    found = (
        each.id
        for node in nodes
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    )
    return list(dict.fromkeys(found))


class Loops:
    """The part of a function's lowering that lowers loops."""

    def _do_For(self, node):
        self._check_form(node)
        with self.at(node.iter):
            values = self.expression(node.iter)
            if isinstance(values, range):
                values = Range(values.start, values.stop, values.step)
            if not isinstance(values, static_range | Range):
                hint = ": count its elements by tl.static_range" if is_tuple(values) else ""
                raise Mistake(
                    "a `for` loop runs over `range`, `tl.range` or `tl.static_range`, got "
                    f"{describe(values)}{hint}"
                )
        if not isinstance(node.target, ast.Name):
            raise Mistake("a loop's variable must be a name")
        if isinstance(values, static_range):
            return self._unroll(node, values, 0)
        self._count(node, values)

    def _do_While(self, node):
        self._check_form(node)
        carried = self._carried(_assigned(node.test, *node.body))
        before, scope = self._region([], carried, [])
        with self.at(node.test):
            condition = self._within(before, scope, lambda: self.condition(node.test, "`while`"))
        if not isinstance(condition, tensor):
            if condition:
                raise self.emitter.error(
                    "this `while` would never end: its condition is true at compile time", node.test
                )
            return
        passed = dict(scope.values)
        self._within(before, scope, lambda: self._pass_on(condition, passed))
        body, inner = self._region([], passed, scope.places)
        self._within(body, inner, lambda: self._body(node, carried))
        operands = [each for value in carried.values() for each in flatten(value)]
        self._finish(node, "scf.while", operands, passed, [before, body], inner)

    def _check_form(self, node):
        if node.orelse:
            raise UnsupportedConstruct("a loop's `else` can't be used in a kernel")

    # -- at compile time ---------------------------------------------------------------------------

    def _unroll(self, node, values: static_range, first: int) -> bool:
        """Lowers the body once for each value, beginning with value number `first`. Returns whether
        an iteration returned."""
        outer = self.continuation
        for number in range(first, len(values)):
            self.continuation = Continuation(
                lambda next=number + 1: self._unroll(node, values, next), outer
            )
            self.scope.assign(node.target.id, values[number], node.target)
            if self.block(node.body):
                return True
        self.continuation = outer
        return False

    def _get_ListComp(self, node):
        """A tuple with one element for each iteration. The variables of the comprehension are not
        visible outside of it."""
        outer = self.scope
        self.scope = Scope(outer)
        elements = tuple(self._comprehend(node.elt, node.generators))
        self.scope = outer
        return elements

    def _comprehend(self, element, generators):
        """Yields the elements that a comprehension makes. `generators` are its generators that are
        still to be lowered."""
        if not generators:
            yield self.expression(element)
            return
        first, *others = generators
        for value in self._known_elements(first.iter):
            self.assign(first.target, value)
            if all(self._is_known_true(condition) for condition in first.ifs):
                yield from self._comprehend(element, others)

    def _known_elements(self, node):
        """The elements over which a comprehension runs. They must be known at compile time, because
        a run-time loop can't make a tuple."""
        with self.at(node):
            values = self.expression(node)
            if isinstance(values, range):
                values = static_range(values.start, values.stop, values.step)
            if not isinstance(values, static_range) and not is_tuple(values):
                found = "bounds of run time" if isinstance(values, Range) else describe(values)
                raise Mistake(
                    "a comprehension runs over a tuple or a range that is known at compile time, "
                    f"got {found}"
                )
        return values

    def _is_known_true(self, node) -> bool:
        condition = self.expression(node)
        if contains_tensor(condition):
            raise self.emitter.error(
                "the condition of a comprehension must be known at compile time, got "
                f"{describe(condition)}",
                node,
            )
        return bool(condition)

    # -- at run time -------------------------------------------------------------------------------

    def _count(self, node, values: Range):
        """Lowers a `for` loop that runs at run time."""
        name = node.target.id
        with self.at(node.iter):
            lower, upper, step, value_of = values.counter()
        carried = self._carried(_assigned(node.target, *node.body))
        if name in carried and type_of(carried[name]) != values.type:
            del carried[name]
        region, scope = self._region([lower.type], carried, [])

        def body():
            counter = tensor(region.arguments[0], lower.type)
            with self.at(node.iter):
                counter = value_of(counter)
            self.assign(node.target, counter)
            self._body(node, carried)

        self._within(region, scope, body)
        inits = [each for value in carried.values() for each in flatten(value)]
        bounds = [lower, upper, constant(step, lower.type)]
        before = self.scope.value(name)
        self._finish(node, "scf.for", [*bounds, *inits], carried, [region], scope, values.hints)
        is_new = before is Scope.NOTHING or isinstance(before, Unusable)
        if is_new and name not in _assigned(*node.body):
            reason = self.scope.value(name).reason
            self.scope.set(name, Later(reason, values.last), node.target)

    def _carried(self, names) -> dict:
        """The names that a loop carries, out of `names`, with their values before the loop."""
        owners = {name: self.scope.find(name) for name in names}
        return {
            name: to_tensors(owner.values[name])
            for name, owner in owners.items()
            if owner is not None
            and name not in owner.constants
            and not isinstance(owner.values[name], Unusable)
        }

    def _region(self, first, carried: dict, places):
        """Makes a region, and a scope in which the carried names are arguments of the region. The
        region's first arguments have the types `first`; the tensors of the carried values
        follow."""
        types = [each.type for value in carried.values() for each in flatten(value)]
        region = self.emitter.region([*first, *types])
        handles = region.arguments[len(first) :]
        arguments = iter([tensor(*each) for each in zip(handles, types, strict=True)])
        scope = Scope(self.scope)
        for name, value in carried.items():
            place = places[name] if name in places else self.scope.place(name)
            scope.set(name, rebuild(value, arguments), place)
        return region, scope

    def _within(self, region, scope: Scope, lower):
        """Calls `lower`, which writes into the region of a loop, with the scope `scope`. Returns
        its result."""
        outer = self.scope, self.continuation
        self.scope, self.continuation = scope, None
        self.loops += 1
        self.emitter.enter(region)
        result = lower()
        self.emitter.leave()
        self.loops -= 1
        self.scope, self.continuation = outer
        return result

    def _pass_on(self, condition, passed: dict):
        """Ends the test of a `while`. The values `passed` go to the body if the condition is true,
        and out of the loop if it is false."""
        for name, value in passed.items():
            passed[name] = to_tensors(value)
        tensors = [each for value in passed.values() for each in flatten(value)]
        handles = [each.handle for each in (condition, *tensors)]
        self.emitter.create("scf.condition", handles, [], {})

    def _body(self, node, carried: dict):
        """Lowers the body of a loop, and passes the carried values to the next iteration."""
        self.block(node.body)
        ends = []
        for name, start in carried.items():
            end = self.scope.value(name)
            self._check_carried(node, name, start, end)
            ends += flatten(to_tensors(end))
        self.emitter.create("scf.yield", [each.handle for each in ends], [], {})

    def _check_carried(self, node, name: str, start, end):
        """Raises an error if an iteration changes the type of a carried value, or a part of the
        value that is known at compile time."""
        if isinstance(end, Unusable):
            raise self.emitter.error(end.reason, node)
        if pair(start, end) is not None:
            return
        both_have_types = type_of(start) is not None and type_of(end) is not None
        raise self.emitter.error(
            f"{name!r} must {'keep its type' if both_have_types else 'stay the same'} in the loop "
            f"at {self.place(node)}: it is {in_words(start)} from "
            f"{self.place(self.scope.parent.place(name))}, and {in_words(end)} from "
            f"{self.place(self.scope.places[name])}",
            self.scope.places[name],
        )

    def _finish(
        self, node, operation: str, operands, passed: dict, regions, inner: Scope, attributes=()
    ):
        """Creates the operation of a loop, and gives names the values that they have after the
        loop."""
        types = [each.type for value in passed.values() for each in flatten(value)]
        handles = [each.handle for each in operands]
        results = self.emitter.create(operation, handles, types, dict(attributes), regions)
        tensors = iter([tensor(*each) for each in zip(results, types, strict=True)])
        for name, value in passed.items():
            self.scope.set(name, rebuild(value, tensors), inner.places[name])
        for name in inner.values:
            if name not in passed:
                self.scope.set(
                    name, Unusable(self._why_lost(node, name, inner)), inner.places[name]
                )

    def _why_lost(self, node, name: str, inner: Scope) -> str:
        """The reason why a name that the loop did not carry has no value after the loop."""
        before = self.scope.value(name)
        place = self.place(inner.places[name])
        if before is Scope.NOTHING or isinstance(before, Unusable):
            return (
                f"{name!r} may have no value here: it is first assigned at {place}, in the loop at "
                f"{self.place(node)}, which may run no iteration"
            )
        return (
            f"{name!r} can't be used after the loop at {self.place(node)}: it is "
            f"{in_words(before)} from {self.place(self.scope.place(name))}, and "
            f"{in_words(inner.values[name])} from {place}"
        )
