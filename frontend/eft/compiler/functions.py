# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers a function, and a kernel with all functions that it calls.

A function that a kernel calls becomes a private function of the IR, one for each combination of
argument types and compile-time arguments. The compiler inlines these functions. A function's body
is first written into a region, because the types of its results are known only at its end.
"""

from __future__ import annotations

import ast

from eft.closure import Closure
from eft.compiler.arguments import Arguments, descriptor_value
from eft.compiler.branches import Branches
from eft.compiler.calls import Calls
from eft.compiler.expressions import Expressions
from eft.compiler.loops import Loops
from eft.compiler.scope import Scope
from eft.compiler.statements import Statements
from eft.compiler.values import contains_tensor, flatten, key, rebuild
from eft.errors import CompilationError, InternalError, Mistake, is_of_signal
from eft.language.casts import cast_to
from eft.language.constexpr import unwrap
from eft.language.descriptors import descriptor_argument
from eft.language.dtypes import describe, from_signature, pointer_type
from eft.language.tensor import emitting, ops, tensor
from eft.threads import with_room


class _At:
    """A context manager: inside of it, the current node is `node`. Operations and mistakes get the
    place of this node."""

    __slots__ = ("emitter", "node", "outer")

    def __init__(self, emitter, node):
        self.emitter = emitter
        self.node = node

    def __enter__(self):
        self.outer = self.emitter.node
        self.emitter.node = self.node

    def __exit__(self, kind, raised, traceback):
        try:
            if kind is not None and not issubclass(kind, (CompilationError, InternalError)):
                self._translate(raised)
        finally:
            self.emitter.node = self.outer

    def _translate(self, raised):
        """Raises the error that the user gets for the exception `raised`, with its place in the
        kernel."""
        if isinstance(raised, Mistake):
            raise self.emitter.error(str(raised), kind=raised.kind) from None
        if isinstance(raised, RecursionError):
            raise self.emitter.error(
                "too much is nested here: calls of functions in functions, statements in "
                "statements, or what follows a `return` under a condition"
            ) from None
        if is_of_signal(raised):
            return
        if isinstance(raised, Exception) and not isinstance(raised, Warning):
            place = self.emitter.error("")
            raise InternalError(
                f"{type(raised).__name__}: {raised}",
                f"at {place.file}:{place.line}:{place.column}",
            ) from raised


class FunctionLowering(Statements, Branches, Loops, Expressions, Calls):
    """Lowers the body of one function.

    Attributes:
        scope: the current values of names.
        returned: the value that the function has returned (None before that), and the node of the
            `return`.
        continuation: the statements that follow the statement that is being lowered.
        copies: how many times `resume` has lowered statements that it had lowered before.
        loops: the number of run-time loops around the current statement.
        nesting: the number of run-time conditional expressions around the current expression.
        unused: the node of the last expression that is a statement by itself.
    """

    def __init__(self, program: Program, function, values: dict):
        self.program = program
        self.emitter = program.emitter
        self.closure = Closure(function.fn)
        self.scope = Scope()
        for node in function.source.parameters:
            self.scope.set(node.arg, values[node.arg], node)
        self.returned = (None, function.source.tree)
        self.continuation = None
        self.copies = 0
        self.loops = 0
        self.nesting = 0
        self.unused = None

    def at(self, node) -> _At:
        return _At(self.emitter, node)

    def place(self, node) -> str:
        """The line and the column of a node as a text, for a message that names several places."""
        return ":".join(str(number) for number in self.emitter.source.place(node))

    def run(self, tree):
        """Lowers the body and returns the value that the function returns."""
        self.block(tree.body)
        value, node = self.returned
        with self.at(node):
            self.emitter.create("func.return", [each.handle for each in flatten(value)], [], {})
        return value


class Program:
    """The module of one kernel: the kernel's function and the functions that it calls.

    Attributes:
        emitter: the `Emitter` that writes the module.
    """

    def __init__(self, emitter):
        self.emitter = emitter
        emitter.call = self.call
        self._instances = {}
        self._stack = []

    def kernel(self, function, types, constexprs: dict, symbol=None) -> Arguments:
        """Lowers `function` as the kernel. Returns the kernel's `Arguments`.

        Args:
            function: the JITFunction.
            types: for each parameter, its type as in a signature, or None if the parameter is known
                at compile time.
            constexprs: the values of the parameters that are known at compile time, by name.
            symbol: the name of the function in the IR, if it is not the name of `function`.
        """
        tree, self.emitter.source = function.source.tree, function.source
        with emitting(self.emitter), _At(self.emitter, tree):
            signature = [None if type is None else from_signature(type) for type in types]
            arguments = Arguments(signature)
            region = self.emitter.region(arguments.types)
            self.emitter.enter(region)
            given = arguments.values(region.arguments)
            values = self._values(function, signature, constexprs, *given)
            result = self._body(function, values)
            self.emitter.leave()
            if result is not None:
                place = next(
                    node for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value
                )
                message = f"a kernel can't return a value, got {describe(result)}"
                raise self.emitter.error(message, place)
            name = symbol or symbol_name(function.__name__)
            self.emitter.function(name, arguments.types, [], region, False)
            return arguments

    def _values(self, function, signature, constexprs: dict, given, numbers) -> dict:
        """The values of a kernel's parameters, by name.

        Args:
            given: an iterator over the arguments in the IR that are in the places of parameters.
            numbers: an iterator over the arguments after these: the extents and strides of
                descriptors.
        """
        values = {}
        nodes = function.parameter_nodes
        for parameter, node, type in zip(function.parameters, nodes, signature, strict=True):
            if type is None:
                values[parameter.name] = unwrap(constexprs.get(parameter.name))
                continue
            with _At(self.emitter, node):
                if isinstance(type, descriptor_argument):
                    argument = descriptor_value(type, parameter, next(given), numbers)
                else:
                    argument = self._argument(parameter, next(given), type)
            values[parameter.name] = argument
        return function.assemble(values)

    def _argument(self, parameter, value: tensor, type) -> tensor:
        """The value of a kernel's parameter: the argument, converted to the type that annotates the
        parameter."""
        self._check_annotation(parameter, type)
        if type.is_ptr():
            return (
                value.retyped(pointer_type(type.element_ty, const=True))
                if parameter.is_const
                else value
            )
        if parameter.dtype is not None and not parameter.dtype.is_ptr():
            value = cast_to(value, parameter.dtype)
        return value

    def _check_annotation(self, parameter, type):
        """Raises a `Mistake` if an argument of the type `type` can't be converted to the type that
        annotates its parameter."""
        wanted = parameter.dtype
        if wanted is None or wanted.ir == type.ir:
            return
        if wanted.is_ptr() or type.is_ptr():
            raise Mistake(
                f"the parameter {parameter.name!r} is annotated as {wanted}, got an argument of "
                f"type {type}"
            )

    def _body(self, function, values: dict):
        self._stack.append(function)
        try:
            return FunctionLowering(self, function, values).run(function.source.tree)
        finally:
            self._stack.pop()

    def call(self, function, args: list, kwargs: dict):
        """Lowers a call of a function under @eft.jit and returns the value of the call."""
        if function in self._stack:
            between = self._stack[self._stack.index(function) + 1 :]
            way = " and ".join(repr(each.__name__) for each in between)
            raise Mistake(
                f"{function.__name__!r} calls itself{f' by way of {way}' if way else ''}, which a "
                "kernel can't do"
            )
        values = function.bind(args, kwargs)
        instance = (function, tuple(key(name, value) for name, value in values.items()))
        if instance in self._instances:
            self.emitter.spend(self._instances[instance][2])
        else:
            before = self.emitter.size
            name, result = self._instance(function, values)
            self._instances[instance] = name, result, self.emitter.size - before
        name, result, _ = self._instances[instance]
        operands = [each for value in values.values() for each in flatten(value)]
        types = [each.type for each in flatten(result)]
        results = iter(ops("func.call", operands, types, callee=f"@{name}"))
        return rebuild(result, results)

    def _instance(self, function, values: dict):
        """Lowers a function for these arguments. Returns the function's name in the IR, and its
        result, whose tensors show the types of a call's results."""
        types = [each.type for value in values.values() for each in flatten(value)]
        outer, caller = (self.emitter.source, self.emitter.node), self.emitter.error("")
        name = f"{symbol_name(function.__name__)}__{len(self._instances)}"
        self.emitter.source = function.source
        self.emitter.node = function.source.tree
        try:
            region = self.emitter.region(types)
            arguments = iter([tensor(*pair) for pair in zip(region.arguments, types, strict=True)])
            self.emitter.enter(region)
            inside = {key: rebuild(value, arguments) for key, value in values.items()}
            result = self._body(function, inside)
            self.emitter.leave()
            results = [each.type for each in flatten(result)]
            self.emitter.function(name, types, results, region, True)
        except CompilationError as error:
            name = self._stack[-1].__name__ if self._stack else "?"
            error.calls.append((caller.file, caller.line, caller.column, name))
            error.notes += _run_time_constexprs(function, values)
            raise
        finally:
            self.emitter.source, self.emitter.node = outer
        return name, result


