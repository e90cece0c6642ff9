# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types that editors and type checkers see, and the texts that `help` shows."""

import importlib.resources
import inspect
import pathlib
import runpy
import subprocess
import sys

import eft.language as tl
import pytest
from eft.language.builtin import is_builtin

SCRIPTS = pathlib.Path(__file__).parents[3] / "scripts"
BUILTINS = [name for name in tl.__all__ if is_builtin(getattr(tl, name))]


def test_the_types_of_a_tensor_are_those_of_its_methods():
    """After a change of the methods, `scripts/docs` writes tensor.pyi anew."""
    stub = runpy.run_path(str(SCRIPTS / "tensor_stub.py"))["stub"]()
    assert (importlib.resources.files("eft") / "language" / "tensor.pyi").read_text() == stub


def test_the_package_says_that_it_has_types():
    assert (importlib.resources.files("eft") / "py.typed").is_file()


def test_decorators_keep_what_they_decorate():
    assert list(inspect.signature(tl.load).parameters)[:3] == ["pointer", "mask", "other"]
    assert tl.load.__doc__.startswith("Reads from memory.")


@pytest.mark.parametrize("name", BUILTINS)
def test_help_says_what_a_builtin_does(name):
    assert inspect.getdoc(getattr(tl, name))


def test_the_language_loads_no_typing():
    """The import of `typing` would take a tenth of the time of `import eft`."""
    code = "import sys, eft.language; assert 'typing' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
