# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.profiler`: times launches, and groups the times by the scopes in
which a program makes the launches.

On a GPU, two events around a launch measure its time. On a CPU, the wall clock does. The times of
launches of the same kernel in the same scope are added. `finalize` writes the tree of scopes and
kernels to a file for Hatchet.
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
