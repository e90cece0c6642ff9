# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source of a kernel: captured once, at its first compile."""

from __future__ import annotations

from eft.errors import CompilationError


class Source:
    """The text of a function and where it stands.

    Attributes:
        file: the name of its file.
        first_line: the line, counted from 1, that `lines[0]` is.
        lines: its lines, with their indentation.
    """

    def __init__(self, function):
        import inspect

        self.name = function.__qualname__
        self.file = function.__code__.co_filename
        try:
            self.lines, self.first_line = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise CompilationError(
                f"the source of {self.name!r} can't be read: a kernel must be defined in a file or "
                "in a notebook's cell, not by exec or in an interactive session",
                file=self.file,
                line=function.__code__.co_firstlineno,
            ) from None
        self._tree = None

    @property
    def text(self) -> str:
        return "".join(self.lines)

    @property
    def tree(self):
        """The function's `ast.FunctionDef`. Its nodes' lines and columns are made ours by
        `place`."""
        if self._tree is None:
            self._tree = self._parse()
        return self._tree

    def _parse(self):
        import ast

        # A block around an indented function keeps its columns as they are in the file.
        self._lines_before = 1 if self.lines[0][:1].isspace() else 0
        tree = ast.parse("if True:\n" + self.text if self._lines_before else self.text)
        body = tree.body[0].body if self._lines_before else tree.body
        if not isinstance(body[0], ast.FunctionDef):
            raise CompilationError(
                f"{self.name!r} can't be a kernel: it must be defined by a `def` statement",
                file=self.file,
                line=self.first_line,
            )
        return body[0]

    def place(self, node) -> tuple[int, int]:
        """The line and the column of a node, both counted from 1."""
        index = node.lineno - 1 - self._lines_before
        column = len(self.lines[index].encode()[: node.col_offset].decode(errors="replace"))
        return self.first_line + index, column + 1

    def line(self, number: int) -> str | None:
        """The line with this number in the file, if it is the function's."""
        index = number - self.first_line
        return self.lines[index].rstrip("\n") if 0 <= index < len(self.lines) else None
