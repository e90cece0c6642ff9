# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`eft-opt`, which the tests of this folder run on IR."""

from __future__ import annotations

import os
import pathlib
import subprocess

import eft
import pytest

EFT_OPT = pathlib.Path(eft.__file__).parents[2] / "bin" / "eft-opt"

#: The mark of modules whose tests need eft-opt. An installed package does not contain eft-opt.
needs_eft_opt = pytest.mark.skipif(
    not EFT_OPT.exists(), reason="the compiler's tools are not beside the package"
)


def optimize(source: str, *passes: str, timeout: float | None = None) -> str:
    """The IR after some passes. The test fails if these take more than `timeout` seconds."""
    # The tool contains its sanitizer, and must not load the one that Python runs under.
    environment = {**os.environ, "LD_PRELOAD": ""}
    done = subprocess.run(
        [EFT_OPT, "-", *passes],
        input=source,
        capture_output=True,
        text=True,
        env=environment,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def code_of_threads(source: str, warps: int, *before: str) -> str:
    """The code of a GPU's threads, for `gpu_threads.Threads`. Runs the passes `before`, placing,
    the lowering, and the passes on masks."""
    return optimize(
        source,
        *before,
        f"-eft-place=target=gpu num-warps={warps}",
        f"-eft-lower-to-gpu=num-warps={warps}",
        "-cse",
        "-eft-specialize-masked",
        "-eft-skip-masked",
        "-eft-mask-distances",
        "-mlir-print-op-generic",
    )
