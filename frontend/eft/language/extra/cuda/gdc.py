# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's functions for kernels that begin before the one in front of them ends. Eft's launches
never do, so there is nothing to wait for, and nobody to tell."""

from __future__ import annotations

from eft.language.builtin import builtin

__all__ = ["gdc_launch_dependents", "gdc_wait"]


@builtin
def gdc_wait():
    """Waits for the kernel in front in the stream, which has ended already: costs nothing."""


@builtin
def gdc_launch_dependents():
    """Lets the next kernel in the stream begin, which waits for this one's end all the same."""
