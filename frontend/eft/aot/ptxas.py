# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The assembler of PTX, where one is installed: it makes the cubin that a GPU runs."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

from eft.aot.errors import AheadError

#: The first release whose assembler reads the PTX that the compiler writes, of version 8.5.
OLDEST = (12, 5)


def find_ptxas() -> str | None:
    """The first ptxas of those on PATH, in the CUDA toolkit that CUDA_HOME or CUDA_PATH names, in
    /usr/local/cuda, and in the package nvidia-cuda-nvcc, that is new enough."""
    tools = (path for path in _candidates() if path and os.access(path, os.X_OK))
    return next((path for path in tools if _reads_our_ptx(path)), None)


def _reads_our_ptx(path: str) -> bool:
    """Whether it is not known to be too old."""
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
    """Its version and where it is."""
    return f"ptxas {_release(path) or 'of an unknown version'} in {os.path.dirname(path)}"


def _release(path: str) -> str | None:
    words = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    release = re.search(r"release (\S+),", words)
    return release[1] if release else None


def architecture(ptx: str) -> str:
    """The target that the PTX names: `sm_90`. One that ends in a letter runs on that GPU
    alone."""
    return re.search(r"^\.target\s+(\w+)", ptx, re.MULTILINE)[1]


def assemble(path: str, ptx: str, target: str) -> bytes:
    """The cubin of PTX for a target such as `sm_90`, with the lines that the PTX names."""
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
