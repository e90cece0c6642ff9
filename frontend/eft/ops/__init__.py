# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that are ready to be called, on arrays of NumPy, PyTorch and CuPy.

Their kernels were compiled ahead of time; they run where their arrays lie. `eft.ops.torch` has them
as functions that PyTorch differentiates.
"""

from __future__ import annotations

try:
    from eft import _ops
except ImportError as error:
    if error.name != "eft":  # it is there, and can't be loaded
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

    Y = mask * X * s, where mask is 1 if a random number in [0, 1) is at least p. That number is a
    function of the seed, the row and the column alone: the same on every device and in every shape.
    An array's columns are its last axis; its rows are all others, in row-major order of their
    indices. Where its elements lie in memory does not matter.

    Args:
        X: an array of float16, bfloat16, float32 or float64, of up to 8 axes and any strides.
        p: from 0 to 1; at 1 everything is dropped. Any library's number.
        seed: an integer of 64 bits, of any library; 0 takes a fresh one.
        return_mask: whether to make the mask too. It is not needed: `dropout_seed_backward` gives
            the same gradient without one.
        scale_in_train: whether s is 1 / (1 - p), in float64 for an X of float64 and in float32
            otherwise; if not, it is 1.
        return_seed: whether to return the seed that was used, too.
        device: "cpu", "cuda" or "cuda:N", for an array of NumPy's: where to compute. On a GPU it is
            copied there and back.

    Returns:
        (Y, mask): Y is of X's type, the mask int32, or None without `return_mask`; both new arrays
        of X's library, on its device, laid out like X as far as there are no gaps. With
        `return_seed` (Y, mask, seed).

    Raises:
        TypeError: p is no number, or the seed no integer.
        ValueError: X is none of these arrays, p is not from 0 to 1, or the seed does not fit in 64
            bits.
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
    """The gradient of X: mask * dY * s, with the mask, the p and the scaling of the forward.

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
    """The gradient of X without a mask, from the seed, the p and the scaling of the forward: the
    same bits as `dropout_backward` gives.

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
