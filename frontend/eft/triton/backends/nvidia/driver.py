# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.backends.nvidia.driver`."""

from eft.triton import lazy
from eft.triton.backends.driver import GPUDriver, cpp_type
from eft.triton.runtime.driver import Utilities, has_gpu

__all__ = ["CudaDriver", "CudaUtils", "ty_to_cpp"]

__getattr__ = lazy.attributes(__name__, {})

CudaUtils = Utilities
ty_to_cpp = cpp_type


class CudaDriver(GPUDriver):
    @classmethod
    def is_active(cls) -> bool:
        """Whether there is a GPU and programs should run on it."""
        return has_gpu()
