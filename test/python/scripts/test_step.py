# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/step.sh: the output of a long step while it runs, and afterwards."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

STEP = Path(__file__).parent.parent.parent.parent / "scripts" / "step.sh"


def command(folder: Path, step: str) -> list[str]:
    """The command that runs a step, which is a shell command, with its logs in a folder."""
    script = f'source "{STEP}"; logs="{folder}"; COLUMNS=60; try slow "Doing it" bash -c \'{step}\''
    return ["bash", "-c", script]


def test_a_step_is_one_line(tmp_path):
    done = subprocess.run(command(tmp_path, "echo output"), capture_output=True, text=True)
    assert re.fullmatch(r"Doing it \.\.\. done in \d+ s\n", done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "slow.log").read_text() == "output\n"


def test_a_step_that_fails_shows_its_end(tmp_path):
    done = subprocess.run(
        command(tmp_path, "seq 100; exit 3"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3
    assert re.fullmatch(r"Doing it \.\.\. failed after \d+ s\n", done.stdout)
    lines = done.stderr.splitlines()
    assert lines[:-1] == [f"  | {number}" for number in range(76, 101)]
    assert lines[-1] == f"the whole output is in {tmp_path}/slow.log"


def test_a_terminal_shows_how_far_it_is(tmp_path):
    waits = "until test -e seen; do sleep 0.1; done"
    end, terminal = pty.openpty()
    process = subprocess.Popen(
        command(tmp_path, f"echo [1/2] one; {waits}; echo [2/2] {50 * 'two '}"),
        cwd=tmp_path,
        stdout=terminal,
    )
    os.close(terminal)
    text = ""
    while "[1/2] one" not in text:
        text += os.read(end, 1000).decode()
    (tmp_path / "seen").touch()
    assert process.wait() == 0
    while not text.endswith("\n"):
        text += os.read(end, 1000).decode()
    os.close(end)
    *shown, last = text.split("\r")[:-1]
    assert "Doing it ... [1/2] one\x1b[K" in shown
    assert re.fullmatch(r"Doing it \.\.\. \x1b\[Kdone in \d+ s", last)
    assert all(len(line) <= 60 + len("\x1b[K") for line in shown)
