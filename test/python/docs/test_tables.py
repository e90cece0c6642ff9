# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the documentation's tables of passes and functions with the code."""

import inspect
import pathlib
import re
import runpy

import eft.language as tl
import pytest
from eft.language.builtin import is_builtin

ROOT = pathlib.Path(__file__).parents[3]
MADE = runpy.run_path(str(ROOT / "scripts" / "tables.py"))
PAGES = ("design.md", "language.md", "mathematics.md")
needs_tools = pytest.mark.skipif(
    not MADE["OPTIMIZER"].exists(), reason="the compiler's tools are not beside the package"
)


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs_tools if name == "design.md" else ()) for name in PAGES]
)
def test_the_tables_are_what_the_code_has(name):
    made = MADE["page_with_tables"](page(name))
    assert page(name) == made, f"docs/{name} is not up to date: scripts/docs writes its tables"


def test_the_pages_have_every_table():
    text = "".join(page(name) for name in PAGES)
    for name in MADE["TABLES"]:
        assert text.count(f"<!-- scripts/docs generates: {name} -->\n\n| ") == 1, name
        assert text.count(f"|\n\n<!-- end of {name} -->\n") == 1, name


@needs_tools
def test_the_design_has_the_passes_in_their_order():
    table = re.findall(r"^\| .*\[`([\w-]+)`\]", MADE["passes"](), re.MULTILINE)
    pipelines = [MADE["pipeline"](target) for target in MADE["TARGETS"]]
    for passes in pipelines:
        rest = iter(table)
        for name in passes:
            assert name in rest, f"the table lacks {name}, or has it too early"
    assert set(table) == {name for passes in pipelines for name in passes}


def test_a_cell_may_have_bars():
    assert MADE["table"](("a", ""), ("b", "|x|")) == "| a | |\n|---|---|\n| b | \\|x\\| |\n"


def test_two_orders_of_passes_become_one():
    merged = MADE["merged"]
    host, gpu = ("host",), ("gpu",)
    left = [("a", host), ("fold", host), ("of-host", host), ("fold", host), ("z", host)]
    right = [("a", gpu), ("fold", gpu), ("of-gpu", gpu), ("fold", gpu), ("z", gpu)]
    both = host + gpu
    assert merged(left, right) == [
        *(("a", both), ("fold", both)),
        *(("of-host", host), ("of-gpu", gpu)),
        *(("fold", both), ("z", both)),
    ]


def test_the_language_has_every_function():
    text = page("language.md")
    code = " ".join(re.findall(r"`[^`]*`|^    .*$", text, re.MULTILINE))
    words = set(re.findall(r"\w+", code))
    functions = [name for name in tl.__all__ if is_builtin(getattr(tl, name))]
    missing = [name for name in functions if name not in words]
    assert not missing, f"docs/language.md lacks {missing}"


def test_every_expansion_has_its_measured_errors():
    """The table has each function that `eft-expand-math` replaces, except `round`, and no other."""
    expansions = set()
    for file in (ROOT / "compiler" / "transforms").rglob("*.cpp"):
        expansions |= set(re.findall(r"addExpansion<(?:math::)?(\w+)Op>", file.read_text()))
    of_names = {"powf": "pow"}
    expected = {of_names.get(name.lower(), name.lower()) for name in expansions} - {"round"}
    assert expected == set(MADE["measured"]())


def test_no_measured_error_is_above_the_bound_of_the_unit_test():
    source = (ROOT / "test/unit/math/ElementaryTest.cpp").read_text()
    rows = re.findall(r'\{"\w+\.(\w+)", \w[\w:]*, \w[\w:]*, ([\d.]+), ([\d.]+)', source)
    bounds = {name.replace("powf", "pow"): (float(f32), float(f64)) for name, f32, f64 in rows}
    functions = MADE["measured"]()
    assert bounds.keys() == functions.keys()
    for name, function in functions.items():
        for error, bound in zip(function.errors, bounds[name], strict=True):
            assert error <= bound, name


def test_help_says_the_measured_errors():
    exp, erfcx = tl.extra.libdevice.exp, tl.extra.libdevice.erfcx
    assert inspect.getdoc(tl.sigmoid) == (
        "1 / (1 + e^-x).\n\nLargest error found: 2.79 ulp in fp32, 2.71 ulp in fp64."
    )
    assert exp.errors == tl.exp.errors
    assert inspect.getdoc(exp).endswith(".\n\n" + inspect.getdoc(tl.exp).split("\n\n")[1])
    assert inspect.getdoc(erfcx).endswith(f".\n\nLargest error found in fp64: {erfcx.error}.")
