# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's functions for kernels that begin before the preceding kernel has ended. Eft never
launches kernels in this way, so the functions do nothing."""

from __future__ import annotations

from eft.language.builtin import builtin

__all__ = ["gdc_launch_dependents", "gdc_wait"]


@builtin
def gdc_wait():
    """Does nothing: the preceding kernel of the stream has already ended."""


@builtin
def gdc_launch_dependents():
    """Does nothing: the next kernel of the stream begins when this kernel has ended."""
