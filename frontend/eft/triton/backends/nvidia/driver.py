# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.backends.nvidia.driver`."""

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
        """Whether programs should run on a GPU, because there is one."""
        return has_gpu()
