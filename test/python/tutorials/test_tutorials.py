# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tutorials run from top to bottom, with every array library that they support."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import eft
import pytest
import pytorch

TUTORIALS = Path(__file__).parent.parent.parent.parent / "tutorials"
BUILD = Path(eft.__file__).parent.parent


def run(name: str, *arguments, hidden: Path | None = None) -> str:
    folders = [str(hidden)] if hidden else []
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([*folders, str(BUILD)]))
    done = subprocess.run(
        [sys.executable, str(TUTORIALS / name), *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def without(module: str, folder: Path) -> Path:
    """Writes a file of the module's name to a folder. If Python looks there first, imports of the
    module fail as if it were not installed."""
    (folder / f"{module}.py").write_text(
        f"raise ModuleNotFoundError(\"No module named '{module}'\", name='{module}')\n"
    )
    return folder


def check_dropout(text: str):
    """Checks the tables: the same seed gives the same row, another seed another row."""
    rows = [line.split() for line in text.splitlines()]
    first = next(row for row in rows if row[:2] == ["seed", "123"])
    again = next(row for row in rows if row[:3] == ["seed", "123", "again"])
    other = next(row for row in rows if row[:2] == ["seed", "512"])
    assert len(first) == 12
    assert first[2:] == again[3:] != other[2:]
    assert "kept for the backward pass" in text
    assert "2^14" in text


def columns_of_triton(text: str) -> int:
    """The number of a table's columns for Triton: a time and a rate, if Triton is installed."""
    return 2 if "Triton" in text else 0


def check_matrix_multiplication(text: str):
    """Checks the tables: the products, the instructions on each GPU, and positive rates."""
    assert "129 × 300 × 65, A by columns" in text
    rows = [line.split() for line in text.splitlines()]
    instructions = {tuple(row[:2]): row[2:6] for row in rows if row[-1:] == ["KiB"]}
    assert len(instructions) == 4
    for (capability, stages), (copies, _, warps, warpgroups) in instructions.items():
        assert (int(copies) > 0) == (stages == "3")
        assert (int(warps) > 0, int(warpgroups) > 0) == (capability == "8.0,", capability == "9.0,")
    chosen, timed = (row for row in rows if row[:3] == ["64", "×", "64"] and len(row) != 4)
    assert [int(each) for each in chosen[3::2]]
    assert len(timed) == 9 + columns_of_triton(text)
    assert all(float(value) > 0 for value in timed[3:])


def check_vector_addition(text: str):
    """Checks the tables: ten sums, the comparison with NumPy, the times."""
    rows = [line.split() for line in text.splitlines()]
    x, y, sums = (next(row[1:] for row in rows if row[:1] == [name]) for name in ("x", "y", "sum"))
    assert len(x) == 10
    assert [float(a) + float(b) for a, b in zip(x, y, strict=True)] == [float(c) for c in sums]
    assert ["1,025", "2", "1023"] in rows
    assert any(row[:1] == ["2^12"] for row in rows)


def check_softmax(text: str):
    """Checks the tables: about a quarter of the memory traffic, small errors, the times."""
    rows = [line.split() for line in text.splitlines()]
    assert ["read", "1.25", "GiB", "256", "MiB"] in rows
    errors = [float(row[-1]) for row in rows if len(row) == 6 and row[1] == "×"]
    assert len(errors) == 4
    assert max(errors) < 1e-5
    assert any(row[:1] == ["2^8"] for row in rows)


def check_seed_per_row(text: str):
    """Checks the output: rows with the same seed are equal and all others differ, the view that is
    sliced and transposed was compared with NumPy, and all times and rates are positive."""
    rows = [line.split() for line in text.splitlines()]
    drawn = [row[4:] for row in rows if row[:1] == ["row"] and row[2:3] == ["seed"]]
    assert [len(row) for row in drawn] == [8, 8, 8, 8]
    assert drawn[0] == drawn[2] != drawn[1]
    assert drawn[3] not in drawn[:3]
    assert ["sliced", "and", "transposed", "134", "×", "20", "3", "800"] in [
        row[:8] for row in rows
    ]
    timed = [row for row in rows if row[:3] == ["64", "×", "64,"]]
    assert len(timed) == 3
    assert all(float(value) > 0 for row in timed for value in row[-4:])


def check_layer_normalisation(text: str):
    """Checks the tables: small errors, two-stage sums with the same bits, positive rates."""
    rows = [line.split() for line in text.splitlines()]
    errors = [row[-4:] for row in rows if len(row) == 8 and row[1] == "×"]
    assert len(errors) == 4
    assert all(float(value) < 1e-5 for row in errors for value in row)
    assert "20 gradients of the weight in two stages: 1 different." in text
    timed = next(row for row in rows if row[1:3] == ["×", "64"] and len(row) == 11)
    assert all(float(value) > 0 for value in timed[3:])


def check_projection(text: str):
    """Checks the tables: both matrices, distances that hardly change, and times."""
    rows = [line.split() for line in text.splitlines()]
    shares = [row[-1] for row in rows if "1/32" in row]
    assert len(shares) == 2
    assert all(abs(float(share) * 32 - 1) < 0.1 for share in shares)
    spread = next(row for row in rows if row[:2] == ["1024", "0.0221"])
    assert len(spread) == 14
    assert all(abs(float(mean) - 1) < 0.02 for mean in spread[2::3])
    timed = [row for row in rows if ["8", "B"] == row[-4:-2]]
    assert [" ".join(row[:5]) for row in timed[1:]] == [f"in groups, s = {s}" for s in (2, 8, 32)]
    assert all(float(row[-1]) > 0 for row in timed)


def check_attention(text: str):
    """Checks the tables: softmax in pieces ends with the same sums and result as softmax at once,
    the errors of the forward and the backward pass are small, and all times and rates are positive.
    """
    rows = [line.split() for line in text.splitlines()]
    last = next(row for row in rows if row[:3] == ["0", "…", "15"])
    assert last[-3:] == next(row for row in rows if row[:3] == ["all", "at", "once"])[-3:]
    sized = [row for row in rows if row[1:4:2] == ["×", "×"] and row[0].isdigit()]
    errors = [row[-2:] for row in sized if len(row) == 8 and "," not in row[4]]
    back = [row[-3:] for row in sized if row[4].endswith(",") and "." in row[-1]]
    assert len(errors) == 3
    assert len(back) == 6
    assert all(float(value) < 1.1 for row in errors + back for value in row)
    timed = [row for row in rows if row[:1] == ["64"]]
    columns = 5 + columns_of_triton(text)
    assert [len(row) for row in timed] == [columns] * (8 if "Running on NVIDIA" in text else 4)
    assert all(float(value) > 0 for row in timed for value in row)


def check_persistent(text: str):
    """Checks the tables: rounds, copies before stores only in flattened loops, exact products, and
    rates."""
    rows = [line.split() for line in text.splitlines()]
    assert ["4096", "×", "4096", "512", "4", "97%"] in rows
    assert [row[:2] for row in rows if row[-1:] == ["KiB"]] == [["False", "0"], ["True", "24"]]
    assert sum(row[-1] == "0" for row in rows if len(row) == 7 and row[1:4:2] == ["×", "×"]) == 3
    timed = next(row for row in rows if row[:5] == ["64", "×", "64", "×", "64"])
    assert len(timed) == 13 + columns_of_triton(text)
    assert all(float(value) > 0 for value in timed[5:])


def check_grouped(text: str):
    """Checks the tables: fewer rounds, only wide copies if alignment is promised, exact products,
    and rates."""
    rows = [line.split() for line in text.splitlines()]
    apart, together = next(row[2:] for row in rows if row[:1] == ["2,048"])
    assert int(together) == 2 < int(apart)
    both, wide = (list(map(int, row[1:])) for row in rows if row[:1] in (["False"], ["True"]))
    assert wide[:4] == [0, 60, 0, 16]
    assert both[0] > 0 and both[1] == 60 and both[3] == 16 and both[4] > 2 * wide[4]
    assert [row for row in rows if row[1:2] == ["5"]] == [[n, "5", "0"] for n in ("1", "5", "64")]
    timed = next(row for row in rows if row[:1] == ["64"] and row[2:3] == ["…"])
    assert len(timed) == 10 + columns_of_triton(text)
    assert all(float(value) > 0 for value in timed[4:])


def check_scaled(text: str):
    """Checks the tables: fewer lost numbers with more scales, the kinds of products, exact
    products, and rates."""
    rows = [line.split() for line in text.splitlines()]
    lost, products = (
        [float(each.rstrip("%")) for each in row[1:]] for row in rows if row[:1] == ["1e+06"]
    )
    assert lost[1] > 90 > 30 > lost[3]
    assert products[0] > 90 > 60 > products[1]
    kinds = {
        tuple(row[:2]): [count != "0" for count in row[2:]]
        for row in rows
        if row[:1] in (["multiply_rows,"], ["multiply_runs,"])
    }
    assert kinds == {
        ("multiply_rows,", "8.0"): [True, False, False],
        ("multiply_rows,", "9.0"): [False, True, False],
        ("multiply_runs,", "8.0"): [False, False, True],
        ("multiply_runs,", "9.0"): [False, False, True],
    }
    assert sum(row[5:] == ["0", "0"] for row in rows if row[1:4:2] == ["×", "×"]) == 3
    timed = next(row for row in rows if row[:3] == ["64", "×", "64"])
    assert len(timed) == 9 + 2 * columns_of_triton(text)
    assert all(float(value) > 0 for value in timed[3:])


def check_upside_down(text: str):
    """Checks the line of a view that only NumPy has: both of its strides are negative."""
    assert ["180", "degrees,", "every", "other", "column", "40", "×", "200", "-400", "-2"] in [
        line.split()[2:12] for line in text.splitlines()
    ]


@dataclass
class Lesson:
    """A tutorial, and the checks of its output.

    Attributes:
        name: the file's name.
        largest: the value of the argument `--largest`.
        check: checks the output with any array library.
        says_with_pytorch, says_with_numpy: texts that the output has with that library.
        check_with_numpy: checks the output with NumPy's arrays only.
    """

    name: str
    largest: int
    check: Callable[[str], None]
    says_with_pytorch: tuple[str, ...] = ("arrays of PyTorch",)
    says_with_numpy: tuple[str, ...] = ("arrays of NumPy",)
    check_with_numpy: Callable[[str], None] = lambda text: None  # noqa: E731


LESSONS = [
    Lesson("01-vector-addition.py", 12, check_vector_addition),
    Lesson("02-fused-softmax.py", 8, check_softmax),
    Lesson("03-matrix-multiplication.py", 6, check_matrix_multiplication, (), ()),
    Lesson("04-low-memory-dropout.py", 14, check_dropout),
    Lesson(
        "05-layer-normalisation.py",
        6,
        check_layer_normalisation,
        ("A training step gets the same gradients from it as from PyTorch's own.",),
    ),
    Lesson(
        "06-dropout-with-a-seed-per-row.py",
        6,
        check_seed_per_row,
        (
            "arrays of PyTorch",
            "PyTorch's autograd finds the same gradients from a mask.",
            "So do differences of outputs.",
        ),
        check_with_numpy=check_upside_down,
    ),
    Lesson("07-projection-without-a-matrix.py", 6, check_projection),
    Lesson("08-fused-attention.py", 6, check_attention),
    Lesson("09-persistent-products.py", 6, check_persistent),
    Lesson("10-grouped-products.py", 6, check_grouped),
    Lesson("11-scaled-products.py", 6, check_scaled),
]
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name[:2])


def test_every_lesson_is_here():
    assert [lesson.name for lesson in LESSONS] == sorted(
        path.name for path in TUTORIALS.glob("[0-9]*.py")
    )


@each_lesson
def test_with_pytorch(tmp_path, lesson):
    if importlib.util.find_spec("torch") is None:
        pytest.skip(pytorch.REASON)
    plot = tmp_path / "plot.png"
    text = run(lesson.name, "--largest", lesson.largest, "--plot", plot)
    for words in lesson.says_with_pytorch:
        assert words in text
    lesson.check(text)
    assert plot.read_bytes().startswith(b"\x89PNG")


@each_lesson
def test_with_numpy_and_without_matplotlib(tmp_path, lesson):
    hidden = without("matplotlib", without("torch", tmp_path))
    plot = tmp_path / "plot.png"
    text = run(lesson.name, "--largest", lesson.largest, "--plot", plot, hidden=hidden)
    for words in lesson.says_with_numpy:
        assert words in text
    lesson.check(text)
    lesson.check_with_numpy(text)
    assert "Matplotlib is not installed: no plot was saved." in text
