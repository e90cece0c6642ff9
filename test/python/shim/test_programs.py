# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in Triton's language. Eft runs them on the CPU and on a GPU; Triton runs them on a GPU
if it is installed. The outcomes must be as expected, and the same for both."""

from __future__ import annotations

import ast
import functools
import importlib.util
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import eft
import numpy as np
import pytest
from eft import _runtime
from pytorch import REASON

FOLDER = Path(__file__).parent / "programs"
MODULES = sorted({path.stem for path in FOLDER.glob("*.py")} - {"arrays", "program", "run"})


@functools.cache
def outcomes(module: str, device: str, compiler: str) -> dict:
    """The outcomes of the programs of a module, which run in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "outcomes"
        command = [FOLDER / "run.py", device, place, module]
        if compiler == "eft":
            command[:0] = ["-m", "eft", "run"]
        paths = [str(Path(eft.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "TRITON_CACHE_DIR" if compiler == "triton" else "EFT_CACHE_DIR": f"{folder}/cache",
        }
        done = subprocess.run(
            [sys.executable, *map(str, command)], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return pickle.loads(place.read_bytes())


def programs() -> list[tuple[str, str]]:
    """The module and the name of each program."""
    done = subprocess.run(
        [sys.executable, "-m", "eft", "run", FOLDER / "run.py", "names"],
        env=os.environ | {"PYTHONPATH": str(Path(eft.__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    return ast.literal_eval(done.stdout)


def assert_close(found, expected, bound: float):
    """Checks that a result is as expected. Arrays must have the same type and shape, and elements
    within the bound. Other values are compared as texts."""
    if not isinstance(expected, np.ndarray):
        assert found == expected
        return
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if bound == 0:
        np.testing.assert_array_equal(found.astype(_wide(found)), expected.astype(_wide(found)))
    else:
        found, expected = found.astype("float64"), expected.astype("float64")
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
        allowed = bound * np.maximum(1, np.abs(expected))
        np.testing.assert_array_less(np.abs(found - expected), allowed + 1e-300)


def _wide(array) -> np.dtype:
    """A type of NumPy's own that can represent the elements exactly."""
    return np.dtype("float64") if array.dtype.kind in "fV" else array.dtype


def found_by(name: str, module: str, device: str, compiler: str) -> list:
    found = outcomes(module, device, compiler)[name]
    assert not isinstance(found, str), found
    return found


def needs_gpu(device: str):
    if device == "cuda":
        if _runtime.device_count() == 0:
            pytest.skip("there is no GPU")
        pytest.importorskip("torch", reason=REASON)


PROGRAMS = programs()
each_program = pytest.mark.parametrize(
    "module, name", PROGRAMS, ids=[f"{module}-{name}" for module, name in PROGRAMS]
)


@each_program
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_what_is_expected_is_found(module, name, device):
    needs_gpu(device)
    for found, expected, bound in found_by(name, module, device, "eft"):
        assert_close(found, expected, bound)


@each_program
def test_both_compilers_find_the_same(module, name):
    needs_gpu("cuda")
    if importlib.util.find_spec("triton") is None:
        pytest.skip("Triton is not installed")
    ours, theirs = (found_by(name, module, "cuda", each) for each in ("eft", "triton"))
    for (found, expected, bound), (other, _, _) in zip(ours, theirs, strict=True):
        assert_close(other, expected, bound)
        assert_close(found, other, bound)


def test_there_are_a_hundred_programs_and_more():
    assert len(PROGRAMS) >= 200
    assert {module for module, _ in PROGRAMS} == set(MODULES)
