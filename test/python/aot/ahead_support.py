# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools of the tests of ahead-of-time compiling: runs of the command and of a C compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import eft

HERE = Path(__file__).parent
KERNELS = HERE / "ahead_kernels.py"
MIXED = "*kfp32:16, *fp32:16, i32:16, fp32, i64, i1, i32:1, 1024"


class Ahead:
    """`python -m eft compile`, in a process and a folder of its own.

    Attributes:
        folder: the folder. The command writes into its subfolder `out`.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.out = folder / "out"

    def run(self, *arguments: str, **environment) -> subprocess.CompletedProcess:
        paths = [
            str(Path(eft.__file__).parent.parent),
            *os.environ.get("PYTHONPATH", "").split(":"),
        ]
        return subprocess.run(
            [sys.executable, "-m", "eft", "compile", *map(str, arguments)],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": ":".join(filter(None, paths)), **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )

    def compile(self, *targets: str, kernel="mixed", signature=MIXED, more=(), **environment):
        """The output of the command. Checks that the command succeeds."""
        done = self.run(*self.arguments(kernel, signature, targets), *more, **environment)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    def fails(
        self, *targets: str, kernel="mixed", signature=MIXED, more=(), status=1, **environment
    ) -> str:
        """The error message of the command. Checks that the command fails and writes no file."""
        done = self.run(*self.arguments(kernel, signature, targets), *more, **environment)
        assert (done.returncode, done.stdout) == (status, "")
        assert not self.out.exists() or not any(self.out.iterdir())
        assert done.stderr.startswith("python -m eft compile: ")
        return done.stderr.removeprefix("python -m eft compile: ").rstrip("\n")

    def arguments(self, kernel: str, signature: str, targets) -> list[str]:
        words = [KERNELS, "--kernel", kernel, "--signature", signature, "--out", self.out]
        for target in targets:
            words += ["--target", target]
        return words


def build(command, *words) -> None:
    """Runs a compiler, and checks that it succeeds and prints nothing."""
    done = subprocess.run([command, *map(str, words)], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
