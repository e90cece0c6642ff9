# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws saved results.

`python benchmarks/plot.py results/*.json` draws the rows of each result as bars, in a PNG beside
it. `python benchmarks/plot.py results` draws one picture of Eft's speeds relative to Triton's,
beside_triton.png, and writes the same ratios to the table beside_triton.md.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib
from compare import best_speeds

matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402

#: For each benchmark, the column that is drawn and its unit.
VALUES = {
    "dropout_gpu": ("G_elements_per_s", "10⁹ elements per second"),
    "dropout_cpu": ("G_elements_per_s", "10⁹ elements per second"),
    "matmul_gpu": ("TFLOP_per_s", "10¹² operations per second"),
    "projection_gpu": ("milliseconds", "milliseconds"),
    "norm_gpu": ("GB_per_s", "GB/s"),
    "rows_cpu": ("G_elements_per_s", "10⁹ elements per second"),
    "rows_gpu": ("GB_per_s", "GB/s"),
    "blocks_gpu": ("GB_per_s", "GB/s"),
    "launch": ("ns", "nanoseconds"),
    "start": ("first_ms", "milliseconds to the first result"),
}


#: The benchmarks in the picture beside_triton.png, in the order of the picture. For each: the name
#: of its kernels in the picture, and the columns that distinguish kinds of kernels.
BESIDE = {
    "dropout_gpu": ("dropout", ("kernel", "dtype")),
    "norm_gpu": ("dropout and norm", ("norm", "dtype")),
    "rows_gpu": ("rows", ("kernel", "dtype")),
    "blocks_gpu": ("blocks", ("kernel", "dtype")),
    "matmul_gpu": ("matrix product", ("dtype",)),
    "attention_gpu": ("attention", ("d",)),
}


def words_of(case: dict) -> str:
    return ", ".join(
        value if isinstance(value, str) else f"{column} {value}"
        for column, value in case.items()
        if column != "offset" or value
    )


def beside_triton(folder: Path) -> list[tuple[str, str, float]]:
    """Returns a tuple for each case in `folder` that both Eft and Triton ran: the kind of kernel,
    the other values of the case, and Eft's best speed divided by Triton's best speed."""
    found = []
    for benchmark, (name, columns) in BESIDE.items():
        path = folder / f"{benchmark}.json"
        if not path.is_file():
            continue
        for case, speeds in best_speeds(json.loads(path.read_text())).items():
            if "Eft" in speeds and "Triton" in speeds:
                kind = {column: value for column, value in case if column in columns}
                rest = {column: value for column, value in case if column not in columns}
                ratio = speeds["Eft"] / speeds["Triton"]
                found.append((f"{name}: {words_of(kind)}", words_of(rest), ratio))
    return found


def draw_beside(folder: Path) -> Path | None:
    """Draws Eft's speeds relative to Triton's as beside_triton.png, one point for each case, and
    writes beside_triton.md, a table of the same ratios. Returns the path of the picture, or None if
    there are no results."""
    found = beside_triton(folder)
    if not found:
        return None
    lines = ["| kernel | of | Eft's speed over Triton's |", "|---|---|---|"]
    lines += [f"| {kind} | {rest} | {ratio:.2f} |" for kind, rest, ratio in found]
    (folder / "beside_triton.md").write_text("\n".join(lines) + "\n")
    kinds = list(dict.fromkeys(kind for kind, _, _ in found))[::-1]
    figure, axes = pyplot.subplots(figsize=(9, 1 + 0.28 * len(kinds)), layout="constrained")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.grid(axis="y", linewidth=0.3)
    axes.scatter(
        [ratio for _, _, ratio in found],
        [kinds.index(kind) for kind, _, _ in found],
        c=["tab:orange" if ratio >= 1 else "tab:gray" for _, _, ratio in found],
        alpha=0.7,
        zorder=2,
    )
    axes.set_yticks(range(len(kinds)), kinds, fontsize=8)
    axes.set_xlabel("times Triton's speed, both at their best configuration")
    picture = folder / "beside_triton.png"
    figure.savefig(picture, dpi=120)
    pyplot.close(figure)
    return picture


def value_of(results: dict) -> tuple[str, str] | None:
    """Returns the column that is drawn and its unit, or None if the benchmark is not drawn. A
    number at the end of the benchmark's name is a number of threads, and is ignored."""
    name, _, number = results["benchmark"].rpartition("_")
    return VALUES.get(name if number.isdecimal() else results["benchmark"])


def draw(path: Path) -> Path:
    results = json.loads(path.read_text())
    value = value_of(results)
    if value is None:
        raise SystemExit(f"{path}: plot.py does not know which column of {path.stem} to draw")
    column, axis = value
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
