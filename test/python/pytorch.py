# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch, for the tests that need it. If PyTorch is not installed, pytest still collects the files
of these tests, so that it skips and counts each test case."""

from __future__ import annotations

import importlib.util

import pytest

REASON = "PyTorch is not installed; scripts/test --with-torch installs it"
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason=REASON)


class Absent:
    """Replaces a module that is not installed. Each of its attributes is the object itself."""

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def module(name: str):
    """PyTorch, or a module that imports PyTorch; `Absent` if PyTorch is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return Absent()
