# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The extension modules contain the libraries that they need, and hide the libraries' symbols."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys

import eft
import pytest

#: The C library and the loader. The modules contain all other libraries.
SYSTEM = {"linux-vdso.so.1", "libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}

#: Under ThreadSanitizer, the C++ library must be shared.
if "tsan" in os.environ.get("LD_PRELOAD", ""):
    SYSTEM |= {"libstdc++.so.6", "libgcc_s.so.1"}

MODULES = ["_runtime", "_compiler", "_ops"]


def path_of(name: str) -> str:
    return importlib.import_module(f"eft.{name}").__file__


@pytest.mark.parametrize("name", MODULES)
def test_needs_only_the_c_library(name):
    # A preloaded sanitizer would add the libraries that it needs.
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    done = subprocess.run(["ldd", path_of(name)], stdout=-1, text=True, check=True, env=environment)
    libraries = {line.split()[0].rpartition("/")[2] for line in done.stdout.splitlines()}
    assert libraries - SYSTEM == set()


@pytest.mark.parametrize("name", MODULES)
def test_shows_only_its_entry(name):
    nm = shutil.which("nm") or shutil.which("llvm-nm-19")
    if nm is None:
        pytest.skip("nm is not installed")
    command = [nm, "-D", "--defined-only", path_of(name)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    shown = {line.split()[-1] for line in text.splitlines()}
    # Debuggers look for the second and the third symbol.
    expected = {"PyInit__compiler", "__jit_debug_descriptor", "__jit_debug_register_code"}
    assert shown == (expected if name == "_compiler" else {f"PyInit_{name}"})


def test_import_loads_neither_llvm_nor_other_libraries(python):
    done = python.run(
        "-c",
        "import sys, eft, eft.language\n"
        "print(*sorted({'eft._compiler', 'torch', 'numpy', 'triton'} & set(sys.modules)))",
    )
    assert done.stdout == "\n", done.stderr


def test_a_first_launch_loads_none_of_tritons_names(python):
    program = python.write(
        "program.py",
        "import sys, array, eft, eft.language as tl\n\n\n"
        "@eft.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, 7.0)\n\n\n"
        "kernel[1](array.array('f', [0]))\n"
        "print(*sorted({'eft.triton', 'eft.testing', 'numpy'} & set(sys.modules)))\n",
    )
    if eft._runtime.device_count() > 0:
        pytest.skip("this array is the host's")
    done = python.run(program)
    assert (done.stdout, done.stderr) == ("\n", "")


def test_version_is_that_of_the_package():
    from importlib.metadata import PackageNotFoundError, version

    try:
        assert eft.__version__ == version("eft")
    except PackageNotFoundError:
        assert eft.__version__.count(".") == 2


def test_lives_beside_other_users_of_llvm(python):
    """Eft and the other packages work in either order of import: each has its own LLVM."""
    found = [name for name in ("numba", "torch", "triton") if importlib.util.find_spec(name)]
    if not found:
        pytest.skip("none of Numba, PyTorch and Triton is installed")
    kernel = python.write(
        "kernel.py",
        "import eft, numpy as np\nimport eft.language as tl\n\n\n"
        "@eft.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, 7.0)\n\n\n"
        "x = np.zeros(1, np.float32)\nkernel[1](x)\nassert x[0] == 7\n",
    )
    assert kernel.exists()
    for order in (["kernel", *found], [*found, "kernel"]):
        done = python.run("-c", "\n".join(f"import {name}" for name in order))
        assert done.returncode == 0, (order, done.stderr)
    assert sys.modules["eft"] is eft
