# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures for the tests of ahead-of-time compiling."""

from __future__ import annotations

import shutil

import pytest
from ahead_support import Ahead
from eft.aot.ptxas import find_ptxas


@pytest.fixture
def ahead(tmp_path) -> Ahead:
    return Ahead(tmp_path)


@pytest.fixture(scope="session")
def cc():
    """A C compiler."""
    found = shutil.which("cc") or shutil.which("clang-19")
    if found is None:
        pytest.skip("there is no C compiler")
    return found


@pytest.fixture(scope="session")
def ptxas():
    """ptxas, the assembler of PTX."""
    found = find_ptxas()
    if found is None:
        pytest.skip("there is no ptxas")
    return found
