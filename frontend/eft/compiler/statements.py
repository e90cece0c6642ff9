# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements.

A number that is assigned to a name becomes a value of the kernel, of the type that it has by
itself; under a `tl.constexpr` annotation, or as a loop's variable, it stays known at compile time.
Everything else that is known at compile time (types, functions, strings, None) stays so.
"""

from __future__ import annotations

import ast

from eft.errors import Mistake
from eft.language import operators
from eft.language.constants import to_tensor
from eft.language.constexpr import constexpr
from eft.language.dtypes import describe
from eft.language.loops import static_range
from eft.language.tensor import is_number, tensor

#: Statements that a later version will have, and how they are called.
_LATER = {ast.While: "a `while` loop", ast.Assert: "an `assert` statement"}


def to_variable(value):
    """What a name holds after `name = value`."""
    if is_number(value):
        return to_tensor(value)
    if type(value) in (tuple, list):
        return tuple(to_variable(element) for element in value)
    return value


class Statements:
    """The part of a function's lowering that walks statements."""

    def block(self, statements) -> bool:
        """Lowers statements in turn; True if one of them was a `return`, after which nothing
        runs."""
        return any(self.statement(statement) for statement in statements)

    def statement(self, node) -> bool:
        with self.at(node):
            method = getattr(self, f"_do_{type(node).__name__}", None)
            if method is not None:
                return bool(method(node))
            if type(node) in _LATER:
                raise Mistake(f"{_LATER[type(node)]} is not supported yet")
            raise Mistake(f"this statement can't be used in a kernel: `{_keyword(node)}`")

    # -- assignments -------------------------------------------------------------------------------

    def _do_Assign(self, node):
        value = to_variable(self.expression(node.value))
        for target in node.targets:
            self.assign(target, value)

    def _do_AnnAssign(self, node):
        if not isinstance(node.target, ast.Name):
            raise Mistake("only a name can be annotated")
        is_constant = self._is_constexpr(node.annotation)
        if node.value is None:
            if is_constant:
                raise Mistake(f"the constexpr {node.target.id!r} needs a value")
            return
        value = self.expression(node.value)
        if not is_constant:
            self.assign(node.target, to_variable(value))
            return
        if contains_tensor(value):
            raise Mistake(
                f"the constexpr {node.target.id!r} needs a value that is known at compile time, "
                f"got {describe(value)}"
            )
        self.scope.declare_constant(node.target.id, value)

    def _is_constexpr(self, annotation) -> bool:
        """Whether an annotation says constexpr. Other annotations are not looked at."""
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            return annotation.value.split(".")[-1] == "constexpr"
        name = annotation.attr if isinstance(annotation, ast.Attribute) else None
        name = annotation.id if isinstance(annotation, ast.Name) else name
        return name == "constexpr" and self.expression(annotation) is constexpr

    def _do_AugAssign(self, node):
        left = self.expression(ast.copy_location(_as_load(node.target), node.target))
        right = self.expression(node.value)
        self.assign(node.target, to_variable(self.binary(node.op, left, right)))

    def assign(self, target, value):
        """Binds a name, or the names of a tuple."""
        if isinstance(target, ast.Name):
            self.scope.assign(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, value)
        elif isinstance(target, ast.Subscript):
            raise Mistake("an element can't be assigned: a block is written to memory by tl.store")
        else:
            raise Mistake(f"`{ast.unparse(target)}` can't be assigned in a kernel")

    def _unpack(self, target, value):
        if type(value) is not tuple:
            raise Mistake(f"{describe(value)} can't be unpacked")
        if any(isinstance(element, ast.Starred) for element in target.elts):
            raise Mistake("a starred target can't be used in a kernel")
        if len(value) != len(target.elts):
            raise Mistake(f"expected {len(target.elts)} values to unpack, got {len(value)}")
        for element, part in zip(target.elts, value, strict=True):
            self.assign(element, part)

    # -- control flow ------------------------------------------------------------------------------

    def _do_If(self, node):
        taken = self.condition(node.test, "`if`")
        return self.block(node.body if taken else node.orelse)

    def condition(self, node, what: str) -> bool:
        """The truth of an expression that must be known at compile time."""
        value = self.expression(node)
        if isinstance(value, tensor):
            operators.truth(what, value)
            raise self.emitter.error(
                f"{what} with a condition that is known only at run time is not supported yet", node
            )
        return bool(value)

    def _do_For(self, node):
        if node.orelse:
            raise Mistake("a loop's `else` can't be used in a kernel")
        with self.at(node.iter):
            values = self._unrolled(node.iter)
        for value in values:
            self._set_loop_variable(node.target, value)
            if self.block(node.body):
                return True
        return False

    def _unrolled(self, node):
        """The values of a loop that is unrolled."""
        values = self.expression(node)
        if isinstance(values, static_range):
            return values
        if isinstance(values, range):
            raise Mistake(
                "a `for` loop over `range` is not supported yet; `tl.static_range` unrolls one "
                "with bounds that are known at compile time"
            )
        raise Mistake(
            f"a `for` loop runs over `range` or `tl.static_range`, got {describe(values)}"
        )

    def _set_loop_variable(self, target, value: int):
        if not isinstance(target, ast.Name):
            raise Mistake("a loop's variable must be a name")
        self.scope.assign(target.id, value)

    def _do_Return(self, node):
        value = None if node.value is None else self.expression(node.value)
        with self.at(node):
            self.finish(value)
        return True

    # -- the rest ----------------------------------------------------------------------------------

    def _do_Expr(self, node):
        self.expression(node.value)

    def _do_Pass(self, node):
        pass


def contains_tensor(value) -> bool:
    """Whether something in `value` is known only at run time."""
    if type(value) in (tuple, list):
        return any(contains_tensor(element) for element in value)
    return isinstance(value, tensor)


def _as_load(target):
    """The expression that reads what an augmented assignment writes."""
    if not isinstance(target, ast.Name):
        raise Mistake(f"`{ast.unparse(target)}` can't be assigned in a kernel")
    return ast.Name(target.id, ast.Load())


def _keyword(node) -> str:
    """The first words of a statement."""
    return ast.unparse(node).splitlines()[0]
