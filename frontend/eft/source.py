# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source of a kernel: its part of the text that was read when it was decorated, split off at
its first launch.

A first launch waits for this module. So the file is split by hand, since the module `inspect` takes
longer for that than the compiler takes to lower the function; and the disk cache has what its keys
need of a source, so that mostly only a compile parses it.
"""

from __future__ import annotations

from eft import _runtime
from eft.errors import CompilationError
from eft.parameters import parameter_names
from eft.text import Text, indentation, may_follow
from eft.version import key_of

#: So many lines behind a function are enough, mostly, to find its end.
_LINES_BEHIND = 8


class Summary:
    """The facts of a function's text for which no syntax tree is needed.

    Attributes:
        name: the function's.
        start: the index of the line that its `def` is in.
        parameters: the names of its parameters, in order.
        chains: the names in it, its decorators aside, each with the attributes that are read of it
            at once: of `a.b.c` the chain ("a", "b", "c").
    """

    __slots__ = ("chains", "name", "parameters", "start")

    def __init__(self, name: str, start: int, parameters: tuple, chains: list):
        self.name = name
        self.start = start
        self.parameters = parameters
        self.chains = chains

    def pack(self) -> bytes:
        chains = " ".join(map(".".join, self.chains))
        return "\n".join((self.name, str(self.start), " ".join(self.parameters), chains)).encode()

    @classmethod
    def unpack(cls, packed: bytes) -> Summary:
        name, start, parameters, chains = packed.decode().split("\n")
        chains = [tuple(chain.split(".")) for chain in chains.split()]
        return cls(name, int(start), tuple(parameters.split()), chains)


class Source:
    """The text of a function and where it stands.

    Attributes:
        name: the function's, with those of what it is defined in.
        file: the name of its file.
        first_line: the line, counted from 1, that `lines[0]` is.
        lines: its lines, with their indentation.
        summary: see `Summary`.
    """

    def __init__(self, function, text: Text):
        code = function.__code__
        self.name = function.__qualname__
        self.file = code.co_filename
        self.first_line = code.co_firstlineno
        if not text:
            raise self._unreadable()
        self.lines = _likely_lines(code, text)
        if not self.lines:
            raise self._changed()
        if not self._find_summary(text):
            if code.co_name != "<lambda>":
                raise self._changed()
            raise self._error(
                f"{self.name!r} can't be a kernel: it must be defined by a `def` statement"
            )
        names = self.summary.parameters
        for name, real in zip(names, code.co_varnames, strict=False):
            if name.startswith("__") and real.endswith(name) and real != name:
                raise self._error(
                    f"the parameter {name!r} of {self.name!r} is called {real!r}, because it is "
                    "private to its class: give it another name"
                )
        if (self.summary.name, names) != (code.co_name, code.co_varnames[: len(names)]):
            raise self._changed()
        if not text.is_settled and not _is_rewritten(function) and not self._makes(code, text):
            raise self._changed()

    #: Whether it is what the function's code was made of.
    is_original = True

    _tree = None

    def _find_summary(self, text: Text) -> bool:
        """Sets `summary`, out of the cache or by parsing, which may change `lines`; returns whether
        there is a function."""
        likely = self.lines
        key = key_of("summary", "".join(likely))
        if packed := _runtime.cache_get(key):
            self.summary = Summary.unpack(packed)
            return True
        if not self._parse(text.lines(self.first_line - 1)):
            return False
        self.summary = self._summarize()
        if self.lines == likely:
            _runtime.cache_put(key, self.summary.pack())
        return True

    def _parse(self, lines: list[str]) -> bool:
        """Parses the function that `lines` begin with, and keeps its own lines; returns whether
        there is one."""
        from eft import syntax

        found = self._in_parser(syntax.first_function, lines)
        if found is None:
            return False
        end, self._tree = found
        self.lines = lines[:end]
        return True

    def _summarize(self) -> Summary:
        parameters = tuple(node.arg for node in self.parameters)
        return Summary(self.tree.name, self._index(self.tree), parameters, list(self._uses))

    def _makes(self, code, text: Text) -> bool:
        """Whether the text of a file compiles to the function's code."""
        from eft import syntax

        return self._in_parser(syntax.makes, code, text.lines())

    def _in_parser(self, function, *arguments):
        try:
            return function(self.file, *arguments)
        except RecursionError:
            raise self._error(
                f"{self.name!r} has an expression that is too long for Python's parser: make it "
                "several statements"
            ) from None

    def _unreadable(self) -> CompilationError:
        return self._error(
            f"the source of {self.name!r} can't be read: a kernel must be defined in a file or "
            "in a notebook's cell, not by exec or in an interactive session"
        )

    def _changed(self) -> CompilationError:
        # Code that comes from no file is often called by the same name as other code.
        if self.file in ("<string>", "<stdin>"):
            return self._unreadable()
        return self._error(
            f"the file of {self.name!r} has changed since Python read it: start it again"
        )

    def _error(self, message: str) -> CompilationError:
        return CompilationError(message, file=self.file, line=self.first_line)

    # -- what needs the syntax tree ----------------------------------------------------------------

    @property
    def tree(self):
        """Its `ast.FunctionDef`. `place` makes places in the file of its nodes' places."""
        if self._tree is None:
            self._parse(self.lines)
        return self._tree

    @property
    def parameters(self) -> list:
        """The nodes of the parameters, in order."""
        arguments = self.tree.args
        found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return found if arguments.vararg is None else [*found, arguments.vararg]

    @property
    def _uses(self) -> dict:
        """For each chain of names the node of its name where it is first used."""
        from eft import syntax

        return syntax.find_chains(self.tree)

    def first_use(self, name: str) -> tuple[int, int]:
        """The place where a name is first used."""
        return self.place(next(node for chain, node in self._uses.items() if chain[0] == name))

    @property
    def code_lines(self) -> list[str]:
        """Its lines without what follows its last statement."""
        return self.lines[: self._index(self.tree, "end_lineno") + 1]

    def _index(self, node, attribute: str = "lineno") -> int:
        """The index of the line in which a node begins, or ends."""
        return getattr(node, attribute) - 1 - self._lines_before

    @property
    def _lines_before(self) -> int:
        """The lines that the parser got in front of the function, see `syntax`."""
        return 1 if indentation(self.lines[0]) else 0

    def place(self, node) -> tuple[int, int]:
        """The line and the column of a node, both counted from 1."""
        index = self._index(node)
        column = len(self.lines[index].encode()[: node.col_offset].decode(errors="replace"))
        return self.first_line + index, column + 1

    # -- lines -------------------------------------------------------------------------------------

    @property
    def definition_line(self) -> int:
        """The number of the line that `definition` begins with, counted from 1."""
        return self.first_line + self.summary.start

    @property
    def definition(self) -> str:
        """The text without the decorators."""
        return "".join(self.lines[self.summary.start :])

    def line(self, number: int) -> str | None:
        """The line with this number in the file, if it is the function's."""
        index = number - self.first_line
        return self.lines[index].rstrip("\n") if 0 <= index < len(self.lines) else None


