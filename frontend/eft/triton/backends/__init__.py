# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.backends`: the kinds of devices for which Eft compiles."""

from __future__ import annotations

from dataclasses import dataclass

from eft.triton.backends.compiler import BaseBackend
from eft.triton.backends.driver import DriverBase

__all__ = ["Backend", "backends"]


@dataclass(frozen=True)
class Backend:
    """A kind of device.

    Attributes:
        compiler: the class that compiles for it.
        driver: the class that answers questions about it.
    """

    compiler: type[BaseBackend]
    driver: type[DriverBase]


def _backends() -> dict[str, Backend]:
    from eft.triton.backends.cpu.compiler import CPUBackend
    from eft.triton.backends.cpu.driver import CPUDriver
    from eft.triton.backends.nvidia.compiler import CUDABackend
    from eft.triton.backends.nvidia.driver import CudaDriver

    return {"nvidia": Backend(CUDABackend, CudaDriver), "cpu": Backend(CPUBackend, CPUDriver)}


backends: dict[str, Backend] = _backends()