def _run_time_constexprs(function, values: dict):
    """Yields notes on a possible reason for a mistake in a function: parameters that are annotated
    as constexpr, but whose arguments are known only at run time. Such an argument is not a mistake
    by itself: Triton does not look at the annotations of functions that a kernel calls, so kernels
    that were written for Triton pass blocks to such parameters."""
    for parameter in function.parameters:
        if parameter.is_constexpr and contains_tensor(values[parameter.name]):
            yield (
                f"the parameter {parameter.name!r} of {function.__name__!r} is annotated as "
                f"tl.constexpr, and got {describe(values[parameter.name])}"
            )


def symbol_name(name: str) -> str:
    """`name` as a symbol that every assembler accepts. Other characters than ASCII letters, digits
    and `_` are replaced by `_u` and their code point in hexadecimal."""
    return "".join(
        letter if letter.isascii() and letter.isalnum() or letter == "_" else f"_u{ord(letter):x}"
        for letter in name
    )


class Lowered:
    """The block IR of a kernel. It does not depend on the values of arguments until `specialize` is
    called.

    Attributes:
        module: the IR.
        lines: by file and number, the lines of source code from which operations come.
    """

    def __init__(self, emitter, arguments: Arguments):
        self.module = emitter.module
        self.lines = emitter.lines
        self._arguments = arguments

    def specialize(self, specialization) -> None:
        """Adds facts about the arguments' values to the IR.

        Args:
            specialization: for each parameter "", "1", or a power of two that divides it, as a
                text.
        """
        from eft import _compiler

        _compiler.specialize(self.module, self._arguments.specials(specialization))


def lower(
    function,
    types,
    constexprs,
    symbol=None,
    debug=False,
    prints=True,
    target=None,
    num_warps=4,
) -> Lowered:
    """Lowers a kernel to block IR. `function`, `types`, `constexprs` and `symbol` are the arguments
    of `Program.kernel`. `debug` says whether assertions are checked, and `prints` whether
    static_print prints. A kernel can ask for `target` and `num_warps`."""
    from eft.compiler.emitter import Emitter

    emitter = Emitter(debug, prints, target, num_warps)
    kernel = Program(emitter).kernel
    return Lowered(emitter, with_room(lambda: kernel(function, types, constexprs, symbol)))
