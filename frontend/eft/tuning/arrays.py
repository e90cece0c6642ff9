# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Zeroing, copying and restoring arrays around a run that is measured, for every library of arrays
that a kernel takes."""

from __future__ import annotations


def fill_zero(array):
    """Sets all elements to zero."""
    if hasattr(array, "zero_"):  # PyTorch, where a gradient of this is not wanted
        array.detach().zero_()
    elif hasattr(array, "fill"):  # NumPy, CuPy
        array.fill(0)
    else:
        _as_numpy(array).fill(0)


def copy(array):
    """A copy that keeps the elements, and the strides where the library can."""
    if hasattr(array, "clone"):
        return array.detach().clone()
    return array.copy() if hasattr(array, "dtype") else _as_numpy(array).copy()


def assign(array, saved):
    """Gives `array` the elements of a copy of it."""
    if hasattr(array, "copy_"):
        array.detach().copy_(saved)
    elif hasattr(array, "dtype"):
        array[...] = saved
    else:
        _as_numpy(array)[...] = saved


def _as_numpy(array):
    """A view of what has the buffer protocol: `bytearray`, `memoryview`, `array.array`."""
    import numpy

    return numpy.asarray(memoryview(array))
