# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models under torch.compile: how long the first call and a training step take, by Eft and Triton.

Eft takes the place of Triton in PyTorch's compiler (`python -m eft run`). Each figure is the median
over several processes with empty caches. `compile_ms` is the time of the first forward and backward
pass, after all modules are imported. `step_ms` is the median time of the 20 passes after that. Both
are wall-clock times and include waiting for the GPU.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from common import arguments, gpu_torch, peer
from report import Report


def mlp(nn):
    layers = [part for _ in range(3) for part in (nn.Linear(1024, 1024), nn.GELU())]
    return nn.Sequential(*layers), (4096, 1024)


def residual_block(nn):
    def convolution():
        return nn.Sequential(nn.Conv2d(64, 64, 3, padding=1), nn.BatchNorm2d(64))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.relu = convolution(), convolution(), nn.ReLU()

        def forward(self, x):
            return self.relu(x + self.second(self.relu(self.first(x))))

    return Block(), (32, 64, 56, 56)


def transformer_block(nn):
    return nn.TransformerEncoderLayer(512, 8, dropout=0.0, batch_first=True), (16, 512, 512)


def norms(nn):
    """Makes a sequence of six normalisations."""
    groups = [nn.GroupNorm(8, 64), nn.BatchNorm1d(64), nn.InstanceNorm1d(64)]
    return nn.Sequential(*groups, nn.LayerNorm(1000), nn.RMSNorm(1000), nn.Softmax(-1)), (
        64,
        64,
        1000,
    )


def unet(nn):
    """Makes a small U-Net, as in diffusion models: it halves the resolution, doubles it again, and
    has a skip connection across."""
    import torch

    def stage(inputs, outputs):
        convolution = nn.Conv2d(inputs, outputs, 3, padding=1)
        return nn.Sequential(nn.GroupNorm(8, inputs), nn.SiLU(), convolution)

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.begin, self.across = stage(32, 32), stage(32, 64)
            self.down, self.inner = nn.AvgPool2d(2), stage(64, 64)
            self.up, self.end = nn.Upsample(scale_factor=2), stage(96, 32)

        def forward(self, x):
            first = self.begin(x)
            second = self.inner(self.across(self.down(first)))
            return x + self.end(torch.cat((first, self.up(second)), 1))

    return Network(), (16, 32, 64, 64)


MODELS = {each.__name__: each for each in (mlp, residual_block, transformer_block, norms, unet)}


def child(system: str, name: str, device: str) -> dict[str, float]:
    """Measures in this process, and returns both times."""
    import torch
    import torch._dynamo
    import torch._inductor.compile_fx  # noqa: F401 (so that its import does not count)
    import triton

    assert ("eft" in triton.__version__) == (system == "Eft")
    torch._inductor.config.cpu_backend = "triton"
    torch.manual_seed(0)
    model, shape = MODELS[name](torch.nn)
    if device == "cpu":
        shape = (2, *shape[1:])
    model, x = model.to(device), torch.randn(shape, device=device)
    synchronize = torch.cuda.synchronize if device == "cuda" else int
    compiled = torch.compile(model, fullgraph=True)

    def step():
        compiled(x).square().sum().backward()
        synchronize()

    model(x).square().sum().backward()  # so that the setup of cuBLAS and cuDNN does not count
    synchronize()
    marks = [time.perf_counter()]
    for _ in range(21):
        step()
        marks.append(time.perf_counter())
    first, *later = ((b - a) * 1e3 for a, b in zip(marks, marks[1:], strict=False))
    return {"compile_ms": first, "step_ms": statistics.median(later)}


def run_child(system: str, name: str, device: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(
            os.environ,
            EFT_CACHE_DIR=f"{cache}/eft",
            TRITON_CACHE_DIR=f"{cache}/triton",
            TORCHINDUCTOR_CACHE_DIR=f"{cache}/inductor",
        )
        command = [sys.executable, __file__, "--child", system, name, device]
        if system == "Eft":
            command[1:1] = ["-m", "eft", "run"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{name} by {system} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3, help="processes for each figure")
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    parser.add_argument("--device", default="cuda", choices=["cpu", "cuda"])
    parser.add_argument("--child", nargs=3, help="what a measured process is started with")
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(*options.child)))
        return
    systems = ["Eft"]
    if options.device == "cuda":
        gpu_torch()
        systems += ["Triton"] if peer("triton") else []
    report = Report("torch_compile_gpu", "Models under PyTorch's compiler", options.out)
    for model in options.models:
        for system in systems:
            runs = [run_child(system, model, options.device) for _ in range(options.repeats)]
            medians = {key: statistics.median(each[key] for each in runs) for key in runs[0]}
            report.add(model=model, device=options.device, system=system, **medians)
        for column, goal in (("compile_ms", "0.33"), ("step_ms", "1.00")):
            ours, theirs = (report.find(column, model=model, system=s) for s in ("Eft", "Triton"))
            report.note_ratio(f"{model}, {column}: Eft's over Triton's", ours, theirs, goal)
    peer("eft")  # for its version
    report.save()


if __name__ == "__main__":
    main()
