# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of NVIDIA's libdevice by Triton's names, on every target and with the same bits.

Each takes every type of floats (or integers) that it makes sense for, not only fp32 and fp64. The
elementary ones are within 2 ulp; docs/mathematics.md has the measured errors of all.
"""

# ruff: noqa: F403, F405 (the files offer what their __all__ says)
from __future__ import annotations

from eft.language.extra import bits, directed, elementary, rounding, special
from eft.language.extra.bits import *
from eft.language.extra.directed import *
from eft.language.extra.elementary import *
from eft.language.extra.rounding import *
from eft.language.extra.special import *

__all__ = [
    *bits.__all__,
    *directed.__all__,
    *elementary.__all__,
    *rounding.__all__,
    *special.__all__,
]
