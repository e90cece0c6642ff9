# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.runtime.autotuner`."""

from __future__ import annotations

from eft.jit import KernelInterface
from eft.triton.runtime.driver import driver
from eft.triton.runtime.errors import AutotunerError, OutOfResources, PTXASError
from eft.tuning import Autotuner, Config, Heuristics, autotune, heuristics

__all__ = [
    "Autotuner",
    "AutotunerError",
    "Config",
    "Heuristics",
    "KernelInterface",
    "OutOfResources",
    "PTXASError",
    "autotune",
    "driver",
    "heuristics",
]
