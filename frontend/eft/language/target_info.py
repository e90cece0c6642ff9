# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target of the kernel that is being compiled. Outside of kernels, the functions are about the
device on which launches run.

A kernel is compiled separately for each target, whether or not it calls these functions.
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
    """The target as a `triton.backends.compiler.GPUTarget`. Its `backend` is "cuda" or "cpu". Its
    `arch` is the compute capability as an int, such as 90 for 9.0, or None on a CPU."""
    from eft.triton.backends.compiler import GPUTarget
    from eft.triton.runtime.driver import driver

    target = target_of_kernel()
    if target is None:
        return driver.active.get_current_target()
    gpu = re.fullmatch(r"(?:cuda:|compute_)(\d+)", target)
    return GPUTarget("cuda", int(gpu[1]), 32) if gpu else GPUTarget("cpu", None, 1)


@constexpr_function
def is_cuda() -> bool:
    """Returns whether the target is an NVIDIA GPU."""
    return current_target().backend == "cuda"


@constexpr_function
def cuda_capability_geq(major: int, minor: int = 0) -> bool:
    """Returns whether the target is an NVIDIA GPU of at least the compute capability
    `major`.`minor`."""
    target = current_target()
    return target.backend == "cuda" and target.arch >= major * 10 + minor


@constexpr_function
def is_hip() -> bool:
    """False: Eft does not compile for AMD's GPUs."""
    return False


@constexpr_function
def is_hip_cdna3() -> bool:
    """False: Eft does not compile for AMD's GPUs."""
    return False


@constexpr_function
def is_hip_cdna4() -> bool:
    """False: Eft does not compile for AMD's GPUs."""
    return False


@constexpr_function
def is_hip_gfx1250() -> bool:
    """False: Eft does not compile for AMD's GPUs."""
    return False
