# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.backends.nvidia.compiler`."""

from __future__ import annotations

from eft.triton import lazy
from eft.triton.backends.compiler import EftBackend, GPUTarget
from eft.triton.backends.compiler import Options as CUDAOptions

__all__ = ["CUDABackend", "CUDAOptions", "min_dot_size", "sm_arch_from_capability"]


__getattr__ = lazy.attributes(__name__, {})


class CUDABackend(EftBackend):
    kind = "cuda"
    binary_ext = "cubin"


def min_dot_size(target: GPUTarget):
    """A function of two operands' types that gives the least extents (m, n, k) of a `dot`."""
    return lambda lhs_type, rhs_type: (16, 16, 16)


def sm_arch_from_capability(capability: int) -> str:
    """The name that ptxas has for a compute capability: 90 is "sm_90a"."""
    return f"sm_{capability}{'a' if capability >= 90 else ''}"
