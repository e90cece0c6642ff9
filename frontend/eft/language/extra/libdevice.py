# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of NVIDIA's libdevice by Triton's names, on every target and with the same bits.

Each takes every type of floats (or integers) that it makes sense for, not only fp32 and fp64. The
mathematical ones are within 2 ulp; docs/mathematics.md has the measured errors.
"""

# ruff: noqa: F403, F405 (the files offer what their __all__ says)
from __future__ import annotations

from eft.language.extra import bits, elementary, rounding
from eft.language.extra.bits import *
from eft.language.extra.elementary import *
from eft.language.extra.rounding import *
from eft.language.missing import attribute

__all__ = [*bits.__all__, *elementary.__all__, *rounding.__all__]

#: Functions that Triton's libdevice has beside these.
_MISSING = frozenset(
    """
    add_rd add_ru add_rz cyl_bessel_i0 cyl_bessel_i1 div_rd div_ru div_rz double2float_rd
    double2float_ru double2float_rz erfcinv erfcx erfinv fma_rd fma_ru fma_rz int2float_rd
    int2float_ru int2float_rz j0 j1 jn lgamma ll2double_rd ll2double_ru ll2double_rz ll2float_rd
    ll2float_ru ll2float_rz mul_rd mul_ru mul_rz normcdf normcdfinv rcp64h rcp_rd rcp_ru rcp_rz
    rsqrt_rn sqrt_rd sqrt_ru sqrt_rz sub_rd sub_ru sub_rz tgamma uint2float_rd uint2float_ru
    uint2float_rz ull2double_rd ull2double_ru ull2double_rz ull2float_rd ull2float_ru ull2float_rz
    y0 y1 yn """.split()
)


__getattr__ = attribute(__name__, "extra.libdevice.", _MISSING)
