# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suggestions in errors for misspelt names, and for functions of other libraries."""

import subprocess
import sys
from math import exp
from math import floor as downwards

import eft
import numpy as np
import pytest
from numpy import exp as exp_of_numpy
from support import lower

NAMES = {"exp": exp, "downwards": downwards, "exp_of_numpy": exp_of_numpy, "np": np}


def kernel_of(tmp_path, expression: str, **names):
    path = tmp_path / "named.py"
    path.write_text(
        f"""
import math
import eft
import eft.language as tl
from eft.language import extra

@eft.jit
def kernel(x_ptr, n):
    x = tl.load(x_ptr)
    offsets = tl.arange(0, 16)
    tl.store(x_ptr, {expression})
"""
    )
    names = {**NAMES, **names}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["kernel"]


def message_of(kernel) -> str:
    with pytest.raises(eft.CompilationError) as raised:
        lower(kernel, "*fp32 i32")
    return raised.value.message


@pytest.mark.parametrize(
    "expression, message",
    [
        ("tl.lod(x_ptr)", "'tl' has no attribute 'lod': did you mean 'tl.load'?"),
        ("tl.Maximum(x, 1)", "'tl' has no attribute 'Maximum': did you mean 'tl.maximum'?"),
        ("x.to(tl.flot32)", "'tl' has no attribute 'flot32': did you mean 'tl.float32'?"),
        ("tl.clip(x, 0, 1)", "'tl' has no attribute 'clip': use tl.clamp"),
        ("tl.pow(x, 2.0)", "'tl' has no attribute 'pow': use tl.extra.libdevice.pow"),
        ("extra.libdevice.cosh_(x)", "'extra.libdevice' has no attribute 'cosh_': did you mean "
         "'extra.libdevice.cosh'?"),
        ("math.sine(1)", "'math' has no attribute 'sine': did you mean 'math.sin'?"),
        ("np.lod(x)", "'np' has no attribute 'lod'"),
        ("x.too(tl.int32)", "a value of type fp32 has no attribute 'too': did you mean 'to'?"),
        ("x.astype(tl.int8)", "a value of type fp32 has no attribute 'astype': did you mean 'to'?"),
        ("x.handl", "a value of type fp32 has no attribute 'handl'"),
        ("offset", "'offset' is not defined: did you mean 'offsets'?"),
        ("downward(1)", "'downward' is not defined: did you mean 'downwards'?"),
        ("nothing_like_it", "'nothing_like_it' is not defined"),
        ("tl.sum(offsets, axi=0)", "tl.sum() got an unexpected keyword argument 'axi': did you "
         "mean 'axis'?"),
    ],
)  # fmt: skip
def test_a_name_that_is_nearly_right(tmp_path, expression, message):
    assert message_of(kernel_of(tmp_path, expression)) == message


@pytest.mark.parametrize(
    "expression, message",
    [
        ("np.exp(x)", "'numpy.exp' can't be called in a kernel: use tl.exp"),
        ("np.power(x, 2)", "'numpy.power' can't be called in a kernel: use "
         "tl.extra.libdevice.pow"),
        ("np.arctan2(x, x)", "'numpy.arctan2' can't be called in a kernel: use "
         "tl.extra.libdevice.atan2"),
        ("np.concatenate((x, x))", "'numpy.concatenate' can't be called in a kernel: use tl.cat"),
        ("np.matmul(x, x)", "'numpy.matmul' can't be called in a kernel: use tl.dot"),
        ("np.divide(x, x)", "'numpy.divide' can't be called in a kernel: use `/`"),
        ("np.linalg.norm(x)", "'norm' can't be called in a kernel: it is not under @eft.jit"),
        ("exp_of_numpy(x)", "'numpy.exp' can't be called in a kernel: use tl.exp"),
        ("math.exp(x)", "'exp' runs at compile time and can't take a value that is known only at "
         "run time: use tl.exp"),
        ("exp(x)", "'exp' runs at compile time and can't take a value that is known only at run "
         "time: use tl.exp"),
        ("math.lgamma(x)", "'lgamma' runs at compile time and can't take a value that is known "
         "only at run time: use tl.extra.libdevice.lgamma"),
        ("math.gcd(x, x)", "'gcd' runs at compile time and can't take a value that is known only "
         "at run time"),
        ("sum(offsets)", "Python's 'sum' can't be used in a kernel: use tl.sum"),
        ("pow(x, 2)", "Python's 'pow' can't be used in a kernel: use tl.extra.libdevice.pow"),
        ("open(x)", "Python's 'open' can't be used in a kernel"),
    ],
)  # fmt: skip
def test_a_function_of_another_library(tmp_path, expression, message):
    assert message_of(kernel_of(tmp_path, expression)) == message


@pytest.mark.parametrize(
    "expression, message",
    [
        ("torch.exp(x)", "'torch.exp' can't be called in a kernel: use tl.exp"),
        ("torch.clip(x, 0)", "'torch.clip' can't be called in a kernel: use tl.clamp"),
        ("torch.mm(x, x)", "'torch.mm' can't be called in a kernel: use tl.dot"),
        ("F.softmax(x)", "'torch.nn.functional.softmax' can't be called in a kernel: use "
         "tl.softmax"),
        ("F.gelu(x)", "'gelu' can't be called in a kernel: it is not under @eft.jit"),
    ],
)  # fmt: skip
def test_a_function_of_pytorch(tmp_path, expression, message):
    torch = pytest.importorskip("torch")
    kernel = kernel_of(tmp_path, expression, torch=torch, F=torch.nn.functional)
    assert message_of(kernel) == message


def test_functions_of_math_under_their_own_names(tmp_path):
    x = np.zeros(1)
    kernel_of(tmp_path, "exp(1.0) + downwards(2.5)")[(1,)](x, 1)
    assert x[0] == np.float32(np.exp(1.0) + 2)


def test_python_suggests_outside_of_kernels():
    run = subprocess.run(
        [sys.executable, "-c", "import eft.language as tl; tl.lod"], capture_output=True, text=True
    )
    message = "AttributeError: module 'eft.language' has no attribute 'lod'. Did you mean: 'load'?"
    assert run.stderr.splitlines()[-1] == message
