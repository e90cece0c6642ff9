# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a fresh process to the first result: with an empty cache and with a full one, beside Triton.

Every figure is the median over processes of their own. `first` is the time from `kernel[grid](...)`
to the result, with all modules imported and the GPU in use already; `variant` the same for another
block size.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from common import arguments, load_kernels, peer
from report import Report

N, P, SEED = 4096, 0.5, 123


def child(system: str, device: str) -> dict[str, float]:
    """What one process measures: milliseconds."""
    import numpy as np

    if device == "cuda":
        import torch

        x, output = torch.ones(N, device="cuda"), torch.zeros(N, device="cuda")
        synchronize = torch.cuda.synchronize
        synchronize()
    else:
        x, output = np.ones(N, np.float32), np.zeros(N, np.float32)
        synchronize = int

    marks = [time.perf_counter()]
    if system == "Eft":
        import eft as library
        import eft.language as language
    else:
        import triton as library
        import triton.language as language
    marks.append(time.perf_counter())
    kernels = load_kernels(library.jit, language)
    marks.append(time.perf_counter())
    for block in (1024, 2048):
        kernels.seeded[(library.cdiv(N, block),)](x, output, N, P, SEED, BLOCK=block)
        synchronize()
        marks.append(time.perf_counter())
    assert 0 < int((output != 0).sum()) < N
    imported, _, first, variant = ((b - a) * 1e3 for a, b in zip(marks, marks[1:], strict=False))
    return {"import_ms": imported, "first_ms": first, "variant_ms": variant}


def run_child(system: str, device: str, cache: str) -> dict[str, float]:
    environment = dict(os.environ, EFT_CACHE_DIR=cache, TRITON_CACHE_DIR=cache)
    command = [sys.executable, __file__, "--child", system, device]
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{system} on {device} failed:\n{done.stderr}")
    return {**json.loads(done.stdout), "process_ms": seconds * 1e3}


def measure(report: Report, system: str, device: str, repeats: int) -> None:
    results = {"empty": [], "full": []}
    with tempfile.TemporaryDirectory() as cache:
        run_child(system, device, cache)  # reads all files from the disk
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            for state in results:
                results[state].append(run_child(system, device, cache))
    for state, times in results.items():
        medians = {key: statistics.median(each[key] for each in times) for key in times[0]}
        report.add(device=device, system=system, cache=state, **medians)


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7, help="processes for each figure")
    parser.add_argument("--child", nargs=2, help="what a measured process is started with")
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(*options.child)))
        return
    report = Report("start", "From a fresh process to the first result", options.out)
    measure(report, "Eft", "cpu", options.repeats)
    torch, triton = peer("torch"), peer("triton")
    if torch and torch.cuda.is_available():
        measure(report, "Eft", "cuda", options.repeats)
        if triton:
            measure(report, "Triton", "cuda", options.repeats)
    peer("eft")  # for its version
    first = report.find("first_ms", device="cpu", system="Eft", cache="empty")
    report.notes.append(f"Eft on the CPU, first result: {first:.0f} ms (goal: under 150)")
    report.save()


if __name__ == "__main__":
    main()
