# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.runtime.autotuner`."""

from __future__ import annotations

from eft.errors import AutotunerError
from eft.triton import runtime
from eft.tuning import Autotuner, Config, Heuristics, autotune, heuristics

__all__ = ["Autotuner", "AutotunerError", "Config", "Heuristics", "autotune", "heuristics"]


def __getattr__(name: str):
    if name in ("KernelInterface", "OutOfResources", "driver"):
        return getattr(runtime, name)
    raise AttributeError(f"module 'triton.runtime.autotuner' has no attribute {name!r}")
