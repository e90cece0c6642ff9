# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m eft`: the other commands, and what is no command."""

from __future__ import annotations

import eft
import pytest


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


@pytest.mark.parametrize("arguments", [(), ("walk",), ("run",), ("run", "--fast", "x.py")])
def test_what_is_no_command_shows_the_usage(python, arguments):
    done = python.run("-m", "eft", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("usage: python -m eft run SCRIPT [ARGUMENTS...]")


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
