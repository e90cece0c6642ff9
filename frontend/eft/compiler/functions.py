# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function, and the kernel with all functions that it calls.

Each function that a kernel calls becomes a private function of the IR for each combination of
argument types and compile-time arguments; the compiler inlines them. A function's body is written
into a region first, because the types of its results are known only when it is done.
"""

from __future__ import annotations

from eft.compiler.calls import Calls
from eft.compiler.expressions import Expressions
from eft.compiler.scope import Closure, Scope
from eft.compiler.statements import Statements, contains_tensor
from eft.errors import CompilationError, InternalError, Mistake
from eft.language.casts import cast_to
from eft.language.constants import constant
from eft.language.constexpr import unwrap
from eft.language.dtypes import describe, from_signature, pointer_type
from eft.language.tensor import emitting, ops, tensor


class _At:
    """While it is entered, the compiler is at a node: operations get its place, and so do
    mistakes."""

    __slots__ = ("emitter", "node", "outer")

    def __init__(self, emitter, node):
        self.emitter = emitter
        self.node = node

    def __enter__(self):
        self.outer = self.emitter.node
        self.emitter.node = self.node

    def __exit__(self, kind, raised, traceback):
        try:
            if kind is not None and kind is not CompilationError and kind is not InternalError:
                self._translate(raised)
        finally:
            self.emitter.node = self.outer

    def _translate(self, raised):
        """Raises what stands for `raised`, with the place."""
        if type(raised) is Mistake:
            raise self.emitter.error(str(raised)) from None
        if isinstance(raised, Exception) and not isinstance(raised, Warning):
            place = self.emitter.error("")
            raise InternalError(
                f"{type(raised).__name__}: {raised}",
                f"at {place.file}:{place.line}:{place.column}",
            ) from raised


class FunctionLowering(Statements, Expressions, Calls):
    """Lowers the body of one function.

    Attributes:
        scope: what its names mean now.
        result: what it returned, once it has.
    """

    def __init__(self, program: Program, function, values: dict):
        self.program = program
        self.emitter = program.emitter
        self.closure = Closure(function.fn)
        self.scope = Scope()
        self.scope.values.update(values)
        self.result = None

    def at(self, node) -> _At:
        return _At(self.emitter, node)

    def finish(self, value):
        """Ends the body with `return value`."""
        self.result = value
        handles = [each.handle for each in _flatten(value)]
        self.emitter.create("func.return", handles, [], {})

    def run(self, tree):
        """Lowers the body and gives what it returns."""
        if not self.block(tree.body):
            self.finish(None)
        return self.result


class Program:
    """The module of one kernel: the kernel's function and those that it calls.

    Attributes:
        emitter: what writes it.
    """

    def __init__(self, emitter):
        self.emitter = emitter
        emitter.call = self.call
        self._instances = {}
        self._stack = []

    def kernel(self, function, types, constexprs: dict, specialization) -> None:
        """Lowers `function` as the kernel.

        Args:
            function: the JITFunction.
            types: for each parameter its type in the signature, or None if it is known at compile
                time.
            constexprs: the values of those, by name.
            specialization: for each parameter "", "16" or "1".
        """
        tree, self.emitter.source = function.source.tree, function.source
        with emitting(self.emitter), _At(self.emitter, tree):
            signature = [None if type is None else from_signature(type) for type in types]
            arguments = [type for type in signature if type is not None]
            region = self.emitter.function_region(arguments)
            self.emitter.enter(region)
            handles = iter(region.arguments)
            values = self._values(function, signature, constexprs, specialization, handles)
            result = self._body(function, values)
            self.emitter.leave()
            if result is not None:
                raise self.emitter.error(f"a kernel can't return a value, got {describe(result)}")
            attributes = ", ".join(
                "{eft.divisibility = 16 : i32}" if special == "16" else "{}"
                for type, special in zip(types, specialization, strict=True)
                if type is not None
            )
            name = symbol_name(function.__name__)
            self.emitter.function(name, arguments, [], region, False, f"[{attributes}]")

    def _values(self, function, signature, constexprs: dict, specialization, handles) -> dict:
        """What the names of a kernel's parameters mean at its start."""
        values = {}
        nodes = function.source.parameters
        for parameter, node, type, special in zip(
            function.parameters, nodes, signature, specialization, strict=True
        ):
            if type is None:
                values[parameter.name] = unwrap(constexprs.get(parameter.name))
                continue
            with _At(self.emitter, node):
                argument = self._argument(parameter, next(handles), type, special)
            values[parameter.name] = argument
        return values

    def _argument(self, parameter, handle, type, special: str) -> tensor:
        """The value of a kernel's parameter: what was passed, as what its annotation says."""
        value = tensor(handle, type)
        self._check_annotation(parameter, type)
        if type.is_ptr():
            return (
                value.retyped(pointer_type(type.element_ty, const=True))
                if parameter.is_const
                else value
            )
        if special == "1":
            value = constant(1, type)
        if parameter.dtype is not None and not parameter.dtype.is_ptr():
            value = cast_to(value, parameter.dtype)
        return value

    def _check_annotation(self, parameter, type):
        """Refuses an argument that can't be what the annotation of its parameter says."""
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
        """Calls a function under @eft.jit from the function that is being lowered."""
        if function in self._stack:
            raise Mistake(f"{function.__name__!r} calls itself, which a kernel can't do")
        values = function.bind(args, kwargs)
        for parameter in function.parameters:
            if parameter.is_constexpr and contains_tensor(values[parameter.name]):
                raise Mistake(
                    f"the argument {parameter.name!r} of {function.__name__!r} must be known at "
                    f"compile time, got {describe(values[parameter.name])}"
                )
        key = (function, tuple(_key(name, value) for name, value in values.items()))
        if key not in self._instances:
            self._instances[key] = self._instance(function, values)
        name, result = self._instances[key]
        operands = [each for value in values.values() for each in _flatten(value)]
        types = [each.type for each in _flatten(result)]
        results = iter(ops("func.call", operands, types, callee=f"@{name}"))
        return _rebuild(result, results)

    def _instance(self, function, values: dict):
        """Lowers a function for these arguments; gives its name in the IR and its result's
        pattern."""
        types = [each.type for value in values.values() for each in _flatten(value)]
        outer, caller = (self.emitter.source, self.emitter.node), self.emitter.error("")
        name = f"{symbol_name(function.__name__)}__{len(self._instances)}"
        self.emitter.source = function.source
        self.emitter.node = function.source.tree
        try:
            region = self.emitter.function_region(types)
            arguments = iter([tensor(*pair) for pair in zip(region.arguments, types, strict=True)])
            self.emitter.enter(region)
            inside = {key: _rebuild(value, arguments) for key, value in values.items()}
            result = self._body(function, inside)
            self.emitter.leave()
            results = [each.type for each in _flatten(result)]
            attributes = f"[{', '.join('{}' for _ in types)}]"
            self.emitter.function(name, types, results, region, True, attributes)
        except CompilationError as error:
            name = self._stack[-1].__name__ if self._stack else "?"
            error.calls.append((caller.file, caller.line, caller.column, name))
            raise
        finally:
            self.emitter.source, self.emitter.node = outer
        return name, result


