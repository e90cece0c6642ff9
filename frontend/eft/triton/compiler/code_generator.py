# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.compiler.code_generator`, which has only stand-ins. Eft lowers
kernels in `eft.compiler`."""

from __future__ import annotations

from eft.triton import lazy

__getattr__ = lazy.attributes(__name__, {})
