# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.profiler.state`. States are scopes under another name."""

from __future__ import annotations

from eft.triton.profiler.scope import enter_scope, exit_scope, scope

__all__ = ["enter_state", "exit_state", "state"]


class state(scope):
    """A context, or a decorator for functions. Launches inside it are recorded under the name of
    the state."""

    def __init__(self, name: str):
        super().__init__(name)

    def __call__(self, func):
        return scope(self.name)(func)


def enter_state(name: str) -> None:
    enter_scope(name)


def exit_state() -> None:
    exit_scope()
