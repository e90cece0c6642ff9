# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on arrays of NumPy, PyTorch and CuPy.

Their kernels are compiled ahead of time and run on the device of the arrays. `eft.ops.torch` has
the same operators as functions that PyTorch can differentiate.
"""

from __future__ import annotations

try:
    from eft import _ops
except ImportError as error:
    if error.name != "eft":  # the module exists but can't be loaded
        raise
    raise ImportError("eft.ops is not built; scripts/setup builds it") from None
from eft.ops.arrays import library_of
from eft.ops.norm import (
    Normed,
    NormGradients,
    dropout_add_layer_norm,
    dropout_add_norm_backward,
    dropout_add_rms_norm,
)
from eft.ops.numbers import probability, seed_bits
from eft.ops.places import on_device

__all__ = [
    "NormGradients",
    "Normed",
    "dropout",
    "dropout_add_layer_norm",
    "dropout_add_norm_backward",
    "dropout_add_rms_norm",
    "dropout_backward",
    "dropout_seed_backward",
]


def dropout(
    X,
    p: float = 0.5,
    seed: int = 123,
    return_mask: bool = True,
    scale_in_train: bool = True,
    *,
    return_seed: bool = False,
    device: str | None = None,
):
    """Drops each element of an array with probability p.

    Y = mask * X * s, where mask is 1 if a random number in [0, 1) is at least p, else 0. The random
    number is a function of the seed, the row and the column only. It is the same on every device
    and for every shape that has this row and column. The last axis of an array is its columns. All
    other axes together are its rows, in row-major order of their indices. The random numbers don't
    depend on the strides.

    Args:
        X: an array of float16, bfloat16, float32 or float64, of up to 8 axes and any strides.
        p: a number from 0 to 1, of any library; at 1 every element is dropped.
        seed: an integer of 64 bits, of any library; 0 takes a fresh seed.
        return_mask: whether to return the mask. No gradient needs it: `dropout_seed_backward` takes
            the seed in place of the mask, and gives the same gradient as `dropout_backward`.
        scale_in_train: if true, s is 1 / (1 - p), computed in float64 if X is float64, else in
            float32. If false, s is 1.
        return_seed: whether to return the seed that was used as well.
        device: "cpu", "cuda" or "cuda:N": the device to compute on, if X is an array of NumPy. For
            a GPU, X is copied to the GPU and the results are copied back.

    Returns:
        (Y, mask), or with `return_seed` (Y, mask, seed). Y has X's type. The mask is int32, or None
        without `return_mask`. Both are new arrays of X's library on X's device. If X has no gaps in
        memory, they have X's strides.

    Raises:
        TypeError: p is not a number, the seed is not an integer, or X is not of a known library.
        ValueError: X has a wrong type or more than 8 axes, p is not from 0 to 1, or the seed does
            not fit in 64 bits.
        RuntimeError: the device can't be used.
    """
    attributes = probability(p), bool(scale_in_train), seed_bits(seed)
    with on_device(device, X) as (place, X):
        library = library_of(X)
        X = library.plain(X)
        Y = library.empty_like(X)
        mask = library.empty_like(X, "int32") if return_mask else None
        view = None if mask is None else library.view(mask)
        views = library.view(X), library.view(Y), view
        seed = _ops.dropout(*views, *attributes, library.stream(X))
        Y, mask = place.back(Y), None if mask is None else place.back(mask)
    return (Y, mask, seed) if return_seed else (Y, mask)


def dropout_backward(dY, mask, p: float, scale_in_train: bool = True):
    """Returns the gradient of X, mask * dY * s. The mask, p and `scale_in_train` are those of the
    forward.

    Returns:
        A new array like dY.
    """
    attributes = probability(p), bool(scale_in_train)
    library = library_of(dY)
    if type(library) is not type(library_of(mask)):
        raise TypeError(f"dY and mask must be of one library, got {type(dY)} and {type(mask)}")
    dY, mask = library.plain(dY), library.plain(mask)
    dX = library.empty_like(dY)
    views = [library.view(each) for each in (dY, mask, dX)]
    _ops.dropout_backward(*views, *attributes, library.stream(dY))
    return dX


def dropout_seed_backward(dY, seed: int, p: float, scale_in_train: bool = True):
    """Returns the gradient of X, from the seed in place of the mask. It has the same bits as the
    result of `dropout_backward`. The seed is the one that the forward used; p and `scale_in_train`
    are those of the forward.

    Returns:
        A new array like dY.
    """
    attributes = probability(p), bool(scale_in_train), seed_bits(seed)
    library = library_of(dY)
    dY = library.plain(dY)
    dX = library.empty_like(dY)
    views = [library.view(dY), library.view(dX)]
    _ops.dropout_seed_backward(*views, *attributes, library.stream(dY))
    return dX
