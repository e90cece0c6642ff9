# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A line on the terminal that shows how far a choice is."""

from __future__ import annotations

import sys
from time import perf_counter

_SECONDS_BEFORE = 0.5  # what takes less is over before it can be read
_SECONDS_BETWEEN = 0.1
_WIDTH = 20


class Progress:
    """Shows one line on standard error while it is used in a `with`, if that is a terminal."""

    def __init__(self, kernel: str, count: int):
        self.kernel = kernel
        self.count = count
        self.isatty = sys.stderr is not None and sys.stderr.isatty()
        self.next = perf_counter() + _SECONDS_BEFORE
        self.shown = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *raised):
        if self.shown:
            self._write("")

    def compiled(self, done: int):
        """`done` candidates are compiled."""
        self._show(done / self.count, f"compiled {done} of {self.count}")

    def measured(self, share: float, left: int):
        """A share of the measurements is done; `left` candidates are still measured."""
        self._show(share, f"measuring {left} of {self.count}")

    def _show(self, share: float, words: str):
        if self.isatty and perf_counter() >= self.next:
            self.next = perf_counter() + _SECONDS_BETWEEN
            bar = ("#" * int(share * _WIDTH)).ljust(_WIDTH, ".")
            self._write(f"autotuning {self.kernel} [{bar}] {words}")

    def _write(self, line: str):
        sys.stderr.write(f"\r{line.ljust(self.shown)}" + ("" if line else "\r"))
        sys.stderr.flush()
        self.shown = len(line)
