# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions.

If the value of an expression exists when the kernel runs, it is a `tensor`. Otherwise it is the
Python object itself, and Python computes with it while the kernel is compiled. Tuples may hold
both.

Each kind of node has a method. The method either returns the value of the node, or is a generator:
it yields each node whose value it needs, is sent that value, and finally returns its own value. So
lowering does not recurse on Python's stack, and an expression may be nested as deeply as Python's
parser allows: a sum may have thousands of terms.
"""

from __future__ import annotations

import ast
import math
import operator
from types import GeneratorType, ModuleType

from eft import language
from eft.compiler.scope import Scope
from eft.compiler.suggestions import did_you_mean, in_language
from eft.compiler.values import Later, Unusable, contains_tensor
from eft.errors import Mistake, UnsupportedConstruct
from eft.language import operators
from eft.language.constexpr import unwrap
from eft.language.dtypes import describe, dtype
from eft.language.missing import NotYet
from eft.language.shapes import index
from eft.language.tensor import tensor
from eft.language.tuples import is_tuple

#: For each kind of node: the name of the operator, for Python's module `operator` and for the
#: language's own operators.
_BINARY = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.Pow: "pow",
}
_COMPARISONS = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
#: Attributes of tensors that kernels can't use.
_INTERNALS = ("handle", "is_tensor", "retyped")
#: The largest number of characters of an expression that a message shows.
_MOST_SHOWN = 100
_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}


def shown(node) -> str:
    """The text of a node for a message, cut after `_MOST_SHOWN` characters."""
    try:
        text = ast.unparse(node)
    except RecursionError:
        return "…"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


class Expressions:
    """The part of a function's lowering that lowers expressions."""

    def expression(self, node):
        """Lowers an expression and returns its value."""
        with self.at(node):
            value = self._start(node)
            if type(value) is not GeneratorType:
                return value
            walks, value = [(node, value)], None
            while walks:
                self.emitter.node, walk = walks[-1]
                try:
                    node = walk.send(value)
                except StopIteration as end:
                    value = end.value
                    walks.pop()
                    continue
                self.emitter.node = node
                value = self._start(node)
                if type(value) is GeneratorType:
                    walks.append((node, value))
                    value = None
            return value

    def _start(self, node):
        """The value of a node, or a generator that yields the nodes whose values it needs."""
        method = getattr(self, f"_get_{type(node).__name__}", None)
        if method is None:
            raise UnsupportedConstruct(
                f"this expression can't be used in a kernel: `{shown(node)}`"
            )
        return method(node)

    def _get_Constant(self, node):
        if isinstance(node.value, complex | bytes):
            raise Mistake(f"{node.value!r} can't be used in a kernel")
        return node.value

    def _get_Name(self, node):
        value = self.scope.value(node.id)
        if isinstance(value, Later):
            return value.make()
        if isinstance(value, Unusable):
            raise Mistake(value.reason)
        if value is Scope.NOTHING:
            return self.closure.get(node.id, self.scope.names())
        return value

    def _get_Tuple(self, node):
        return tuple((yield from self.elements(node.elts)))

    _get_List = _get_Tuple

    def elements(self, nodes):
        """The values of a tuple's elements or a call's arguments, as a list. `*x` contributes the
        elements of `x`."""
        values = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                values.append((yield node))
                continue
            value = yield node.value
            if not is_tuple(value):
                raise Mistake(f"`*` needs a tuple, got {describe(value)}")
            values += value
        return values

    def _get_NamedExpr(self, node):
        value = yield node.value
        self.assign(node.target, value)
        return value

    def _get_JoinedStr(self, node):
        parts = yield from self.elements(node.values)
        return "".join(parts)

    def _get_FormattedValue(self, node):
        value = yield node.value
        if isinstance(value, tensor):
            raise Mistake(f"{describe(value)} has no text at compile time")
        pattern = (yield node.format_spec) if node.format_spec else ""
        conversion = {-1: lambda x: x, 114: repr, 115: str, 97: ascii}[node.conversion]
        return self.at_compile_time(lambda: format(conversion(value), pattern))

    # -- operators ---------------------------------------------------------------------------------

    def _get_BinOp(self, node):
        left = yield node.left
        right = yield node.right
        return self.binary(node.op, left, right)

    def binary(self, op, left, right):
        """The value of `left op right`."""
        name = _BINARY.get(type(op))
        if name is None:
            raise Mistake("the operator `@` is not supported yet")
        if not isinstance(left, tensor) and not isinstance(right, tensor):
            return self.at_compile_time(getattr(operator, f"__{name}__"), left, right)
        if name == "pow":
            raise Mistake("`**` is not supported yet for values that exist at run time")
        return operators.BINARY[name][1](left, right)

    def _get_UnaryOp(self, node):
        operand = yield node.operand
        if isinstance(node.op, ast.Not):
            return operators.logical_not(operand) if isinstance(operand, tensor) else not operand
        name = _UNARY[type(node.op)]
        if isinstance(operand, tensor):
            return operators.UNARY[name](operand)
        return self.at_compile_time(getattr(operator, f"__{name}__"), operand)

    def at_compile_time(self, function, *args, **kwargs):
        """Calls a Python function on values that are known at compile time. An exception that it
        raises becomes a mistake of the kernel."""
        try:
            return unwrap(function(*args, **kwargs))
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            MemoryError,
            TypeError,
            ValueError,
        ) as error:
            raise Mistake(f"{type(error).__name__}: {error}".removesuffix(": ")) from None

    def _get_Compare(self, node):
        # In `a < b < c`, the operand `b` is computed once.
        left = yield node.left
        results = []
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = yield comparator
            result = self._compare(op, left, right)
            if not isinstance(result, tensor) and not result:
                return False
            results.append(result)
            left = right
        return self._all(results)

    def _all(self, results):
        """Combines the results of a chain of comparisons by `and`. Those that are known at compile
        time are true."""
        tensors = [result for result in results if isinstance(result, tensor)]
        if not tensors:
            return results[-1]
        total = tensors[0]
        for each in tensors[1:]:
            total = operators.logical_and(total, each)
        return total

    def _compare(self, op, left, right):
        if isinstance(op, ast.Is | ast.IsNot):
            return (left is right) == isinstance(op, ast.Is)
        if isinstance(op, ast.In | ast.NotIn):
            if contains_tensor((left, right)):
                raise Mistake("`in` needs values that are known at compile time")
            return self.at_compile_time(operator.contains, right, left) == isinstance(op, ast.In)
        name = _COMPARISONS[type(op)]
        if not isinstance(left, tensor) and not isinstance(right, tensor):
            if contains_tensor((left, right)):
                raise Mistake(
                    "tuples of values that exist at run time can't be compared: compare their "
                    "elements"
                )
            return self.at_compile_time(getattr(operator, f"__{name}__"), left, right)
        return operators.compare(operators.COMPARISONS[name], left, right)

    def _get_BoolOp(self, node):
        """`and` and `or`. An operand that is known at compile time can decide the result at once,
        as in Python. Operands that are tensors are all computed and combined."""
        is_and = isinstance(node.op, ast.And)
        combine = operators.logical_and if is_and else operators.logical_or
        total = None
        for operand in node.values:
            value = yield operand
            if isinstance(value, tensor):
                total = value if total is None else combine(total, value)
            elif bool(value) != is_and:
                return value
        return value if total is None else total

    # -- parts of values ---------------------------------------------------------------------------

    def _get_Attribute(self, node):
        owner, name = (yield node.value), node.attr
        if isinstance(owner, tensor):
            return self._tensor_attribute(owner, name)
        if name == "value" and isinstance(owner, bool | int | float | str | dtype):
            return owner  # in Triton, a `tl.constexpr` parameter has its value in `.value`
        try:
            value = unwrap(getattr(owner, name))
        except AttributeError:
            # The message calls a module by the name that the kernel uses.
            is_module = isinstance(owner, ModuleType)
            what = repr(shown(node.value)) if is_module else describe(owner)
            hint = self._other_attribute(owner, name, shown(node.value)) if is_module else ""
            raise Mistake(f"{what} has no attribute {name!r}{hint}") from None
        if isinstance(value, NotYet):
            raise Mistake(value.message)
        return value

    def _other_attribute(self, module: ModuleType, name: str, shown_as: str) -> str:
        """The end of a message about an attribute that a module does not have: a suggestion, or
        ""."""
        if module is language and (ours := in_language(name, f"{shown_as}.")):
            return f": use {ours}"
        may_be_used = module is math or module.__name__.startswith("eft.")
        return did_you_mean(name, dir(module), f"{shown_as}.") if may_be_used else ""

    def _tensor_attribute(self, owner: tensor, name: str):
        if not name.startswith("_") and name not in _INTERNALS:
            if hasattr(type(owner), name):
                return getattr(owner, name)
        names = [each for each in dir(type(owner)) if each not in _INTERNALS]
        hint = did_you_mean("to" if name == "astype" else name, names)
        raise Mistake(f"{describe(owner)} has no attribute {name!r}{hint}")

    def _get_Subscript(self, node):
        owner = yield node.value
        key = yield node.slice
        if isinstance(owner, tensor):
            return index(owner, key)
        if isinstance(key, tensor):
            raise Mistake(f"an index must be known at compile time, got {describe(key)}")
        return self.at_compile_time(operator.getitem, owner, key)

    def _get_Slice(self, node):
        parts = (node.lower, node.upper, node.step)
        bounds = []
        for part in parts:
            bounds.append(None if part is None else (yield part))
        return slice(*bounds)
