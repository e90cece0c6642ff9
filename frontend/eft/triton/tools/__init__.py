# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.tools`."""

from __future__ import annotations

from eft.triton import lazy

_NAMES = ("compile", "disasm", "mxfp", "tensor_descriptor")

__getattr__ = lazy.attributes(__name__, {name: f"eft.triton.tools.{name}" for name in _NAMES})
