# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/run: its comparisons, and its failures."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def module(monkeypatch):
    """A function that imports a module of the benchmarks by its name."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


def results(*rows: tuple, column: str = "GB_per_s") -> dict:
    keys = ("kernel", "system", "configuration", column)
    return {"rows": [dict(zip(keys, row, strict=True)) for row in rows]}


def test_a_ratio_is_that_of_the_best_configurations(module):
    found = module("compare").ratios(
        results(
            ("copy", "Eft", "", 5.0),
            ("copy", "Triton", "", 4.0),
            ("copy", "Eft", "best", 6.0),
            ("sum", "PyTorch", "", 1.0),
        )
    )
    assert found == {((("kernel", "copy"),), "Triton"): 1.5}


def test_less_time_is_more_speed(module):
    rows = (("copy", "Eft", "", 2.0), ("copy", "PyTorch", "", 3.0))
    found = module("compare").ratios(results(*rows, column="milliseconds"))
    assert list(found.values()) == [1.5]


def test_differences_beyond_the_tolerance(module):
    def of(first: float, second: float, third: float) -> dict:
        names = ("copy", "sum", "sort")
        speeds = zip(names, (first, second, third), strict=True)
        rows = [(name, "Eft", "", speed) for name, speed in speeds]
        return results(*rows, *((name, "Triton", "", 2.0) for name in names))

    found = module("compare").differences(of(2, 2, 2), of(2.08, 1.6, 3), 0.05)
    assert found == [("sum: beside Triton", 1.0, 0.8), ("sort: beside Triton", 1.0, 1.5)]


def test_the_command_of_a_report_holds_on_every_machine(module):
    command = module("report").command
    script = str(FOLDER / "rows_gpu.py")
    words = [script, "--columns", "1024", "--out", "/tmp/results", "--quick"]
    assert command(words) == "python benchmarks/rows_gpu.py --columns 1024 --quick"
    assert command([script, "--out=/tmp/results"]) == "python benchmarks/rows_gpu.py"


def test_a_plot_of_results_without_a_known_column(module, tmp_path):
    path = tmp_path / "compile.json"
    path.write_text(json.dumps({"benchmark": "compile", "rows": []}))
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    with pytest.raises(SystemExit, match="does not know which column of compile to draw"):
        module("plot").draw(path)


def test_committed_results_are_as_they_were(module):
    compare = module("compare")
    for path in (FOLDER / "results").glob("*.json"):
        committed = json.loads(path.read_text())
        assert compare.differences(committed, committed, 0) == [], path


def run(*arguments: str, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, str(FOLDER / "run.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)


def test_it_wants_to_know_what_to_measure():
    done = run("--quick")
    assert done.returncode == 2
    assert done.stderr.endswith("error: say what to measure: --gpu, --cpu, or both\n")


def test_a_benchmark_that_is_not_there():
    done = run("--gpu", "--only", "softmax")
    assert done.returncode == 2
    assert "error: there is no benchmark softmax; there are attention_backward_gpu, " in done.stderr


def test_every_benchmark_is_there(module):
    runner = module("run")
    for each in runner.ON_GPU + runner.on_cpu():
        assert (FOLDER / each.file).is_file()


def test_a_benchmark_that_fails_is_named(module, monkeypatch, tmp_path, capsys):
    runner = module("run")
    monkeypatch.setattr(runner, "FOLDER", tmp_path)
    (tmp_path / "broken.py").write_text("raise SystemExit(3)")
    monkeypatch.setattr(runner, "ON_GPU", (runner.Benchmark("broken.py", ()),))
    out = str(tmp_path / "out")
    monkeypatch.setattr(sys, "argv", ["run", "--gpu", "--out", out, "--against", out])
    assert runner.main() == 1
    assert capsys.readouterr().out.endswith("failed: broken\n")
