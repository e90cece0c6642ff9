# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source of a kernel. The text of its file is read when the kernel is decorated. The lines of
the kernel are cut out of that text at the first launch.

The first launch waits for the lines, so they must be found fast. For this reason, the lines are
found here without the module `inspect`, which takes longer to find them than the compiler takes to
lower the function. And the disk cache has a `Summary` of each source. Apart from the text itself,
cache keys need only this summary. So in most processes only a compile parses the source.
"""

from __future__ import annotations

from eft import _runtime
from eft.errors import CompilationError
from eft.parameters import parameter_names
from eft.text import Text, indentation, may_follow
from eft.version import key_of

#: The end of a function is first searched for in this many lines after its code. They mostly
#: suffice; otherwise it is searched for in all lines of the file.
_LINES_BEHIND = 8


class Summary:
    """The facts about a function's text that the disk cache keeps, so that no syntax tree is
    needed.

    Attributes:
        name: the function's name.
        start: the index of the line that contains its `def`.
        parameters: the names of its parameters, in order.
        chains: the chains of names in the function, without its decorators. A chain is a name with
            the attributes that follow it: `a.b.c` is the chain ("a", "b", "c").
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
    """The text of a function and its position in the file.

    Attributes:
        name: the function's qualified name.
        file: the name of its file.
        first_line: the number of `lines[0]` in the file, counted from 1.
        lines: the function's lines, with their indentation.
        summary: the `Summary` of the function.
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

    #: Whether Python compiled the function from this text.
    is_original = True

    _tree = None

    def _find_summary(self, text: Text) -> bool:
        """Sets `summary`, from the disk cache or by parsing. Parsing may also correct `lines`.
        Returns whether the lines contain a function."""
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
        """Parses the function at the beginning of `lines`, and sets `self.lines` to the lines of
        the function. Returns whether there is a function."""
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
        """Whether compiling the text of the file gives the function's code."""
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
        # Much code that does not come from a file has the same file name, such as "<string>". So a
        # text under that name may belong to other code.
        if self.file in ("<string>", "<stdin>"):
            return self._unreadable()
        return self._error(
            f"the file of {self.name!r} has changed since Python read it: start it again"
        )

    def _error(self, message: str) -> CompilationError:
        return CompilationError(message, file=self.file, line=self.first_line)

    # -- methods that need the syntax tree ---------------------------------------------------------

    @property
    def tree(self):
        """The `ast.FunctionDef` of the function. `place` returns the position of a node in the
        file."""
        if self._tree is None:
            self._parse(self.lines)
        return self._tree

    @property
    def parameters(self) -> list:
        """The syntax nodes of the parameters, in order."""
        arguments = self.tree.args
        found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return found if arguments.vararg is None else [*found, arguments.vararg]

    @property
    def _uses(self) -> dict:
        """For each chain of names, the node of the chain's first name where the chain is first
        used.
        """
        from eft import syntax

        return syntax.find_chains(self.tree)

    def first_use(self, name: str) -> tuple[int, int]:
        """Returns the position where a name is first used."""
        return self.place(next(node for chain, node in self._uses.items() if chain[0] == name))

    @property
    def code_lines(self) -> list[str]:
        """The function's lines up to the end of its last statement."""
        return self.lines[: self._index(self.tree, "end_lineno") + 1]

    def _index(self, node, attribute: str = "lineno") -> int:
        """Returns the index in `lines` of the line in which a node begins, or ends if `attribute`
        is "end_lineno"."""
        return getattr(node, attribute) - 1 - self._lines_before

    @property
    def _lines_before(self) -> int:
        """The number of lines that were added before the function for the parser; see
        `eft.syntax.first_function`."""
        return 1 if indentation(self.lines[0]) else 0

    def place(self, node) -> tuple[int, int]:
        """Returns the line and the column of a node in the file, both counted from 1."""
        index = self._index(node)
        column = len(self.lines[index].encode()[: node.col_offset].decode(errors="replace"))
        return self.first_line + index, column + 1

    # -- lines -------------------------------------------------------------------------------------

    @property
    def definition_line(self) -> int:
        """The number in the file of the first line of `definition`, counted from 1."""
        return self.first_line + self.summary.start

    @property
    def definition(self) -> str:
        """The function's text without the decorators."""
        return "".join(self.lines[self.summary.start :])

    def line(self, number: int) -> str | None:
        """Returns the line with this number in the file; None if it does not belong to the
        function.
        """
        index = number - self.first_line
        return self.lines[index].rstrip("\n") if 0 <= index < len(self.lines) else None


class ReplacedSource(Source):
    """A text that a program has set in place of the function's own text. Lines are counted from the
    beginning of the new text."""

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
    """Returns the lines that probably make up a function, without parsing. They end before the
    first line that comes after the function's code and is not indented more than the function's
    first line. In rare cases this line still belongs to the function, for example inside a string;
    only a parser can tell. Returns [] if the text has no such lines."""
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
    """Whether the function's module was loaded by a loader that is not Python's own. Such a loader
    may compile other code than the text says: pytest's loader rewrites assertions."""
    names = function.__globals__
    loader = getattr(names.get("__spec__"), "loader", None) or names.get("__loader__")
    kind = loader if isinstance(loader, type) else type(loader)
    return loader is not None and not kind.__module__.startswith("_frozen_importlib")
