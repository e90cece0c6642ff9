# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.runtime.errors`."""

from __future__ import annotations

from eft.errors import AutotunerError, EftError

__all__ = ["AutotunerError", "InterpreterError", "OutOfResources", "PTXASError"]


class _WithMessage(EftError):
    """An error that has a message.

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
    """Exists for programs that catch it. Eft never raises it, because it has no interpreter."""


class PTXASError(_WithMessage):
    """The assembler refused a kernel."""

    _before = "PTXAS error: "


class OutOfResources(EftError):
    """A kernel needs more of a resource than the device has.

    Attributes:
        required, limit: the amount that the kernel needs, and the amount that the device has.
        name: the resource: "shared memory", "threads" or "registers".
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
