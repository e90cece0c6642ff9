# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions of the frontend. The user's mistakes and bugs in Eft have different types."""

from __future__ import annotations

import sys


class EftError(Exception):
    """The base of the exceptions that Eft raises about kernels. `triton.TritonError` is the same
    class."""


class CompilationError(EftError):
    """A mistake in a kernel.

    Its text shows the file, line and column of the mistake, the message, and the source line with a
    caret under the mistake. If the mistake is in a function that the kernel calls, the calls
    follow. The notes come last.

    Attributes:
        message: a description of the mistake, without the position.
        file, line, column: the position of the mistake. Lines and columns count from 1; both are
            None if the position is not known.
        source: the text of the line that contains the mistake, or None.
        calls: the positions (file, line, column, function) of the calls that lead to the mistake,
            innermost first.
        notes: further texts that may help to find the mistake.
    """

    def __init__(self, message, file=None, line=None, column=None, source=None, calls=()):
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.source = source
        self.calls = list(calls)
        self.notes = []

    def __str__(self):
        place = ":".join(
            str(part) for part in (self.file, self.line, self.column) if part is not None
        )
        text = f"{place}: {self.message}" if place else self.message
        if self.source is not None:
            indent = len(self.source) - len(self.source.lstrip())
            caret = " " * (max(self.column - 1, indent) - indent) + "^"
            text += f"\n    {self.source.strip()}\n    {caret}"
        for file, line, column, function in self.calls:
            text += f"\n  called from {file}:{line}:{column}, in {function}"
        return "".join([text, *(f"\n  {note}" for note in self.notes)])


class CompileTimeAssertionFailure(CompilationError):
    """An assertion that is checked at compile time fails."""


class UnsupportedLanguageConstruct(CompilationError):
    """A kernel contains a statement or an expression of Python that kernels can't contain."""


class InternalError(Exception):
    """A bug in Eft itself. Its text asks the user to report it."""

    def __init__(self, message, report=""):
        super().__init__(message)
        self.message = message
        self.report = report

    def __str__(self):
        text = f"{self.message}\nThis is a bug in Eft. Please report this text, and the kernel."
        return f"{text}\n{self.report}" if self.report else text


class AutotunerError(EftError):
    """No configuration of an autotuned kernel could be chosen."""


class Mistake(Exception):
    """A mistake in the operands of a builtin, without a position. The compiler adds the position in
    the kernel and raises a `CompilationError`, or a class derived from it.

    Attributes:
        kind: the class of the exception that the compiler raises.
    """

    kind = CompilationError


class FailedAssertion(Mistake):
    """A compile-time assertion fails."""

    kind = CompileTimeAssertionFailure


class UnsupportedConstruct(Mistake):
    """A statement or an expression that kernels can't contain, whatever its values are."""

    kind = UnsupportedLanguageConstruct


def is_of_signal(raised: BaseException) -> bool:
    """Returns whether the handler of a signal raised this exception. Such an exception can
    interrupt any code, and says nothing about that code."""
    signal = sys.modules.get("signal")  # if it was never imported, no handler is set
    if signal is None or raised.__traceback__ is None:
        return False
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    codes = [getattr(each, "__code__", None) for each in handlers if callable(each)]
    traceback = raised.__traceback__
    while traceback is not None:
        if any(traceback.tb_frame.f_code is code for code in codes):
            return True
        traceback = traceback.tb_next
    return False
