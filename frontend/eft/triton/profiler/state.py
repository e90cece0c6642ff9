# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.profiler.state`: names for what a program does, in place of scopes."""

from __future__ import annotations

from eft.triton.profiler.scope import enter_scope, exit_scope, scope

__all__ = ["enter_state", "exit_state", "state"]


class state(scope):
    """A context, or a decorator: what happens within is noted under this name."""

    def __init__(self, name: str):
        super().__init__(name)

    def __call__(self, func):
        return scope(self.name)(func)


def enter_state(name: str) -> None:
    enter_scope(name)


def exit_state() -> None:
    exit_scope()
