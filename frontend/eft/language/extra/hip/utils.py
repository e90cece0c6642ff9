# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's functions that ask an AMD GPU for its clock and a program's place in it."""

from __future__ import annotations

from eft.language.missing import attribute

#: Names that Eft does not have.
MISSING = frozenset({"memrealtime", "num_threads", "num_warps", "smid"})

__getattr__ = attribute(__name__, "extra.hip.", MISSING)
