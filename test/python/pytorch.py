# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch, for the tests that need it. Where it is not installed, their files are collected all the
same, so that each of their cases is skipped and counted."""

from __future__ import annotations

import importlib.util

import pytest

REASON = "PyTorch is not installed; scripts/test --with-torch installs it"
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason=REASON)


class Absent:
    """Stands in for what a module that is not there would have had. Any name in it is the same."""

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def module(name: str):
    """PyTorch, or a module that needs it, to be used by tests that are marked `needs_torch`."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return Absent()