class ReplacedSource(Source):
    """A text that somebody has put in the place of a function's own. Its places are counted in the
    text itself."""

    is_original = False

    def __init__(self, function, text: str):
        from textwrap import dedent

        self.name = function.__qualname__
        self.file = f"<new source of {self.name}>"
        self.first_line = 1
        code = function.__code__
        names = parameter_names(code)
        expected = f"{code.co_name}({', '.join(names)})"
        if not self._parse(dedent(text).strip("\n").splitlines(keepends=True) or [""]):
            raise self._error(f"the new source of {self.name!r} must define {expected}")
        found = self.summary = self._summarize()
        if (found.name, found.parameters) != (code.co_name, names):
            raise self._error(
                f"the new source of {self.name!r} must define {expected}, got "
                f"{found.name}({', '.join(found.parameters)})"
            )


def _likely_lines(code, text: Text) -> list[str]:
    """The lines of a function, as far as the places of its code tell: up to the first line behind
    its code that is not indented more than its first line. Such a line can still be the function's,
    if it has no code of its own: it may be inside a string. A parser finds that out."""
    first = code.co_firstlineno - 1
    last = max((line for _, _, line in code.co_lines() if line), default=first + 1)
    for stop in (last + _LINES_BEHIND, None):
        lines = text.lines(first, stop)
        if not lines:
            return []
        margin = indentation(lines[0])
        for end in range(max(last - first, 1), len(lines)):
            if may_follow(lines[end], margin):
                return lines[:end]
    return lines


def _is_rewritten(function) -> bool:
    """Whether the function's module was loaded by other means than Python's own. They may compile
    something else than what is written: pytest does so with assertions."""
    names = function.__globals__
    loader = getattr(names.get("__spec__"), "loader", None) or names.get("__loader__")
    kind = loader if isinstance(loader, type) else type(loader)
    return loader is not None and not kind.__module__.startswith("_frozen_importlib")
