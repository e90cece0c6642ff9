# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that test_functions.py calls from another module."""

import eft
import eft.language as tl

SCALE = tl.constexpr(3)


@eft.jit
def scaled(x, by=2, *, plus=0):
    return x * by * SCALE + plus


@eft.jit
def smallest_and_largest(x, y, UP: tl.constexpr = True):
    if UP:
        return tl.minimum(x, y), tl.maximum(x, y)
    return tl.maximum(x, y), tl.minimum(x, y)


@eft.jit
def ping(n):
    return pong(n) + 1


@eft.jit
def pong(n):
    return ping(n) - 1
