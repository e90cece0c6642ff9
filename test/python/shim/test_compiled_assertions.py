# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assertions in kernels that `triton.compile` returned: their launches on a GPU do not wait. The
programs run in processes of their own, because a failed assertion ends all work on the GPU."""

import pytest
from eft import _runtime

needs_gpu = pytest.mark.skipif(_runtime.device_count() == 0, reason="there is no GPU")

START = """
import sys

import torch
import triton
import triton.language as tl
from triton.compiler import ASTSource


@triton.jit
def gather(x_ptr, index_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + offsets)
    tl.device_assert(index < 1000, "index too large")
    tl.store(y_ptr + offsets, tl.load(x_ptr + index, mask=index < 1000))


types = {"x_ptr": "*fp32", "index_ptr": "*i32", "y_ptr": "*fp32", "BLOCK": "constexpr"}
compiled = triton.compile(ASTSource(gather, types, {"BLOCK": 64}), options={"debug": True})
x = torch.arange(1000, device="cuda", dtype=torch.float32)
index = torch.arange(640, device="cuda", dtype=torch.int32)
y = torch.zeros(640, device="cuda")


def launch():
    compiled[10, 1, 1](x, index, y, 64)
"""


@needs_gpu
def test_cuda_launches_are_captured(python):
    program = python.write(
        "captured.py",
        START
        + """
launch()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    launch()
index += 5
graph.replay()
torch.cuda.synchronize()
assert (y == x[5:645]).all()
print("captured")
""",
    )
    done = python.run("-m", "eft", "run", str(program))
    assert (done.stdout, done.returncode) == ("captured\n", 0), done.stderr


@needs_gpu
def test_cuda_a_false_assertion_ends_the_work(python):
    program = python.write(
        "false.py",
        START
        + """
index[200] = 1000
launch()
try:
    torch.cuda.synchronize()
except Exception as error:
    print("synchronize:", type(error).__name__)
try:
    launch()
except AssertionError as error:
    print(error)
sys.stdout.flush()
""",
    )
    done = python.run("-m", "eft", "run", str(program))
    lines = done.stdout.splitlines()
    assert lines[0].startswith("synchronize:"), done.stderr
    assert lines[1].endswith("index too large (an assertion failed in program (3, 0, 0))"), lines
