# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's compiler with Eft in the place of Triton. It makes kernels for the CPU here, as it does
for GPUs."""

from __future__ import annotations

import pytest
from pytorch import needs_torch

COMMON = """
import torch, triton
import torch._inductor.config as config
from torch._inductor.runtime import triton_compat, triton_heuristics
from torch.utils._triton import has_triton

assert triton.jit is __import__("eft").jit and triton_compat.HAS_TRITON and has_triton()
config.cpu_backend = "triton"
compiled = []
precompile = triton_heuristics.CachingAutotuner._precompile_config

def noted(self, *args):
    compiled.append(self.fn.__name__)
    return precompile(self, *args)

triton_heuristics.CachingAutotuner._precompile_config = noted
"""

FUNCTIONS = (
    COMMON
    + """
x, y, weight = torch.randn(60, 300), torch.randn(300), torch.randn(300)
rows = torch.randint(0, 60, (7,))
for function, arguments in (
    (lambda x, y: torch.relu(x * 2 + y.sin()), (x, y)),
    (lambda x: x.softmax(1), (x,)),
    (lambda x, w, b: torch.nn.functional.layer_norm(x, (300,), w, b), (x, weight, y)),
    (lambda x: (x.argmax(1), x.sum(0), x.cumsum(1)), (x,)),
    (lambda rows: (rows * 3 - 50) // 7 % 5, (rows,)),
    (lambda x, rows: x[rows] ** 2, (x, rows)),
):
    before = len(compiled)
    torch.testing.assert_close(torch.compile(function)(*arguments), function(*arguments))
    assert len(compiled) > before

x.requires_grad_()
function = lambda x: (x.softmax(1) * x).sum()
(found,) = torch.autograd.grad(torch.compile(function)(x), x)
torch.testing.assert_close(found, torch.autograd.grad(function(x), x)[0])
"""
)

KERNEL = (
    COMMON
    + """
import triton.language as tl

@triton.autotune([triton.Config({"BLOCK": block}) for block in (64, 128)], key=["n"])
@triton.heuristics({"EVEN": lambda given: given["n"] % given["BLOCK"] == 0})
@triton.jit
def twice(x_ptr, y_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = None if EVEN else offsets < n
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * 2, mask=mask)

def function(x):
    y = torch.empty_like(x)
    twice[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())
    return y + 1

for n in (300, 256):
    x = torch.randn(n)
    torch.testing.assert_close(torch.compile(function)(x), x * 2 + 1)
"""
)

#: The workers of PyTorch's compiler are processes that PyTorch starts.
WORKERS = (
    COMMON
    + """
from torch._inductor.async_compile import AsyncCompile

if __name__ == "__main__":
    AsyncCompile.wait_pool_ready()
    assert AsyncCompile.use_process_pool()
    x = torch.randn(60, 300)
    torch.testing.assert_close(torch.compile(lambda x: x.softmax(1))(x), x.softmax(1))
    assert compiled == []
"""
)


@needs_torch
@pytest.mark.parametrize(
    "text, threads",
    [(FUNCTIONS, 1), (KERNEL, 1), (WORKERS, 2)],
    ids=["functions", "kernel", "workers"],
)
def test_a_function_is_compiled(python, text, threads):
    script = python.write("script.py", text)
    done = python.run(
        "-m",
        "eft",
        "run",
        script,
        TORCHINDUCTOR_CACHE_DIR=str(python.folder / "inductor"),
        TORCHINDUCTOR_COMPILE_THREADS=str(threads),
        EFT_NUM_THREADS="1",  # on a busy machine, each of the many short launches waits for others
    )
    assert done.returncode == 0, done.stderr
