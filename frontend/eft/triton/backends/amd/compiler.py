# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.backends.amd.compiler`. Eft does not compile for AMD's GPUs, so
its backend supports no target."""

from __future__ import annotations

from eft.triton import lazy
from eft.triton.backends.compiler import EftBackend, GPUTarget
from eft.triton.backends.compiler import Options as HIPOptions

__all__ = ["HIPBackend", "HIPOptions"]


__getattr__ = lazy.attributes(__name__, {})


class HIPBackend(EftBackend):
    kind = "hip"
    binary_ext = "hsaco"

    @classmethod
    def supports_target(cls, target: GPUTarget) -> bool:
        return False
