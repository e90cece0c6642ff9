# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The facts that are read from a cubin, beside what NVIDIA's assembler says of it."""

import re
import subprocess

import eft
import eft.language as tl
import pytest
from eft.aot.ptxas import find_ptxas
from eft.cubin import resources


@eft.jit
def sines(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    for _ in range(n):
        x = tl.sin(x) * tl.sum(x)
    tl.store(x_ptr + offsets, x)


@pytest.mark.parametrize("block, maxnreg", [(256, None), (4096, 32)])
def test_registers_and_spilled_bytes(tmp_path, block, maxnreg):
    program = find_ptxas()
    if program is None:
        pytest.skip("ptxas is not installed")
    made = sines.warmup(eft.MockTensor(tl.float32), 3, BLOCK=block, maxnreg=maxnreg, target="sm_90")
    (tmp_path / "made.ptx").write_text(made.asm["ptx"])
    command = [program, "-v", "-arch=sm_90", "-o", tmp_path / "cubin", tmp_path / "made.ptx"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    (registers,) = re.findall(r"Used (\d+) registers", said)
    (stack,) = re.findall(r"(\d+) bytes stack frame", said)
    cubin = (tmp_path / "cubin").read_bytes()
    assert resources(cubin, "sines") == (int(registers), int(stack))
    assert (int(stack) > 0) == (maxnreg is not None)
    assert resources(cubin, "cosines") == (None, None)


def test_something_that_is_no_cubin():
    assert resources(b"cubin of some ptx", "sines") == (None, None)
