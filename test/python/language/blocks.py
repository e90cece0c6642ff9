# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools for tests of blocks: offsets of a block's elements, samples, and running a kernel."""

from __future__ import annotations

import eft
import eft.language as tl
import numpy as np
from support import DTYPES

INTEGERS = [name for name in DTYPES if "int" in name]
FLOATS = [name for name in DTYPES if "int" not in name]


def cases(names, shapes, favourite: str = "fp32") -> list[tuple]:
    """Cases (name, *shape): all types with the first two shapes, `favourite` with all others."""
    some = [(name, *shape) for name in names for shape in shapes[:2]]
    return some + [(favourite, *shape) for shape in shapes[2:]]


@eft.constexpr_function
def all_but(rank, dim):
    return tuple(other for other in range(rank) if other != dim)


@eft.jit
def offsets(SHAPE: tl.constexpr):
    """The row-major number of each element of a block of this shape."""
    total = tl.arange(0, SHAPE[0])
    if len(SHAPE) > 1:
        total = tl.expand_dims(total, all_but(len(SHAPE), 0)) * tl.zeros(SHAPE, tl.int32)
        for dim in tl.static_range(len(SHAPE)):
            place = tl.expand_dims(tl.arange(0, SHAPE[dim]), all_but(len(SHAPE), dim))
            total = total * SHAPE[dim] + place
    return total


def samples(name: str, shape, seed: int = 0, special: bool = True) -> np.ndarray:
    """Random elements: integers over their whole range, floats of many magnitudes. With `special`,
    the floats include zeros, infinities, NaN and equal numbers."""
    dtype = DTYPES[name]
    generator = np.random.default_rng(seed)
    count = int(np.prod(shape))
    if dtype == np.bool_:
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        x = generator.integers(limits.min, limits.max, count, dtype, endpoint=True)
        extremes = [limits.min, limits.max, 0, 1]
    else:
        x = generator.standard_normal(count) * 2.0 ** generator.integers(-6, 6, count)
        x = x.astype(dtype)
        extremes = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1.0]
    if special and count >= 4 * len(extremes):
        with np.errstate(invalid="ignore"):  # the cast of NaN to a narrow type
            x[: len(extremes)] = np.array(extremes).astype(dtype)
    return generator.permutation(x).reshape(shape)


def run(device, kernel, inputs, out_shape, dtype, num_warps=4, **constexprs) -> np.ndarray:
    """The contents of the kernel's output, which is its array argument after the inputs."""
    out = device.put(np.zeros(out_shape, dtype))
    kernel[1](*(device.put(x) for x in inputs), out, num_warps=num_warps, **constexprs)
    return device.get(out)
