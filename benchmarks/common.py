# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts that the benchmarks share: peers that may be missing, the kernels, and clocks.

Every benchmark is one command, `python benchmarks/NAME.py [--out DIR]`. It measures Eft, its peers
and the machine's limits in one run, prints a short table last, and saves NAME.json and NAME.md in
DIR (report.py).
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
    """Tells all libraries how many threads `--threads` gives them. They read it when they are
    loaded, so this comes before that."""
    if "--threads" in words[:-1]:
        number = words[words.index("--threads") + 1]
        for name in ("EFT_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
            os.environ[name] = number


def peer(name: str):
    """A module to compare with; None, and a word on it, if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"without {name}: {error}", file=sys.stderr)
        return None


def gpu_torch():
    """PyTorch with a GPU. Ends the program if there is none: nothing could be measured."""
    torch = peer("torch")
    if torch is None or not torch.cuda.is_available():
        sys.exit("this benchmark needs PyTorch and a GPU")
    return torch


def load_kernels(jit, language):
    """The module `kernels`, whose functions are made kernels by `jit`: Eft's or Triton's.

    The same source is loaded once for each, so that both compile the same text.
    """
    name = f"kernels_of_{language.__name__.split('.')[0]}"
    spec = importlib.util.spec_from_file_location(name, FOLDER / "kernels.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    module.jit, module.tl = jit, language
    spec.loader.exec_module(module)
    return module


def kernels_by_system() -> dict:
    """The kernels as Eft compiles them, and as Triton does if it is installed."""
    import eft.language

    systems = {"Eft": load_kernels(eft.jit, eft.language)}
    if triton := peer("triton"):
        import triton.language

        systems["Triton"] = load_kernels(triton.jit, triton.language)
    return systems


def seconds_on_gpu(torch, fn: Callable, calls: int = 30, warmup: int = 5) -> float:
    """The median of what passes on the GPU during a call. The data must exceed the caches.

    All calls are queued while the GPU is kept waiting for some milliseconds, so that what a launch
    takes on the CPU does not count.
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
    """The medians of the wall clock, or of another one. The systems take turns, so that what else
    the machine does hits all of them; before each turn one call warms up, and a pause lets the
    others' threads go to sleep.
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
    """Kernels of each system on a GPU, and the report that their times go to."""

    def __init__(self, report: Report, torch):
        self.report = report
        self.torch = torch
        self.systems = kernels_by_system()

    def seconds(self, fn: Callable) -> float:
        return seconds_on_gpu(self.torch, fn)

    def times(self, run: Callable, configurations: Iterable) -> dict:
        """The seconds of `run` with each configuration, its one argument."""
        return {each: self.seconds(functools.partial(run, each)) for each in configurations}
