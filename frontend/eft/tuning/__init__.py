# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuning: a kernel is launched with the configuration that was the fastest when it was measured
with similar arguments.

A configuration is a set of arguments of a launch. Autotuning uses only launches and times; it does
not depend on how the compiler works.
"""

from __future__ import annotations

from eft.tuning.autotuner import Autotuner, autotune
from eft.tuning.config import Config
from eft.tuning.heuristics import Heuristics, heuristics

__all__ = ["Autotuner", "Config", "Heuristics", "autotune", "heuristics"]
