# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.backends.nvidia.compiler`."""

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
    """Returns a function that takes the types of the two operands of a `dot` and returns the least
    extents (m, n, k)."""
    return lambda lhs_type, rhs_type: (16, 16, 16)


def sm_arch_from_capability(capability: int) -> str:
    """Returns the name that ptxas uses for a compute capability: for 90, "sm_90a"."""
    return f"sm_{capability}{'a' if capability >= 90 else ''}"
