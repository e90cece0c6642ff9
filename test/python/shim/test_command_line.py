# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m eft`: the commands other than `run`, and wrong commands."""

from __future__ import annotations

import os
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
    ("walk",): ": unknown command 'walk': expected run, compile, info, cache or as-triton",
    ("--fast",): ": unknown command '--fast': expected run, compile, info, cache or as-triton",
    ("cache",): " cache: expected list, verify or clear",
    ("cache", "empty"): " cache: expected list, verify or clear, got 'empty'",
    ("cache", "verify", "all"): " cache verify: takes no arguments, got 'all'",
    ("cache", "list", "a", "b"): " cache list: takes one name, got 'b' too",
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


KERNELS = """
import eft, numpy as np, eft.language as tl

@eft.jit
def one(x_ptr):
    tl.store(x_ptr, 1.0)

@eft.autotune([eft.Config({"B": 2}), eft.Config({"B": 4})], key=["n"])
@eft.jit
def two(x_ptr, n, B: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, B), 2.0, mask=tl.arange(0, B) < n)

one[1](np.zeros(1, np.float32))
two[1](np.zeros(4, np.float32), 4)
"""


def cache_command(python, *arguments, status=0) -> list[str]:
    done = python.run("-m", "eft", "cache", *arguments)
    assert (done.returncode, done.stderr) == (status, "")
    return done.stdout.splitlines()


def test_cache_lists_kernels_and_choices(python):
    assert cache_command(python, "list") == [f"{python.folder / 'cache'}: 0 kernels, 0.0 MB"]
    assert python.run(python.write("kernels.py", KERNELS)).returncode == 0
    *lines, summary = cache_command(python, "list")
    found = sorted(line.split(" KB  ")[1] for line in lines)
    assert re.fullmatch(
        r"choice  two  \(4, float32, cpu\) on [^;+]+, \d+ threads: B: .* maxnreg: None", found[0]
    )
    assert found[1:] == [f"kernel  {name}  cpu, num_warps 4" for name in ("one", "two", "two")]
    assert re.search(r"cache: 3 kernels, 1 choice, 5 other entries, \d\.\d MB$", summary)
    of_one = cache_command(python, "list", "one")
    assert [line.split()[-4:] for line in of_one] == [["one", "cpu,", "num_warps", "4"]]


TARGETS = """
import eft, eft.language as tl

@eft.jit
def one(x_ptr):
    tl.store(x_ptr, 1.0)

for target in ("sm_90", "compute_90", "gpu", "host", "host:x86-64-v3", "host:x86-64-v3,+avx512f"):
    one.warmup(eft.MockTensor(tl.float32), target=target)
"""


def test_cache_lists_kernels_for_every_target(python):
    assert python.run(python.write("targets.py", TARGETS)).returncode == 0
    listed = sorted(line.split("kernel  ")[1] for line in cache_command(python, "list", "one"))
    targets = "compute_80 compute_90 cpu cuda:90 host:x86-64-v3 host:x86-64-v3,+avx512f"
    assert listed == [f"one  {target}, num_warps 4" for target in targets.split()]
    assert "cache: 6 kernels, " in cache_command(python, "list")[-1]
    assert cache_command(python, "clear", "one")[0].startswith("removed 6 entries, ")


def test_cache_list_is_no_use_of_an_entry(python):
    python.run(python.write("kernels.py", KERNELS))
    files = list((python.folder / "cache").glob("*.eft"))
    for file in files:
        os.utime(file, (1e9, 1e9))
    cache_command(python, "list")
    assert {file.stat().st_mtime for file in files} == {1e9}


def test_cache_verify_names_damaged_entries(python):
    python.run(python.write("kernels.py", KERNELS))
    assert len(cache_command(python, "verify")) == 1
    file = min((python.folder / "cache").glob("*.eft"))
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    named, summary = cache_command(python, "verify", status=1)
    assert named == f"damaged: {file}"
    assert ", 1 damaged entry, " in summary


@pytest.mark.parametrize("action", ["list", "verify"])
def test_a_folder_that_the_cache_does_not_use(python, action):
    file = python.write("file", "")
    folder = python.folder / "open"
    folder.mkdir()
    folder.chmod(0o777)
    for place, reason in (
        (file, f"'{file}' can't be read: Not a directory"),
        (
            folder,
            f"the compile cache is not used: the folder '{folder}' can be written by others "
            "(mode 0777, expected 0700); EFT_CACHE_DIR names another",
        ),
    ):
        done = python.run("-m", "eft", "cache", action, EFT_CACHE_DIR=str(place))
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"python -m eft cache {action}: {reason}\n"


def test_cache_clear_forgets_one_kernel_or_all(python):
    python.run(python.write("kernels.py", KERNELS))
    assert cache_command(python, "clear", "two")[0].startswith("removed 3 entries, ")
    assert {line.split()[5] for line in cache_command(python, "list")[:-1]} == {"one"}
    assert cache_command(python, "clear")[0].startswith("removed 6 entries, ")
    assert list((python.folder / "cache").glob("*.eft")) == []
