# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's functions that read the clock of an AMD GPU and a program's place in it. Eft has none of
them."""

from __future__ import annotations

from eft.language.missing import attribute

#: Names that Eft does not have.
MISSING = frozenset({"memrealtime", "num_threads", "num_warps", "smid"})

__getattr__ = attribute(__name__, "extra.hip.", MISSING)
