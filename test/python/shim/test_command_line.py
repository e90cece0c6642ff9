# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m eft`: the other commands, and what is no command."""

from __future__ import annotations

import re
from pathlib import Path

import eft
import pytest

ROOT = Path(__file__).parents[3]


def test_version(python):
    done = python.run("-m", "eft", "--version")
    assert (done.returncode, done.stdout) == (0, f"eft {eft.__version__}\n")


def test_version_reads_no_extension_module(python):
    done = python.run("-X", "importtime", "-m", "eft", "--version")
    assert "eft._compiler" not in done.stderr


def test_help(python):
    done = python.run("-m", "eft", "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: python -m eft run SCRIPT [ARGUMENTS...]")


MISTAKES = {
    (): ": expected a command",
    ("walk",): ": unknown command 'walk': expected run, compile or info",
    ("--fast",): ": unknown command '--fast': expected run, compile or info",
    ("run",): " run: expected a script, or -m and a module",
    ("run", "-m"): " run: expected a module after -m",
    ("run", "--fast", "x.py"): " run: unknown option '--fast'",
    ("info", "all"): " info: takes no arguments, got 'all'",
    ("--version", "all"): " --version: takes no arguments, got 'all'",
}


@pytest.mark.parametrize(("arguments", "mistake"), MISTAKES.items())
def test_what_is_no_command_is_named_above_the_usage(python, arguments, mistake):
    done = python.run("-m", "eft", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    first, usage = done.stderr.split("\n", 1)
    assert first == f"python -m eft{mistake}"
    assert usage == python.run("-m", "eft", "--help").stdout


def test_the_same_mistake_has_the_same_status(python):
    options = ("--kernel", "k", "--signature", "", "--target", "host", "--out", "x")
    for command in (("run", "no.py"), ("compile", "no.py", *options)):
        done = python.run("-m", "eft", *command)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"python -m eft {command[0]}: can't open 'no.py': No such file or directory\n"
        )


def test_the_console_script_is_the_module(python):
    scripts = (ROOT / "pyproject.toml").read_text().partition("[project.scripts]\n")[2]
    module, function = re.match(r'eft = "(.*):(.*)"\n', scripts).groups()
    done = python.run("-c", f"import sys; from {module} import *; sys.exit({function}())")
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "python -m eft: expected a command",
    )


def test_info_names_versions_devices_and_the_cache(python):
    done = python.run("-m", "eft", "info")
    assert done.returncode == 0, done.stderr
    facts = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert facts["eft"].startswith(f"{eft.__version__} in ")
    assert facts["llvm"].startswith("19.1.")
    assert "numpy" in facts["packages"]
    assert " thread" in facts["cpu"]
    assert "gpu" in facts or "sm_" in facts["cuda:0"]


def test_info_counts_the_cache(python):
    assert (
        f"cache      {python.folder / 'cache'}, not made yet\n"
        in python.run("-m", "eft", "info").stdout
    )
    python.write(
        "kernel.py",
        "import eft, numpy as np\nimport eft.language as tl\n\n\n"
        "@eft.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, 1.0)\n\n\n"
        "kernel[1](np.zeros(1, np.float32))\n",
    )
    assert python.run("kernel.py").returncode == 0
    line = next(
        line
        for line in python.run("-m", "eft", "info").stdout.splitlines()
        if line.startswith("cache")
    )
    assert line.endswith(" MB") and " 0 entries" not in line
