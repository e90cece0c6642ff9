# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.compiler`."""

from __future__ import annotations

from eft.errors import CompilationError
from eft.triton import missing

__all__ = ["CompilationError", "CompiledKernel"]  # noqa: F822


def __getattr__(name: str):
    if name == "CompiledKernel":  # only loaded by who asks for it
        from eft.kernel import CompiledKernel

        return CompiledKernel
    return missing.attribute("triton.compiler", name)
