# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes for tests of reductions, and a function that stores results."""

import eft
import eft.language as tl
import numpy as np
from blocks import offsets

SHAPES = [
    ((16, 32), 0),
    ((256,), 0),
    ((1,), 0),
    ((8,), 0),
    ((2048,), 0),
    ((4, 8), 0),
    ((4, 8), 1),
    ((64, 32), -1),
    ((1, 16), 0),
    ((16, 1), 1),
    ((8, 64), None),
    ((2, 4, 8), 1),
    ((16, 8, 16), 0),
    ((16, 8, 16), 2),
]


def reduced_shape(shape, axis, keep_dims=False) -> tuple[int, ...]:
    return np.zeros(shape).sum(axis, keepdims=keep_dims).shape


@eft.jit
def store(out_ptr, y):
    """Stores a block in row-major order, or a number."""
    if y.shape == ():
        tl.store(out_ptr, y)
    else:
        tl.store(out_ptr + offsets(y.shape), y)
