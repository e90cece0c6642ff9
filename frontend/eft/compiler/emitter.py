# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the IR of one kernel. Every operation gets the place of the expression that it comes
from."""

from __future__ import annotations

import warnings

from eft.errors import CompilationError, InternalError, Mistake
from eft.language.dtypes import dtype

#: Some times more than the largest kernels that people write. LLVM takes a minute for so many.
MOST_OPERATIONS = 100_000

#: The warnings that were shown already, for the filter that shows a warning once for each place.
_shown_warnings: dict = {}


class Emitter:
    """A module in the making, and the place in the source that is being compiled.

    Attributes:
        lines: by file and number, the lines of the source that operations were written for.
        source, node: the function and the syntax node that operations are written for.
        size: how many operations the kernel has so far once all calls are inlined. A turn of an
            unrolled loop counts as one too.
        call: what calls a function under @eft.jit: `call(function, args, kwargs)`.
        debug: whether assertions are checked.
        prints: whether static_print prints.
        target: what the kernel is compiled for, "cuda:90" or "cpu"; None where nobody says.
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
        """The location of what is written now."""
        key = (self.source.file, *self.source.place(self.node))
        if key not in self._places:
            # A file's name may be of bytes that are no text.
            name = key[0].encode(errors="surrogateescape").decode(errors="replace")
            self._places[key] = self.context.location(name, *key[1:])
            self.lines[name, key[1]] = self.source.line(key[1])
        return self._places[key]

    def error(self, message: str, node=None, kind=CompilationError) -> CompilationError:
        """The exception, of class `kind`, for a mistake at `node`, by default where the compiler
        is."""
        line, column = self.source.place(node or self.node)
        return kind(message, self.source.file, line, column, self.source.line(line))

    def warn(self, message: str):
        """Warns of something at the line that is being compiled, once."""
        line, _ = self.source.place(self.node)
        warnings.warn_explicit(
            message, UserWarning, self.source.file, line, registry=_shown_warnings
        )

    # -- operations --------------------------------------------------------------------------------

    def type(self, type: dtype):
        """The IR's type for one of the language's."""
        if type.ir not in self._types:
            self._types[type.ir] = self.context.type(type.ir)
        return self._types[type.ir]

    def spend(self, operations: int):
        """Counts what a kernel is made of, so that one which would take all memory, or hours, is a
        mistake at the place where it becomes too large."""
        self.size += operations
        if self.size > MOST_OPERATIONS:
            raise Mistake(
                f"a kernel may have at most {MOST_OPERATIONS} operations, with those of the "
                "functions that it calls and of every turn of an unrolled loop"
            )

    def create(self, name: str, operands, types, attributes: dict, regions=()) -> list:
        """Creates an operation from handles; `types` are the language's, attributes text or
        objects."""
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
        """The handle of a constant: an int, or a float, as a number or at every index of a
        block."""
        scalar = self.type(type.scalar)
        if type.scalar.is_floating():
            attribute = self._library.float(scalar, value)
        else:
            attribute = self._library.integer(scalar, value & (2**64 - 1))
        if type.is_block():
            attribute = self._library.splat(self.type(type), attribute)
        return self.create("arith.constant", [], [type], {"value": attribute})[0]

    def enum(self, enumeration: str, name: str):
        """The attribute for a case of one of the IR's enumerations: "ca" of "CacheModifier"."""
        key = enumeration, name
        if key not in self._enums:
            self._enums[key] = self.context.enum(*key)
        return self._enums[key]

    def _attribute(self, value):
        return self.context.attribute(value) if isinstance(value, str) else value

    # -- regions and functions ---------------------------------------------------------------------

    def region(self, types):
        """A region whose arguments have these types, for the body of a function or a loop."""
        return self._builder.region([self.type(type) for type in types], self.location())

    def enter(self, region):
        self._builder.enter(region)

    def leave(self):
        self._builder.leave()

    def function(self, name: str, parameters, results, region, private: bool):
        """Makes a function of a region."""
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
