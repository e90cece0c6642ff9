# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source of a kernel: captured once, at its first compile.

Done by hand because a first launch waits for it, and the module `inspect` takes longer to split a
function from its file than the compiler takes to lower it.
"""

from __future__ import annotations

import sys

from eft.errors import CompilationError

_ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST


class Source:
    """The text of a function and where it stands.

    Attributes:
        file: the name of its file.
        first_line: the line, counted from 1, that `lines[0]` is.
        lines: its lines, with their indentation.
        tree: its `ast.FunctionDef`. `place` makes places in the file of its nodes' places.
    """

    def __init__(self, function):
        self.name = function.__qualname__
        self.file = function.__code__.co_filename
        self.first_line = function.__code__.co_firstlineno
        lines = _file_lines(self.file, function.__globals__)
        if len(lines) < self.first_line:
            raise self._error(
                f"the source of {self.name!r} can't be read: a kernel must be defined in a file or "
                "in a notebook's cell, not by exec or in an interactive session"
            )
        # A block around an indented function keeps its columns as they are in the file.
        self._lines_before = 1 if _indentation(lines[self.first_line - 1]) else 0
        self._find_end(lines[self.first_line - 1 :])
        names = tuple(node.arg for node in self.parameters)
        for name, real in zip(names, function.__code__.co_varnames, strict=False):
            if name.startswith("__") and real.endswith(name) and real != name:
                raise self._error(
                    f"the parameter {name!r} of {self.name!r} is called {real!r}, because it is "
                    "private to its class: give it another name"
                )
        if (self.tree.name, names) != (
            function.__name__,
            function.__code__.co_varnames[: len(names)],
        ):
            raise self._error(
                f"the file of {self.name!r} has changed since Python read it: start it again"
            )

    def _find_end(self, lines: list[str]):
        """Takes the shortest run of whole lines that is a function. It ends before a line that is
        not indented more than its first one: but such a line can also stand in a string, or end a
        list of parameters, and then what is before it is no function."""
        margin = _indentation(lines[0])
        for end in range(1, len(lines) + 1):
            if end < len(lines) and not _may_follow(lines[end], margin):
                continue
            text = "".join(lines[:end])
            try:
                tree = compile(
                    "if True:\n" + text if self._lines_before else text,
                    self.file,
                    "exec",
                    flags=_ONLY_TREE,
                    dont_inherit=True,
                )
            except SyntaxError:
                continue
            body = tree.body[0].body if self._lines_before else tree.body
            if body and type(body[0]).__name__ == "FunctionDef":
                self.lines, self.text, self.tree = lines[:end], text, body[0]
                return
            break
        raise self._error(
            f"{self.name!r} can't be a kernel: it must be defined by a `def` statement"
        )

    def _error(self, message: str) -> CompilationError:
        return CompilationError(message, file=self.file, line=self.first_line)

    @property
    def parameters(self) -> list:
        """The nodes of the parameters, in order."""
        arguments = self.tree.args
        return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]

    def place(self, node) -> tuple[int, int]:
        """The line and the column of a node, both counted from 1."""
        index = node.lineno - 1 - self._lines_before
        column = len(self.lines[index].encode()[: node.col_offset].decode(errors="replace"))
        return self.first_line + index, column + 1

    def line(self, number: int) -> str | None:
        """The line with this number in the file, if it is the function's."""
        index = number - self.first_line
        return self.lines[index].rstrip("\n") if 0 <= index < len(self.lines) else None


def _file_lines(file: str, module_globals: dict) -> list[str]:
    """The lines of a file; none if there is no such file. Notebooks put their cells into
    linecache."""
    if "linecache" not in sys.modules or file not in sys.modules["linecache"].cache:
        try:
            with open(file, encoding="utf-8") as stream:
                return stream.readlines()
        except (OSError, UnicodeDecodeError):
            pass
    import linecache

    return linecache.getlines(file, module_globals)


def _indentation(line: str) -> int:
    """How many blanks are in front of a line. A form feed starts the count anew, as in Python."""
    blanks = line[: len(line) - len(line.lstrip())]
    return len(blanks) - 1 - blanks.rfind("\f")


def _may_follow(line: str, margin: int) -> bool:
    """Whether a line may be the first one after a function whose first line starts at `margin`."""
    return bool(line.strip()) and line.lstrip()[0] != "#" and _indentation(line) <= margin
