# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws saved results as bars: `python benchmarks/plot.py results/*.json` makes a PNG of each, and
`python benchmarks/plot.py results` one of Eft's speeds beside Triton's, with a table of them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib
from compare import best_speeds

matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402

#: By benchmark, the column that is drawn, and its unit.
VALUES = {
    "dropout_gpu": ("G_elements_per_s", "10⁹ elements per second"),
    "dropout_cpu": ("G_elements_per_s", "10⁹ elements per second"),
    "matmul_gpu": ("TFLOP_per_s", "10¹² operations per second"),
    "projection_gpu": ("milliseconds", "milliseconds"),
    "norm_gpu": ("GB_per_s", "GB/s"),
    "rows_cpu": ("G_elements_per_s", "10⁹ elements per second"),
    "softmax_gpu": ("GB_per_s", "GB/s"),
    "launch": ("ns", "nanoseconds"),
    "start": ("first_ms", "milliseconds to the first result"),
}


#: The benchmarks of which the picture beside Triton is made, in its order.
BESIDE = ("dropout_gpu", "norm_gpu", "softmax_gpu", "matmul_gpu", "attention_gpu")


def beside_triton(folder: Path) -> list[tuple[str, float]]:
    """The rows that were measured, and Eft's speed over Triton's, both at their best."""
    found = []
    for name in BESIDE:
        path = folder / f"{name}.json"
        if not path.is_file():
            continue
        results = json.loads(path.read_text())
        for case, speeds in best_speeds(results).items():
            if "Eft" in speeds and "Triton" in speeds:
                about = dict(case)
                if not about.get("offset"):
                    about.pop("offset", None)
                words = (
                    value if isinstance(value, str) else f"{column} {value}"
                    for column, value in about.items()
                )
                found.append((", ".join(words), speeds["Eft"] / speeds["Triton"]))
    return found


def draw_beside(folder: Path) -> Path | None:
    """Draws the speeds beside Triton as beside_triton.png, with beside_triton.md as a table; None
    if there are no results."""
    found = beside_triton(folder)
    if not found:
        return None
    lines = ["| kernel | Eft's speed over Triton's |", "|---|---|"]
    lines += [f"| {name} | {ratio:.2f} |" for name, ratio in found]
    (folder / "beside_triton.md").write_text("\n".join(lines) + "\n")
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.25 * len(found)), layout="constrained")
    names, values = zip(*found[::-1], strict=True)
    colors = ["tab:orange" if value >= 1 else "tab:gray" for value in values]
    bars = axes.barh(range(len(values)), values, color=colors)
    axes.bar_label(bars, fmt="%.2f", padding=3, fontsize=8)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_xlabel("times Triton's speed, both at their best configuration")
    axes.margins(y=0.01)
    picture = folder / "beside_triton.png"
    figure.savefig(picture, dpi=120)
    pyplot.close(figure)
    return picture


def value_of(results: dict) -> tuple[str, str] | None:
    """The part of a result that is drawn; a number that ends its name counts the threads."""
    name, _, number = results["benchmark"].rpartition("_")
    return VALUES.get(name if number.isdecimal() else results["benchmark"])


def draw(path: Path) -> Path:
    results = json.loads(path.read_text())
    column, axis = value_of(results)
    rows = results["rows"][::-1]  # bars are drawn from the bottom up
    labels = [
        ", ".join(value for value in row.values() if isinstance(value, str) and value)
        + (f", off by {row['offset']}" if row.get("offset") else "")
        for row in rows
    ]
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.25 * len(rows)), layout="constrained")
    colors = ["tab:orange" if row["system"] == "Eft" else "tab:gray" for row in rows]
    bars = axes.barh(range(len(rows)), [row[column] for row in rows], color=colors)
    axes.bar_label(bars, fmt="%.4g", padding=3, fontsize=8)
    axes.set_yticks(range(len(rows)), labels, fontsize=8)
    axes.set_xlabel(axis)
    axes.set_title(f"{results['title']}\n{results['machine']}", fontsize=10)
    axes.margins(y=0.01)
    picture = path.with_suffix(".png")
    figure.savefig(picture, dpi=120)
    pyplot.close(figure)
    return picture


if __name__ == "__main__":
    for argument in map(Path, sys.argv[1:]):
        print(draw_beside(argument) if argument.is_dir() else draw(argument))
