# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of passes and functions in the documentation, against the code."""

import os
import pathlib
import re
import subprocess

import eft
import eft.language as tl
import pytest
from eft.language import elementary
from eft.language.builtin import is_builtin

ROOT = pathlib.Path(__file__).parents[3]
TOOL = pathlib.Path(eft.__file__).parents[2] / "bin" / "eft-opt"


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text()


def rows(text: str) -> list[list[str]]:
    """The cells of all rows of tables."""
    return [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in text.splitlines()
        if "|" in line
    ]


def names(cell: str) -> list[str]:
    """The names at the beginning of what a cell has in backticks."""
    return re.findall(r"`([\w-]+)", cell)


def pipeline(target: str) -> list[str]:
    done = subprocess.run(
        [TOOL, "-", f"--eft-pipeline=target={target}", "--dump-pass-pipeline"],
        input="module {}",
        capture_output=True,
        text=True,
        env={**os.environ, "LD_PRELOAD": ""},
    )
    assert done.returncode == 0, done.stderr
    text = done.stderr.split("builtin.module(", 1)[1]
    text = re.sub(r"\{[^{}]*\}", "", text)
    return re.findall(r"[a-z][\w-]+", text.replace("func.func", ""))


@pytest.mark.skipif(not TOOL.exists(), reason="the compiler's tools are not beside the package")
def test_the_design_has_the_passes_in_their_order():
    section = page("design.md").split("## The way of the data")[1].split("## What knows what")[0]
    table = [name for row in rows(section) if len(row) == 4 for name in names(row[1])]
    pipelines = [pipeline(target) for target in ("sm_90", "sm_80", "host")]
    for passes in pipelines:
        rest = iter(table)
        for name in passes:
            assert name in rest, f"docs/design.md lacks {name}, or has it too early"
    assert set(table) == {name for passes in pipelines for name in passes}


def test_the_language_has_every_function():
    text = page("language.md")
    code = " ".join(re.findall(r"`[^`]*`|^    .*$", text, re.MULTILINE))
    words = set(re.findall(r"\w+", code))
    functions = [name for name in tl.__all__ if is_builtin(getattr(tl, name))]
    missing = [name for name in functions if name not in words]
    assert not missing, f"docs/language.md lacks {missing}"


def test_the_language_has_the_elementary_functions_in_one_table():
    section = page("language.md").split("### Mathematics")[1].split("`eft.language.extra")[0]
    table = [name for row in rows(section) for name in names(row[0])]
    assert sorted(table) == sorted([*elementary.__all__, "umulhi"])


def test_every_expansion_has_its_measured_errors():
    """The rows of `docs/mathematics.md` are the functions that `eft-expand-math` replaces."""
    expansions = set()
    for file in (ROOT / "compiler" / "transforms").rglob("*.cpp"):
        expansions |= set(re.findall(r"addExpansion<(?:math::)?(\w+)Op>", file.read_text()))
    of_names = {"powf": "pow"}
    expected = {of_names.get(name.lower(), name.lower()) for name in expansions} - {"round"}
    section = page("mathematics.md").split("## Elementary functions")[1].split("## ")[0]
    table = {name for row in rows(section) if len(row) == 4 for name in names(row[0])}
    assert expected == table
