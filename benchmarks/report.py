# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report of a benchmark: a table of results, the command, the machine and the versions."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path


class Report:
    """Collects the rows and the notes of a benchmark, and writes them to files."""

    def __init__(self, name: str, title: str, out: Path):
        self.name = name
        self.title = title
        self.out = out
        self.rows: list[dict] = []
        self.notes: list[str] = []

    def add(self, **row) -> None:
        self.rows.append(row)
        print("  ".join(f"{key}={_text(value)}" for key, value in row.items()), file=sys.stderr)

    def matching(self, **conditions) -> Iterator[dict]:
        """Returns the rows that have the given values in the columns of these names."""
        return (row for row in self.rows if conditions.items() <= row.items())

    def find(self, column: str, **conditions) -> float | None:
        """Returns the column's value in the first of the `matching` rows, or None if no row
        matches."""
        return next((row[column] for row in self.matching(**conditions)), None)

    def highest(self, column: str, **conditions) -> float | None:
        """Returns the column's largest value in the `matching` rows, or None if no row matches."""
        return max((row[column] for row in self.matching(**conditions)), default=None)

    def note_ratio(self, text: str, value: float | None, of: float | None, goal: str = "") -> None:
        """Adds a note with `value` / `of`, or "not measured" if one of the two is None."""
        if value is None or of is None:
            self.notes.append(f"{text}: not measured")
        else:
            self.notes.append(f"{text}: {value / of:.3f}{f' (goal: {goal})' if goal else ''}")

    def save(self) -> None:
        """Writes NAME.json and NAME.md to the folder `out`, and prints the text of NAME.md."""
        self.out.mkdir(parents=True, exist_ok=True)
        facts = {
            "benchmark": self.name,
            "title": self.title,
            "command": command(sys.orig_argv[1:]),
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
        """Returns the rows as a Markdown table."""
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


def command(words: list[str]) -> str:
    """Returns the command that repeats a benchmark from the root of the checkout. `words` are the
    arguments of Python. The folder of the results, `--out DIR`, is left out."""
    root = Path(__file__).resolve().parents[1]
    kept = ["python"]
    for before, word in zip(["", *words], words, strict=False):
        if "--out" in (before, word) or word.startswith("--out="):
            continue
        path = Path(word).resolve()
        is_script = path.suffix == ".py" and path.is_relative_to(root)
        kept.append(path.relative_to(root).as_posix() if is_script else word)
    return shlex.join(kept)


def machine() -> str:
    """Describes the machine: its GPU, if PyTorch is loaded and sees one, and its processor with the
    number of cores that this process may use."""
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
    """Returns the versions of Python, of Eft and its commit, of the peers that are loaded, and of
    CUDA and the driver if PyTorch sees a GPU. The commit ends in "-dirty" if files differ from
    it."""
    found = {"python": platform.python_version()}
    commit = subprocess.run(
        ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--exclude=*"],
        capture_output=True,
        text=True,
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
