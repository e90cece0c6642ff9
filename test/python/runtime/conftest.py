# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for the tests of eft._runtime."""

import pytest
from runtime_kernels import RecordingKernel, load_library, parameters


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    return load_library(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def make_kernel(library):
    def make(text, **kwargs):
        return RecordingKernel(library, parameters(text), **kwargs)

    return make
