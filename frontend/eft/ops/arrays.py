# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One interface for the arrays of NumPy, PyTorch and CuPy."""

from __future__ import annotations

from abc import ABC, abstractmethod

from eft import _runtime


class Library(ABC):
    """An array library: the functions that operators need. The methods take arrays of this
    library."""

    @abstractmethod
    def plain(self, array):
        """Returns the array as plain data in memory: without autograd and lazy negation in PyTorch,
        and as an `ndarray` in NumPy."""

    @abstractmethod
    def empty_like(self, array, dtype=None):
        """Returns a new array of the same shape on the same device. It has the same strides if the
        array has no gaps. Its type is the array's, or the one with this name."""

    @abstractmethod
    def row_major(self, array):
        """Returns the array if it is row-major without gaps, else a copy of it that is."""

    @abstractmethod
    def empty(self, array, shape: tuple, dtype=None):
        """Returns a new row-major array on the same device. Its type is the array's, or the one
        with this name."""

    @abstractmethod
    def strides(self, array) -> tuple[int, ...]:
        """Returns the strides in elements."""

    def view(self, array) -> tuple:
        """Returns what `eft._ops` takes for an array: (address, shape, strides in elements, type,
        GPU's number or -1). The array is read as a launch reads its arguments."""
        try:
            address, dtype, _, gpu = _runtime.read_array(array, "an operator's argument")
        except TypeError as error:
            raise ValueError(str(error)) from None
        if gpu is None:
            gpu = self.gpu(array)
        return address, tuple(array.shape), self.strides(array), dtype, gpu

    def gpu(self, array) -> int:
        """Returns the GPU's number for an array whose address does not tell it, because it has no
        memory; -1 on the CPU."""
        return -1

    def stream(self, array) -> int:
        """Returns the library's current stream on the array's GPU, as a number; 0 on the CPU."""
        return 0


class NumPy(Library):
    def __init__(self, numpy):
        self.numpy = numpy

    def plain(self, array):
        return self.numpy.asarray(array)

    def empty_like(self, array, dtype=None):
        return self.numpy.empty_like(array, dtype, subok=False)

    def row_major(self, array):
        # Unlike `ascontiguousarray`, `asarray` leaves arrays without axes as they are.
        return self.numpy.asarray(array, order="C")

    def empty(self, array, shape: tuple, dtype=None):
        return self.numpy.empty(shape, dtype or array.dtype)

    def strides(self, array) -> tuple[int, ...]:
        return _strides(array)


class CuPy(Library):
    def __init__(self, cupy):
        self.cupy = cupy

    def plain(self, array):
        return array

    def empty_like(self, array, dtype=None):
        with array.device:
            return self.cupy.empty_like(array, dtype)

    def row_major(self, array):
        with array.device:
            return self.cupy.asarray(array, order="C")

    def empty(self, array, shape: tuple, dtype=None):
        with array.device:
            return self.cupy.empty(shape, dtype or array.dtype)

    def strides(self, array) -> tuple[int, ...]:
        return _strides(array)

    def gpu(self, array) -> int:
        return array.device.id

    def stream(self, array) -> int:
        with array.device:
            return self.cupy.cuda.get_current_stream().ptr


class PyTorch(Library):
    def __init__(self, torch):
        self.torch = torch

    def plain(self, array):
        return array.detach().resolve_neg()

    def empty_like(self, array, dtype=None):
        return self.torch.empty_like(array, dtype=dtype and getattr(self.torch, dtype))

    def row_major(self, array):
        return self.plain(array).contiguous()

    def empty(self, array, shape: tuple, dtype=None):
        dtype = getattr(self.torch, dtype) if dtype else array.dtype
        return self.torch.empty(shape, dtype=dtype, device=array.device)

    def strides(self, array) -> tuple[int, ...]:
        return array.stride()

    def gpu(self, array) -> int:
        return array.device.index if array.device.type == "cuda" else -1

    def stream(self, array) -> int:
        if array.device.type == "cpu":
            return 0
        return self.torch.cuda.current_stream(array.device).cuda_stream


def _strides(array) -> tuple[int, ...]:
    """Returns the strides in elements of an array whose `strides` are in bytes."""
    size = max(1, array.itemsize)
    if any(stride % size for stride in array.strides):
        raise ValueError(
            f"arrays whose strides are whole elements are needed, got strides of {array.strides} "
            f"bytes for elements of {size}"
        )
    return tuple(stride // size for stride in array.strides)


_LIBRARIES = {"numpy": NumPy, "cupy": CuPy, "torch": PyTorch}


def library_of(array) -> Library:
    """Returns the library of an array. Raises TypeError if it is none of the three."""
    import importlib

    for each in type(array).__mro__:
        name = each.__module__.split(".")[0]
        if name in _LIBRARIES and hasattr(array, "shape"):
            return _LIBRARIES[name](importlib.import_module(name))
    raise TypeError(
        f"operators take arrays of NumPy, PyTorch and CuPy, got {type(array).__module__}."
        f"{type(array).__qualname__}"
    )
