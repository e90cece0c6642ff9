# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exit of a process whose threads still call Eft."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "exit_at_work.py"


@pytest.mark.parametrize(
    "situation",
    [
        "small-launches",
        "large-launches",
        "grid-functions",
        "compiles",
        "one-compile",
        "warmups",
        "cache",
    ],
)
def test_daemon_threads_at_work_do_not_disturb_the_exit(situation, tmp_path):
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "EFT_CACHE_DIR": str(tmp_path),
    }
    for _ in range(int(os.environ.get("EFT_TEST_EXITS", "3"))):
        child = subprocess.run(
            [sys.executable, PROGRAM, situation],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert child.returncode == 0, child.stderr[-2000:]
        assert "the end" in child.stdout
