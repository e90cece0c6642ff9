# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements.

A number that is assigned to a name becomes a run-time value of the number's default type. There are
four exceptions, in which the number stays known at compile time: a `tl.constexpr` annotation, an
assignment by `:=`, the variable of an unrolled loop, and the variable of a comprehension. All other
compile-time values (types, functions, strings, None) stay known at compile time.
"""

from __future__ import annotations

import ast

from eft.compiler.branches import Continuation
from eft.compiler.expressions import shown
from eft.compiler.values import contains_tensor
from eft.errors import FailedAssertion, Mistake, UnsupportedConstruct
from eft.language.constants import to_tensor
from eft.language.constexpr import constexpr
from eft.language.debug import device_assert
from eft.language.dtypes import describe
from eft.language.tensor import is_number, tensor
from eft.language.tuples import is_tuple, map_elements


def to_variable(value):
    """What `name` holds after `name = value`: a number becomes a run-time value, and a list becomes
    a tuple, also in tuples."""
    if is_number(value):
        return to_tensor(value)
    if type(value) is list:
        value = tuple(value)
    return map_elements(to_variable, value) if is_tuple(value) else value


class Statements:
    """The part of a function's lowering that lowers statements."""

    def block(self, statements) -> bool:
        """Lowers statements in order, up to the first one in which the function returns. Returns
        whether there was one."""
        outer = self.continuation
        for number, statement in enumerate(statements, 1):
            following = statements[number:]
            self.continuation = (
                Continuation(lambda following=following: self.block(following), outer)
                if following
                else outer
            )
            if self.statement(statement):
                return True
        self.continuation = outer
        return False

    def statement(self, node) -> bool:
        with self.at(node):
            method = getattr(self, f"_do_{type(node).__name__}", None)
            if method is not None:
                return bool(method(node))
            raise UnsupportedConstruct(
                f"this statement can't be used in a kernel: `{_keyword(node)}`"
            )

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
            self.emitter.warn(
                f"the constexpr {node.target.id!r} needs a value that is known at compile time, "
                f"got {describe(value)}: it is a variable"
            )
            self.assign(node.target, value)
            return
        self.scope.declare_constant(node.target.id, value, node.target)

    def _is_constexpr(self, annotation) -> bool:
        """Returns whether an annotation is constexpr. Other annotations are ignored."""
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
        """Assigns a value to a name, or its elements to the names of a tuple."""
        if isinstance(target, ast.Name):
            self.scope.assign(target.id, value, target)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, value)
        elif isinstance(target, ast.Subscript):
            raise Mistake("an element can't be assigned: a block is written to memory by tl.store")
        else:
            raise Mistake(f"`{shown(target)}` can't be assigned in a kernel")

    def _unpack(self, target, value):
        if not is_tuple(value):
            raise Mistake(f"{describe(value)} can't be unpacked")
        if any(isinstance(element, ast.Starred) for element in target.elts):
            raise Mistake("a starred target can't be used in a kernel")
        if len(value) != len(target.elts):
            raise Mistake(f"expected {len(target.elts)} values to unpack, got {len(value)}")
        for element, part in zip(target.elts, value, strict=True):
            self.assign(element, part)

    # -- control flow ------------------------------------------------------------------------------

    def _do_Return(self, node):
        value = None if node.value is None else self.expression(node.value)
        if self.loops:
            raise Mistake("a loop that runs at run time can't be left by `return`")
        self.returned = (value, node)
        return True

    def _do_Break(self, node):
        raise UnsupportedConstruct(
            "`break` can't be used in a kernel: a `while` has a condition to end by"
        )

    def _do_Continue(self, node):
        raise UnsupportedConstruct(
            "`continue` can't be used in a kernel: an `if` can leave out the rest"
        )

    def _do_Assert(self, node):
        holds = self.expression(node.test)
        if isinstance(holds, tensor):
            message = "" if node.msg is None else self.expression(node.msg)
            self.call(device_assert, [holds, message], {})
        elif not holds:
            message = "" if node.msg is None else f": {self.expression(node.msg)}"
            raise FailedAssertion(f"this assertion does not hold{message}")

    # -- other statements --------------------------------------------------------------------------

    def _do_Expr(self, node):
        self.unused = node.value
        self.expression(node.value)

    def _do_Pass(self, node):
        pass


def _as_load(target):
    """The expression that reads the target of an augmented assignment."""
    if not isinstance(target, ast.Name):
        raise Mistake(f"`{shown(target)}` can't be assigned in a kernel")
    return ast.Name(target.id, ast.Load())


def _keyword(node) -> str:
    """The first line of a statement, for a message."""
    return shown(node).splitlines()[0]
