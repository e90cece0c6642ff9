# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton's language has for NVIDIA's GPUs alone. `libdevice` is the same on every target."""

from __future__ import annotations

from eft.language.extra.cuda import gdc, libdevice, utils
from eft.language.missing import attribute

__all__ = ["libdevice"]

__getattr__ = attribute(__name__, "extra.cuda.", gdc.MISSING | utils.MISSING)
