# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Zeroing, copying and restoring arrays around a run that is measured, for every library of arrays
that a kernel takes."""

from __future__ import annotations

import sys


def fill_zero(array):
    """Sets all elements to zero."""
    array = _with_memory(array)
    if hasattr(array, "zero_"):  # PyTorch, where a gradient of this is not wanted
        array.detach().zero_()
    elif hasattr(array, "fill"):  # NumPy, CuPy
        array.fill(0)
    else:
        _as_numpy(array).fill(0)


def copy(array):
    """A copy that keeps the elements, and the strides where the library can."""
    array = _with_memory(array)
    if hasattr(array, "clone"):
        return array.detach().clone()
    return array.copy() if hasattr(array, "dtype") else _as_numpy(array).copy()


def assign(array, saved):
    """Gives `array` the elements of a copy of it."""
    array = _with_memory(array)
    if hasattr(array, "copy_"):
        array.detach().copy_(saved)
    elif hasattr(array, "dtype"):
        array[...] = saved
    else:
        _as_numpy(array)[...] = saved


def _with_memory(array):
    """The array whose bits a reinterpreted one has; any other as it is."""
    jit = sys.modules.get("eft.triton.runtime.jit")  # which alone makes reinterpreted ones
    return array.base if jit is not None and isinstance(array, jit.TensorWrapper) else array


def _as_numpy(array):
    """A view of what has the buffer protocol: `bytearray`, `memoryview`, `array.array`."""
    import numpy

    return numpy.asarray(memoryview(array))
