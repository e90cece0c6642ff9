# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws saved results as bars: `python benchmarks/plot.py results/*.json` makes a PNG of each."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402

#: By benchmark, the column that is drawn, and its unit.
VALUES = {
    "dropout_gpu": ("G_elements_per_s", "10⁹ elements per second"),
    "dropout_cpu": ("G_elements_per_s", "10⁹ elements per second"),
    "matmul_gpu": ("TFLOP_per_s", "10¹² operations per second"),
    "projection_gpu": ("milliseconds", "milliseconds"),
    "softmax_gpu": ("GB_per_s", "GB/s"),
    "launch": ("ns", "nanoseconds"),
    "start": ("first_ms", "milliseconds to the first result"),
}


def draw(path: Path) -> Path:
    results = json.loads(path.read_text())
    column, axis = VALUES[results["benchmark"]]
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
    for argument in sys.argv[1:]:
        print(draw(Path(argument)))
