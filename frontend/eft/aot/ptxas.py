# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds and runs ptxas, which assembles PTX to the cubin that a GPU runs."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

from eft.aot.errors import AheadError

#: The first CUDA release whose ptxas reads PTX ISA 8.5, which the compiler writes.
OLDEST = (12, 5)


def find_ptxas() -> str | None:
    """Returns the path of the first ptxas that is new enough, or None. The search goes through
    PATH, the folders of CUDA_HOME and CUDA_PATH, /usr/local/cuda, and the package
    nvidia-cuda-nvcc."""
    tools = (path for path in _candidates() if path and os.access(path, os.X_OK))
    return next((path for path in tools if _reads_our_ptx(path)), None)


def _reads_our_ptx(path: str) -> bool:
    """Returns whether this ptxas is new enough. A ptxas of an unknown release counts as new
    enough."""
    release = re.fullmatch(r"(\d+)\.(\d+)", _release(path) or "")
    return release is None or tuple(map(int, release.groups())) >= OLDEST


def _candidates() -> Iterator[str | None]:
    yield shutil.which("ptxas")
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if folder := os.environ.get(variable):
            yield os.path.join(folder, "bin", "ptxas")
    yield "/usr/local/cuda/bin/ptxas"
    package = importlib.util.find_spec("nvidia")
    for folder in package.submodule_search_locations or () if package else ():
        for name in ("cu13", "cuda_nvcc"):
            yield os.path.join(folder, name, "bin", "ptxas")


def describe_ptxas(path: str) -> str:
    """Returns the version of a ptxas and its folder, as text."""
    return f"ptxas {_release(path) or 'of an unknown version'} in {os.path.dirname(path)}"


def _release(path: str) -> str | None:
    words = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    release = re.search(r"release (\S+),", words)
    return release[1] if release else None


def architecture(ptx: str) -> str:
    """Returns the target that the PTX names, such as `sm_90`. Code for a target that ends in a
    letter, such as `sm_90a`, runs only on GPUs of just that compute capability."""
    return re.search(r"^\.target\s+(\w+)", ptx, re.MULTILINE)[1]


def assemble(path: str, ptx: str, target: str) -> bytes:
    """Returns the cubin of PTX for a target such as `sm_90`. If the PTX has line information, the
    cubin has it too."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = os.path.join(folder, "kernel.ptx"), os.path.join(folder, "kernel.cubin")
        with open(source, "w") as file:
            file.write(ptx)
        lines = ["-lineinfo"] if "\t.loc\t" in ptx else []
        command = [path, f"-arch={target}", *lines, "-o", cubin, source]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            words = (done.stderr or done.stdout).strip().replace(source, "kernel.ptx")
            number = re.search(r"\d+", target)[0]
            raise AheadError(
                f"{path} can't assemble the PTX for {target}: {words}\n"
                f"The target compute_{number} leaves that to the driver of the GPU."
            )
        with open(cubin, "rb") as file:
            return file.read()
