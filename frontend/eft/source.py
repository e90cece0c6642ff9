# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source of a kernel: its part of the text that was read when it was decorated, split off and
parsed at its first compile.

Done by hand because a first launch waits for it, and the module `inspect` takes longer to split a
function from its file than the compiler takes to lower it.
"""

from __future__ import annotations

from eft.errors import CompilationError
from eft.parameters import parameter_names
from eft.text import Text
from eft.threads import in_thread

_ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST
_FUTURES = 0x1FE0000  # the flags of `from __future__ import ...`
_ALLOW_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT: notebooks do
_TOO_DEEP = (RecursionError, MemoryError)  # what Python's parser raises


class Source:
    """The text of a function and where it stands.

    Attributes:
        file: the name of its file.
        first_line: the line, counted from 1, that `lines[0]` is.
        lines: its lines, with their indentation.
        tree: its `ast.FunctionDef`. `place` makes places in the file of its nodes' places.
    """

    def __init__(self, function, text: Text):
        self.name = function.__qualname__
        self.file = function.__code__.co_filename
        self.first_line = function.__code__.co_firstlineno
        lines = text.lines
        if not lines:
            raise self._unreadable()
        if len(lines) < self.first_line:
            raise self._changed()
        # A block around an indented function keeps its columns as they are in the file.
        self._lines_before = 1 if _indentation(lines[self.first_line - 1]) else 0
        if not self._find_end(lines[self.first_line - 1 :]):
            if function.__code__.co_name != "<lambda>":
                raise self._changed()
            raise self._error(
                f"{self.name!r} can't be a kernel: it must be defined by a `def` statement"
            )
        names = tuple(node.arg for node in self.parameters)
        for name, real in zip(names, function.__code__.co_varnames, strict=False):
            if name.startswith("__") and real.endswith(name) and real != name:
                raise self._error(
                    f"the parameter {name!r} of {self.name!r} is called {real!r}, because it is "
                    "private to its class: give it another name"
                )
        code = function.__code__
        if (self.tree.name, names) != (code.co_name, code.co_varnames[: len(names)]):
            raise self._changed()
        if not text.is_settled and not _is_rewritten(function) and not self._makes(function, lines):
            raise self._changed()

    def _find_end(self, lines: list[str]) -> bool:
        """Takes the shortest run of whole lines that is a function, if there is one. It ends before
        a line that is not indented more than its first one: but such a line can also stand in a
        string, or end a list of parameters, and then what is before it is no function."""
        margin = _indentation(lines[0])
        for end in range(1, len(lines) + 1):
            if end < len(lines) and not _may_follow(lines[end], margin):
                continue
            if end == 1 and lines[0].lstrip().startswith("@") and "def" not in lines[0]:
                continue  # a decorator alone, which the parser would refuse
            text = "".join(lines[:end])
            try:
                tree = self._compile(
                    "if True:\n" + text if self._lines_before else text, _ONLY_TREE
                )
            except SyntaxError:
                continue
            body = tree.body[0].body if self._lines_before else tree.body
            if body and type(body[0]).__name__ == "FunctionDef":
                self.lines, self.text, self.tree = lines[:end], text, body[0]
                return True
            break
        return False

    def _makes(self, function, lines: list[str]) -> bool:
        """Whether these lines, taken for the whole file, compile to the function's code."""
        code = function.__code__
        flags = code.co_flags & _FUTURES | _ALLOW_AWAIT
        try:
            return any(
                each == code
                for text in self._units(lines)
                for each in _codes(self._compile(text, flags))
            )
        except SyntaxError:
            return False

    def _units(self, lines: list[str]):
        """The texts that may have been compiled at once, for what a file imports changes the code
        of its functions: all of it, or the one statement around the function, as notebooks do."""
        text = "".join(lines)
        yield text
        before = 0
        for statement in self._compile(text, _ONLY_TREE).body:
            if statement.end_lineno >= self.first_line:
                yield "\n" * before + "".join(lines[before : statement.end_lineno])
                return
            before = statement.end_lineno

    def _compile(self, text: str, flags: int):
        """The syntax tree of a text. How deep that may be nested depends on how many calls are
        under way: in a thread of its own there are none."""

        def run():
            return compile(text, self.file, "exec", flags, dont_inherit=True)

        try:
            return run()
        except _TOO_DEEP:
            pass
        try:
            return in_thread(run)
        except _TOO_DEEP:
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

    #: Whether it is what the function's code was made of.
    is_original = True

    _chains = None  # the last answer of `chains`

    @property
    def parameters(self) -> list:
        """The nodes of the parameters, in order."""
        arguments = self.tree.args
        found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return found if arguments.vararg is None else [*found, arguments.vararg]

    @property
    def chains(self) -> dict:
        """The names in the function, its decorators aside, each with the attributes that are read
        of it at once: of `a.b.c` the chain ("a", "b", "c"). For each chain the node of its name
        where it is first used."""
        if self._chains is None:
            self._chains = _find_chains(self.tree)
        return self._chains

    @property
    def code_lines(self) -> list[str]:
        """Its lines without what follows its last statement."""
        return self.lines[: self.tree.end_lineno - self._lines_before]

    def place(self, node) -> tuple[int, int]:
        """The line and the column of a node, both counted from 1."""
        index = node.lineno - 1 - self._lines_before
        column = len(self.lines[index].encode()[: node.col_offset].decode(errors="replace"))
        return self.first_line + index, column + 1

    @property
    def definition_line(self) -> int:
        """The number of the line that `definition` begins with, counted from 1."""
        return self.first_line + self.tree.lineno - 1 - self._lines_before

    @property
    def definition(self) -> str:
        """The text without the decorators."""
        return "".join(self.lines[self.tree.lineno - 1 - self._lines_before :])

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
        self._lines_before = 0
        code = function.__code__
        names = parameter_names(code)
        expected = f"{code.co_name}({', '.join(names)})"
        if not self._find_end(dedent(text).strip("\n").splitlines(keepends=True) or [""]):
            raise self._error(f"the new source of {self.name!r} must define {expected}")
        found = tuple(node.arg for node in self.parameters)
        if (self.tree.name, found) != (code.co_name, names):
            raise self._error(
                f"the new source of {self.name!r} must define {expected}, got "
                f"{self.tree.name}({', '.join(found)})"
            )


