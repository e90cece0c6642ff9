# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Zeroes, copies and restores arrays before and after a run that is measured. Supports every array
library whose arrays a kernel takes."""

from __future__ import annotations

import sys


def fill_zero(array):
    """Sets all elements of an array to zero."""
    array = _with_memory(array)
    if hasattr(array, "zero_"):  # PyTorch; `detach` keeps this out of gradients
        array.detach().zero_()
    elif hasattr(array, "fill"):  # NumPy, CuPy
        array.fill(0)
    else:
        _as_numpy(array).fill(0)


def copy(array):
    """Returns a copy of an array, with the same strides if the library supports that."""
    array = _with_memory(array)
    if hasattr(array, "clone"):
        return array.detach().clone()
    return array.copy() if hasattr(array, "dtype") else _as_numpy(array).copy()


def assign(array, saved):
    """Sets the elements of `array` to those of `saved`, which `copy` returned for it."""
    array = _with_memory(array)
    if hasattr(array, "copy_"):
        array.detach().copy_(saved)
    elif hasattr(array, "dtype"):
        array[...] = saved
    else:
        _as_numpy(array)[...] = saved


def _with_memory(array):
    """Returns the array that has the memory of `array`: its base if `triton.reinterpret` made it,
    else `array` itself."""
    jit = sys.modules.get("eft.triton.runtime.jit")  # only this module makes reinterpreted arrays
    return array.base if jit is not None and isinstance(array, jit.TensorWrapper) else array


def _as_numpy(array):
    """Returns an array of NumPy that shares its memory with an object that has the buffer protocol:
    a `bytearray`, a `memoryview` or an `array.array`."""
    import numpy

    return numpy.asarray(memoryview(array))
