# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of NVIDIA's libdevice under Triton's names. They exist on every target. Their bits
are the same everywhere, except those of `fast_expf`, and those of `exp` and `exp2` of numbers that
depend on a matrix product of tensor cores.

Each takes all types of floats or integers for which it is meaningful, not only fp32 and fp64. The
elementary functions are within 2 ulp, except `tanh` of fp64, which is within 2.2 ulp, and
`fast_expf` on a GPU, which is within 3 ulp; `help` shows the measured errors.
"""

# ruff: noqa: F403, F405 (the files offer what their __all__ says)
from __future__ import annotations

from eft.language.extra import bits, directed, elementary, rounding
from eft.language.extra.bits import *
from eft.language.extra.directed import *
from eft.language.extra.elementary import *
from eft.language.extra.rounding import *

#: The functions of special.py. Few programs need them, so the file is imported when one of them is
#: first used.
_SPECIAL = (
    *("erfinv", "erfcinv", "erfcx", "normcdf", "normcdfinv", "lgamma", "tgamma"),
    *("j0", "j1", "jn", "y0", "y1", "yn", "cyl_bessel_i0", "cyl_bessel_i1"),
    *("rsqrt_rn", "rcp64h"),
)

__all__ = [
    *bits.__all__,
    *directed.__all__,
    *elementary.__all__,
    *rounding.__all__,
    *_SPECIAL,
]


def __getattr__(name: str):
    if name in _SPECIAL:
        from eft.language.extra import special

        globals()[name] = getattr(special, name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return [*globals(), *_SPECIAL]
