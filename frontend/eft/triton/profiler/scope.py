# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.profiler.scope`: named parts of a program."""

from __future__ import annotations

import functools
from time import perf_counter_ns

from eft.triton.profiler.session import active, scopes

__all__ = ["cpu_timed_scope", "enter_scope", "exit_scope", "scope"]


class scope:
    """A context, or a decorator for functions. Launches inside are recorded under the scope's name.

    Args:
        name: the scope's name.
        metrics: a number for each name of a metric, such as {"bytes": 1024}. Each entry into the
            scope adds the numbers to the scope's metrics.
    """

    def __init__(self, name: str, metrics: dict | None = None):
        self.name = name
        self.metrics = metrics

    def __enter__(self):
        enter_scope(self.name, metrics=self.metrics)
        return self

    def __exit__(self, *raised):
        exit_scope(self.name)

    def __call__(self, func):
        @functools.wraps(func)
        def scoped(*args, **kwargs):
            with type(self)(self.name, self.metrics):
                return func(*args, **kwargs)

        return scoped


class cpu_timed_scope(scope):
    """A scope that also measures its own time by the wall clock, as the metric "cpu_time (ns)"."""

    def __init__(self, name: str, metrics: dict | None = None):
        if metrics and "cpu_time" in metrics:
            raise ValueError("the scope measures 'cpu_time' itself")
        super().__init__(name, metrics)

    def __enter__(self):
        self._start = perf_counter_ns()
        return super().__enter__()

    def __exit__(self, *raised):
        exit_scope(self.name, metrics={"cpu_time (ns)": perf_counter_ns() - self._start})


def _add(metrics: dict | None):
    for session in active():
        session.node().add(metrics or {})


def enter_scope(name: str, *, metrics: dict | None = None) -> None:
    """Starts a scope in this thread."""
    scopes().append(name)
    _add(metrics)


def exit_scope(name: str | None = None, *, metrics: dict | None = None) -> None:
    """Ends the scope that this thread entered last.

    Raises:
        ValueError: the scope's name is not `name`, or this thread is in no scope.
    """
    if not scopes() or name not in (None, scopes()[-1]):
        found = repr(scopes()[-1]) if scopes() else "none"
        raise ValueError(f"expected to be in the scope {name!r}, got {found}")
    _add(metrics)
    scopes().pop()
