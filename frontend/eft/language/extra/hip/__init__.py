# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's names for AMD's GPUs. `libdevice` is the same on every target; Eft does not have the
other names."""

from __future__ import annotations

from eft.language.extra.hip import libdevice, utils
from eft.language.missing import attribute

__all__ = ["libdevice"]

__getattr__ = attribute(__name__, "extra.hip.", utils.MISSING)
