# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's assembler ptxas, if it is installed."""

import os
import subprocess

import pytest
from eft.aot import ptxas


def log_of_ptxas(ptx: str) -> str:
    """The log of ptxas for PTX with warpgroup products, at compute capability 9.0."""
    tool = ptxas.find_ptxas()
    if tool is None:
        pytest.skip("there is no ptxas that reads the PTX")
    assert "wgmma.mma_async" in ptx
    command = [tool, "-arch=sm_90a", "-v", "-o", os.devnull, "-"]
    done = subprocess.run(command, input=ptx, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr
