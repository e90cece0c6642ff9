# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tutorials' kernels in Triton: if it is installed, Triton compiles the same functions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import eft

TUTORIALS = Path(__file__).parent.parent.parent.parent / "tutorials"
BUILD = Path(eft.__file__).parent.parent

#: A stand-in for Triton, whose kernels and autotuned kernels keep their arguments.
STAND_IN = """
from dataclasses import dataclass

@dataclass
class jit:
    fn: object

@dataclass
class Config:
    kwargs: dict
    num_warps: int
    num_stages: int

@dataclass
class Tuned:
    fn: object
    configs: list
    key: list

def autotune(configs, key):
    return lambda fn: Tuned(fn, configs, key)
"""

KERNELS = """
import eft
import eft.language as tl
import support

WORDS = "a global"

@eft.jit
def double(x):
    return x + x

@eft.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    tl.static_print(WORDS)
    tl.store(x_ptr + tl.arange(0, BLOCK), double(1.0))

CONFIGURATION = eft.Config({"BLOCK": 16}, num_warps=2, num_stages=5)
tuned = eft.autotune([CONFIGURATION], key=["BLOCK"])(kernel)
"""


def run(code: str, triton: str | None, folder: Path) -> None:
    """Runs KERNELS and then `code`, with a module `triton` of this source, or without Triton."""
    package = folder / "triton"
    package.mkdir()
    missing = "raise ModuleNotFoundError(\"No module named 'triton'\", name='triton')"
    (package / "__init__.py").write_text(missing if triton is None else triton)
    (package / "language.py").write_text("class constexpr: pass")
    file = folder / "program.py"
    file.write_text(KERNELS + code)
    folders = map(str, (folder, BUILD, TUTORIALS))
    done = subprocess.run(
        [sys.executable, str(file)],
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(folders)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_same_function_and_what_it_calls_see_the_other_language(tmp_path):
    code = """
import triton, triton.language
twin = support.in_triton(kernel)
assert type(twin) is triton.jit and twin.fn is not kernel.fn
assert twin.fn.__code__ is kernel.fn.__code__ and twin.fn.__module__ == "__main__"
assert twin.fn.__annotations__ == {"BLOCK": triton.language.constexpr}
seen = twin.fn.__globals__
assert (seen["tl"], seen["WORDS"]) == (triton.language, WORDS)
assert type(seen["double"]) is triton.jit and seen["double"].fn.__code__ is double.fn.__code__
assert kernel.fn.__globals__["tl"] is tl
"""
    run(code, STAND_IN, tmp_path)


def test_it_is_tuned_over_the_same_configurations(tmp_path):
    code = """
import triton
twin = support.in_triton(tuned)
assert twin.key == ["BLOCK"] and twin.fn.fn.__code__ is kernel.fn.__code__
assert twin.configs == [triton.Config({"BLOCK": 16}, num_warps=2, num_stages=5)]
"""
    run(code, STAND_IN, tmp_path)


def test_there_is_none_without_triton(tmp_path):
    run("assert support.in_triton(tuned) is None", None, tmp_path)


def test_there_is_none_if_triton_is_another_name_for_eft(tmp_path):
    run(
        "import eft.triton; eft.triton.install(); assert support.in_triton(tuned) is None",
        STAND_IN,
        tmp_path,
    )
