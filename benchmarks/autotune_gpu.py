# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuning among 20 configurations of a product of matrices, beside Triton.

Each figure is the median over several processes, each of which measures once. `first_ms` is the
time from `kernel[grid](...)` to the product. Before that, all modules are imported, and the device
is in use. With an empty cache, that time includes compiling and measuring all configurations.
With a full cache, it includes reading the choice and one compiled kernel from the disk. `again_ms`
is the time of the next launch. The kernel has the form of Triton's tutorial.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from common import arguments, gpu_torch, load_kernels, peer
from report import Report

#: (BLOCK_M, BLOCK_N, BLOCK_K, num_warps, num_stages), as tutorials and libraries use them.
CONFIGURATIONS = [
    (128, 256, 64, 8, 3),
    (256, 128, 64, 8, 3),
    (128, 128, 64, 8, 3),
    (128, 128, 64, 4, 3),
    (128, 128, 32, 4, 4),
    (128, 128, 128, 8, 3),
    (256, 64, 64, 8, 4),
    (64, 256, 64, 8, 4),
    (64, 256, 32, 4, 4),
    (128, 64, 64, 4, 4),
    (128, 64, 32, 4, 4),
    (64, 128, 64, 4, 4),
    (64, 128, 32, 4, 4),
    (128, 32, 64, 4, 4),
    (128, 32, 32, 4, 4),
    (64, 64, 64, 4, 4),
    (64, 64, 32, 4, 5),
    (64, 32, 64, 2, 5),
    (64, 32, 32, 2, 5),
    (32, 64, 32, 2, 5),
]
GOALS = {"empty": "under 3000", "full": "under 20"}  # milliseconds


def tuned(library, kernels):
    """Returns the kernel with autotuning, which chooses a configuration for each (M, N, K)."""
    configs = [
        library.Config(
            {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP": 8},
            num_warps=warps,
            num_stages=stages,
        )
        for m, n, k, warps, stages in CONFIGURATIONS
    ]
    tune = library.autotune(configs, key=["M", "N", "K"], cache_results=True)
    return tune(kernels.multiply_strided)


def matrices(device: str, size: int):
    """Returns two factors and room for their product, all filled with ones, and a function that
    waits for the device."""
    if device == "cuda":
        import torch

        made = [torch.ones((size, size), device="cuda", dtype=torch.float16) for _ in range(3)]
        torch.cuda.synchronize()
        return made, torch.cuda.synchronize
    import numpy as np

    return [np.ones((size, size), np.float32) for _ in range(3)], int


def child(system: str, device: str, size: int) -> dict:
    """Measures in this process. Returns the two times and the chosen configuration."""
    (a, b, c), synchronize = matrices(device, size)
    if system == "Eft":
        import eft as library
        import eft.language as language
    else:
        import triton as library
        import triton.language as language
    kernel = tuned(library, load_kernels(library.jit, language, "products"))
    strides = (size, 1) * 3

    def grid(meta):
        blocks = library.cdiv(size, meta["BLOCK_M"]), library.cdiv(size, meta["BLOCK_N"])
        return (blocks[0] * blocks[1],)

    synchronize()
    marks = [time.perf_counter()]
    for _ in range(2):
        kernel[grid](a, b, c, size, size, size, *strides)
        synchronize()
        marks.append(time.perf_counter())
    assert bool((c == size).all())
    first, again = ((b - a) * 1e3 for a, b in zip(marks, marks[1:], strict=False))
    return {"first_ms": first, "again_ms": again, "chosen": str(kernel.best_config)}


def run_child(system: str, device: str, size: int, cache: str) -> dict:
    environment = dict(os.environ, EFT_CACHE_DIR=cache, TRITON_CACHE_DIR=cache)
    # A user's installed package has its bytecode already. To measure the same, let the child
    # processes write bytecode, even if this process may not.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, __file__, "--child", system, device, str(size)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the choice by {system} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def measure(report: Report, system: str, device: str, size: int, repeats: int) -> None:
    results = {"empty": [], "full": []}
    with tempfile.TemporaryDirectory() as cache:
        run_child(system, device, size, cache)  # fills the file cache of the operating system
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            for state in results:
                results[state].append(run_child(system, device, size, cache))
    for state, figures in results.items():
        medians = {
            key: statistics.median(each[key] for each in figures)
            for key in ("first_ms", "again_ms")
        }
        chosen = statistics.mode(each["chosen"] for each in figures)
        report.add(device=device, size=size, system=system, cache=state, **medians, chosen=chosen)


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="processes for each figure")
    parser.add_argument("--size", type=int, default=4096, help="rows and columns of each matrix")
    parser.add_argument("--device", default="cuda", choices=["cpu", "cuda"])
    parser.add_argument("--child", nargs=3, help="what a measured process is started with")
    options = parser.parse_args()
    if options.child:
        system, device, size = options.child
        print(json.dumps(child(system, device, int(size))))
        return
    if options.device == "cuda":
        gpu_torch()
    report = Report("autotune_gpu", "The choice among 20 configurations", options.out)
    systems = ["Eft"]
    if options.device == "cuda" and peer("triton"):
        systems.append("Triton")
    for system in systems:
        measure(report, system, options.device, options.size, options.repeats)
    peer("eft")  # for its version
    for state, goal in GOALS.items():
        first = report.find("first_ms", system="Eft", cache=state)
        report.notes.append(f"Eft, {state} cache: {first:.1f} ms (goal on a GPU: {goal})")
    report.save()


if __name__ == "__main__":
    main()
