# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the IR of one kernel. The location of each operation is that of the expression from which
it comes."""

from __future__ import annotations

import warnings

from eft.errors import CompilationError, InternalError, Mistake
from eft.language.dtypes import dtype

#: The largest number of operations of a kernel: several times that of the largest kernels that
#: people write. LLVM takes about a minute to compile so many operations.
MOST_OPERATIONS = 100_000

#: The registry of Python's `warnings`, which shows each warning once for each place.
_shown_warnings: dict = {}


class Emitter:
    """The module of a kernel while it is being written, and the current place in the source.

    Attributes:
        lines: by file and number, the lines of source code from which operations come.
        source: the function that is being lowered.
        node: the syntax node that is being lowered.
        size: the number of operations of the kernel so far, once all calls are inlined. Each
            iteration of an unrolled loop counts as one operation more than its body has.
        call: a function that lowers a call of a function under @eft.jit: `call(function, args,
            kwargs)`.
        debug: whether assertions are checked.
        prints: whether static_print prints.
        target: the target, such as "cuda:90" or "cpu"; None if it is not given.
        num_warps: the launch's option.
    """

    def __init__(
        self,
        debug: bool = False,
        prints: bool = True,
        target: str | None = None,
        num_warps: int = 4,
    ):
        from eft import _compiler

        self._library = _compiler
        self.context = _compiler.Context()
        self.module = self.context.module()
        self._builder = _compiler.Builder(self.module)
        self.size = 0
        self._types = {}
        self._enums = {}
        self._places = {}
        self.lines = {}
        self.source = None
        self.node = None
        self.call = None
        self.debug = debug
        self.prints = prints
        self.target = target
        self.num_warps = num_warps

    # -- places ------------------------------------------------------------------------------------

    def location(self):
        """The location of the operations that are written now."""
        key = (self.source.file, *self.source.place(self.node))
        if key not in self._places:
            # A file's name may have bytes that are not valid UTF-8.
            name = key[0].encode(errors="surrogateescape").decode(errors="replace")
            self._places[key] = self.context.location(name, *key[1:])
            self.lines[name, key[1]] = self.source.line(key[1])
        return self._places[key]

    def error(self, message: str, node=None, kind=CompilationError) -> CompilationError:
        """Returns an exception of the class `kind` for a mistake at `node`, by default at the
        current node."""
        line, column = self.source.place(node or self.node)
        return kind(message, self.source.file, line, column, self.source.line(line))

    def warn(self, message: str):
        """Shows a warning at the line that is being lowered, once for each line."""
        line, _ = self.source.place(self.node)
        warnings.warn_explicit(
            message, UserWarning, self.source.file, line, registry=_shown_warnings
        )

    # -- operations --------------------------------------------------------------------------------

    def type(self, type: dtype):
        """The IR type for a type of the language."""
        if type.ir not in self._types:
            self._types[type.ir] = self.context.type(type.ir)
        return self._types[type.ir]

    def spend(self, operations: int):
        """Adds to the number of operations of the kernel. Raises a `Mistake` once the kernel is too
        large, because to compile it would take all memory, or hours."""
        self.size += operations
        if self.size > MOST_OPERATIONS:
            raise Mistake(
                f"a kernel may have at most {MOST_OPERATIONS} operations, with those of the "
                "functions that it calls and of every turn of an unrolled loop"
            )

    def create(self, name: str, operands, types, attributes: dict, regions=()) -> list:
        """Creates an operation and returns the handles of its results. `operands` are handles,
        `types` are types of the language, and each attribute is a text or an attribute object."""
        self.spend(1)
        attributes = [(key, self._attribute(value)) for key, value in attributes.items()]
        results = [self.type(type) for type in types]
        try:
            return self._builder.create(
                name, operands, results, attributes, list(regions), self.location()
            )
        except self._library.IRError as error:
            place = self.error("")
            raise InternalError(
                f"the frontend made IR that does not verify: {error.args[0]}",
                f"{place.file}:{place.line}:{place.column}\n{self.module}",
            ) from None

    def constant(self, value, type: dtype):
        """The handle of a constant of the type `type`: the number `value`, an int or a float, or a
        block whose elements are all `value`."""
        scalar = self.type(type.scalar)
        if type.scalar.is_floating():
            attribute = self._library.float(scalar, value)
        else:
            attribute = self._library.integer(scalar, value & (2**64 - 1))
        if type.is_block():
            attribute = self._library.splat(self.type(type), attribute)
        return self.create("arith.constant", [], [type], {"value": attribute})[0]

    def enum(self, enumeration: str, name: str):
        """The attribute for the case `name` of an enumeration of the IR, such as "ca" of
        "CacheModifier"."""
        key = enumeration, name
        if key not in self._enums:
            self._enums[key] = self.context.enum(*key)
        return self._enums[key]

    def _attribute(self, value):
        return self.context.attribute(value) if isinstance(value, str) else value

    # -- regions and functions ---------------------------------------------------------------------

    def region(self, types):
        """Makes a region whose arguments have the types `types`, for the body of a function or a
        loop."""
        return self._builder.region([self.type(type) for type in types], self.location())

    def enter(self, region):
        self._builder.enter(region)

    def leave(self):
        self._builder.leave()

    def function(self, name: str, parameters, results, region, private: bool):
        """Makes a function whose body is `region`."""
        inputs, outputs = (", ".join(type.ir for type in types) for types in (parameters, results))
        signature = self.context.type(f"({inputs}) -> ({outputs})")
        properties = {
            "sym_name": self.context.string(name),
            "function_type": self._library.type_attribute(signature),
        }
        if private:
            properties["sym_visibility"] = self.context.string("private")
        self._builder.enter_module()
        self.create("func.func", [], [], properties, [region])
        self._builder.leave()
