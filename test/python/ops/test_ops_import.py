# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""eft.ops in a build without the operators."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import eft


def test_operators_that_are_not_built(tmp_path):
    package = tmp_path / "eft"
    package.mkdir()
    for path in Path(eft.__file__).parent.iterdir():
        if not path.name.startswith("_ops."):
            (package / path.name).symlink_to(path.resolve())
    done = subprocess.run(
        [sys.executable, "-c", "import eft.ops"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    last = done.stderr.splitlines()[-1]
    assert last == "ImportError: eft.ops is not built; scripts/setup builds it"
