# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A line on the terminal that shows the progress of autotuning."""

from __future__ import annotations

import sys
from time import perf_counter

_SECONDS_BEFORE = 0.5  # a line for a shorter time would vanish before anyone can read it
_SECONDS_BETWEEN = 0.1
_WIDTH = 20


class Progress:
    """A context that shows one line on standard error, if standard error is a terminal."""

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
        """Shows that `done` candidates are compiled."""
        self._show(done / self.count, f"compiled {done} of {self.count}")

    def measured(self, share: float, left: int):
        """Shows that a share of the measurements is done, and that `left` candidates are still
        being measured."""
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
