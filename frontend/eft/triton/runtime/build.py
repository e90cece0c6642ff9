# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.runtime.build`. Eft compiles no C code while a program runs."""

from __future__ import annotations

import functools

from eft.triton import lazy

__all__ = ["platform_key"]

__getattr__ = lazy.attributes(__name__, {})


@functools.lru_cache
def platform_key() -> str:
    """Returns the facts on which compiled C code depends: the processor, the operating system, and
    the pointer width and linkage format of Python's executable."""
    import platform

    return ",".join([platform.machine(), platform.system(), *platform.architecture()])
