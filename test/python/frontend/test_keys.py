# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the disk cache tells apart, and what a second process finds there."""

import importlib.util
import subprocess
import sys
import textwrap

import eft
import eft.language as tl
from eft import driver
from eft.keys import cache_key


@eft.jit
def scale(x_ptr, n, stride, factor, BLOCK: tl.constexpr):
    """Multiplies by a factor."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets * stride, mask=mask)
    tl.store(x_ptr + offsets * stride, x * factor, mask=mask)


def variant(**changes):
    given = driver.Variant("cuda:90", ("*fp32", None), {"N": 4}, {"num_warps": 4}, ("", ""))
    return given._replace(**changes)


def load_module(path, text):
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOURCE = """
import eft, eft.language as tl
import math, types
other = types.ModuleType("other")
other.SIZE = {size}
C = tl.constexpr({constant})
D: tl.constexpr = {annotated}
TYPE = tl.{type}
function = tl.{function}

@eft.jit
def helper(x, scale={default}):
    return x.to(TYPE) + {added}

def make():
    inner = tl.constexpr({closed})
    @eft.jit
    def kernel(x_ptr, N: tl.constexpr):
        tl.store(x_ptr, function(helper(C)) + N + other.SIZE + math.pi + D + inner)
    return kernel

kernel = make()
"""


GIVEN = {
    "size": 1,
    "constant": 1,
    "annotated": 1,
    "type": "float32",
    "function": "exp",
    "default": 1,
    "added": 1,
    "closed": 1,
}


def test_a_key_has_everything_that_the_code_depends_on(tmp_path, monkeypatch):
    def key(change=None, kind="code", **changes):
        # A file of its own for each: Python keeps the source of those that it has read.
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        module = load_module(folder / "m.py", SOURCE.format(**GIVEN | changes))
        return cache_key(module.kernel, change or variant(), kind)

    keys = [
        key(),
        key(size=2),
        key(constant=2),
        key(constant=1.0),
        key(annotated=2),
        key(type="float64"),
        key(function="log"),
        key(default=2),
        key(added=2),
        key(closed=2),
        key(variant(target="cuda:80")),
        key(variant(types=("*fp16", None))),
        key(variant(constexprs={"N": 8})),
        key(variant(constexprs={"N": True})),
        key(variant(options={"num_warps": 8})),
        key(variant(specialization=("16", ""))),
        key(variant(target="cpu")),
        key(kind="addresses"),
    ]
    monkeypatch.setattr("eft.keys.fingerprint", lambda: "another build")
    keys.append(key())
    assert None not in keys
    assert len(set(keys)) == len(keys)
    monkeypatch.undo()
    assert key() == keys[0]


def test_a_constant_without_a_stable_text_has_no_key():
    class Thing:
        pass

    assert cache_key(scale, variant(constexprs={"N": Thing()}), "code") is None

    constant = tl.constexpr(Thing())

    @eft.jit
    def kernel(x_ptr):
        tl.store(x_ptr, constant.size)

    assert cache_key(kernel, variant(), "code") is None


SCRIPT = """
import logging, sys
import numpy as np
import eft, eft.language as tl
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")

@eft.jit
def kernel(x_ptr, N: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, N), tl.arange(0, N))

x = np.zeros(32, np.int32)
compiled = kernel[1](x, N=32)
print(x.sum(), "eft.compiler.functions" in sys.modules)
print("func.func" in compiled.asm["ir"])
"""


def run_script(path, **environment):
    import os

    command = [sys.executable, str(path)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, check=True
    )
    return done.stdout.splitlines()


def test_a_second_process_finds_the_code_on_the_disk(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    cache = {"EFT_CACHE_DIR": str(tmp_path / "cache")}
    assert run_script(script, **cache) == [
        "compiling kernel for cpu: first use",
        "496 True",
        "True",
    ]
    assert run_script(script, **cache) == ["496 False", "True"]
