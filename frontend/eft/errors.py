# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions of the frontend: the user's mistakes and our own are different types."""

from __future__ import annotations

import sys


class EftError(Exception):
    """The base of what Eft raises about kernels; `triton.TritonError` is the same class."""


class CompilationError(EftError):
    """A mistake in a kernel.

    Its text shows the kernel's file, line and column, the source line with a caret under the place,
    and what was found and expected. If the mistake is in a function that the kernel calls, the
    calls follow, and then the notes.

    Attributes:
        message: what is wrong, without the place.
        file, line, column: the place, counted from 1; line and column are None if there is none.
        source: the line of the kernel that the place is in, or None.
        calls: the places (file, line, column, function) that the function was called from,
            innermost first.
        notes: what else may help to find the mistake.
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
    """An assertion that is checked while a kernel is compiled does not hold."""


class UnsupportedLanguageConstruct(CompilationError):
    """A kernel has a statement or an expression of Python that no kernel can have."""


class InternalError(Exception):
    """A bug in Eft itself. Its text says what to report."""

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
    """A mistake in the operands of a builtin, which raises it. The compiler adds the place in the
    kernel and raises it as a CompilationError.

    Attributes:
        kind: the class of that.
    """

    kind = CompilationError


class FailedAssertion(Mistake):
    """A mistake that an assertion at compile time has found."""

    kind = CompileTimeAssertionFailure


class UnsupportedConstruct(Mistake):
    """A mistake that is no matter of values: kernels can't have such a statement or expression."""

    kind = UnsupportedLanguageConstruct


def is_of_signal(raised: BaseException) -> bool:
    """Whether the handler of a signal raised it, in the middle of whatever was going on."""
    signal = sys.modules.get("signal")  # if it is not there, nobody has set a handler
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
