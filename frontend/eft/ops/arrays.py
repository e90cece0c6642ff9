# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of NumPy, PyTorch and CuPy, as the operators see them."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Library(ABC):
    """The functions that operators need of a library of arrays. Its methods take arrays of its
    own."""

    @abstractmethod
    def contiguous(self, array):
        """The array, or a copy of it that is row-major without gaps."""

    @abstractmethod
    def empty_like(self, array, is_mask=False):
        """A new array of the same shape and device, float32, or int32 for a mask."""

    @abstractmethod
    def view(self, array) -> tuple:
        """Its address, shape, strides in elements, dtype, and the GPU's number or -1."""

    def stream(self, array) -> int:
        """The stream that work on the array goes to; 0 on the CPU."""
        return 0


class NumPy(Library):
    def __init__(self, numpy):
        self.numpy = numpy

    def contiguous(self, array):
        return self.numpy.ascontiguousarray(array)

    def empty_like(self, array, is_mask=False):
        return self.numpy.empty(array.shape, "int32" if is_mask else "float32")

    def view(self, array) -> tuple:
        if not array.dtype.isnative:
            raise ValueError(f"arrays in the machine's byte order are needed, got {array.dtype!r}")
        strides = tuple(stride // max(1, array.itemsize) for stride in array.strides)
        return array.ctypes.data, array.shape, strides, array.dtype.name, -1


class CuPy(Library):
    def __init__(self, cupy):
        self.cupy = cupy

    def contiguous(self, array):
        with array.device:
            return self.cupy.ascontiguousarray(array)

    def empty_like(self, array, is_mask=False):
        with array.device:
            return self.cupy.empty(array.shape, "int32" if is_mask else "float32")

    def view(self, array) -> tuple:
        strides = tuple(stride // max(1, array.itemsize) for stride in array.strides)
        return array.data.ptr, array.shape, strides, array.dtype.name, array.device.id

    def stream(self, array) -> int:
        with array.device:
            return self.cupy.cuda.get_current_stream().ptr


class PyTorch(Library):
    def __init__(self, torch):
        self.torch = torch

    def contiguous(self, array):
        return array.detach().contiguous()

    def empty_like(self, array, is_mask=False):
        dtype = self.torch.int32 if is_mask else self.torch.float32
        return self.torch.empty(array.shape, dtype=dtype, device=array.device)

    def view(self, array) -> tuple:
        kind = array.device.type
        if kind not in ("cpu", "cuda"):
            raise ValueError(f"operators work on the CPU and on CUDA devices, got {array.device}")
        name = str(array.dtype).removeprefix("torch.")
        number = array.device.index if kind == "cuda" else -1
        return array.data_ptr(), tuple(array.shape), array.stride(), name, number

    def stream(self, array) -> int:
        if array.device.type == "cpu":
            return 0
        return self.torch.cuda.current_stream(array.device).cuda_stream


_LIBRARIES = {"numpy": NumPy, "cupy": CuPy, "torch": PyTorch}


def library_of(array) -> Library:
    """The library that an array is of."""
    import importlib

    for each in type(array).__mro__:
        name = each.__module__.split(".")[0]
        if name in _LIBRARIES and hasattr(array, "shape"):
            return _LIBRARIES[name](importlib.import_module(name))
    raise TypeError(
        f"operators take arrays of NumPy, PyTorch and CuPy, got {type(array).__module__}."
        f"{type(array).__qualname__}"
    )
