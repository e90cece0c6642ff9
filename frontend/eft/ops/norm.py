# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout, the sum with a residual, and a norm of the rows, in one pass."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from eft import _ops
from eft.ops.arrays import library_of
from eft.ops.numbers import probability, real, seed_bits


class Normed(NamedTuple):
    """The result of a norm; it is all that the gradients need beside the weight."""

    y: Any
    z: Any
    mean: Any  # None for a root mean square norm
    rstd: Any
    seed: int


class NormGradients(NamedTuple):
    dx: Any
    dresidual: Any
    dweight: Any
    dbias: Any  # None for a root mean square norm


def dropout_add_layer_norm(
    x,
    weight,
    bias=None,
    residual=None,
    p: float = 0.0,
    seed: int = 123,
    eps: float = 1e-5,
    scale_in_train: bool = True,
) -> Normed:
    """Normalises the rows of residual + dropout(x).

    z = residual + mask * x * s, and y = (z - mean) * rstd * weight + bias, where mean and rstd are
    those of each row of z: rstd = 1 / sqrt(mean((z - mean)**2) + eps). The mask and s are those of
    `eft.ops.dropout` with this seed. The bits of all results are the same on every device.

    Args:
        x: an array of float16, bfloat16 or float32, whose last axis is the columns.
        weight, bias: of x's type, one element for each column.
        residual: of x's type and shape.
        p: from 0 to 1; at 0, nothing is dropped or drawn.
        seed: an integer of 64 bits; 0 takes a fresh one.
        eps: at least 0.
        scale_in_train: whether s is 1 / (1 - p); otherwise it is 1.

    Returns:
        y and z, like x; mean and rstd, float32, one for each row; and the seed that was used. All
        arrays are new ones. Arrays that are not row-major without gaps are copied first.

    Raises:
        TypeError: a number is none, or the arrays are of several libraries.
        ValueError: the arrays or numbers don't fit.
        RuntimeError: the device can't be used.
    """
    return _forward(True, x, weight, bias, residual, p, seed, eps, scale_in_train)


def dropout_add_rms_norm(
    x,
    weight,
    residual=None,
    p: float = 0.0,
    seed: int = 123,
    eps: float = 1e-5,
    scale_in_train: bool = True,
) -> Normed:
    """Like `dropout_add_layer_norm`, with the mean 0 and without a bias.

    y = z * rstd * weight, with rstd = 1 / sqrt(mean(z**2) + eps).
    """
    return _forward(False, x, weight, None, residual, p, seed, eps, scale_in_train)


def dropout_add_norm_backward(
    dy, normed: Normed, weight, p: float = 0.0, dz=None, scale_in_train: bool = True
) -> NormGradients:
    """The gradients of a norm, without a mask: from the seed.

    Args:
        dy: the gradient of y.
        normed: the forward's result.
        weight, p, scale_in_train: the forward's.
        dz: the gradient of z from elsewhere, as where it is the next residual.

    Returns:
        Those of x, the residual, the weight and the bias. dx is what
        `eft.ops.dropout_seed_backward` makes of dresidual, bit by bit. The sums of the other two
        have an order of their own that is the same on every device.
    """
    numbers = probability(p), bool(scale_in_train), seed_bits(normed.seed)
    library = _library(dy=dy, dz=dz, weight=weight, **normed._asdict())
    dy, dz, weight = _row_major(library, dy, dz, weight)
    z, mean, rstd = _row_major(library, normed.z, normed.mean, normed.rstd)
    is_layer = mean is not None
    dx, dresidual = library.empty(dy, tuple(dy.shape)), library.empty(dy, tuple(dy.shape))
    dweight = library.empty(dy, tuple(weight.shape))
    dbias = library.empty(dy, tuple(weight.shape)) if is_layer else None
    count = _ops.norm_workspace(_rows(dy), _columns(dy))
    workspace = library.empty(dy, (count,), "float32")
    arrays = (dy, dz, z, weight, mean, rstd, dx, dresidual, dweight, dbias, workspace)
    _ops.norm_backward(*_views(library, arrays), is_layer, *numbers, library.stream(dy))
    return NormGradients(dx, dresidual, dweight, dbias)


def _forward(is_layer, x, weight, bias, residual, p, seed, eps, scale_in_train) -> Normed:
    numbers = real("eps", eps), probability(p), bool(scale_in_train), seed_bits(seed)
    library = _library(x=x, weight=weight, bias=bias, residual=residual)
    x, weight, bias, residual = _row_major(library, x, weight, bias, residual)
    y, z = library.empty(x, tuple(x.shape)), library.empty(x, tuple(x.shape))
    mean = library.empty(x, (_rows(x),), "float32") if is_layer else None
    rstd = library.empty(x, (_rows(x),), "float32")
    arrays = (x, residual, weight, bias, z, y, mean, rstd)
    seed = _ops.norm(*_views(library, arrays), is_layer, *numbers, library.stream(x))
    return Normed(y, z, mean, rstd, seed)


def _library(**arrays):
    """The library of the arrays that are not None, which must be the same for all."""
    found = None
    for name, array in arrays.items():
        if array is None or name == "seed":
            continue
        library = library_of(array)
        if found is None:
            first, found = name, library
        elif type(library) is not type(found):
            raise TypeError(
                f"{first} and {name} must be of one library, got {type(arrays[first])} and "
                f"{type(array)}"
            )
    return found


def _row_major(library, *arrays) -> tuple:
    return tuple(None if each is None else library.row_major(each) for each in arrays)


def _views(library, arrays) -> tuple:
    return tuple(None if each is None else library.view(each) for each in arrays)


def _rows(array) -> int:
    return math.prod(array.shape[:-1])


def _columns(array) -> int:
    return array.shape[-1] if len(array.shape) else 1
