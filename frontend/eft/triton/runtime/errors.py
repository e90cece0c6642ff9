# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.runtime.errors`."""

from __future__ import annotations

from eft.errors import AutotunerError, EftError

__all__ = ["AutotunerError", "InterpreterError", "OutOfResources", "PTXASError"]


class _WithMessage(EftError):
    """An error whose text is a message.

    Attributes:
        error_message: the message, or None.
    """

    _before = ""

    def __init__(self, error_message: str | None = None):
        super().__init__(error_message)
        self.error_message = error_message

    def __str__(self):
        return f"{self._before}{self.error_message or ''}"


class InterpreterError(_WithMessage):
    """For programs that catch it: Eft has no interpreter."""


class PTXASError(_WithMessage):
    """The assembler refused a kernel."""

    _before = "PTXAS error: "


class OutOfResources(EftError):
    """A kernel needs more of something than the device has.

    Attributes:
        required, limit: how much it needs, and how much there is.
        name: of what: "shared memory", "threads", "registers".
    """

    def __init__(self, required, limit, name: str):
        super().__init__(required, limit, name)
        self.required = required
        self.limit = limit
        self.name = name

    def __str__(self):
        return (
            f"out of resource: {self.name}, Required: {self.required}, Hardware limit: "
            f"{self.limit}. Reducing block sizes or `num_stages` may help."
        )
