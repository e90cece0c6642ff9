# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target of a kernel, for kernels that ask; on the host, the device that launches run on.

A kernel is compiled anew for each target, whether or not it asks.
"""

from __future__ import annotations

import re

from eft.language.builtin import constexpr_function
from eft.language.tensor import target_of_kernel

__all__ = [
    "cuda_capability_geq",
    "current_target",
    "is_cuda",
    "is_hip",
    "is_hip_cdna3",
    "is_hip_cdna4",
    "is_hip_gfx1250",
]


@constexpr_function
def current_target():
    """The target as a `triton.backends.compiler.GPUTarget`: its `backend` is "cuda" or "cpu", its
    `arch` the compute capability as a number, or None on a CPU."""
    from eft.triton.backends.compiler import GPUTarget
    from eft.triton.runtime.driver import driver

    target = target_of_kernel()
    if target is None:
        return driver.active.get_current_target()
    gpu = re.fullmatch(r"(?:cuda:|compute_)(\d+)", target)
    return GPUTarget("cuda", int(gpu[1]), 32) if gpu else GPUTarget("cpu", None, 1)


@constexpr_function
def is_cuda() -> bool:
    """Whether it is an NVIDIA GPU."""
    return current_target().backend == "cuda"


@constexpr_function
def cuda_capability_geq(major: int, minor: int = 0) -> bool:
    """Whether it is an NVIDIA GPU of at least this compute capability."""
    target = current_target()
    return target.backend == "cuda" and target.arch >= major * 10 + minor


@constexpr_function
def is_hip() -> bool:
    """False: Eft does not compile for AMD's GPUs."""
    return False


@constexpr_function
def is_hip_cdna3() -> bool:
    """False, as `is_hip`."""
    return False


@constexpr_function
def is_hip_cdna4() -> bool:
    """False, as `is_hip`."""
    return False


@constexpr_function
def is_hip_gfx1250() -> bool:
    """False, as `is_hip`."""
    return False
