# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout, the sum with a residual and a norm of the rows, fused in one operator."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from eft import _ops
from eft.ops.arrays import library_of
from eft.ops.numbers import probability, real, seed_bits


class Normed(NamedTuple):
    """The result of a norm. It has all arrays of the forward that the gradients need, except the
    weight."""

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

    z = residual + mask * x * s, and y = (z - mean) * rstd * weight + bias. The mean and rstd = 1 /
    sqrt(mean((z - mean)**2) + eps) are computed for each row of z. The mask and s are those of
    `eft.ops.dropout` with the same seed and p. All results have the same bits on every device.

    Args:
        x: an array of float16, bfloat16 or float32, whose last axis is the columns.
        weight, bias: of x's type, one element for each column.
        residual: of x's type and shape.
        p: from 0 to 1; at 0, no element is dropped and no random number is drawn.
        seed: an integer of 64 bits; 0 takes a fresh seed.
        eps: at least 0.
        scale_in_train: whether s is 1 / (1 - p); otherwise it is 1.

    Returns:
        y and z, of x's shape and type; mean and rstd, in float32, with one element for each row;
        and the seed that was used. All arrays are new and row-major. Arguments that are not
        row-major without gaps are copied first.

    Raises:
        TypeError: p or eps is not a number, the seed is not an integer, or the arrays are not all
            of one library.
        ValueError: an array has a wrong type, shape or device, or a number is out of range.
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
    """Like `dropout_add_layer_norm`, but with 0 in place of the mean and without a bias.

    y = z * rstd * weight, with rstd = 1 / sqrt(mean(z**2) + eps).
    """
    return _forward(False, x, weight, None, residual, p, seed, eps, scale_in_train)


def dropout_add_norm_backward(
    dy, normed: Normed, weight, p: float = 0.0, dz=None, scale_in_train: bool = True
) -> NormGradients:
    """Returns the gradients of a norm. Takes no mask: the kernel draws it again from the seed in
    `normed`.

    Args:
        dy: the gradient of y.
        normed: the forward's result.
        weight, p, scale_in_train: the forward's.
        dz: the gradient of z from its other uses, such as the next residual; None if there is none.

    Returns:
        The gradients of x, the residual, the weight and the bias. dx has the same bits as
        `eft.ops.dropout_seed_backward` of dresidual. The gradients of the weight and the bias are
        sums over rows, in a fixed order that is the same on every device.
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
    """Returns the library of the arrays that are not None. Raises TypeError if they are not all of
    one library."""
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
