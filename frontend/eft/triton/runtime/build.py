# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.runtime.build`. Eft compiles nothing in C while a program runs."""

from __future__ import annotations

import functools

from eft.triton import lazy

__all__ = ["platform_key"]

__getattr__ = lazy.attributes(__name__, {})


@functools.lru_cache
def platform_key() -> str:
    """The facts that compiled C depends on: the processor, the system, the version of Python."""
    import platform

    return ",".join([platform.machine(), platform.system(), *platform.architecture()])
