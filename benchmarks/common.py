# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that the benchmarks share: they import peers, load the kernels, and measure time.

A peer is a system that is measured beside Eft, such as Triton or PyTorch; it may be missing. A
benchmark is one command, `python benchmarks/NAME.py [--out DIR]`. It measures Eft and its peers in
one run, and where possible also a limit of the machine, such as the speed of a copy. It saves
NAME.json and NAME.md in DIR, and prints a table (report.py).
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from report import Report

FOLDER = Path(__file__).parent


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=FOLDER / "results", help="where results go")
    return parser


def take_threads(words: list[str]) -> None:
    """Passes the number after `--threads` in the command line `words` to Eft, Numba and OpenMP, by
    environment variables. Does nothing without `--threads`. Must be called before the libraries are
    imported, because they read the variables at that time."""
    if "--threads" in words[:-1]:
        number = words[words.index("--threads") + 1]
        for name in ("EFT_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
            os.environ[name] = number


def peer(name: str):
    """Imports the module of a peer. If that fails, prints the error and returns None."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"without {name}: {error}", file=sys.stderr)
        return None


def gpu_torch():
    """Returns the module `torch`. Ends the program if PyTorch or a GPU is missing."""
    torch = peer("torch")
    if torch is None or not torch.cuda.is_available():
        sys.exit("this benchmark needs PyTorch and a GPU")
    return torch


def load_kernels(jit, language, file: str):
    """Loads kernels/FILE.py with Eft's or Triton's `jit` and `language`, and returns the module.

    Each call makes a new module of the same source, so Eft and Triton compile the same text.
    """
    name = f"{file}_of_{language.__name__.split('.')[0]}"
    spec = importlib.util.spec_from_file_location(name, FOLDER / "kernels" / f"{file}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    module.jit, module.tl = jit, language
    spec.loader.exec_module(module)
    return module


def kernels_by_system(file: str) -> dict:
    """Returns {"Eft": kernels}, and also "Triton" if Triton is installed. The values are modules
    from `load_kernels`."""
    import eft.language

    systems = {"Eft": load_kernels(eft.jit, eft.language, file)}
    if triton := peer("triton"):
        import triton.language

        systems["Triton"] = load_kernels(triton.jit, triton.language, file)
    return systems


def seconds_on_gpu(torch, fn: Callable, calls: int = 30, warmup: int = 5) -> float:
    """Returns the median time that the GPU spends on a call of `fn`, in seconds.

    `fn` must touch more data than the GPU's caches hold, because no cache is flushed between calls.
    The GPU first sleeps for some milliseconds, and all calls are queued meanwhile. So the time that
    the CPU needs for a launch does not count.
    """
    for _ in range(warmup):
        fn()
    torch.cuda._sleep(10_000_000)
    marks = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(calls)]
    for start, end in marks:
        start.record()
        fn()
        end.record()
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in marks) / 1e3


def seconds_on_cpu(
    systems: dict[str, Callable],
    rounds: int = 7,
    calls: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Returns the median seconds of a call for each system, by name.

    The systems take turns, `rounds` times, so that other work of the machine disturbs all systems
    alike. A turn begins with a pause, in which the threads of the previous system go to sleep, and
    with a call that is not timed. Then it times `calls` calls by `clock`.
    """
    times = {name: [] for name in systems}
    for _ in range(rounds):
        for name, fn in systems.items():
            time.sleep(0.02)
            fn()
            for _ in range(calls):
                start = clock()
                fn()
                times[name].append(clock() - start)
    return {name: statistics.median(values) for name, values in times.items()}


class GpuBenchmark:
    """Times the kernels of kernels/FILE.py on a GPU for each system, and holds the report for the
    results."""

    def __init__(self, report: Report, torch, file: str):
        self.report = report
        self.torch = torch
        self.systems = kernels_by_system(file)

    def seconds(self, fn: Callable) -> float:
        return seconds_on_gpu(self.torch, fn)

    def times(self, run: Callable, configurations: Iterable) -> dict:
        """Calls `run(configuration)` for each configuration. Returns the seconds of a call, by
        configuration."""
        return {each: self.seconds(functools.partial(run, each)) for each in configurations}
