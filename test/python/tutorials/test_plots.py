# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tutorials' plots show the numbers of their tables, and have labels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import eft
import pytest

TUTORIALS = Path(__file__).parent.parent.parent.parent / "tutorials"
BUILD = Path(eft.__file__).parent.parent

#: Runs a tutorial with NumPy arrays, and prints the labels and lines of its plots as JSON.
PROGRAM = """
import json, runpy, sys
sys.modules["torch"] = None
sys.path.insert(0, sys.argv[1])
import eft.testing, support
eft.testing.do_bench = lambda function, **_: [function(), 1.0][1]
found = []

def look(figure):
    figure.canvas.draw()
    (plot,) = figure.axes
    legend = plot.get_legend()
    beside = legend.get_window_extent().x0 >= plot.get_window_extent().x1
    lines = [[float(x) for x in line.get_xdata()] for line in plot.get_lines()]
    names = [text.get_text() for text in legend.get_texts()]
    found.append([plot.get_xlabel(), plot.get_ylabel(), names, lines, bool(beside)])

support.import_pyplot().close = look
path, sys.argv = sys.argv[2], sys.argv[2:]
runpy.run_path(path, run_name="__main__")
print(json.dumps(found))
"""


def plots_of(lesson: str, largest: int, folder: Path) -> tuple[list, str]:
    """The contents of a tutorial's plots, and its output."""
    (path,) = TUTORIALS.glob(f"{lesson}-*.py")
    plot = ["--largest", str(largest), "--plot", str(folder / "plot.png")]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(TUTORIALS), str(path), *plot],
        env=dict(os.environ, PYTHONPATH=str(BUILD)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    *text, found = done.stdout.splitlines()
    return json.loads(found), "\n".join(text)


@pytest.mark.parametrize(
    ("lesson", "largest", "x", "y", "names", "sizes"),
    [
        ("01", 12, "elements", "GB/s", ["Eft", "NumPy"], [2**12]),
        ("02", 8, "columns", "GB/s", ["fused", "in steps"], [2**8]),
        (
            "03",
            6,
            "rows and columns",
            "GFLOP/s",
            ["Eft, row by row", "Eft, in groups of 8", "NumPy"],
            [2**6],
        ),
        ("04", 14, "elements", "10⁹ elements per second", ["mask", "seed"], [2**14]),
        ("06", 6, "elements", "GB/s", None, [2**12]),
        (
            "08",
            6,
            "rows of Q and K",
            "GFLOP/s",
            ["Eft", "NumPy", "Eft, causal", "NumPy, causal"],
            [2**6],
        ),
        (
            "10",
            6,
            "tokens",
            "GFLOP/s",
            ["one launch", "a launch each", "NumPy each"],
            [2**6],
        ),
        (
            "11",
            6,
            "rows and columns",
            "GFLOP/s",
            ["a scale each row", "a scale each 32", "NumPy, float32"],
            [2**6],
        ),
    ],
)
def test_a_plot_has_the_units_of_its_table(tmp_path, lesson, largest, x, y, names, sizes):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    ((xlabel, ylabel, labels, lines, beside),), text = plots_of(lesson, largest, tmp_path)
    assert (xlabel, ylabel) == (x, y)
    assert names is None or labels == names
    assert all(line == sizes for line in lines)
    assert beside
    assert y.replace(" elements per second", "/s") in text


@pytest.mark.parametrize(("terminal", "said"), [(True, "Measuring 7 rows …\n\n"), (False, "")])
def test_only_a_terminal_is_told_that_a_table_is_measured(terminal, said, tmp_path):
    code = (
        f"import support; support.console = support.Console(force_terminal={terminal}, "
        "color_system=None); support.announce(7)"
    )
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(BUILD), str(TUTORIALS)]))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        cwd=tmp_path,  # Python looks for `support` in this folder first
    )
    assert (done.stdout, done.returncode) == (said, 0), done.stderr


def test_rates_are_drawn_in_the_unit_that_is_named(tmp_path):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    code = """
import support
drawn = []
support.finish_plot = lambda figure, plot, *rest: drawn.append(plot.get_lines()[0].get_ydata())
for unit in ({}, {"unit": 1e12}):
    support.save_plot("", "", [1, 2], {"line": [3e9, 5e12]}, ("", ""), **unit)
print([list(map(float, line)) for line in drawn])
"""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(BUILD), str(TUTORIALS)]))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        cwd=tmp_path,  # Python looks for `support` in this folder first
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[3.0, 5000.0], [0.003, 5.0]]
