# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""After a first run of a program, a new process compiles and measures nothing."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).with_name("whole_programs.py")


def logged(cache: Path) -> list[str]:
    """The log of whole_programs.py, run in a new process with this cache."""
    done = subprocess.run(
        [sys.executable, str(PROGRAMS)],
        capture_output=True,
        text=True,
        env={**os.environ, "EFT_CACHE_DIR": str(cache)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_whole_programs_compile_and_measure_nothing_in_their_second_process(tmp_path):
    first = logged(tmp_path)
    assert len(first) > 30
    assert {line.split()[0] for line in first} == {"compiling", "autotuned"}
    assert logged(tmp_path) == []
