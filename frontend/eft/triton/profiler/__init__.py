# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.profiler`: times launches, under the names of the scopes that a program is in.

On a GPU a launch's time is what passes between two events around it, on a CPU the wall clock's.
Scopes and launches are summed by their names; `finalize` writes them as a tree for Hatchet.
"""

from __future__ import annotations

from eft.triton.profiler.profile import (
    DEFAULT_PROFILE_NAME,
    activate,
    deactivate,
    finalize,
    profile,
    start,
)
from eft.triton.profiler.scope import cpu_timed_scope, enter_scope, exit_scope, scope
from eft.triton.profiler.state import enter_state, exit_state, state

__all__ = [
    "DEFAULT_PROFILE_NAME",
    "activate",
    "cpu_timed_scope",
    "deactivate",
    "enter_scope",
    "enter_state",
    "exit_scope",
    "exit_state",
    "finalize",
    "profile",
    "scope",
    "start",
    "state",
]
