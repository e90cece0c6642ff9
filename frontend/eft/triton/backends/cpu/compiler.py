# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The class of the backend that compiles for CPUs."""

from eft.triton.backends.compiler import EftBackend

__all__ = ["CPUBackend"]


class CPUBackend(EftBackend):
    kind = "cpu"
    binary_ext = "asm"
