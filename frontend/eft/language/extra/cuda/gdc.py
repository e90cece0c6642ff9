# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's functions for kernels that begin before the one in front of them ends."""

from __future__ import annotations

from eft.language.missing import attribute

#: Names that Eft does not have yet.
MISSING = frozenset({"gdc_launch_dependents", "gdc_wait"})

__getattr__ = attribute(__name__, "extra.cuda.", MISSING)
