# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.backends.amd.driver`. Eft does not use AMD's GPUs, so its driver
is never active."""

from eft.triton import lazy
from eft.triton.backends.driver import GPUDriver

__all__ = ["HIPDriver"]


__getattr__ = lazy.attributes(__name__, {})


class HIPDriver(GPUDriver):
    @classmethod
    def is_active(cls) -> bool:
        return False
