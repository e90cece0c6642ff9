# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that tests of libdevice share: calls of its functions by name, and rounding."""

import eft
import eft.language as tl
import numpy as np
from eft.language.extra import libdevice

FLOATS = ["fp16", "bf16", "fp32", "fp64"]
N = 128


@eft.jit
def unary(x_ptr, out_ptr, NAME: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, getattr(libdevice, NAME)(tl.load(x_ptr + i)))


@eft.jit
def binary(x_ptr, y_ptr, out_ptr, NAME: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, getattr(libdevice, NAME)(x, tl.load(y_ptr + i)))


@eft.jit
def ternary(x_ptr, y_ptr, z_ptr, out_ptr, NAME: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(out_ptr + i, getattr(libdevice, NAME)(x, y, tl.load(z_ptr + i)))


def run(device, name, *arrays, dtype=None):
    """The results of a function for arrays of operands."""
    out = device.put(np.zeros(len(arrays[0]), dtype or arrays[0].dtype))
    kernel = (unary, binary, ternary)[len(arrays) - 1]
    kernel[1](*map(device.put, arrays), out, NAME=name, N=len(arrays[0]))
    return device.get(out)


def away_from_zero(x):
    return np.copysign(np.floor(np.abs(x.astype(np.longdouble)) + 0.5), x)
