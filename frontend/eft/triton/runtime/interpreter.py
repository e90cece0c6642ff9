# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.runtime.interpreter`. Eft does not interpret kernels. Instead, it
compiles them for the CPU if their arrays are in the CPU's memory."""

from __future__ import annotations

from eft.jit import JITFunction
from eft.triton import lazy

__all__ = ["InterpretedFunction"]


__getattr__ = lazy.attributes(__name__, {})


class InterpretedFunction(JITFunction):
    """A kernel like any other, under the name of Triton's class."""
