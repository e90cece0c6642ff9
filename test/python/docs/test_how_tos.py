# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How-to pages quote the current code, and the files that pages name exist."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[3]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)
FOLDERS = "benchmarks|compiler|docs|frontend|include|library|ops|runtime|scripts|test|tutorials"


def named_files(text: str) -> list[str]:
    """The files and folders of the repository that a text names in backticks."""
    return re.findall(rf"`((?:{FOLDERS})/[\w./-]+)`", text)


def excerpts() -> list:
    found = []
    for page in ("add-a-pass", "add-an-elementwise-function", "add-an-operation"):
        text = (ROOT / f"docs/how-to/{page}.md").read_text()
        blocks = re.findall(r"^```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        ids = (f"{page}-{number}" for number in range(len(blocks)))
        found += [pytest.param(text, block, id=id_) for block, id_ in zip(blocks, ids, strict=True)]
    return found


@pytest.mark.parametrize(("page", "block"), excerpts())
def test_an_excerpt_stands_in_a_file_that_its_page_names(page, block):
    assert any(block in (ROOT / name).read_text() for name in named_files(page) if "." in name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_files_that_a_page_names_are_there(page):
    missing = [name for name in named_files(page.read_text()) if not (ROOT / name).exists()]
    assert not missing
