# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's compiler with Eft in the place of Triton. In these tests, the compiler makes Triton
kernels for the CPU, too."""

from __future__ import annotations

import pytest
from eft import _runtime
from pytorch import needs_torch

COMMON = """
import sys, torch, triton
import torch._inductor.config as config
from torch._inductor.runtime import triton_compat, triton_heuristics
from torch.utils._triton import has_triton

assert triton.jit is __import__("eft").jit and triton_compat.HAS_TRITON and has_triton()
config.cpu_backend = "triton"
DEVICE = sys.argv[1]
torch.set_default_device(DEVICE)
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

#: Trains models, each of which is given with its input and the type in which it computes.
MODELS = (
    COMMON
    + """
config.force_disable_caches = True  # a model in another mode is compiled again
from torch import nn
from torch.nn import functional as F

class Embedded(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Embedding(50, 32), nn.LayerNorm(32), nn.Linear(32, 8), nn.GELU())

class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 3, 1)
        )

    def forward(self, x):
        return x + self.inner(x)

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.inputs, self.output = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x):
        rows, width = x.shape[1:]
        q, k, v = self.inputs(x).reshape(-1, rows, 3, 4, 8).permute(2, 0, 3, 1, 4)
        later = torch.ones(rows, rows, dtype=torch.bool).triu(1)
        scores = (q @ k.transpose(-1, -2) / 8**0.5).masked_fill(later, float("-inf"))
        return x + self.output((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.group, self.mean_square, self.instance = (
            nn.GroupNorm(2, 8), nn.RMSNorm(12), nn.InstanceNorm1d(8)
        )

    def forward(self, x):
        return self.mean_square(self.group(x)) + self.instance(x).sigmoid()

class Classified(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(12, 5)

    def forward(self, x):
        return F.cross_entropy(self.linear(x), torch.arange(len(x), device=x.device) % 5)

class Steps(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(20, 40), nn.SiLU(), nn.Linear(40, 20), nn.Tanh())

def gradients(module, x):
    y = module(x)
    return y, *torch.autograd.grad(y.float().square().sum(), list(module.parameters()))

def check(make, x, dtype=torch.float32, **options):
    torch._dynamo.reset()
    torch.manual_seed(0)
    module = make().to(dtype)
    x = x.to(dtype) if x.is_floating_point() else x
    before = len(compiled)
    found = gradients(torch.compile(module, fullgraph=True, **options), x)
    assert len(compiled) > before
    eager = gradients(module, x)
    if dtype == torch.float32:
        torch.testing.assert_close(found, eager, rtol=1e-4, atol=1e-4)
        return
    # Compiled code rounds less often than each operator by itself does, and elsewhere.
    for y, z, exact in zip(found, eager, gradients(module.double(), x.double())):
        assert y.dtype == z.dtype == dtype
        assert (y - exact).norm() <= 1.5 * (z - exact).norm() + 1e-6 * exact.norm()

check(Embedded, torch.randint(0, 50, (6, 7)))
check(Residual, torch.randn(2, 3, 16, 16))
check(Attention, torch.randn(2, 10, 32))
check(Norms, torch.randn(3, 8, 12))
check(Classified, torch.randn(8, 12))
for dtype in torch.bfloat16, torch.float16:
    check(Steps, torch.randn(9, 20), dtype)
check(Steps, torch.randn(9, 20), dynamic=True)
if DEVICE == "cuda":
    check(Residual, torch.randn(2, 3, 16, 16), mode="reduce-overhead")
    check(Steps, torch.randn(90, 20), torch.float16, mode="max-autotune")

def train(is_compiled):
    torch.manual_seed(1)
    module, x = Steps(), torch.randn(8, 20)
    optimizer = torch.optim.AdamW(module.parameters())

    def step():
        optimizer.zero_grad()
        loss = (module(x) - x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    step = torch.compile(step) if is_compiled else step
    return torch.stack([step() for _ in range(4)])

torch.testing.assert_close(train(True), train(False))
"""
)

#: A kernel that is registered as a PyTorch operator, in each way in which PyTorch uses one.
OPERATOR = (
    COMMON
    + """
import triton.language as tl
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.library import triton_op, wrap_triton

@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)

@triton_op("eft_test::add", mutates_args={})
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(add_kernel)[(triton.cdiv(x.numel(), 128),)](x, y, out, x.numel(), 128)
    return out

add.register_autograd(lambda ctx, dy: (dy, dy), setup_context=lambda ctx, inputs, output: None)
x, y = torch.randn(300), torch.randn(300)
close = torch.testing.assert_close
close(add(x, y), x + y)
for dynamic in (False, True):
    torch._dynamo.reset()
    function = torch.compile(lambda x, y: (add(x, y) * 2).relu(), fullgraph=True, dynamic=dynamic)
    a, b = x.clone().requires_grad_(), y.clone().requires_grad_()
    found, expected = function(a, b), ((x + y) * 2).relu()
    close(found, expected)
    found.sum().backward()
    close((a.grad, b.grad), ((expected > 0) * 2.0,) * 2)
close(torch.vmap(add)(x.reshape(3, 100), y.reshape(3, 100)), (x + y).reshape(3, 100))
close(make_fx(add, tracing_mode="fake")(x, y)(x, y), x + y)

class Module(torch.nn.Module):
    def forward(self, x, y):
        return add(x, y) + 1

close(torch.export.export(Module(), (x, y)).module()(x, y), x + y + 1)
with FakeTensorMode():
    fake = torch.empty(300)
    assert add(fake, fake).shape == (300,)
for without_memory in fake, torch.empty(300, device="meta"), torch._to_functional_tensor(x):
    try:
        add_kernel[(3,)](without_memory, y, x, 300, BLOCK=128)
    except TypeError as error:
        assert "argument 'x_ptr' has no memory" in str(error)
    else:
        raise AssertionError("a launch took a tensor without memory")
"""
)

#: Compiles in worker processes that PyTorch starts.
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
@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize(
    "text, threads",
    [(FUNCTIONS, 1), (KERNEL, 1), (MODELS, 1), (OPERATOR, 1), (WORKERS, 2)],
    ids=["functions", "kernel", "models", "operator", "workers"],
)
def test_a_function_is_compiled(python, text, threads, device):
    if device == "cuda" and _runtime.device_count() == 0:
        pytest.skip("there is no GPU")
    script = python.write("script.py", text)
    done = python.run(
        *("-m", "eft", "run", script, device),
        TORCHINDUCTOR_CACHE_DIR=str(python.folder / "inductor"),
        TORCHINDUCTOR_COMPILE_THREADS=str(threads),
        EFT_NUM_THREADS="1",  # many short launches would wait for threads
    )
    assert done.returncode == 0, done.stderr
