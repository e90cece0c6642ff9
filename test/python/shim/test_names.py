# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every public module and name of Triton exists, or docs/triton.md says why it does not."""

from __future__ import annotations

import fnmatch
import importlib.util
import re
import runpy
import subprocess
import sys
from pathlib import Path

import eft
import pytest
from eft.triton.missing import MODULES

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
_, *LINES = (HERE / "triton_names.txt").read_text().splitlines()
#: The public names of each of Triton's public modules.
NAMES = {module: names for module, *names in map(str.split, LINES)}
#: Modules that only later versions of Triton have.
LATER = ["triton.profiler.data", "triton.profiler.metric", "triton.tools.gsan"]

PROGRAM = """
import importlib, sys
from eft.triton import install
install()
from eft.language.missing import NotYet
from eft.triton.missing import Missing
for line in sys.stdin.read().splitlines():
    module, *names = line.split()
    found = importlib.import_module(module)
    assert module in sys.modules
    for name in names:
        try:
            value = getattr(found, name)
        except AttributeError:
            print(f"{module}.{name}")
            continue
        if isinstance(value, NotYet) or isinstance(value, type) and issubclass(value, Missing):
            print(f"{module}.{name}")
"""


TAKES = """
import importlib, inspect, sys
from eft.triton import install
install()
from eft.language.missing import NotYet
from eft.triton.missing import Missing
for line in sys.stdin.read().splitlines():
    what, *names = line.split()
    module, _, name = what.rpartition(".")
    value = getattr(importlib.import_module(module), name, None)
    if isinstance(value, NotYet) or isinstance(value, type) and issubclass(value, Missing):
        continue
    try:
        found = inspect.signature(getattr(value, "fn", value)).parameters
    except ValueError:
        continue
    if any(each.kind == each.VAR_KEYWORD for each in found.values()):
        continue
    lacks = [name for name in names if name not in found]
    if lacks:
        print(what, *lacks)
"""


def lacking(lines: list[str]) -> list[str]:
    """The names of modules that Eft lacks, found by a process in which `triton` means Eft."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], input="\n".join(lines), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


#: Classes that programs do not instantiate, and functions with one positional argument.
NOT_BY_NAME = {
    *("CompilationError", "CompiledKernel", "CompileTimeAssertionFailure", "JITCallable"),
    *("KernelParam", "UnsupportedLanguageConstruct", "tensor_descriptor", "tensor_descriptor_type"),
    *("tuple", "abs", "builtin", "constexpr_function", "is_builtin"),
}


def test_what_programs_call_takes_the_same_arguments():
    _, *lines = (HERE / "triton_parameters.txt").read_text().splitlines()
    done = subprocess.run(
        [sys.executable, "-c", TAKES], input="\n".join(lines), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    lacks = [line.split() for line in done.stdout.splitlines()]
    assert [line for line in lacks if line[0].rpartition(".")[2] not in NOT_BY_NAME] == []


def documented() -> list[str]:
    """The names that docs/triton.md lists as missing: those in backticks in the first column of the
    tables under "Names that are not there". `*` stands for any name."""
    text = (ROOT / "docs" / "triton.md").read_text()
    section = text.partition("## Names that are not there\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall("`([^`]+)`", row)]


def test_each_name_is_there_or_documented():
    lacks = lacking(LINES)
    patterns = documented()
    unsaid = [
        name for name in lacks if not any(fnmatch.fnmatchcase(name, each) for each in patterns)
    ]
    assert unsaid == []


def test_what_is_documented_as_not_there_is_not():
    lacks = lacking([*LINES, *LATER])
    lacks += [f"{module}.{name}" for module in LATER for name in MODULES[module][1].split()]
    lacks += ["triton.experimental.gluon", "triton.testing.cublas"]
    lacks += ["triton.tools.triton_to_gluon_translator", "triton._C.libtriton"]
    idle = [each for each in documented() if not fnmatch.filter(lacks, each)]
    assert idle == []


def test_modules_of_later_versions_can_be_imported():
    assert lacking(LATER) == []


@pytest.mark.parametrize("kind", ["names", "parameters"])
def test_the_list_is_that_of_the_installed_triton(kind):
    if importlib.util.find_spec("triton") is None:
        pytest.skip("Triton is not installed")
    options = ["--parameters"] if kind == "parameters" else []
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "triton-names", *options],
        capture_output=True,
        text=True,
    )
    version, *lines = done.stdout.splitlines()
    head, *kept = (HERE / f"triton_{kind}.txt").read_text().splitlines()
    if version != head:
        pytest.skip(f"{version} is installed, and the list is of another: {head}")
    assert lines == kept


def test_the_list_is_made_of_what_a_module_lists_and_defines():
    made = runpy.run_path(str(ROOT / "scripts" / "triton-names"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("sample", None))
    exec(
        "import os\nfrom typing import TypeVar\nT = TypeVar('T')\n__all__ = ['path', 'a.b']\n"
        "path = os.path\nclass Here: pass\ndef _hidden(): pass\ndef shown(): pass\n",
        vars(module),
    )
    assert made["names"](module) == ["Here", "path", "shown"]


def test_a_missing_name_can_be_derived_from_caught_and_used_as_an_annotation():
    from eft.triton import missing

    name = missing.attribute("triton.compiler.compiler", "CompileTimer")

    class Derived(name):
        def annotated(self, source: name) -> name | None: ...

    try:
        raise ValueError
    except (name, ValueError):
        pass
    assert repr(name) == "<triton.compiler.compiler.CompileTimer, which Eft does not have>"
    assert name.__name__ == "CompileTimer" and not hasattr(name, "__wrapped__")
    reason = (
        f"^Eft {eft.__version__} does not have triton.compiler.compiler.CompileTimer: it lowers "
        "and compiles kernels by itself, in eft.compiler and eft._compiler$"
    )
    for use in (name, lambda: name[3], lambda: name.parse(), lambda: list(name), Derived):
        with pytest.raises(NotImplementedError, match=reason):
            use()


def test_names_are_the_same_objects_by_every_way():
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from eft.triton import install\ninstall()\n"
            "import eft, triton, triton.runtime.driver, triton.runtime.jit\n"
            "from triton.runtime import driver\n"
            "import triton.runtime.driver as again\n"
            "assert driver is triton.runtime.driver is again and driver.active\n"
            "assert triton.runtime.jit.JITFunction is triton.JITFunction is eft.JITFunction\n"
            "assert triton.compiler.errors.CompilationError is eft.CompilationError\n"
            "assert issubclass(eft.CompilationError, triton.TritonError)\n"
            "import triton.compiler.compiler\n"
            "assert triton.compile is triton.compiler.compile is triton.compiler.compiler.compile\n"
            "import sys\n"
            "assert sys.modules['triton.runtime.driver'].driver is driver\n",
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
