# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.tools.disasm`: shows a GPU's machine code as text."""

from __future__ import annotations

import re
import subprocess
import tempfile

from eft.triton import knobs, lazy

__all__ = ["extract", "get_sass", "path_to_cuobjdump"]


__getattr__ = lazy.attributes(__name__, {})


def path_to_cuobjdump() -> str:
    """Returns the path of the CUDA toolkit's program cuobjdump.

    Raises:
        RuntimeError: the program is not found.
    """
    return knobs.nvidia.cuobjdump.path


def get_sass(cubin_asm: bytes, fun: str | None = None) -> str:
    """Returns the instructions of all functions in a cubin, or of the function `fun`. The result
    has the form that `extract` describes."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin_asm)
        file.flush()
        return extract(file.name, fun)


def extract(file_path: str, fun: str | None = None) -> str:
    """Returns the instructions of all functions in a file, or of the function `fun`. For each
    function there is a line `Function:NAME`, followed by its instructions without addresses and
    encodings."""
    chosen = [] if fun is None else ["-fun", fun]
    command = [path_to_cuobjdump(), *chosen, "-sass", file_path]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return sass_lines(said)


def sass_lines(said: str) -> str:
    """Returns the functions and instructions in the output of cuobjdump, in the form of
    `extract`."""
    lines = []
    for line in said.splitlines():
        if name := re.match(r"\s*Function : (\w+)", line):
            lines.append(f"Function:{name[1]}")
        elif instruction := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s*([^;]*?)\s*;", line):
            lines.append(f"{instruction[1]};")
    return "".join(f"{line}\n" for line in lines)
