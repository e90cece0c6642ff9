# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the time of a launch from Python, beside cuLaunchKernel from C, Triton and CuPy.

Eft, C and Triton launch the seeded dropout kernel. CuPy launches a kernel with the same parameters.
The grid has one program for 1024 elements. Between two batches of launches the benchmark waits for
the GPU, outside of the measured time. So the driver's queue never fills up, and no launch waits.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import eft
import eft.language
import numpy as np
from common import FOLDER, arguments, kernels_by_system, load_kernels, peer
from report import Report

BATCHES, LAUNCHES = 200, 200
P, SEED, N = 0.5, 123, 1024

CUPY_SOURCE = """
extern "C" __global__ void seeded(const float *x, float *output, int n, float p, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    output[i] = x[i] / (1 - p);
}
"""


def nanoseconds(launch: Callable[[], object], synchronize: Callable[[], object]) -> float:
    """Returns the median over BATCHES batches of the mean time of a launch in a batch."""
    for _ in range(LAUNCHES):
        launch()
    synchronize()
    times = []
    for _ in range(BATCHES):
        start = time.perf_counter_ns()
        for _ in range(LAUNCHES):
            launch()
        end = time.perf_counter_ns()
        synchronize()
        times.append((end - start) / LAUNCHES)
    return statistics.median(times)


def from_python(kernels, x, output) -> dict[str, Callable]:
    """Returns two functions that make the same launch: one with a tuple as the grid, one with a
    function as the grid."""
    seeded = kernels.seeded

    def by_tuple():
        seeded[(1,)](x, output, N, P, SEED, BLOCK=1024)

    def by_function():
        seeded[lambda meta: (eft.cdiv(N, meta["BLOCK"]),)](x, output, N, P, SEED, BLOCK=1024)

    return {"grid tuple": by_tuple, "grid lambda": by_function}


def from_c(compiled) -> float:
    """Launches the cubin of `compiled` by the program launch.c. Returns the median nanoseconds of a
    launch."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang", "clang-19"))), None)
    if compiler is None:
        raise FileNotFoundError("no C compiler was found")
    with tempfile.TemporaryDirectory() as folder:
        program, cubin = os.path.join(folder, "launch"), os.path.join(folder, "kernel.cubin")
        Path(cubin).write_bytes(compiled.asm["cubin"])
        source = str(FOLDER / "launch.c")
        subprocess.run([compiler, "-O2", source, "-o", program, "-ldl"], check=True)
        facts = compiled.metadata
        command = [program, cubin, facts.name, str(facts.num_warps * 32), str(facts.shared)]
        done = subprocess.run(
            [*command, str(BATCHES), str(LAUNCHES)], check=True, capture_output=True, text=True
        )
    return statistics.median(map(float, done.stdout.split()))


def from_cupy(cupy, synchronize) -> float:
    kernel = cupy.RawKernel(CUPY_SOURCE, "seeded")
    x, output = cupy.zeros(N, cupy.float32), cupy.zeros(N, cupy.float32)
    n, p, seed = np.int32(N), np.float32(P), np.int32(SEED)
    return nanoseconds(lambda: kernel((1,), (1024,), (x, output, n, p, seed)), synchronize)


def measure_gpu(report: Report, torch) -> None:
    x, output = torch.zeros(N, device="cuda"), torch.zeros(N, device="cuda")
    synchronize = torch.cuda.synchronize
    systems = kernels_by_system("dropout")
    compiled = systems["Eft"].seeded[(1,)](x, output, N, P, SEED, BLOCK=1024)
    try:
        report.add(device="gpu", system="C, cuLaunchKernel", grid="", ns=from_c(compiled))
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        report.notes.append(f"C was not measured: {getattr(error, 'stderr', None) or error}")
    for system, each in systems.items():
        for grid, launch in from_python(each, x, output).items():
            report.add(device="gpu", system=system, grid=grid, ns=nanoseconds(launch, synchronize))
    if cupy := peer("cupy"):
        report.add(device="gpu", system="CuPy", grid="grid tuple", ns=from_cupy(cupy, synchronize))


def measure_cpu(report: Report) -> None:
    """Measures launches on the CPU, whose times include the execution of the kernel. That takes
    about as long as a NumPy division of 1024 elements, which is measured for comparison."""
    x, output = np.zeros(N, np.float32), np.zeros(N, np.float32)
    kernels = load_kernels(eft.jit, eft.language, "dropout")
    for grid, launch in from_python(kernels, x, output).items():
        report.add(device="cpu", system="Eft", grid=grid, ns=nanoseconds(launch, lambda: None))
    call = nanoseconds(lambda: np.divide(x, 0.5, out=output), lambda: None)
    report.add(device="cpu", system="NumPy, one division", grid="", ns=call)


def main():
    options = arguments(__doc__.splitlines()[0]).parse_args()
    report = Report("launch", "What a launch costs", options.out)
    torch = peer("torch")
    if torch and torch.cuda.is_available():
        measure_gpu(report, torch)
        eft_ns = report.find("ns", device="gpu", system="Eft", grid="grid tuple")
        c_ns = report.find("ns", system="C, cuLaunchKernel")
        if c_ns:
            report.notes.append(
                f"Eft's launch costs {(eft_ns - c_ns) / 1e3:.2f} µs more than C's (goal: at most 2)"
            )
    else:
        report.notes.append("no GPU, or no PyTorch that sees it: only the CPU was measured")
    measure_cpu(report)
    report.save()


if __name__ == "__main__":
    main()
