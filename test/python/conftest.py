# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the Python tests share: the devices, arrays on them, and checks of a kernel's IR."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

import ml_dtypes
import numpy as np
import pytest
from eft import _runtime

DATA = pathlib.Path(__file__).parent.parent / "data"

#: NumPy's dtypes by the names of Eft's.
DTYPES = {
    "int1": np.dtype(np.bool_),
    **{
        f"{sign}int{bits}": np.dtype(f"{sign}int{bits}")
        for bits in (8, 16, 32, 64)
        for sign in ("", "u")
    },
    "fp16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "fp32": np.dtype(np.float32),
    "fp64": np.dtype(np.float64),
}


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory):
    """A disk cache of this run alone, so that every run compiles."""
    os.environ["EFT_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))


class Cpu:
    """NumPy arrays."""

    name = "cpu"

    def put(self, array: np.ndarray):
        """A copy of `array` on the device."""
        return array.copy()

    def get(self, array) -> np.ndarray:
        """The NumPy array of what `put` made."""
        return array


class Cuda:
    """PyTorch tensors on the first GPU."""

    name = "cuda"

    def __init__(self):
        import torch

        self.torch = torch

    def put(self, array: np.ndarray):
        if array.dtype == DTYPES["bf16"]:
            return self.torch.from_numpy(array.view(np.int16)).cuda().view(self.torch.bfloat16)
        return self.torch.from_numpy(array).cuda()

    def get(self, array) -> np.ndarray:
        if array.dtype == self.torch.bfloat16:
            return array.view(self.torch.int16).cpu().numpy().view(DTYPES["bf16"])
        return array.cpu().numpy()


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    """Where a kernel runs: every test that asks for it runs on the host and on a GPU."""
    if request.param == "cpu":
        return Cpu()
    if _runtime.device_count() == 0:
        pytest.skip("there is no GPU")
    pytest.importorskip(
        "torch", reason="PyTorch, which puts the arrays on the GPU, is not installed"
    )
    return Cuda()


def bits(array: np.ndarray) -> np.ndarray:
    """The bits of an array's elements, with one pattern for all NaNs."""
    unsigned = np.dtype(f"u{array.dtype.itemsize}")
    result = array.view(unsigned).copy()
    if array.dtype.kind in "fV" or array.dtype == DTYPES["bf16"]:
        with np.errstate(invalid="ignore"):  # signalling NaNs
            is_nan = np.isnan(array)
        result[is_nan] = np.iinfo(unsigned).max
    return result


def assert_same_bits(actual: np.ndarray, expected: np.ndarray):
    """The arrays are equal to the bit; every NaN equals every NaN."""
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(bits(actual), bits(expected))


def lower(kernel, types, specialization=None, **constexprs) -> str:
    """The block IR of a kernel. `types` is a signature: "*fp32 i32 _", with `_` for a constexpr."""
    from eft.compiler.functions import lower

    types = [None if word == "_" else word for word in types.split()]
    return str(lower(kernel, types, constexprs, specialization))


@pytest.fixture
def check_ir():
    """Checks a kernel's IR against the CHECK lines in its comments, with FileCheck."""
    program = shutil.which("FileCheck-19") or shutil.which("FileCheck", path="/usr/lib/llvm-19/bin")
    if program is None:
        pytest.skip("FileCheck of LLVM 19 is not installed")

    def check(kernel, types, specialization=None, **constexprs):
        text = lower(kernel, types, specialization, **constexprs)
        command = [
            program,
            kernel.source.file,
            "--input-file=-",
            f"--check-prefix={kernel.__name__}",
        ]
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return check
