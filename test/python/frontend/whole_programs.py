# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tutorials and test_whole_kernels.py in one process, on the CPU with NumPy arrays. Prints
Eft's log: the variants that are compiled and the reasons, what autotuning measures, and what the
disk cache does not keep."""

from __future__ import annotations

import itertools
import logging
import os
import runpy
import sys
from contextlib import redirect_stdout
from pathlib import Path

PYTHON_TESTS = Path(__file__).parent.parent
TUTORIALS = PYTHON_TESTS.parent.parent / "tutorials"

#: The value of the argument `--largest` for each tutorial.
SMALL = {"01": 12, "02": 8, "04": 14, **dict.fromkeys("03 05 06 07 08 09 10 11".split(), 6)}


class Cpu:
    """The tests' fixture `device`, for the CPU."""

    name = "cpu"

    def put(self, array):
        return array.copy()

    def get(self, array):
        return array


def run_tutorials():
    import eft.testing

    # Nothing here depends on times, so each function runs once.
    eft.testing.do_bench = lambda function, **_: [function(), 1.0][1]
    sys.path.insert(0, str(TUTORIALS))
    for path in sorted(TUTORIALS.glob("[0-9]*.py")):
        sys.argv = [str(path), "--largest", str(SMALL[path.name[:2]])]
        runpy.run_path(str(path), run_name="__main__")


def run_tests(path: Path):
    """Calls every test of a module on the CPU, with all combinations of its parameters."""
    sys.path[:0] = [str(path.parent), str(PYTHON_TESTS)]
    module = runpy.run_path(str(path))
    for name, test in list(module.items()):
        if name.startswith("test_"):
            marks = [mark.args for mark in getattr(test, "pytestmark", ())]
            for values in itertools.product(*(values for _, values in marks)):
                names = (name for name, _ in marks)
                test(device=Cpu(), **dict(zip(names, values, strict=True)))


def main():
    sys.modules["torch"] = sys.modules["matplotlib"] = None  # as if they were not installed
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        run_tutorials()
    run_tests(PYTHON_TESTS / "language" / "test_whole_kernels.py")


if __name__ == "__main__":
    main()
