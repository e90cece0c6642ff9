# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures that all Python tests share: the devices, and checks of a kernel's IR."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys

import pytest
from eft import _runtime

pytest.register_assert_rewrite("support")  # its assertions then show the values that they compare

from devices import Cpu, Cuda  # noqa: E402
from pytorch import REASON  # noqa: E402
from support import lower  # noqa: E402


def pytest_collection_finish():
    """Exempts the objects of the collected tests, which live until the end, from each garbage
    collection."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory):
    """Gives this run a disk cache of its own, so that every run compiles."""
    os.environ["EFT_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def triton_means_what_it_did():
    """After each test, undoes what makes `import triton` import Eft."""
    yield
    finders = [finder for finder in sys.meta_path if type(finder).__name__ == "TritonFinder"]
    for finder in finders:
        sys.meta_path.remove(finder)
    for name in list(sys.modules) if finders else ():
        if name.partition(".")[0] == "triton":
            del sys.modules[name]


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    """The device that runs kernels. A test with this fixture runs on the CPU, then on a GPU."""
    if request.param == "cpu":
        return Cpu()
    if _runtime.device_count() == 0:
        pytest.skip("there is no GPU")
    pytest.importorskip("torch", reason=REASON)  # PyTorch puts the arrays on the GPU
    return Cuda()


@pytest.fixture
def host():
    """The CPU, with which another device is compared."""
    return Cpu()


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
