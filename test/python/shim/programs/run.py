# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs with the compiler that `import triton` imports, and writes their outcomes.

    python run.py DEVICE FILE [MODULES...]
    python run.py names

DEVICE is cpu or cuda. FILE gets a pickled dict from the name of each program to its outcomes, or to
the text of the error that ended it. `names` prints the module and the name of each program.
"""

from __future__ import annotations

import importlib
import pickle
import sys
import traceback
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent.parent))

from devices import Cpu, Cuda  # noqa: E402
from program import PROGRAMS  # noqa: E402

#: Modules in this folder that have no programs.
OTHERS = {"arrays", "program", "run"}


def modules() -> list[str]:
    """The names of the modules that contain programs."""
    return sorted({path.stem for path in HERE.glob("*.py")} - OTHERS)


def run(name: str, device):
    """The outcomes of a program; the text of the error if it ends in one."""
    try:
        outcomes = PROGRAMS[name](device)
    except Exception:
        return traceback.format_exc()
    return [(_written(each.found), _written(each.expected), each.bound) for each in outcomes]


def _written(value):
    """An array as it is, anything else as text, which another process can read."""
    return value if isinstance(value, np.ndarray) else repr(value)


def main(device: str, path: str, *names: str):
    place = {"cpu": Cpu, "cuda": Cuda}[device]()
    for name in names or modules():
        importlib.import_module(name)
    outcomes = {name: run(name, place) for name in PROGRAMS}
    Path(path).write_bytes(pickle.dumps(outcomes))


def print_names():
    found = []
    for module in modules():
        before = set(PROGRAMS)
        importlib.import_module(module)
        found += [(module, name) for name in PROGRAMS if name not in before]
    print(found)


if __name__ == "__main__":
    print_names() if sys.argv[1:] == ["names"] else main(*sys.argv[1:])
