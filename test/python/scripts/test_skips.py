# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Without PyTorch, each test case that needs it counts as skipped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pytorch import REASON

TESTS = Path(__file__).parent.parent
FILES = [TESTS / "runtime" / "test_runtime_torch.py", TESTS / "ops" / "test_ops_torch.py"]


def test_every_case_that_needs_pytorch_is_counted():
    program = (
        "import sys, pytest\n"
        "sys.modules['torch'] = None\n"
        "sys.exit(pytest.main(['-q', '-rs', '-p', 'no:cacheprovider', *sys.argv[1:]]))\n"
    )
    command = [sys.executable, "-c", program, *map(str, FILES)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=TESTS.parent.parent)
    assert done.returncode == 0, done.stdout
    functions = sum(file.read_text().count("\ndef test_") for file in FILES)
    last = done.stdout.splitlines()[-1]
    assert last.split()[1:3] == ["skipped", "in"] and int(last.split()[0]) >= functions
    assert REASON in done.stdout
