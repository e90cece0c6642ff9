# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A wheel contains the licences of Eft and of the libraries in its modules."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("scikit_build_core")

ROOT = Path(__file__).parents[3]
# The files that the build backend reads before it compiles anything.
SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "licenses", "pyproject.toml")


def test_the_metadata_of_a_wheel_has_all_licences(tmp_path):
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    version = Path("frontend/eft/version.py")
    (tmp_path / version).parent.mkdir(parents=True)
    shutil.copy(ROOT / version, tmp_path / version)
    code = (
        "from scikit_build_core.build import prepare_metadata_for_build_wheel as prepare\n"
        "print(prepare('metadata'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "metadata" / done.stdout.split()[-1] / "licenses"
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    wanted = {f"licenses/{path.name}" for path in (ROOT / "licenses").glob("*.txt")}
    assert found == wanted | {"LICENSE"}
    assert {"licenses/LLVM.txt", "licenses/pybind11.txt"} <= found
