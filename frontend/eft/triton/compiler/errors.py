# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.compiler.errors`."""

from eft.errors import CompilationError

__all__ = ["CompilationError", "CompileTimeAssertionFailure", "UnsupportedLanguageConstruct"]


class CompileTimeAssertionFailure(CompilationError):
    """For programs that catch it: where `tl.static_assert` fails, Eft raises a
    `CompilationError`."""


class UnsupportedLanguageConstruct(CompilationError):
    """For programs that catch it: Eft raises a `CompilationError`."""
