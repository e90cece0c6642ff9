# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.runtime.interpreter`. In place of an interpreter Eft compiles for the CPU: a
launch with arrays that lie there runs there."""

from __future__ import annotations

from eft.jit import JITFunction
from eft.triton import lazy

__all__ = ["InterpretedFunction"]


__getattr__ = lazy.attributes(__name__, {})


class InterpretedFunction(JITFunction):
    """A kernel like any other."""