def _find_chains(tree) -> dict:
    """The chains of names in a function's tree, see `Source.chains`. Written out because importing
    `ast` takes longer than the rest of a launch whose code is in the cache."""
    fields = (getattr(tree, name, None) for name in tree._fields if name != "decorator_list")
    found, rest = {}, list(fields)[::-1]
    while rest:
        node = rest.pop()
        if isinstance(node, list):
            rest += reversed(node)
            continue
        attributes, kind = (), type(node).__name__
        while kind == "Attribute":
            attributes = (node.attr, *attributes)
            node = node.value
            kind = type(node).__name__
        if kind == "Name":
            found.setdefault((node.id, *attributes), node)
        else:
            rest += [getattr(node, field, None) for field in reversed(getattr(node, "_fields", ()))]
    return found


def _is_rewritten(function) -> bool:
    """Whether the function's module was loaded by other means than Python's own. They may compile
    something else than what is written: pytest does so with assertions."""
    names = function.__globals__
    loader = getattr(names.get("__spec__"), "loader", None) or names.get("__loader__")
    kind = loader if isinstance(loader, type) else type(loader)
    return loader is not None and not kind.__module__.startswith("_frozen_importlib")


def _codes(code):
    """A code object, and those in it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, type(code)):
            yield from _codes(each)


def _indentation(line: str) -> int:
    """The number of blanks in front of a line. A form feed starts the count anew, as in Python."""
    blanks = line[: len(line) - len(line.lstrip())]
    return len(blanks) - 1 - blanks.rfind("\f")


def _may_follow(line: str, margin: int) -> bool:
    """Whether a line may be the first one after a function whose first line starts at `margin`."""
    return bool(line.strip()) and line.lstrip()[0] != "#" and _indentation(line) <= margin
