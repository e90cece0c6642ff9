# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuning: a kernel is launched with the configuration that was measured to be the fastest for
arguments like these.

It knows launches and times, and nothing of compiling: a configuration is arguments of a launch.
"""

from __future__ import annotations

from eft.tuning.autotuner import Autotuner, autotune
from eft.tuning.config import Config
from eft.tuning.heuristics import Heuristics, heuristics

__all__ = ["Autotuner", "Config", "Heuristics", "autotune", "heuristics"]
