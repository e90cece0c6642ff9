# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`import triton` means Eft in the child processes of a program that asks for it, and in processes
whose environment asks for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import eft

FRONTEND = Path(__file__).parent.parent.parent.parent / "frontend"

ASKS = (
    "import importlib.util\n"
    "assert importlib.util.find_spec('triton') is not None\n"
    "import triton.language as tl, triton, sys\n"
    "import eft\n"
    "assert triton.jit is eft.jit and tl is eft.language and sys.modules['triton'] is triton\n"
    "print(triton.__version__)\n"
)
FAKE = {
    "triton/__init__.py": "jit = None\n__version__ = 'the real one'\n",
    "triton/language.py": "",
}
VERSION = f"3.6.0+eft{eft.__version__}\n"


def run(code: str, **environment) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_workers_of_a_script(python):
    for name, text in FAKE.items():
        python.write(f"fake/{name}", text)
    python.write("worker.py", ASKS)
    python.write(
        "script.py",
        "import subprocess, sys, multiprocessing\n"
        "def ask(n):\n"
        "    import triton\n    return triton.__version__\n"
        "if __name__ == '__main__':\n"
        "    subprocess.run([sys.executable, 'worker.py'], check=True)\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.apply(ask, (1,)))\n",
    )
    done = python.run("-m", "eft", "run", "script.py", path="fake")
    assert done.stdout == VERSION * 2, done.stderr


def test_only_processes_that_are_meant(python):
    for name, text in FAKE.items():
        python.write(f"fake/{name}", text)
    child = (
        "import subprocess, sys\n"
        "code = 'import triton; print(triton.__version__)'\n"
        "subprocess.run([sys.executable, '-c', code])\n"
    )
    start = "import eft.triton\neft.triton.install({})\n"
    assert python.run("-c", start.format("") + child, path="fake").stdout == "the real one\n"
    done = python.run("-c", start.format("children=True") * 2 + child, path="fake")
    assert done.stdout == VERSION, done.stderr


def test_the_folder_on_a_path(python):
    folder = python.run("-m", "eft", "as-triton").stdout.strip()
    assert os.listdir(folder).count("triton.py") == 1
    path = os.pathsep.join([folder, str(Path(eft.__file__).parent.parent)])
    assert run(ASKS, PYTHONPATH=path) == VERSION


def test_an_installation_and_a_variable(tmp_path):
    """An installation has a .pth file beside the package; Python reads it at its start."""
    site = tmp_path / "site"
    site.mkdir()
    shutil.copy(FRONTEND / "eft-as-triton.pth", site)
    os.symlink(Path(eft.__file__).parent, site / "eft")
    code = f"import site\nsite.addsitedir({str(site)!r})\n"
    assert run(code + ASKS, PYTHONPATH="", EFT_AS_TRITON="1") == VERSION
    for value in ("", "0"):
        said = run(f"{code}import sys\nprint(*sys.path)\n", PYTHONPATH="", EFT_AS_TRITON=value)
        assert "as_triton" not in said and str(site) in said
