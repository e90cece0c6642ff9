# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for the tests of eft._runtime."""

import pytest
from eft import _runtime
from runtime_kernels import RecordingKernel, load_library, parameters


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    return load_library(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def make_kernel(library):
    if _runtime.device_count() > 0:
        pytest.skip("calls without arrays go to the GPU; hide it with EFT_LIBCUDA=none to run this")

    def make(text, **kwargs):
        return RecordingKernel(library, parameters(text), **kwargs)

    return make
