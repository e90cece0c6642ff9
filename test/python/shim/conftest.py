# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fixture for tests of the commands, which run Python in new processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import eft
import pytest

_BUILD = Path(eft.__file__).parent.parent


class Process:
    """Runs Python in new processes. All of them share a folder, which is their working directory,
    and a cache in it, which is empty at first.

    Attributes:
        folder: the folder. Python looks for modules there before it looks elsewhere.
    """

    def __init__(self, folder: Path):
        self.folder = folder

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(
        self, *arguments: str, path: str = "", given: str = "", **variables: str
    ) -> subprocess.CompletedProcess:
        """Runs `python ARGUMENTS`. `path` is a folder with more modules, relative to `folder`.
        `given` is its standard input, `variables` are changes of its environment."""
        folders = [str(self.folder / path)] if path else []
        folders += [str(_BUILD), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        environment = dict(
            os.environ,
            PYTHONPATH=os.pathsep.join(filter(None, folders)),
            EFT_CACHE_DIR=str(self.folder / "cache"),
        )
        environment |= variables
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=self.folder,
            env=environment,
            input=given,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def hide(self, module: str) -> None:
        """Writes a file of the module's name to `hidden/`. With `path="hidden"`, imports of the
        module fail as if it were not installed."""
        self.write(
            f"hidden/{module}.py",
            f"raise ModuleNotFoundError(\"No module named '{module}'\", name='{module}')\n",
        )


@pytest.fixture
def python(tmp_path) -> Process:
    return Process(tmp_path)
