# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A public package of Triton kernels from PyPI, which runs with Eft instead of Triton."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from eft import _runtime
from pytorch import needs_torch

PROGRAM = Path(__file__).parent / "liger_operators.py"
GROUPS = {"activations": 6, "normalisations": 6, "losses": 7, "attention": 5, "experts": 1}
needs_liger = pytest.mark.skipif(
    importlib.util.find_spec("liger_kernel") is None,
    reason="liger-kernel is not installed; scripts/test --with-torch installs it",
)


@needs_torch
@needs_liger
@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("group", GROUPS)
def test_operators(python, group, device):
    if device == "cuda" and _runtime.device_count() == 0:
        pytest.skip("there is no GPU")
    hidden = {"CUDA_VISIBLE_DEVICES": ""} if device == "cpu" else {}
    done = python.run("-m", "eft", "run", PROGRAM, device, group, **hidden)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == str(GROUPS[group])
