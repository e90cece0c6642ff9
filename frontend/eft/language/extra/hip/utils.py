# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's functions for AMD GPUs that read the clock, the number of the compute unit on which a
program runs, and the program's numbers of threads and warps. Eft has none of them."""

from __future__ import annotations

from eft.language.missing import attribute

#: Names that Eft does not have.
MISSING = frozenset({"memrealtime", "num_threads", "num_warps", "smid"})

__getattr__ = attribute(__name__, "extra.hip.", MISSING)
