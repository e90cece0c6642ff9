# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks share: peers that may be missing, clocks, and a report that says what ran
where.

Every benchmark is one command, `python benchmarks/NAME.py [--out DIR]`. It measures Eft, its peers
and the machine's limits in one run, prints a short table last, and saves NAME.json and NAME.md in
DIR.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

FOLDER = Path(__file__).parent


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=FOLDER / "results", help="where results go")
    return parser


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
    systems: dict[str, Callable], rounds: int = 7, calls: int = 3
) -> dict[str, float]:
    """The medians of the wall clock. The systems take turns, so that what else the machine does
    hits all of them; before each turn one call warms up, and a pause lets the others' threads go to
    sleep.
    """
    times = {name: [] for name in systems}
    for _ in range(rounds):
        for name, fn in systems.items():
            time.sleep(0.02)
            fn()
            for _ in range(calls):
                start = time.perf_counter()
                fn()
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}


class Report:
    """Rows of results with what made them."""

    def __init__(self, name: str, title: str, out: Path):
        self.name = name
        self.title = title
        self.out = out
        self.rows: list[dict] = []
        self.notes: list[str] = []

    def add(self, **row) -> None:
        self.rows.append(row)
        print("  ".join(f"{key}={_text(value)}" for key, value in row.items()), file=sys.stderr)

    def find(self, column: str, **conditions) -> float | None:
        """The column's value in the first row that has these values; None if there is none."""
        for row in self.rows:
            if all(row.get(key) == value for key, value in conditions.items()):
                return row[column]
        return None

    def note_ratio(self, text: str, value: float | None, of: float | None, goal: str = "") -> None:
        """Notes how a value compares to another one, if both were measured."""
        if value is None or of is None:
            self.notes.append(f"{text}: not measured")
        else:
            self.notes.append(f"{text}: {value / of:.3f}{f' (goal: {goal})' if goal else ''}")

    def save(self) -> None:
        """Writes NAME.json and NAME.md, and prints the table."""
        self.out.mkdir(parents=True, exist_ok=True)
        facts = {
            "benchmark": self.name,
            "title": self.title,
            "command": shlex.join(["python", *sys.orig_argv[1:]]),
            "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
            "machine": machine(),
            "versions": versions(),
        }
        path = self.out / f"{self.name}.json"
        results = {**facts, "rows": self.rows, "notes": self.notes}
        path.write_text(json.dumps(results, indent=1) + "\n")
        text = self.table() + "".join(f"- {note}\n" for note in self.notes)
        about = [f"`{facts['command']}`, {facts['date']}", facts["machine"]]
        about.append(", ".join(f"{name} {version}" for name, version in facts["versions"].items()))
        (self.out / f"{self.name}.md").write_text(
            f"# {self.title}\n\n" + "\\\n".join(about) + f"\n\n{text}"
        )
        print(f"\n{self.title}\n" + "\n".join(about) + f"\n\n{text}", end="")

    def table(self) -> str:
        """The rows as a table of Markdown."""
        header = list(dict.fromkeys(key for row in self.rows for key in row))
        cells = [header, *([_text(row.get(key)) for key in header] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "| "
            + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            + " |"
            for row in cells
        ]
        lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
        return "\n".join(lines) + "\n\n"


def _text(value) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def machine() -> str:
    """The GPU if PyTorch sees one, the processor and its cores."""
    words = []
    torch = sys.modules.get("torch")
    if torch and torch.cuda.is_available():
        words.append(torch.cuda.get_device_name())
    words.append(f"{cpu_name()}, {len(os.sched_getaffinity(0))} cores")
    return "; ".join(words)


def cpu_name() -> str:
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def versions() -> dict[str, str]:
    """The versions of all that took part."""
    found = {"python": platform.python_version()}
    commit = subprocess.run(
        ["git", "-C", str(FOLDER), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    )
    for module in ("eft", "torch", "triton", "cupy", "numba", "numpy"):
        if module in sys.modules and hasattr(sys.modules[module], "__version__"):
            found[module] = sys.modules[module].__version__
    if commit.returncode == 0:
        found["eft"] = f"{found.get('eft', '')} ({commit.stdout.strip()})"
    torch = sys.modules.get("torch")
    if torch and torch.cuda.is_available():
        from eft import _runtime

        found["cuda"] = torch.version.cuda
        driver = _runtime.device_properties(0)["driver_version"]
        found["driver"] = "CUDA " + ".".join(map(str, driver))
    return found