def _flatten(value):
    """The tensors in a value, in order."""
    if isinstance(value, tensor):
        yield value
    elif type(value) is tuple:
        for element in value:
            yield from _flatten(element)


def _rebuild(pattern, tensors):
    """`pattern` with its tensors replaced, in order."""
    if isinstance(pattern, tensor):
        return next(tensors)
    if type(pattern) is tuple:
        return tuple(_rebuild(element, tensors) for element in pattern)
    return pattern


def _key(name: str, value):
    """What tells one argument of a function from another, as far as its code depends on it."""
    if isinstance(value, tensor):
        return name, "tensor", str(value.type)
    if type(value) is tuple:
        return name, "tuple", tuple(_key("", element) for element in value)
    try:
        hash(value)
    except TypeError:
        raise Mistake(f"the argument {name!r} must be hashable, got {describe(value)}") from None
    return name, type(value), _content(value)


def _content(value):
    """What tells a constant from others of its type, by the rule of the runtime's Constants.cpp:
    types and bits count, so that neither 1 and True nor 0.0 and -0.0 are the same."""
    if isinstance(value, tuple):
        return tuple(_key("", element) for element in value)
    if isinstance(value, frozenset):
        return frozenset(_key("", element) for element in value)
    # repr tells 0.0 from -0.0, and NaN from nothing else.
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, complex):
        return repr(value.real), repr(value.imag)
    return value


def symbol_name(name: str) -> str:
    """`name` as a symbol that every assembler takes."""
    return "".join(
        letter if letter.isascii() and letter.isalnum() or letter == "_" else f"_u{ord(letter):x}"
        for letter in name
    )


def lower(function, types, constexprs, specialization=None):
    """The block IR of a kernel, as a module of `_compiler`. See `Program.kernel` for the
    arguments."""
    from eft.compiler.emitter import Emitter

    emitter = Emitter()
    specialization = specialization or ("",) * len(types)
    Program(emitter).kernel(function, types, constexprs, specialization)
    return emitter.module
